"""COGS as a value: everything that lear needs to know of it."""

from lear.chart import Shape
from lear.domain import Domain
from lear.domains.cogs.algebra import COGS_ALGEBRA
from lear.domains.cogs.category import HEADS, category, closed
from lear.domains.cogs.data import BENCHMARKS, SECTIONS, STRUCTURAL, load
from lear.domains.cogs.form import read, render
from lear.domains.cogs.guide import guide
from lear.domains.cogs.lexicon import ground, induce, unknown
from lear.domains.cogs.reward import conjuncts, primitives, skeleton

COGS = Domain(
    name="cogs",
    algebra=COGS_ALGEBRA,
    shape=Shape(beside=1, between=1),
    read=read,
    render=render,
    ground=ground,
    guide=guide,
    induce=induce,
    unknown=unknown,
    category=category,
    closed=closed,
    heads=HEADS,
    conjuncts=conjuncts,
    primitives=primitives,
    lenient=skeleton,
    benchmarks=BENCHMARKS,
    load=load,
    sections=SECTIONS,
    structural=STRUCTURAL,
)
