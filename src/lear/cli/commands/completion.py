"""`lear completion`: print a script that completes commands, options and names in a shell.

shtab makes the script from the argument parsers of all commands. All words are in it, so completing
starts no Python.
"""

import argparse
from argparse import Namespace
from collections.abc import Iterable

import shtab

from lear.cli.arguments import CommandParser, one_of
from lear.cli.dispatch import COMMANDS, parser_of
from lear.cli.output import write
from lear.domains.registry import all_domains
from lear.storage.datasets import shipped_models

EXAMPLES = """  lear completion bash > ~/.local/share/bash-completion/completions/lear
  lear completion zsh > ~/.zfunc/_lear
  lear completion fish > ~/.config/fish/completions/lear.fish
  eval "$(lear completion bash)"          # in this shell only"""

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


def configure(parser: CommandParser) -> None:
    """Declare the argument."""
    parser.add_argument("shell", metavar="|".join(SHELLS), help="the shell to complete in")


def run(options: Namespace) -> None:
    """Print the script."""
    shell = one_of(options.shell, SHELLS, "shell")
    write(shtab.complete(_whole_parser(), shell))


def _whole_parser() -> argparse.ArgumentParser:
    """Return one parser with all commands, in which each argument knows what it may be."""
    whole = argparse.ArgumentParser("lear")
    whole.add_argument("--version", action="store_true", help="print the version")
    commands = whole.add_subparsers()
    words = _words()
    for name, summary in COMMANDS.items():
        parser = parser_of(name)
        for setting in parser.settings:
            setting.help = "a setting"
        for action in parser.arguments:
            _complete(action, words, name)
        commands.add_parser(name, help=summary, parents=[parser], add_help=False)
    return whole


def _words() -> dict[str, Iterable[str]]:
    """Return what stands for an argument in the help -> the words that it may be."""
    from lear.cli.commands.reproduce import ALL
    from lear.learning.config import all_recipes
    from lear.reproduce.tables import TABLES

    domains = all_domains()
    benchmarks = [
        name
        for domain in domains.values()
        for name in (domain.name, *(benchmark.name for benchmark in domain.corpus.benchmarks))
    ]
    steps = (step for domain in domains.values() for step in domain.language.finishing)
    return {
        "DOMAIN": domains,
        "execute DOMAIN": [n for n, domain in domains.items() if domain.execution is not None],
        "DOMAIN/SPLIT": benchmarks,
        "DOMAIN[/SPLIT]": benchmarks,
        "RECIPE": all_recipes(),
        "STEP": dict.fromkeys(steps),
        "TABLE": (*TABLES, ALL),
    }


def _complete(action: argparse.Action, words: dict[str, Iterable[str]], command: str) -> None:
    """Tell shtab what an argument may be, by what stands for it in the help."""
    placeholder = action.metavar if isinstance(action.metavar, str) else ""
    known = words.get(f"{command} {placeholder}", words.get(placeholder))
    paths = dict.fromkeys(("FILE", "FILE.py", "PAIRS"), shtab.FILE)
    paths |= {"FOLDER": shtab.DIRECTORY, "MODEL": _models_and_files()}
    if placeholder.islower():  # it is the words themselves
        action.choices = placeholder.split("|")
    elif known is not None:
        action.choices = list(known)
    elif placeholder in paths:
        action.complete = paths[placeholder]  # type: ignore[attr-defined]


def _models_and_files() -> dict[str, str | dict[str, str]]:
    names = " ".join(shipped_models())
    function = f'_lear_model_file() {{ compgen -W "{names}" -- "$1"; compgen -f -- "$1"; }}'
    return {
        **shtab.FILE,
        "bash": "_lear_model_file",
        "zsh": f"{{compadd -- {names}; _files}}",
        "fish": f"{names} {shtab.FILE['fish']}",
        "preamble": {"bash": function},
    }
