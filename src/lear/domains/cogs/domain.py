"""COGS as a value: everything that lear needs to know of it."""

from lear.chart import Shape
from lear.domain import Domain
from lear.domains.cogs.algebra import COGS_ALGEBRA
from lear.domains.cogs.category import HEADS, category, closed
from lear.domains.cogs.data import BENCHMARKS, SECTIONS, load
from lear.domains.cogs.form import atoms, read, render
from lear.domains.cogs.guide import guide
from lear.domains.cogs.lenient import primitives, skeleton
from lear.domains.cogs.lexicon import ground, induce, unknown

COGS = Domain(
    name="cogs",
    summary="English sentences to logical forms with token positions (Kim & Linzen 2020)",
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
    conjuncts=atoms,
    primitives=primitives,
    lenient=skeleton,
    benchmarks=BENCHMARKS,
    load=load,
    sections=SECTIONS,
)
