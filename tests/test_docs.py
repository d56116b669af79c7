"""The documentation is true: its commands print what it says, its tables are the code's."""

import re
import shlex
from pathlib import Path

import pytest

from lear.__main__ import main
from lear.cli.dispatch import COMMANDS
from lear.domains.cogs.domain import COGS

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def sessions() -> list[tuple[str, str]]:
    """Each `$ lear ...` of a console block, with the output shown under it."""
    blocks = [
        block
        for page in PAGES
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    ]
    return [
        (command, shown)
        for block in blocks
        for command, shown in re.findall(r"\$ lear (.*)\n((?:(?!\$ ).*\n)*)", block)
    ]


@pytest.mark.parametrize(("command", "shown"), sessions())
def test_a_command_prints_what_the_page_shows(
    command: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out == shown


def test_there_are_sessions_to_check() -> None:
    assert len(sessions()) >= 2


def test_the_table_of_the_cogs_algebra_is_the_algebra() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (.*) \| `(.*)` \|$", (ROOT / "docs/cogs.md").read_text(), re.M
    )
    assert [
        (name, signature.replace("\\|", "|"), example) for name, signature, example in rows
    ] == [(op.name, op.signature, op.example) for op in COGS.language.algebra.operations]


def test_every_command_is_in_the_reference() -> None:
    reference = (ROOT / "docs/reference.md").read_text()
    for name in COMMANDS:
        assert f"`lear {name}" in reference


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
