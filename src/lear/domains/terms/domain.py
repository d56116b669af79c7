"""Languages of terms as domains: one for each file of pairs, and one to begin with."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.domain import Corpus, Domain, Inference, Language, Metrics, Shape, Syntax, Words
from lear.domains.terms.algebra import HEADS, Part, Whole, make_algebra
from lear.domains.terms.categories import argument_symbol_of, category_of, head_symbol_of
from lear.domains.terms.compared_parts import conjuncts, primitives
from lear.domains.terms.corpus import HOME, corpus_of
from lear.domains.terms.form_text import Notation
from lear.domains.terms.fragments import REMEMBERED, REMEMBERED_OF_SENTENCES, Fragments
from lear.domains.terms.guide import guide_of
from lear.domains.terms.inference import infer_language, readable_rows
from lear.domains.terms.language import Fineness, TermLanguage, restore_language
from lear.domains.terms.lexicon import TermWords
from lear.domains.terms.tokenizer import second_sentence, tokenize
from lear.domains.terms.tree import HOLE
from lear.domains.terms.type_review import doubts, signatures
from lear.domains.terms.types import TypeTable
from lear.domains.terms.types_file import read_types

NAME = "terms"
VARIANTS: tuple[Fineness, ...] = get_args(Fineness)
NO_LANGUAGE = TermLanguage(Notation(), TypeTable("", {}, {}), "types", {}, ())
"""Before anything is worked out."""


def terms_domain(language: TermLanguage, corpus: Corpus, remembered: int = REMEMBERED) -> Domain:
    """The domain of a language; of so many parts of terms it remembers what can be done."""
    fragments = Fragments(language, remembered)
    words = TermWords(language, fragments)
    return Domain(
        name=NAME,
        language=_language(language, fragments),
        words=Words(
            lambda examples, _: words.induce(examples),
            words.ground,
            unknown=words.unknown,
            alike=words.alike,
            join_units=words.join_units,
            joined=words.joined,
            tokenize=tokenize,
            second_sentence=second_sentence,
        ),
        corpus=corpus,
        syntax=Syntax(
            Shape(after=False),
            category_of(fragments),
            argument_symbol_of(fragments),
            head_symbol_of(fragments),
            HEADS,
        ),
        metrics=Metrics(conjuncts, primitives),
        inference=_inference(corpus),
        inferred=msgspec.to_builtins(language, str_keys=True),
    )


def _language(language: TermLanguage, fragments: Fragments) -> Language:
    def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Meaning:
        del tokens
        return table.intern(Whole(language.read(form)))

    def render(meaning: Meaning) -> str:
        assert isinstance(meaning, Part | Whole)
        return language.notation.render(meaning.tree)

    def render_part(meaning: Meaning) -> str:
        return render(meaning).replace(HOLE.symbol, "?")

    def complete(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
        del tokens
        if isinstance(meaning, Whole):
            return meaning
        assert isinstance(meaning, Part)
        whole = fragments.completed(meaning.tree)
        assert whole is not None  # as the meaning is complete
        return Whole(whole)

    algebra = make_algebra(fragments)
    finishing = {"complete": complete}
    return Language(algebra, read, render, guide_of(language), finishing, render_part)


def _inference(corpus: Corpus) -> Inference:
    def infer(rows: Sequence[Example], variant: str, types: Path | None) -> Domain:
        assert variant in VARIANTS
        looked_over = None if types is None else read_types(types)
        return terms_domain(infer_language(rows, variant, looked_over), corpus)

    def describe(values: Any) -> list[tuple[str, str]]:
        return signatures(restore_language(values).types)

    def doubts_about(values: Any) -> list[str]:
        return doubts(restore_language(values).types)

    def restore(values: Any) -> Domain:
        return terms_domain(restore_language(values), corpus, REMEMBERED_OF_SENTENCES)

    return Inference(VARIANTS, infer, readable_rows, describe, doubts_about, restore)


def pairs_domain(path: Path) -> Domain:
    """The domain of a file of pairs, of which nothing is worked out yet."""
    return terms_domain(NO_LANGUAGE, corpus_of(path, str(path)))


TERMS = terms_domain(NO_LANGUAGE, corpus_of(HOME, "terms/home"))
"""The domain by which models name themselves; its own pairs are a small language to begin with."""
