"""What all commands share in reading their arguments."""

import argparse
from collections.abc import Iterable, Sequence
from typing import NoReturn

from lear.errors import UsageError
from lear.suggestion import did_you_mean


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, for the caller to print."""

    def __init__(self, name: str, summary: str, examples: str) -> None:
        super().__init__(
            prog=f"lear {name}",
            description=summary,
            epilog=f"examples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.takes_overrides = False
        """Whether any other `--key VALUE` is a setting, for the command to judge."""

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options, with `overrides` where the command takes them."""
        options, rest = self.parse_known_args(arguments)
        options.overrides = {}
        pending = list(rest)
        while pending:
            flag, equals, value = pending.pop(0).partition("=")
            is_setting = self.takes_overrides and flag.startswith("--")
            if not is_setting or (not equals and not pending):
                self.error(f"unrecognised argument {flag!r}")
            options.overrides[flag[2:]] = value if equals else pending.pop(0)
        return options

    def error(self, message: str) -> NoReturn:
        """Raise, where argparse would print its usage and exit."""
        raise UsageError(f"{message} (see `{self.prog} --help`)")

    def add_data_option(self) -> None:
        """Add `--data`, for commands that read benchmark files."""
        self.add_argument(
            "--data",
            metavar="FOLDER",
            help="folder with the benchmark files (default: LEAR_DATA, else the user's cache)",
        )


def positive(text: str) -> int:
    """A whole number from 1 on, for the `type` of an option."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {text!r}")
    return int(text)


def one_of(value: str, known: Iterable[str], what: str) -> str:
    """The value if it is known; otherwise an error that suggests one."""
    names = list(known)
    if value not in names:
        raise UsageError(f"unknown {what} {value!r}{did_you_mean(value, names)}")
    return value
