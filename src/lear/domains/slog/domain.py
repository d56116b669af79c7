"""The SLOG domain, put together from its parts and those of COGS."""

from lear.domain.domain import Corpus, Domain, Language, Metrics, Syntax, Words, second_sentence
from lear.domains.cogs.compared_parts import conjuncts, primitives
from lear.domains.cogs.guide import guide
from lear.domains.cogs.new_words import unknown
from lear.domains.slog.algebra import SLOG_ALGEBRA
from lear.domains.slog.categories import HEADS, argument_symbol, category, head_symbol, scored_as
from lear.domains.slog.corpus import BENCHMARKS, benchmark_named, load
from lear.domains.slog.form_text import read, render
from lear.domains.slog.lexicon import ground, induce
from lear.domains.slog.tokenizer import tokenize

SLOG = Domain(
    name="slog",
    language=Language(SLOG_ALGEBRA, read, render, guide),
    words=Words(induce, ground, unknown, tokenize=tokenize, second_sentence=second_sentence),
    corpus=Corpus(BENCHMARKS, load, benchmark_named),
    syntax=Syntax(
        category=category,
        argument=argument_symbol,
        head=head_symbol,
        heads=HEADS,
        scored_as=scored_as,
    ),
    metrics=Metrics(conjuncts, primitives),
)
