"""The list of commands, and the choice of one; a command's module is loaded when it is used."""

import importlib
import sys
from collections.abc import Callable
from typing import Protocol, cast

from lear.cli.arguments import CommandParser, one_of
from lear.errors import UsageError
from lear.version import __version__

COMMANDS = {
    "data": "list, fetch and check benchmark files",
    "algebra": "print the operations of a domain with signatures and examples",
    "lexicon": "print the lexicon that a benchmark's training rows induce",
    "coverage": "the share of rows that algebra and lexicon can reach at all",
    "show": "draw a derivation of a sentence whose form is known",
    "train": "learn a model from a benchmark",
    "evaluate": "score a model on a benchmark, strictly and leniently",
    "parse": "parse one sentence with a model",
    "predict": "parse many sentences with a model",
    "execute": "run forms where there are facts to run them on",
    "baseline": "train a Transformer or an LSTM on a benchmark, to compare with",
    "bench": "measure the speed of training and parsing, also against the plain versions",
}


class Command(Protocol):
    """What a command's module holds."""

    EXAMPLES: str
    configure: Callable[[CommandParser], None]
    run: Callable[..., None]


def run(arguments: list[str]) -> int:
    """Run the command that the first argument names; return its exit code."""
    for argument in arguments:
        if not argument.isprintable() and any("\ud800" <= c <= "\udfff" for c in argument):
            raise UsageError(f"argument is not UTF-8 text: {argument!r}")
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(overview())
        return 0
    if arguments[0] == "--version":
        sys.stdout.write(f"lear {__version__}\n")
        return 0
    name = one_of(arguments[0], COMMANDS, "command")
    command = cast(Command, importlib.import_module(f"lear.cli.commands.{name}"))
    parser = CommandParser(name, COMMANDS[name], command.EXAMPLES)
    command.configure(parser)
    try:
        options = parser.read(arguments[1:])
    except SystemExit:  # argparse has printed its help
        return 0
    command.run(options)
    return 0


def overview() -> str:
    """The text of `lear --help`."""
    lines = [f"  lear {name:<10} {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        (
            "lear: semantic parsing that generalises compositionally",
            "",
            "commands:",
            *lines,
            "",
            "`lear COMMAND --help` has the details. Benchmarks lie where --data or LEAR_DATA says,",
            "else in the user's cache. Data goes to stdout, progress and messages to stderr.",
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.",
            "",
        )
    )
