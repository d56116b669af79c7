"""The gold answers: what agrees with them, what does not and why, and broken files."""

import json
from pathlib import Path

import pytest

from lear.domains.geo.interpreter import Interpreter, agree, find_misses, read_gold
from lear.errors import DataError

# The reasons are told one by one in the documentation.
UNKNOWN = {"geo880_344", "geo880_349", "geo880_430"}
"""Gold is NaN."""
TWO_NAMES = {"geo880_601", "geo880_757", "geo880_775", "geo880_787"}
"""Only the file's mountains are mountains here, while seven other rows want high points."""
OTHERS = {"geo880_176", "geo880_640", "geo880_825"}


def row(**changes: object) -> str:
    line = {"query": "Which states ?", "funql": "answer(state(all))", "answer": ["a", 1.5]}
    return json.dumps({key: value for key, value in (line | changes).items() if value != "gone"})


@pytest.mark.data
def test_870_of_880_gold_answers_are_reached(geo_folder: Path, interpreter: Interpreter) -> None:
    rows = read_gold(geo_folder / "funql_880/answers.jsonl")
    misses = find_misses(interpreter.run, rows)
    assert len(rows) == 880
    assert {miss.gold.name for miss in misses} == UNKNOWN | TWO_NAMES | OTHERS
    assert all(miss.answer for miss in misses)
    assert {miss.gold.name for miss in misses if miss.gold.answer is None} == UNKNOWN


@pytest.mark.data
def test_gold_contradicts_itself(geo_folder: Path) -> None:
    rows = read_gold(geo_folder / "funql_880/answers.jsonl")
    highest = [r for r in rows if str(r.program) == str(rows[775].program)]
    assert [r.answer for r in highest] == [("mount mckinley",)] * 4 + [("mckinley",)]


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ([], [], True),
        (["texas"], ["Texas"], True),
        (["a", "b"], ["b", "a", "a"], True),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        ([1], [1.0], True),
        ([2 / 3], [0.6666666667], True),
        ([0.667], [0.666], False),
        ([0], [], False),
        ([], [0], False),
        ([0], [0.0], True),
        ([1, 2], [1], False),
        ([1], [1, 2], False),
        ([1], ["1"], False),
        ([1, "a"], ["a", 1], True),
    ],
)
def test_agreement_is_of_sets(
    answer: list[str | float], gold: list[str | float], *, expected: bool
) -> None:
    assert agree(answer, gold) is expected
    assert agree(gold, answer) is expected


def test_a_program_that_fails_is_a_miss_even_where_gold_is_empty(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    path = tmp_path / "gold.jsonl"
    programs = ("answer(stateid('x'))", "answer(lake(loc_2(stateid('texas'))))")
    path.write_text("".join(row(funql=text, answer=[]) + "\n" for text in programs))
    (miss,) = find_misses(interpreter.run, read_gold(path))
    assert miss.gold.name == "line 1"
    assert miss.answer is None
    assert miss.cause == "there is no state 'x'"


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("{", "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "not a JSON object"),
        (row(query=7), "'query' is missing or no text"),
        (row(funql="gone"), "'funql' is missing or no text"),
        (row(funql="answer(state(all)"), "the bracket of 'answer' is not closed"),
        (row(answer="gone"), "'answer' is missing"),
        (row(answer="texas"), "'answer' is neither a list nor NaN"),
        (row(answer=[["texas"]]), "'answer' has a part that is neither a name nor a number"),
        (row(answer=[True]), "'answer' has a part that is neither a name nor a number"),
        (row(answer=[float("inf")]), "'answer' has a part that is neither a name nor a number"),
        (row(answer=[10**400]), "'answer' has a part that is neither a name nor a number"),
        (row(qid=7), "'qid' is no text"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, cause: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(f"{row()}\n{line}\n")
    with pytest.raises(DataError) as caught:
        read_gold(path)
    assert str(caught.value).startswith(f"{path}:2: {cause}")


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").touch()
    with pytest.raises(DataError, match=r"gold.jsonl: no gold answers$"):
        read_gold(tmp_path / "gold.jsonl")
