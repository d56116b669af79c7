"""GEO as a value: everything that lear needs to know of it."""

from lear.algebra import Meaning
from lear.chart import Shape
from lear.domain import Domain
from lear.domains.geo.algebra import GEO_ALGEBRA, Proposition, chain_of_meaning
from lear.domains.geo.category import category, closed
from lear.domains.geo.data import BENCHMARKS, benchmark_named, load, names
from lear.domains.geo.finish import fill_all, raise_most
from lear.domains.geo.form import read, render
from lear.domains.geo.guide import guide
from lear.domains.geo.lexicon import alike, ground, induce, unknown
from lear.domains.geo.reward import conjuncts, primitives, without_brackets
from lear.domains.geo.store import check_answers, open_store
from lear.domains.geo.text import tokenize


def _fill_all(meaning: Meaning) -> Meaning:
    return Proposition(fill_all(chain_of_meaning(meaning)))


def _raise_most(meaning: Meaning) -> Meaning:
    return Proposition(raise_most(chain_of_meaning(meaning)))


GEO = Domain(
    name="geo",
    algebra=GEO_ALGEBRA,
    shape=Shape(beside=1, between=1, after=False),
    read=read,
    render=render,
    ground=ground,
    guide=guide,
    induce=induce,
    unknown=unknown,
    alike=alike,
    category=category,
    closed=closed,
    heads={},
    conjuncts=conjuncts,
    primitives=primitives,
    lenient=without_brackets,
    benchmarks=BENCHMARKS,
    load=load,
    names=names,
    other_benchmark=benchmark_named,
    tokenize=tokenize,
    open_store=open_store,
    check_answers=check_answers,
    settings={
        "dev_every": "16",
        "model.lexical": '"units"',
        "model.search": '"legal"',
        "model.hidden": "32",
        "model.members": "5",
        "optim.optimizer": '"adam"',
        "optim.learning_rate": "0.005",
        "optim.batch_size": "64",
        "curriculum": "[{epochs = 16}]",
    },
    steps={"fill_all": _fill_all, "raise_most": _raise_most},
)
