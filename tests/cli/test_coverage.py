"""`lear coverage`: the share of rows in reach, and the rows beyond it."""

import json
from pathlib import Path

import pytest

from tests.support.cli import Capture, fails, in_json, lear


def test_coverage_prints_one_json_object(capsys: Capture) -> None:
    (result,) = in_json(capsys, "coverage", "toy", "--json", "--part", "all")
    assert (result["benchmark"], result["n"], result["covered"]) == ("toy/deep", 880, 880)
    assert result["coverage"] == 1.0
    sizes = {part: tally["n"] for part, tally in result["parts"].items()}
    assert sizes == {"train": 400, "dev": 80, "test": 400}
    assert sum(tally["n"] for tally in result["categories"].values()) == 880
    (result,) = in_json(capsys, "coverage", "toy", "--json", "--limit", "7")
    assert (result["part"], result["n"]) == ("test", 7)


def test_rows_out_of_reach_are_written_with_the_nearest_meaning(
    capsys: Capture, small_cogs: Path
) -> None:
    # "slept" is read as a name in the form, so no derivation has both clauses.
    lost = "Emma slept .\tsleep . theme ( x _ 1 , Emma ) AND sleep . agent ( x _ 1 , slept )\tx\n"
    (small_cogs / "cogs/gen.tsv").write_text(lost)
    target = small_cogs / "lost.jsonl"
    files = ("--data", str(small_cogs), "--unreachable", str(target))
    code, out, err = lear(capsys, "coverage", "cogs/gen", *files)
    assert code == 0
    assert "0.00 %" in out
    assert "differs from the published file" in err
    (row,) = map(json.loads, target.read_text().splitlines())
    assert row["source"].endswith("gen.tsv:1")
    assert row["reason"] == "no derivation"
    assert row["nearest"] in (
        "sleep . theme ( x _ 1 , Emma )",
        "sleep . agent ( x _ 1 , Emma )",
    )
    assert 0 < row["nearest_reward"] < 1


def test_missing_data_says_what_to_do(capsys: Capture, tmp_path: Path) -> None:
    said = fails(capsys, 1, "coverage", "cogs/gen", "--data", str(tmp_path / "nowhere"))
    assert "train.tsv: no such file" in said
    assert "lear data get cogs" in said


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("Emma slept .\tsleep . agent ( x _ 1 , Emma )", "gen.tsv:1: expected 3 columns"),
        ("Emma slept .\tsleep . agent ( x _ 1 , \tx\n", "gen.tsv:1: not a clause"),
        ("\tsleep . agent ( x _ 1 , Emma )\tx\n", "gen.tsv:1: the sentence is empty"),
        ("", "gen.tsv: the file is empty"),
    ],
)
def test_a_broken_row_stops_with_file_and_row(
    capsys: Capture, small_cogs: Path, broken: str, said: str
) -> None:
    (small_cogs / "cogs/gen.tsv").write_text(broken)
    target = small_cogs / "lost.jsonl"
    target.write_text("what was there before")
    files = ("--data", str(small_cogs), "--unreachable", str(target))
    code, out, err = lear(capsys, "coverage", "cogs", *files)
    assert (code, out) == (1, "")
    *notes, last = err.splitlines()
    assert said in last
    assert all("differs from the published file" in line for line in notes)
    assert target.read_text() == "what was there before"


def test_an_unwritable_output_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    target = tmp_path / "no/such/folder/lost.jsonl"
    said = fails(capsys, 1, "coverage", "toy", "--limit", "1", "--unreachable", str(target))
    assert "cannot be written" in said
