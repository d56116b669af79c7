"""`lear completion`: what real shells offer, and that it is what the commands take."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lear.cli.completion_scripts import SCRIPTS
from lear.cli.completions import all_completions
from lear.cli.dispatch import COMMANDS, parser_of
from tests.support.cli import Capture, fails, lear

CASES = {
    "lear co": {"coverage", "completion"},
    "lear data ": {"list", "get", "check"},
    "lear data get co": {"cogs", "cogs/gen", "cogs/gen_original", "cogs/test"},
    "lear algebra ": {"toy", "cogs", "slog", "cfq", "geo", "scan", "terms"},
    "lear coverage cogs --part d": {"dev"},
    "lear coverage cogs --by": {"--by-category"},
    "lear evaluate c": {"cogs", "cfq"},
    "lear evaluate cogs geo/s": {"geo/standard", "geo/standard_dev"},
    "lear evaluate --limit 5 cogs geo/s": {"geo/standard", "geo/standard_dev"},
    "lear train cogs --recipe pa": {"paper", "paper-induced"},
    "lear train cogs --model.s": {"--model.symbols", "--model.search", "--model.strange_symbols"},
    "lear train cogs --model.symbols la": {"latent"},
    "lear train cogs --output runs/on": {"runs/one"},
    "lear baseline toy --architecture l": {"lstm"},
    "lear parse cogs --format ": {"text", "json", "svg", "latex"},
    "lear predict runs/one/m": {"runs/one/model-best"},
    "lear reproduce cogs s": {"splits", "stats", "speed"},
    "lear parse cogs --unknown-words ": {"refuse", "overlook"},
    "lear execute ": {"cfq", "geo"},
    "lear completion z": {"zsh"},
    "lear nonsense ": set[str](),
}
"""A line up to the cursor -> what may come next."""

BASH = """
source <({python} -m lear completion bash)
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  [ "${{line: -1}}" = " " ] && COMP_WORDS+=("")
  COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
  _lear
  echo "${{COMPREPLY[*]}}"
done
"""
ZSH = """
autoload -Uz compinit
compinit -u -D
source {script}
compadd() {{
  local -a found
  if [[ " $* " != *\\ -[OAD]\\ * ]]; then
    builtin compadd -A found "$@"
    print -rl -- $found >> {found}
  fi
  builtin compadd "$@"
}}
complete-and-leave() {{ zle list-choices; exit }}
zle -N complete-and-leave
bindkey '^I' complete-and-leave
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a run in it."""
    (tmp_path / "runs/one/model-best").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def needs(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"needs {shell}, which is not installed")
    return path


def script(shell: str, folder: Path) -> Path:
    # In a process of its own: other tests register domains in this one.
    command = [sys.executable, "-m", "lear", "completion", shell]
    path = folder / f"lear.{shell}"
    path.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    return path


def offered(words: list[str]) -> set[str]:
    """What a shell offers; some mark a folder with a slash, or say where a word belongs."""
    return {word.removesuffix("/") for word in words if word}


def test_bash_completes(here: Path) -> None:
    program = BASH.format(python=shlex.quote(sys.executable))
    result = subprocess.run(
        [needs("bash"), "--norc", "-c", program],
        input="".join(f"{line}\n" for line in CASES),
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr == ""
    lines = [offered(line.split()) for line in result.stdout.splitlines()]
    assert dict(zip(CASES, lines, strict=True)) == CASES


def test_bash_completes_values_after_an_equals_sign(here: Path) -> None:
    # Bash cuts words at it.
    program = f"source {script('bash', here)}; COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); _lear; "
    cases = {"( lear train --optim.objective = re )": "reinforce",
             "( lear train --recipe = )": "best paper paper-induced reinforce",
             "( lear train --recipe = best to )": "toy toy/deep"}  # fmt: skip
    for words, expected in cases.items():
        result = subprocess.run(
            [
                needs("bash"),
                "--norc",
                "-c",
                f"COMP_WORDS={words}; {program} echo ${{COMPREPLY[*]}}",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        assert result.stdout.strip() == expected


def test_fish_completes(here: Path) -> None:
    fish, source = needs("fish"), script("fish", here)
    for line, expected in CASES.items():
        result = subprocess.run(
            [fish, "--no-config", "-c", f"source {source}; complete -C {shlex.quote(line)}"],
            capture_output=True,
            text=True,
            check=True,
        )
        found = [found.partition("\t")[0] for found in result.stdout.splitlines()]
        assert offered(found) == expected, line


@pytest.mark.slow
def test_zsh_completes(here: Path) -> None:
    zsh, source = needs("zsh"), script("zsh", here)
    for number, (line, expected) in enumerate(CASES.items()):
        found, setup = here / f"found-{number}", here / f"setup-{number}"
        found.touch()
        setup.write_text(ZSH.format(script=source, found=found))
        type_in_terminal([zsh, "-f", "-i"], f"source {setup}\n{line}\t")
        # Paths are told without the folders that are there already.
        last = {word.rpartition("/")[2] if "runs/" in word else word for word in expected}
        assert offered(found.read_text().splitlines()) == last, line


def type_in_terminal(command: list[str], keys: str) -> None:
    """Run a command at a terminal until it ends by itself."""
    terminal, inside = os.openpty()
    with subprocess.Popen(
        command,
        stdin=inside,
        stdout=inside,
        stderr=inside,
        start_new_session=True,
        env=os.environ | {"TERM": "xterm"},
    ):
        os.close(inside)
        os.write(terminal, keys.encode())
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:  # what Linux says when the other end is closed
            pass
    os.close(terminal)


def test_every_option_of_every_command_is_offered() -> None:
    completions = {found.command: found for found in all_completions()}
    assert list(completions) == list(COMMANDS)
    for name, found in completions.items():
        declared = {action.option_strings[-1] for action in parser_of(name).declared()
                    if action.option_strings}  # fmt: skip
        flags = [option.flag for option in found.options]
        assert declared <= set(flags)
        assert len(flags) == len(set(flags))


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_is_printed_without_loading_anything_heavy(shell: str) -> None:
    program = (
        "import sys; from lear.__main__ import main; "
        f"code = main(['completion', {shell!r}]); "
        "sys.exit(code or any(name in sys.modules for name in ('torch', 'numpy', 'rich')))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert f"made by `lear completion {shell}`" in result.stdout.decode()


def test_another_shell_is_wrong_usage(capsys: Capture) -> None:
    assert "unknown shell 'tcsh'" in fails(capsys, 2, "completion", "tcsh")
    assert lear(capsys, "completion", "--help")[0] == 0
