"""Help, wrong usage, and the command itself: errors of one line, exit codes."""

import subprocess
import sys
from pathlib import Path

import pytest

from lear.cli.dispatch import COMMANDS
from tests.support.cli import Capture, fails, lear, predict


def test_help_lists_the_commands_and_every_command_has_examples(capsys: Capture) -> None:
    code, out, _ = lear(capsys, "--help")
    assert code == 0
    for name in COMMANDS:
        assert f"lear {name}" in out
        code, help_text, _ = lear(capsys, name, "--help")
        assert code == 0
        assert f"examples:\n  lear {name}" in help_text


def test_python_m_lear_is_the_lear_command() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "lear", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("lear 0.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["covrage"], "did you mean 'coverage'?"),
        (["coverage", "cogs/gem"], "did you mean 'cogs/gen'?"),
        (["coverage", "toy", "--part", "tset"], "did you mean 'test'?"),
        (["lexicon", "cog"], "did you mean 'cogs'?"),
        (["lexicon", "toy", "--wrod", "x"], "did you mean '--word'?"),
        (["parse", "nothing", "Tom"], "unknown model 'nothing'"),
        (["data", "lst"], "did you mean 'list'?"),
        (["algebra", "french"], "cfq, cogs, geo, scan, slog, terms, toy"),
        (["coverage"], "DOMAIN[/SPLIT]"),
        (["coverage", "toy", "--limit", "many"], "--limit"),
        (["coverage", "toy", "--limit", "-1"], "--limit"),
        (["coverage", "toy", "--max-combinations", "0"], "--max-combinations"),
        (["show", "toy", "Tom sees Mary"], "--gold"),
        (["show", "toy", "  ", "--gold", "see ( tom , mary )"], "sentence is empty"),
        (["show", "toy", "Tom", "--gold", "tom", "--format", "pdf"], "text"),
    ],
)
def test_wrong_usage_is_one_line(capsys: Capture, arguments: list[str], said: str) -> None:
    assert said in fails(capsys, 2, *arguments)


def test_an_extra_is_needed_only_where_it_is_used(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "lear.bulk.parquet", raising=False)
    path, table = tmp_path / "in.txt", str(tmp_path / "out.parquet")
    assert predict(capsys, "cogs", path, "Emma slept .\n")[0] == 0
    said = fails(capsys, 1, "predict", "cogs", "--input", str(path), "--output", table)
    assert said == "lear: `lear predict` needs pyarrow: pip install 'lear[parquet]'\n"
