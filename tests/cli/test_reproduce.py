"""`lear reproduce`: usage, the plan, and tables of what is there."""

import json
from pathlib import Path

import pytest

from lear.cli.commands.reproduce import seed_list
from tests.support.cli import Capture, fails, lear


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a table"),
        (["cog"], "did you mean 'cogs'"),
        (["cogs", "--seeds", "0"], "from 1 on"),
        (["cogs", "--seeds", "1,x"], "from 0"),
        (["cogs", "--budget", "-1"], "minutes from 0 on"),
        (["cogs", "--budget", "soon"], "minutes from 0 on"),
        (["cogs", "--jobs", "0"], "from 1 on"),
        (["stats", "--only", "COGS", "--only", "GEO"], "--only 'GEO': no row"),
        (["stats", "--only", "GEO", "--list"], "--only 'GEO': no row"),
    ],
)
def test_wrong_usage_is_one_line(capsys: Capture, arguments: list[str], said: str) -> None:
    assert said in fails(capsys, 2, "reproduce", *arguments)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", [1]), ("3", [1, 2, 3]), ("1,2,5", [1, 2, 5]), ("5,", [5]), ("9,4,9", [4, 9])],
)
def test_seeds_are_a_number_or_a_list(text: str, expected: list[int]) -> None:
    assert seed_list(text) == expected


def test_the_plan_can_be_seen_without_running_it(capsys: Capture, tmp_path: Path) -> None:
    where = ("--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out"))
    code, out, err = lear(capsys, "reproduce", "cogs", "--seeds", "1", "--list", *where)
    assert code == 0
    seeds = {line.split()[1] for line in out.splitlines() if line.startswith("cogs-gen+best ")}
    assert seeds == {"1"}
    assert "to do: about" in err
    assert list(tmp_path.iterdir()) == []


def test_without_a_name_the_plan_is_of_all_tables(capsys: Capture, tmp_path: Path) -> None:
    code, out, _ = lear(capsys, "reproduce", "--list", "--runs", str(tmp_path))
    assert code == 0
    assert max(len(line) for line in out.splitlines()) <= 80
    runs = {line.partition("+")[0] for line in out.splitlines()}
    assert runs >= {"cogs-gen", "cfq-mcd1", "geo-query", "statistics", "speed"}


@pytest.mark.parametrize("option", ["--runs", "--output"])
def test_a_folder_that_cannot_be_made_is_told_before_anything_runs(
    capsys: Capture, tmp_path: Path, option: str
) -> None:
    (tmp_path / "file").write_text("")
    folders = {"--runs": "runs", "--output": "out"} | {option: "file"}
    where = [word for name, folder in folders.items() for word in (name, str(tmp_path / folder))]
    assert str(tmp_path / "file") in fails(capsys, 1, "reproduce", "stats", *where)
    assert not (tmp_path / "runs").exists()


def test_without_a_budget_all_tables_are_written_as_not_run(
    capsys: Capture, tmp_path: Path
) -> None:
    where = ("--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out"))
    arguments = ("reproduce", "stats", "length", "--budget", "0", "--only", "recipe best", *where)
    code, out, _ = lear(capsys, *arguments)
    assert code == 0
    assert "| **recipe best, MCD1** | here | 0 of 3 | not run |" in out
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written >= {
        f"{n}.{s}" for n in ("stats", "length") for s in ("md", "csv", "json", "svg")
    }
    assert json.loads((tmp_path / "out/stats.json").read_text())["made"]["cores"] >= 1


def test_a_page_is_made_of_tables_that_are_there(capsys: Capture, tmp_path: Path) -> None:
    where = ("--runs", str(tmp_path / "runs"), "--output", str(tmp_path))
    (tmp_path / "template.md").write_text("# All results\n")
    assert lear(capsys, "reproduce", "stats", "--budget", "0", *where)[0] == 0
    page = tmp_path / "page.md"
    assert lear(capsys, "reproduce", "--page", str(page), *where)[0] == 0
    assert "# All results" in page.read_text()
    assert "## Data statistics" in page.read_text()
