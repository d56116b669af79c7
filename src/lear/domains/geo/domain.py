"""The GEO domain, put together from its parts."""

from collections.abc import Sequence

from lear.core.algebra import Meaning
from lear.core.function_word_limits import Shape
from lear.domain.domain import (
    Corpus,
    Domain,
    Execution,
    Language,
    Metrics,
    Syntax,
    Words,
    second_sentence,
)
from lear.domains.geo import total_algebra, total_lexicon
from lear.domains.geo.algebra import GEO_ALGEBRA, Proposition, chain_of_meaning
from lear.domains.geo.categories import argument_symbol, category
from lear.domains.geo.compared_parts import conjuncts, primitives, without_brackets
from lear.domains.geo.corpus import BENCHMARKS, benchmark_named, gazetteer, load
from lear.domains.geo.everyday_words import everyday_words
from lear.domains.geo.execution import check_answers, open_store
from lear.domains.geo.finishing import fill_all, raise_most
from lear.domains.geo.form_text import read, render, render_part
from lear.domains.geo.guide import guide
from lear.domains.geo.joints import joints
from lear.domains.geo.lexicon import alike, ground, induce, unknown
from lear.domains.geo.related_words import induce_with_relatives
from lear.domains.geo.renamed_rows import renamed_rows
from lear.domains.geo.tokenizer import tokenize
from lear.domains.geo.total_algebra import TOTAL_ALGEBRA
from lear.domains.geo.units import unit_of


def _fill_all(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
    del tokens
    return Proposition(fill_all(chain_of_meaning(meaning)))


def _raise_most(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
    del tokens
    return Proposition(raise_most(chain_of_meaning(meaning)))


FINISHING = {"fill_all": _fill_all, "raise_most": _raise_most}
CORPUS = Corpus(BENCHMARKS, load, benchmark_named)
METRICS = Metrics(conjuncts, primitives, lenient=without_brackets)
EXECUTION = Execution(open_store, check_answers, unit_of)

TOTAL_GEO = Domain(
    name="geo",
    language=Language(TOTAL_ALGEBRA, read, render, finishing=FINISHING),
    words=Words(
        induce,
        total_lexicon.ground,
        alike=alike,
        tokenize=tokenize,
        second_sentence=second_sentence,
        gazetteer=gazetteer,
        everyday=everyday_words(),
        by_hand=total_lexicon.by_hand,
    ),
    corpus=CORPUS,
    syntax=Syntax(
        category=total_algebra.category,
        argument=total_algebra.leaf_symbol,
        is_well_typed=total_algebra.is_well_typed,
    ),
    metrics=METRICS,
    execution=EXECUTION,
)

GEO = Domain(
    name="geo",
    language=Language(GEO_ALGEBRA, read, render, guide, FINISHING, render_part),
    words=Words(
        induce,
        ground,
        unknown,
        alike=alike,
        tokenize=tokenize,
        second_sentence=second_sentence,
        gazetteer=gazetteer,
        everyday=everyday_words(),
        related=induce_with_relatives,
        renamed=renamed_rows,
        keeps_forms=True,
        max_needless=0.2,
    ),
    corpus=CORPUS,
    syntax=Syntax(Shape(after=False), category, argument_symbol, joints=joints),
    metrics=METRICS,
    execution=EXECUTION,
    other_algebras={"total": TOTAL_GEO},
)
