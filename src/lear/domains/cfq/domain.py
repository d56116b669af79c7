"""CFQ as a value: everything that lear needs to know of it."""

from lear.chart import Shape
from lear.domain import Domain
from lear.domains.cfq.algebra import CFQ_ALGEBRA
from lear.domains.cfq.category import HEADS, category, closed, head
from lear.domains.cfq.data import BENCHMARKS, benchmark_named, load
from lear.domains.cfq.form import read, render
from lear.domains.cfq.guide import guide
from lear.domains.cfq.lexicon import ground, induce, unknown
from lear.domains.cfq.reward import chains, conjuncts, primitives
from lear.domains.cfq.store import open_store
from lear.domains.cfq.text import tokenize

CFQ = Domain(
    name="cfq",
    algebra=CFQ_ALGEBRA,
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
    head=head,
    conjuncts=conjuncts,
    primitives=primitives,
    lenient=chains,
    benchmarks=BENCHMARKS,
    load=load,
    other_benchmark=benchmark_named,
    tokenize=tokenize,
    open_store=open_store,
    has_one_text=False,
)
