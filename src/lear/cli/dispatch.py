"""The list of commands, and running one of them; only the module of that one is imported."""

import importlib
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import NamedTuple

from lear.cli.arguments import CommandParser, one_of
from lear.errors import DataError, UsageError
from lear.version import __version__

COMMANDS = {
    "data": "list, download and check benchmark files",
    "new": "write a commented start of a domain of your own",
    "check": "find what is wrong with a domain and its rows, and say what to do next",
    "algebra": "print the operations of a domain with signatures and examples",
    "types": "print the types that are worked out from a file of pairs",
    "lexicon": "print the lexicon that is induced from a benchmark's training rows",
    "coverage": "count the rows that can be derived with this algebra and lexicon",
    "show": "draw a derivation of a sentence whose form you give",
    "train": "train a model on a benchmark",
    "evaluate": "score a model on a benchmark, strictly and leniently",
    "parse": "parse a sentence, or one after the other, with a model",
    "predict": "parse many sentences from a file, and write the answers",
    "serve": "answer requests over HTTP: a JSON API, and a page that draws derivations",
    "calibrate": "measure how far probabilities can be trusted, and fit them",
    "execute": "execute forms on a store of facts",
    "baseline": "train and score a Transformer or an LSTM on a benchmark",
    "bench": "measure the speed of training and parsing, also of the reference versions",
    "reproduce": "make the tables and figures of the paper: run what is missing, write files",
    "completion": "print a script that completes these commands in your shell",
}
MODULES = dict.fromkeys(("algebra", "types", "lexicon", "show"), "language")
"""Commands that are not in a module of their own name, and where they are."""
EXTRAS = {
    "torch": "train",
    "matplotlib": "plots",
    "pyoxigraph": "sparql",
    "uvicorn": "serve",
    "starlette": "serve",
    "prometheus_client": "serve",
    "pyarrow": "parquet",
    "distributed": "dask",
}
"""Package that not every command needs -> the extra that brings it."""
OVERVIEW = """lear: semantic parsing that generalises compositionally

commands:
{}

`lear COMMAND --help` has the details. Benchmark files are in the folder of --data or
LEAR_DATA, else in the user's cache. Data goes to stdout, progress and messages to
stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
"""


class Command(NamedTuple):
    """What a module says of a command; one with a single command says it by these names itself."""

    EXAMPLES: str
    configure: Callable[[CommandParser], None]
    run: Callable[[Namespace], None]


def run(arguments: list[str]) -> int:
    """Run the command that the first argument names; return its exit code."""
    for argument in arguments:
        if not argument.isprintable() and any("\ud800" <= c <= "\udfff" for c in argument):
            raise UsageError(f"argument is not UTF-8 text: {argument!r}")
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        lines = (f"  lear {name:<11} {summary}" for name, summary in COMMANDS.items())
        sys.stdout.write(OVERVIEW.format("\n".join(lines)))
        return 0
    if arguments[0] == "--version":
        sys.stdout.write(f"lear {__version__}\n")
        return 0
    name = one_of(arguments[0], COMMANDS, "command")
    try:
        _run_command(name, arguments[1:])
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise DataError(
            f"`lear {name}` needs {error.name}: pip install 'lear[{EXTRAS[error.name]}]'"
        ) from None
    return 0


def _run_command(name: str, arguments: list[str]) -> None:
    parser = parser_of(name)
    try:
        options = parser.read(arguments)
    except SystemExit:  # argparse has printed its help
        return
    command_of(name).run(options)


def command_of(name: str) -> Command:
    """Import the module of a command, and return the command."""
    module = importlib.import_module(f"lear.cli.commands.{MODULES.get(name, name)}")
    if name in MODULES:
        command = module.COMMANDS[name]
        assert isinstance(command, Command)
        return command
    return Command(module.EXAMPLES, module.configure, module.run)


def parser_of(name: str) -> CommandParser:
    """Return the argument parser of a command."""
    command = command_of(name)
    parser = CommandParser(name, COMMANDS[name], command.EXAMPLES)
    command.configure(parser)
    return parser
