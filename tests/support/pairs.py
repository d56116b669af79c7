"""Rows of languages from pairs, and their domains."""

from collections.abc import Iterable

from lear.benchmark import Example
from lear.domain import Domain
from lear.domains.terms.domain import TERMS
from lear.domains.terms.tokenizer import tokenize


def rows_by_part(rows: list[tuple[str, str, str]]) -> dict[str, list[Example]]:
    """Utterance, form and split -> rows by part."""
    parts: dict[str, list[Example]] = {"train": [], "dev": [], "test": []}
    for number, (words, form, part) in enumerate(rows, start=1):
        parts[part].append(Example(tokenize(words), form, "", f"row {number}"))
    return parts


def rows_of(pairs: Iterable[tuple[str, str]]) -> list[Example]:
    """Training rows of utterances and forms."""
    return rows_by_part([(words, form, "train") for words, form in pairs])["train"]


def inferred(train: list[Example], variant: str) -> Domain:
    """The domain of a language that is worked out from training rows."""
    assert TERMS.inference is not None
    return TERMS.inference.infer(train, variant, None)
