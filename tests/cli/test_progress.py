"""Progress goes to stderr: bars in a terminal, lines elsewhere; data on stdout stay as they are."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lear.cli.output import NoteTracker, TerminalTracker
from lear.messages import SILENT, Tracker
from tests.support.cli import Capture

FOREVER = 1e9


@pytest.mark.parametrize("tracker", [SILENT, NoteTracker(), TerminalTracker()])
@pytest.mark.parametrize("total", [3, None])
def test_what_is_tracked_stays_the_same(tracker: Tracker, total: int | None) -> None:
    with tracker.phase("outer"):
        found = [
            (a, b)
            for a in tracker.track("abc", "letters", total)
            for b in tracker.track(range(3), "numbers", total)
        ]
    assert found == [(a, b) for a in "abc" for b in range(3)]


def test_a_bar_that_is_left_early_makes_way_for_others() -> None:
    tracker = TerminalTracker()
    for number in tracker.track(range(5), "numbers", 5):
        if number == 2:
            break
    with pytest.raises(KeyboardInterrupt), tracker.phase("work"):
        raise KeyboardInterrupt
    assert list(tracker.track("ab", "letters", 2)) == ["a", "b"]


def test_long_work_is_told_now_and_then(capsys: Capture) -> None:
    assert list(NoteTracker(quiet_seconds=0.0).track("ab", "letters", 2000)) == ["a", "b"]
    assert list(NoteTracker(quiet_seconds=0.0).track("a", "letters", None)) == ["a"]
    assert list(NoteTracker(quiet_seconds=FOREVER).track("ab", "letters", 2)) == ["a", "b"]
    assert capsys.readouterr().err.splitlines() == [
        "lear: letters: 1 of 2,000",
        "lear: letters: 2 of 2,000",
        "lear: letters: 1",
    ]


def test_a_long_phase_has_a_line_and_a_short_one_has_none(capsys: Capture) -> None:
    for is_long in (True, False):
        with NoteTracker(quiet_seconds=FOREVER).phase("reading", is_long=is_long):
            pass
    assert capsys.readouterr().err == "lear: reading ...\n"


def at_a_terminal(*arguments: str, lines: str = "") -> tuple[list[dict[str, Any]], str]:
    """The JSON objects of a command, and what it shows on a terminal that its stderr leads to."""
    terminal, stderr = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "lear", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(stderr)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines.encode())
        process.stdin.close()
        shown = b""
        try:
            while chunk := os.read(terminal, 4096):
                shown += chunk
        except OSError:  # what Linux says when the other end is closed
            pass
        os.close(terminal)
        out = process.stdout.read().decode()
    assert process.returncode == 0, shown
    assert "\x1b" not in out
    return [json.loads(line) for line in out.splitlines()], shown.decode()


@pytest.mark.slow
def test_at_a_terminal_every_long_command_shows_what_it_does(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    small = ("--curriculum", "[{epochs = 1}]", "--model.hidden", "8")
    _, shown = at_a_terminal("train", "toy", "--output", run, *small)
    for label in ("reading the rows", "making the lexicon from 400", "gold meanings derived"):
        assert label in shown
    assert "steps of epoch 1" in shown
    assert "rows evaluated" in shown
    (found,), shown = at_a_terminal("evaluate", run, "toy", "--json")
    assert found["n"] == 400
    assert "rows evaluated" in shown
    assert "loading the model" in shown
    baseline = ("--hidden", "8", "--heads", "2", "--steps", "2", "--dev_rows", "4", "--json")
    (found,), shown = at_a_terminal("baseline", "toy", *baseline)
    assert found["steps"] == 2
    assert "loading torch and the rows" in shown
    assert "steps of epoch 1" in shown
    assert "batches decoded" in shown
    (found,), shown = at_a_terminal("bench", "toy", "--seconds", "1", "--json")
    assert found["benchmark"] == "toy/deep"
    for label in ("loading torch", "training a model", "parsing", "training with REINFORCE"):
        assert label in shown


@pytest.mark.parametrize(
    ("arguments", "label"),
    [
        (("lexicon", "toy", "--json"), "inducing the lexicon"),
        (("coverage", "toy", "--json"), "test rows searched"),
        (("data", "check", "toy", "--json"), "parts checked"),
        (("check", "toy", "--limit", "3", "--json"), "checking the rows"),
    ],
)
def test_at_a_terminal_stdout_is_pure_data(arguments: tuple[str, ...], label: str) -> None:
    found, shown = at_a_terminal(*arguments)
    assert label in shown
    assert len(found) == 1


def test_forms_from_a_file_are_executed_with_a_bar_and_pure_output() -> None:
    form = "answer(count(state(all)))"
    found, shown = at_a_terminal("execute", "geo", "-", lines=f"{form}\n{form}\n")
    assert "forms executed" in shown
    assert [row["form"] for row in found] == [form, form]
