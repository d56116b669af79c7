"""Copies of rows with ambiguous names: another name of the same sort, and nothing else."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Benchmark, Example
from lear.domains.geo.corpus import STANDARD
from lear.domains.geo.domain import GEO, renamed_rows
from lear.domains.geo.functions import read_program
from lear.domains.toy import TOY
from lear.errors import UsageError
from lear.learning.config import find_recipe, load_config
from lear.learning.run import make_learner
from lear.lexicon.lexicon import Entry, Lexicon
from tests.support.toy_rows import TRAIN


def name(form: str) -> Entry:
    return Entry(Primitive("Entity", form), 1)


LEXICON = Lexicon(
    "geo",
    {
        ("texas",): (name("stateid('texas')"),),
        ("ohio",): (name("stateid('ohio')"), name("riverid('ohio')")),
        ("new", "york"): (name("stateid('new york')"), name("cityid('new york', _)")),
        ("red",): (name("riverid('red')"),),
    },
    {"of": 1},
)


def row(sentence: str, form: str) -> Example:
    return Example(tuple(sentence.split()), form, "", "here:1")


def copies(*rows: Example) -> list[tuple[str, str]]:
    made = renamed_rows(rows, LEXICON, random.Random(1))
    return [(example.sentence, example.form) for example in made]


def test_a_name_is_replaced_by_one_of_each_choice_of_sorts() -> None:
    texas = row("capital of texas", "answer(capital(loc_2(stateid('texas'))))")
    assert copies(texas) == [
        ("capital of ohio", "answer(capital(loc_2(stateid('ohio'))))"),
        ("capital of new york", "answer(capital(loc_2(stateid('new york'))))"),
    ]
    red = row("length of red", "answer(len(riverid('red')))")
    assert copies(red) == [("length of ohio", "answer(len(riverid('ohio')))")]


def test_no_copy_is_the_row_itself_or_has_a_name_twice() -> None:
    ohio = row("length of ohio", "answer(len(riverid('ohio')))")
    assert copies(ohio) == []
    both = row("ohio texas", "answer(intersection(stateid('ohio'), stateid('texas')))")
    assert [sentence for sentence, _ in copies(both)] == ["new york texas", "ohio new york"]
    twice = row("texas texas", "answer(intersection(stateid('texas'), stateid('texas')))")
    assert copies(twice) == []


@pytest.mark.data
def test_copies_of_real_rows_differ_in_one_name_and_are_well_formed(
    load_geo: Callable[[Benchmark, str], list[Example]], geo_data: Path
) -> None:
    rows = load_geo(STANDARD, "train")
    names = GEO.words.gazetteer(STANDARD, lambda file: geo_data / file.path)
    lexicon = GEO.words.induce(rows, names)
    made = list(renamed_rows(rows, lexicon, random.Random(1)))
    assert len(made) > len(rows)
    assert made == list(renamed_rows(rows, lexicon, random.Random(1)))
    originals = {example.source: example for example in rows}
    for copy in made:
        read_program(copy.form)
        original = originals[copy.source]
        assert copy.sentence != original.sentence
        assert copy.form.count("(") == original.form.count("(")


def test_a_domain_without_such_names_says_so() -> None:
    config = load_config(
        find_recipe("any", "reinforce"), {"benchmark": '"toy"', "extra_rows": "renamed"}
    )
    with pytest.raises(UsageError, match="domain 'toy' has no names of several sorts"):
        make_learner(config, TOY, TOY.words.induce(TRAIN, ()), TRAIN)
