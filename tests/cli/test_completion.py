"""`lear completion`: what a real shell offers, and that it is what the commands take."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lear.cli.commands.completion import SHELLS
from lear.cli.dispatch import COMMANDS, parser_of
from tests.support.cli import Capture, fails

CASES = {
    "lear co": {"coverage", "completion"},
    "lear data ": {"list", "get", "check"},
    "lear data get co": {"cogs", "cogs/gen", "cogs/gen_original", "cogs/test"},
    "lear algebra ": {"toy", "cogs", "slog", "cfq", "geo", "scan", "terms"},
    "lear coverage cogs --part d": {"dev"},
    "lear coverage cogs --by": {"--by-category"},
    "lear evaluate c": {"cogs", "cfq"},
    "lear evaluate --limit 5 cogs geo/s": {"geo/standard", "geo/standard_dev"},
    "lear train cogs --recipe pa": {"paper", "paper-induced"},
    "lear train cogs --model.s": {"--model.symbols", "--model.search", "--model.strange_symbols"},
    "lear train cogs --model.symbols la": {"latent"},
    "lear train cogs --extra_rows ": {"renamed"},
    "lear train cogs --output runs/on": {"runs/one"},
    "lear baseline toy --architecture l": {"lstm"},
    "lear parse cogs --format ": {"text", "json", "svg", "latex"},
    "lear predict runs/one/m": {"runs/one/model-best"},
    "lear reproduce cogs s": {"splits", "stats", "speed"},
    "lear parse cogs --unknown-words ": {"refuse", "overlook"},
    "lear execute ": {"cfq", "geo"},
    "lear completion z": {"zsh"},
}
"""A line up to the cursor -> what may come next."""

BASH = """
source {script}
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  [ "${{line: -1}}" = " " ] && COMP_WORDS+=("")
  COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
  _shtab_lear 2>/dev/null
  echo "${{COMPREPLY[*]}}"
done
"""


def script(shell: str) -> str:
    # In a process of its own: other tests register domains in this one.
    program = (
        "import sys; from lear.__main__ import main; "
        f"code = main(['completion', {shell!r}]); "
        "sys.exit(code or any(name in sys.modules for name in ('torch', 'numpy', 'rich')))"
    )
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def test_bash_completes(tmp_path: Path) -> None:
    bash = shutil.which("bash") or pytest.skip("needs bash, which is not installed")
    (tmp_path / "runs/one/model-best").mkdir(parents=True)
    (tmp_path / "lear.bash").write_text(script("bash"))
    result = subprocess.run(
        [bash, "--norc", "-c", BASH.format(script=tmp_path / "lear.bash")],
        input="".join(f"{line}\n" for line in CASES),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert result.stderr == ""
    lines = [set(line.split()) for line in result.stdout.splitlines()]
    assert dict(zip(CASES, lines, strict=True)) == CASES


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_option_and_loads_nothing_heavy(shell: str) -> None:
    text = script(shell)
    for name in COMMANDS:
        assert name in text
        for action in parser_of(name).arguments:
            assert all(flag.removeprefix("--") in text for flag in action.option_strings)


def test_another_shell_is_wrong_usage(capsys: Capture) -> None:
    assert "unknown shell 'ksh'" in fails(capsys, 2, "completion", "ksh")
