"""The script that counts what a reader of the code has to visit."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts/walks.py"


@pytest.mark.slow
def test_every_kind_of_walk_is_counted() -> None:
    command = [sys.executable, str(SCRIPT), "answer", "exact", "request"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    heading, _, *rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == [
        "the answer alone, with its probability",
        "one exact training step",
        "`POST /api/parse`",
    ]
    for row in rows:
        files, functions, switches, modules = (int(cell.replace(",", "")) for cell in row[1:])
        assert len(row) == len(heading)
        assert 3 < files <= functions
        assert files - 1 <= switches
        assert files <= modules
