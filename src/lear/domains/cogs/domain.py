"""The COGS domain, put together from its parts."""

from dataclasses import replace

from lear.domain.domain import Corpus, Domain, Language, Metrics, Syntax, Words, second_sentence
from lear.domains.cogs import total_algebra, total_lexicon
from lear.domains.cogs.algebra import COGS_ALGEBRA
from lear.domains.cogs.categories import HEADS, argument_symbol, category
from lear.domains.cogs.compared_parts import conjuncts, primitives, without_positions
from lear.domains.cogs.corpus import BENCHMARKS, GROUP_TITLES, STRUCTURAL_GROUPS, load
from lear.domains.cogs.form_text import read, render, render_part
from lear.domains.cogs.guide import guide
from lear.domains.cogs.heads_algebra import HEADS_ALGEBRA
from lear.domains.cogs.lexicon import ground, induce
from lear.domains.cogs.new_words import unknown
from lear.domains.cogs.tokenizer import tokenize
from lear.domains.cogs.total_algebra import TOTAL_ALGEBRA
from lear.domains.cogs.total_to_strict import to_strict

CORPUS = Corpus(BENCHMARKS, load, group_titles=GROUP_TITLES, structural_groups=STRUCTURAL_GROUPS)
METRICS = Metrics(conjuncts, primitives, lenient=without_positions)

TOTAL_COGS = Domain(
    name="cogs",
    language=Language(TOTAL_ALGEBRA, read, render, finishing={"to_strict": to_strict}),
    words=Words(
        total_lexicon.induce,
        total_lexicon.ground,
        unknown,
        tokenize=tokenize,
        second_sentence=second_sentence,
    ),
    corpus=CORPUS,
    syntax=Syntax(category=total_algebra.category, argument=total_algebra.argument_symbol),
    metrics=METRICS,
)

HEADS_COGS = replace(TOTAL_COGS, language=replace(TOTAL_COGS.language, algebra=HEADS_ALGEBRA))

COGS = Domain(
    name="cogs",
    language=Language(COGS_ALGEBRA, read, render, guide, render_part=render_part),
    words=Words(induce, ground, unknown, tokenize=tokenize, second_sentence=second_sentence),
    corpus=CORPUS,
    syntax=Syntax(category=category, argument=argument_symbol, heads=HEADS),
    metrics=METRICS,
    other_algebras={"total": TOTAL_COGS, "heads": HEADS_COGS},
)
