"""The COGS domain, put together from its parts."""

from lear.domain.domain import Corpus, Domain, Language, Metrics, Syntax, Words
from lear.domains.cogs.algebra import COGS_ALGEBRA
from lear.domains.cogs.categories import HEADS, argument_symbol, category
from lear.domains.cogs.compared_parts import conjuncts, primitives, without_positions
from lear.domains.cogs.corpus import BENCHMARKS, GROUP_TITLES, STRUCTURAL_GROUPS, load
from lear.domains.cogs.form_text import read, render
from lear.domains.cogs.guide import guide
from lear.domains.cogs.lexicon import ground, induce, unknown

COGS = Domain(
    name="cogs",
    language=Language(COGS_ALGEBRA, read, render, guide),
    words=Words(induce, ground, unknown),
    corpus=Corpus(BENCHMARKS, load, group_titles=GROUP_TITLES, structural_groups=STRUCTURAL_GROUPS),
    syntax=Syntax(category=category, argument=argument_symbol, heads=HEADS),
    metrics=Metrics(conjuncts, primitives, lenient=without_positions),
)
