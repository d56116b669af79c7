"""The documentation is true: its commands print what it says, its tables are the code's."""

import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import pytest

from lear.__main__ import main
from lear.algebra.algebra import Operation
from lear.cli.dispatch import COMMANDS, parser_of
from lear.domains.cogs.domain import COGS
from lear.domains.slog import SLOG

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
TUTORIAL = ROOT / "docs/from-pairs.md"
"""Its commands need what those before them have made."""


def sessions(pages: Iterable[Path]) -> list[tuple[str, str]]:
    """Each `$ lear ...` of a console block, with the output shown under it."""
    blocks = [
        block
        for page in pages
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    ]
    return [
        (command, shown)
        for block in blocks
        for command, shown in re.findall(r"\$ lear (.*)\n((?:(?!\$ ).*\n)*)", block)
    ]


SESSIONS = sessions(page for page in PAGES if page != TUTORIAL)


@pytest.mark.parametrize(("command", "shown"), SESSIONS)
def test_a_command_prints_what_the_page_shows(
    command: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    is_refused = shown.startswith("lear: ")
    assert main(shlex.split(command)) == int(is_refused)
    out, err = capsys.readouterr()
    assert (out, err) == ("", shown) if is_refused else out == shown


def test_what_is_shown_of_commands_is_run() -> None:
    for page in PAGES:
        blocks = re.findall(r"```(\w*)\n(.*?)```", page.read_text(), re.DOTALL)
        for language, block in blocks:
            assert language == "console" or not block.startswith("$ lear "), page


def test_there_are_sessions_to_check() -> None:
    assert len(SESSIONS) >= 2


@pytest.mark.slow
def test_the_tutorial_without_python_goes_as_it_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "home"]) == 0
    for command, shown in sessions([TUTORIAL]):
        assert main(shlex.split(command)) == 0, command
        printed = "".join(capsys.readouterr())
        for line in shown.splitlines():
            assert line == "..." or line in printed, command


@pytest.mark.parametrize(
    ("page", "operations"),
    [
        ("cogs.md", COGS.language.algebra.operations),
        ("slog.md", SLOG.language.algebra.operations[len(COGS.language.algebra.operations) :]),
    ],
)
def test_the_table_of_an_algebra_is_the_algebra(
    page: str, operations: tuple[Operation, ...]
) -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (.*) \| `(.*)` \|$", (ROOT / "docs" / page).read_text(), re.M
    )
    assert [
        (name, signature.replace("\\|", "|"), example) for name, signature, example in rows
    ] == [(op.name, op.signature, op.example) for op in operations]


def test_every_command_is_in_the_reference() -> None:
    reference = (ROOT / "docs/reference.md").read_text()
    for name in COMMANDS:
        assert f"`lear {name}" in reference


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_no_line_of_the_documentation_is_too_long() -> None:
    for page in (*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"):
        for number, line in enumerate(page.read_text().splitlines(), start=1):
            assert len(line) <= 160, f"{page.name}:{number}"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


def test_files_that_the_documentation_names_are_there() -> None:
    # The log is no page: it tells of files as they were called then.
    for page in PAGES:
        for name in re.findall(r"`((?:src/lear|docs|tests|examples)/[\w/.-]+)`", page.read_text()):
            assert (ROOT / name).exists(), f"{page.name} names {name}"


def test_the_demo_calls_commands_as_they_are() -> None:
    text = (ROOT / "docs/demo.sh").read_text()
    calls = re.findall(r'^"\$lear" (\w+) (.*?)(?: *(?:>|\|).*)?$', text, re.M)
    assert {"coverage", "train", "evaluate", "baseline", "parse"} <= {name for name, _ in calls}
    for name, arguments in calls:
        parser_of(name).read(shlex.split(arguments))
    # What is compared with must be trained to its end: its recipe says when that is.
    assert ("baseline", "toy") in calls
