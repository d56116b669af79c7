"""The toy language as a value: everything that lear needs to know of it.

Its metrics are the defaults: a term is right as far as its parts are.
"""

from lear.domain.domain import Corpus, Domain, Language, Syntax, Words
from lear.domains.toy.algebra import TOY_ALGEBRA
from lear.domains.toy.corpus import BENCHMARKS, GROUP_TITLES, load
from lear.domains.toy.form import read, render
from lear.domains.toy.guide import guide
from lear.domains.toy.lexicon import ground, induce
from lear.domains.toy.syntax import category

TOY = Domain(
    name="toy",
    language=Language(TOY_ALGEBRA, read, render, guide),
    words=Words(induce, ground),
    corpus=Corpus(BENCHMARKS, load, group_titles=GROUP_TITLES),
    syntax=Syntax(category=category),
)
