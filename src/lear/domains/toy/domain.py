"""The toy domain, put together from its parts; its metrics are the defaults."""

from lear.domain.domain import Corpus, Domain, Language, Syntax, Words, second_sentence
from lear.domains.toy.algebra import TOY_ALGEBRA
from lear.domains.toy.categories import category
from lear.domains.toy.corpus import BENCHMARKS, GROUP_TITLES, load
from lear.domains.toy.form_text import read, render
from lear.domains.toy.lexicon import ground, induce
from lear.domains.toy.tokenizer import tokenize

TOY = Domain(
    name="toy",
    language=Language(TOY_ALGEBRA, read, render),
    words=Words(induce, ground, tokenize=tokenize, second_sentence=second_sentence),
    corpus=Corpus(BENCHMARKS, load, group_titles=GROUP_TITLES),
    syntax=Syntax(category=category),
)
