"""The toy language: the generator keeps its promises, forms read back, and all is in reach."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import MeaningTable
from lear.benchmark import PARTS, Example
from lear.domains.toy import ONLY_OBJECTS, ONLY_POSSESSIVE, ONLY_SUBJECTS, TOY, generate
from lear.errors import FormError
from lear.evaluation.coverage import Reached, coverage
from lear.forest.oracle import Oracle
from tests.support.cli import FIGURE_1


def test_the_same_seed_gives_the_same_rows_and_another_seed_others() -> None:
    for part in PARTS:
        assert generate(part, seed=3) == generate(part, seed=3)
        assert generate(part, seed=3) != generate(part, seed=4)


@pytest.mark.parametrize("seed", range(3))
def test_parts_do_not_overlap_and_rows_are_distinct(seed: int) -> None:
    sentences = {part: [row.sentence for row in generate(part, seed)] for part in PARTS}
    assert not set(sentences["train"]) & {*sentences["dev"], *sentences["test"]}
    for part in PARTS:
        assert len(sentences[part]) == len(set(sentences[part]))


def depth(row: Example) -> int:
    deepest = current = 0
    for token in row.form.split():
        current += {"(": 1, ")": -1}.get(token, 0)
        deepest = max(deepest, current)
    return deepest


@pytest.mark.parametrize("seed", range(3))
def test_training_is_shallow_and_keeps_words_to_their_positions(seed: int) -> None:
    for row in generate("train", seed):
        assert row.tokens.count("'s") <= 2
        assert row.sentence.count("'s") < 2 or "'s daughter 's" not in row.sentence
        assert depth(row) <= 3
        clause = row.sentence.split(" that ")[-1].split()
        for name in ONLY_OBJECTS:
            assert clause[0] != name
        for name in ONLY_SUBJECTS:
            assert clause[-1] != name
        for noun in ONLY_POSSESSIVE:
            assert f"the {noun} of" not in row.sentence
    assert FIGURE_1 not in {row.sentence for row in generate("train", seed)}


def test_test_rows_go_deeper_than_training() -> None:
    assert max(map(depth, generate("test", 1))) > 2 * max(map(depth, generate("train", 1)))
    assert {row.group for row in generate("test", 1)} == set(TOY.corpus.group_titles) - {"shallow"}


@pytest.mark.parametrize("part", PARTS)
def test_every_row_is_in_reach(toy_oracle: Oracle, part: str) -> None:
    rows = generate(part, seed=1)
    assert all(isinstance(outcome, Reached) for outcome in coverage(toy_oracle, rows))


@given(st.sampled_from([row for part in PARTS for row in generate(part, seed=2)]))
def test_forms_read_back_as_they_print(row: Example) -> None:
    table = MeaningTable(TOY.language.algebra)
    meaning = TOY.language.read_gold(row, table)
    assert TOY.language.render(meaning) == row.form
    assert TOY.language.read(TOY.language.render(meaning), (), table) is meaning
    assert TOY.language.algebra.is_complete(meaning)


@pytest.mark.parametrize(
    "form",
    ["", "tom", "teach", "teach ( tom )", "teach ( tom , mary", "teach ( tom , mary ) )",
     "teach ( tom , fly )", "know ( tom , mary )", "teach ( tom , teach ( tom , mary ) )",
     "daughter ( tom , mary )", ") ( ,"],
)  # fmt: skip
def test_what_is_not_a_proposition_is_refused(form: str) -> None:
    with pytest.raises(FormError):
        TOY.language.read(form, (), MeaningTable(TOY.language.algebra))
