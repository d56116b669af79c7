"""The phrase table written by hand: it is well-formed, and covers the rows it was written from."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import product

import pytest

from lear.benchmark import Example
from lear.domains.geo.functions import FUNCTIONS
from lear.domains.geo.lexicon import targets_of
from lear.domains.geo.words import words_of_name
from lear.lexicon.lexicon import Unit, segment

MAX_WORDS = 3
MAX_CANDIDATES = 3
MIN_COVERED = 370
"""Of the 379 training rows; the others drop or repeat a function that no word stands for."""
OPERATIONS = {"intersection", "union"}
"""Done by the algebra, not by a word."""
Table = Mapping[Unit, Sequence[str]]


@pytest.fixture(scope="module")
def table() -> Table:
    text = (files("lear.domains.geo") / "phrase_table.toml").read_text()
    return {tuple(phrase.split(" ")): values for phrase, values in _phrases(text).items()}


def _phrases(text: str) -> dict[str, list[str]]:
    content = tomllib.loads(text)
    assert set(content) == {"phrases"}
    phrases: dict[str, list[str]] = content["phrases"]
    return phrases


def test_phrases_are_short_and_have_few_candidates(table: Table) -> None:
    for unit, values in table.items():
        assert 1 <= len(unit) <= MAX_WORDS, unit
        assert all(unit), unit
        assert 1 <= len(values) <= MAX_CANDIDATES, unit
        assert len(set(values)) == len(values), unit


def test_every_value_is_a_known_function_or_name(table: Table) -> None:
    for unit, values in table.items():
        for value in filter(None, values):
            parts = value.split(" ")
            is_name = len(parts) == 1 and (value == "usa" or words_of_name(value) == unit)
            is_known = value == "exclude" or is_name or all(part in FUNCTIONS for part in parts)
            assert is_known, (unit, value)


def test_only_single_words_with_another_meaning_may_stand_for_nothing(table: Table) -> None:
    for unit, values in table.items():
        if "" in values:
            assert len(unit) == 1, unit
            assert len(values) > 1, unit


def stem(word: str) -> str:
    return re.sub(r"(?:ing|ed|er|est|es|s|e)$", "", word)


@pytest.mark.data
def test_every_word_or_its_stem_is_in_training_rows(
    table: Table, query_train: list[Example]
) -> None:
    words = {token for example in query_train for token in example.tokens}
    known = words | set(map(stem, words))
    unknown = {word for unit in table for word in unit if not known & {word, stem(word)}}
    assert not unknown


@pytest.mark.data
def test_every_function_is_in_training_rows(table: Table, query_train: list[Example]) -> None:
    targets = {target for example in query_train for target in targets_of(example)}
    assert {part for values in table.values() for v in values for part in v.split()} <= targets


def choices(table: Table, example: Example) -> list[Sequence[str]]:
    """The candidates of each unit of a question; names stand for themselves."""
    return [
        table.get(unit, (unit[0] if words_of_name(unit[0]) else "",))
        for unit in segment(example.tokens, table, MAX_WORDS)
    ]


def is_covered(table: Table, example: Example) -> bool:
    """Whether some choice of candidates has just the functions and names of a row's program."""
    wanted = Counter(target for target in targets_of(example) if target not in OPERATIONS)
    return any(
        Counter(" ".join(values).split()) == wanted for values in product(*choices(table, example))
    )


@pytest.mark.data
def test_training_rows_are_covered(table: Table, query_train: list[Example]) -> None:
    assert sum(is_covered(table, example) for example in query_train) >= MIN_COVERED
