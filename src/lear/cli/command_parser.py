"""The argument parser of all commands, and the types of their options."""

import argparse
from collections.abc import Iterable, Sequence
from typing import NoReturn

import msgspec

from lear.errors import UsageError
from lear.messages.suggestions import did_you_mean

MAX_THREADS = 256
"""Torch crashes with very many threads."""
ANY_SETTING = "any_setting"
"""The destination of `--KEY`, which stands for all settings in --help."""


class CommandParser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` with one line."""

    def __init__(self, name: str, summary: str, examples: str) -> None:
        super().__init__(
            prog=f"lear {name}",
            description=summary,
            epilog=f"examples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.settings: type[msgspec.Struct] | None = None
        """What any other `--key VALUE` is a setting of; the command checks it itself."""

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options; `overrides` holds the settings."""
        rest, overrides = self._without_overrides(arguments)
        options, unknown = self.parse_known_intermixed_args(rest)
        if unknown:
            self.error(f"unrecognised argument {unknown[0]!r}")
        options.overrides = overrides
        if getattr(options, ANY_SETTING, None) is not None:
            self.error("KEY stands for the name of a setting")
        return options

    def _without_overrides(self, arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """The other arguments, and the settings, whose values argparse would misread."""
        rest: list[str] = []
        overrides: dict[str, str] = {}
        pending = list(arguments)
        while pending:
            argument = pending.pop(0)
            flag, equals, value = argument.partition("=")
            option = self._option_string_actions.get(flag)
            if argument == "--":
                return [*rest, argument, *pending], overrides
            if option is not None or not (self.settings and flag.startswith("--")):
                rest.append(argument)
                if option is not None and option.nargs is None and not equals and pending:
                    rest.append(pending.pop(0))
            elif equals:
                overrides[flag[2:]] = value
            elif pending:
                overrides[flag[2:]] = pending.pop(0)
            else:
                self.error(f"{flag} needs a value")
        return rest, overrides

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`; argparse would print its usage and exit."""
        raise UsageError(f"{message} (see `{self.prog} --help`)")

    def add_settings(self, settings: type[msgspec.Struct], help_text: str) -> None:
        """Accept any other `--key VALUE` as a setting; `--KEY` stands for them in the help."""
        self.add_argument("--KEY", dest=ANY_SETTING, metavar="VALUE", help=help_text)
        self.settings = settings

    def declared(self) -> list[argparse.Action]:
        """All arguments and options, but not what stands for settings."""
        return [action for action in self._actions if action.dest != ANY_SETTING]

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


def natural(text: str) -> int:
    """A whole number from 0 on, for the `type` of an option."""
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 on, not {text!r}")
    return int(text)


def probability(text: str) -> float:
    """A number from 0 to 1, for the `type` of an option."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, not {text!r}")
    return number


def threads(text: str) -> int:
    """A number of threads, for the `type` of an option."""
    number = positive(text)
    if number > MAX_THREADS:
        raise argparse.ArgumentTypeError(f"expected at most {MAX_THREADS}, not {text!r}")
    return number


def folds(text: str) -> int:
    """A number of parts to cut rows into, for the `type` of an option."""
    number = positive(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"expected at least 2, not {text!r}")
    return number


def one_of(value: str, choices: Iterable[str], what: str) -> str:
    """The value if it is one of the choices; else raise `UsageError` with a suggestion."""
    names = list(choices)
    if value not in names:
        raise UsageError(f"unknown {what} {value!r}{did_you_mean(value, names)}")
    return value
