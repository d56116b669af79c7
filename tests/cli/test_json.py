"""`--json`: every command that prints tables or trees also prints the same for programs."""

import json
from pathlib import Path

import pytest

from lear.cli.dispatch import COMMANDS, parser_of
from tests.support.cli import Capture, in_json, lear

OTHERWISE = {"completion", "serve"}
"""A script is no data; a service prints its address, and answers in JSON."""
FORM = ("Mary sees Tom", "--gold", "see ( mary , tom )")


def test_every_command_that_prints_data_has_it() -> None:
    for name in set(COMMANDS) - OTHERWISE:
        flags = {flag for action in parser_of(name).arguments for flag in action.option_strings}
        assert "--json" in flags, name


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["algebra", "toy"], {"domain", "operations"}),
        (["lexicon", "toy"], {"domain", "units", "function_words"}),
        (["data", "list"], {"folder", "benchmarks", "files"}),
        (["data", "check", "toy"], {"folder", "checked"}),
        (["show", "toy", *FORM], {"kind", "begin", "end", "operation", "children"}),
        (["execute", "geo", "answer(capital(loc_2(stateid('texas'))))"], {"form", "answer"}),
        (["reproduce", "cogs", "--list"], {"runs", "others", "jobs", "seconds"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_one_object_is_printed(capsys: Capture, arguments: list[str], keys: set[str]) -> None:
    (found,) = in_json(capsys, *arguments, "--json")
    assert set(found) == keys


def test_training_takes_it_as_a_flag(capsys: Capture, tmp_path: Path) -> None:
    small = ("--curriculum", "[{epochs = 1}]", "--model.hidden", "8")
    output = str(tmp_path / "run")
    (found,) = in_json(capsys, "train", "toy", "--output", output, *small, "--json")
    assert found["folder"] == output


def test_the_plan_has_the_whole_names_of_runs(capsys: Capture, tmp_path: Path) -> None:
    arguments = ("reproduce", "differences", "--seeds", "2", "--list", "--runs", str(tmp_path))
    (plan,) = in_json(capsys, *arguments, "--json")
    runs = plan["runs"]
    assert isinstance(runs, list)
    assert max(len(run["name"]) for run in runs) > 80
    for run in runs:
        assert run["name"].startswith(f"{run['title']}+seed-{run['seed']}+")
        assert run["command"].startswith("lear ")
        assert run["seconds"] > 0
        assert (run["state"], run["is_known"]) == ("not run", False)
    _, out, _ = lear(capsys, *arguments)
    assert max(len(line) for line in out.splitlines()) <= 80
    assert len(out.splitlines()) >= len(runs) + 1


def test_every_table_is_an_object_a_line(capsys: Capture, tmp_path: Path) -> None:
    folders = ("--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out"))
    tables = in_json(capsys, "reproduce", "stats", "length", "--budget", "0", *folders, "--json")
    assert [table["name"] for table in tables] == ["stats", "length"]
    for table in tables:
        written = tmp_path / f"out/{table['name']}.json"
        assert json.loads(written.read_bytes()) == table
