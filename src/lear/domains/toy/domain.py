"""The toy language as a value: everything that lear needs to know of it."""

from lear.chart import Shape
from lear.domain import Domain
from lear.domains.toy.algebra import TOY_ALGEBRA
from lear.domains.toy.category import category
from lear.domains.toy.data import BENCHMARKS, SECTIONS, load
from lear.domains.toy.form import conjuncts, read, render, symbols
from lear.domains.toy.guide import guide
from lear.domains.toy.lexicon import ground, induce, unknown

TOY = Domain(
    name="toy",
    algebra=TOY_ALGEBRA,
    shape=Shape(beside=1, between=1),
    read=read,
    render=render,
    ground=ground,
    guide=guide,
    induce=induce,
    unknown=unknown,
    category=category,
    closed=category,
    heads={},
    conjuncts=conjuncts,
    primitives=symbols,
    lenient=render,
    benchmarks=BENCHMARKS,
    load=load,
    sections=SECTIONS,
)
