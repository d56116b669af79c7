"""The argument parser of all commands, the options that they share, and what an argument may name.

`cogs` is a domain and `cogs/gen` one of its benchmarks. `my_domain.py` is a file with a domain,
`my_domain.py:NAME` is one of several in it, and `/SPLIT` after either is one of its benchmarks;
whoever names a Python file has it run. `pairs.csv` (.tsv, .jsonl) is a file of pairs, from which a
language is worked out.
"""

import argparse
import re
import shlex
import textwrap
import types
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, Union, get_args, get_origin

import msgspec

from lear.benchmark import Benchmark
from lear.domain import Domain
from lear.domains import registry
from lear.domains.pairs import SUFFIXES
from lear.errors import UsageError
from lear.messages import did_you_mean, nearest
from lear.storage.datasets import find_model

if TYPE_CHECKING:
    from lear.parser import Parser

HELP_COLUMNS = 76
MAX_THREADS = 256
"""Torch crashes with very many threads."""


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
        self.settings: list[argparse.Action] = []
        """Options that set one setting each; `--help` does not list them."""

    def read(self, arguments: Sequence[str]) -> Namespace:
        """Return the options; `overrides` holds the settings among them, as text."""
        options, unknown = self.parse_known_intermixed_args(arguments)
        if unknown:
            flag = unknown[0].partition("=")[0]
            hint = nearest(flag, self._option_string_actions)
            self.error(f"unrecognised argument {unknown[0]!r}{hint}")
        texts = {action.dest: getattr(options, action.dest) for action in self.settings}
        options.overrides = {
            flag.removeprefix("--"): text for flag, text in texts.items() if text is not None
        }
        return options

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`; argparse would print its usage and exit."""
        raise UsageError(f"{message} (see `{self.prog} --help`)")

    def add_settings(self, kind: type[msgspec.Struct], help_text: str) -> None:
        """Accept each setting of a kind as `--NAME VALUE` or `--SECTION.NAME VALUE`."""
        group = self.add_argument_group("settings", textwrap.fill(help_text, HELP_COLUMNS))
        for name, choices in _settings_of(kind):
            if (flag := f"--{name}") not in self._option_string_actions:
                action = group.add_argument(flag, dest=flag, help=argparse.SUPPRESS)
                action.metavar = "|".join(choices) or "VALUE"
                self.settings.append(action)

    @property
    def arguments(self) -> list[argparse.Action]:
        """All arguments and options, settings among them."""
        return self._actions

    def add_number(self, flag: str, help_text: str, default: int | None = None) -> None:
        """Declare an option that takes a whole number from 1 on."""
        shown = "" if default is None else f" (default: {default:,})"
        self.add_argument(
            flag, type=positive, default=default, metavar="N", help=f"{help_text}{shown}"
        )

    def add_data_option(self) -> None:
        """Add `--data`, for commands that read benchmark files."""
        self.add_argument(
            "--data",
            metavar="FOLDER",
            help="folder of the benchmark files (default: LEAR_DATA, else the user's cache)",
        )


def _settings_of(kind: type[msgspec.Struct], section: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield dotted names of settings, each with the words that it may be, if these are few."""
    for field in msgspec.structs.fields(kind):
        name = f"{section}{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield name, []  # a whole section as a TOML table
            yield from _settings_of(field.type, f"{name}.")
        else:
            yield name, list(_words_of(field.type))


def _words_of(kind: Any) -> Iterator[str]:
    origin = get_origin(kind)
    if kind is bool:
        yield from ("true", "false")
    elif origin is Literal:
        # A word with a space would have to be quoted in each shell in its own way.
        yield from (str(value) for value in get_args(kind) if " " not in str(value))
    elif origin in (Annotated, Union, types.UnionType):
        parts = get_args(kind)
        for part in parts[:1] if origin is Annotated else parts:
            yield from _words_of(part)


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return what reads a whole number between these bounds, for the `type` of an option."""
    expected = f"a whole number from {least} {'on' if most is None else f'to {most}'}"

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least or (most is not None and int(text) > most):
            raise argparse.ArgumentTypeError(f"expected {expected}, not {text!r}")
        return int(text)

    return read


positive = whole_number(1)
natural = whole_number(0, 2**32 - 1)
threads = whole_number(1, MAX_THREADS)
folds = whole_number(2)


def probability(text: str) -> float:
    """Return a number from 0 to 1, for the `type` of an option."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, not {text!r}")
    return number


def one_of(value: str, choices: Iterable[str], what: str) -> str:
    """Return the value if it is one of the choices; else raise `UsageError` with a suggestion."""
    names = list(choices)
    if value not in names:
        raise UsageError(f"unknown {what} {value!r}{did_you_mean(value, names)}")
    return value


_FILE = re.compile(r"(?P<file>(?P<path>.+\.py)(?::(?P<name>\w+))?)(?:/(?P<split>[^/]+))?")
"""A Python file, the name of a domain in it, and the split of one of its benchmarks."""


def file_of(argument: str) -> str | None:
    """Return the Python file that an argument names, with the name in it, without the split."""
    found = _FILE.fullmatch(argument)
    return None if found is None else found["file"]


def is_pairs_file(argument: str) -> bool:
    """Return True if an argument names a file of pairs."""
    return Path(argument).suffix in SUFFIXES


def find_domain(argument: str) -> Domain:
    """Return the domain that an argument names."""
    if is_pairs_file(argument):
        # Every command would pay for this import, and few are given pairs.
        from lear.domains.terms.domain import pairs_domain

        if not Path(argument).is_file():
            raise UsageError(f"{argument}: no such file")
        return pairs_domain(Path(argument))
    if found := _FILE.fullmatch(argument):
        return registry.load_domain(found["path"], found["name"])
    return registry.find_domain(argument)


def find_benchmark(argument: str) -> tuple[Domain, Benchmark]:
    """Return the benchmark that an argument names; a domain stands for its first one."""
    found = _FILE.fullmatch(argument)
    if found is None and not is_pairs_file(argument):
        return registry.find_benchmark(argument)
    domain = find_domain(argument)
    if found and found["split"]:
        return registry.find_benchmark(f"{domain.name}/{found['split']}")
    return domain, domain.corpus.benchmarks[0]


def load_parser(name_or_path: str, domain: Domain, **settings: Any) -> "Parser":
    """Load a parser by its model's name or path; raise `UsageError` if it is of another domain."""
    from lear.parser import Parser

    parser = Parser.from_pretrained(name_or_path, **settings)
    if parser.domain.name != domain.name:
        raise UsageError(f"{name_or_path} is a model of {parser.domain.name}, not of {domain.name}")
    return parser


def benchmark_of_model(name_or_path: str) -> str:
    """Return the benchmark that a model was trained on; a file that would be run is refused."""
    from lear.model.model_file import load_model

    about = load_model(find_model(name_or_path)).header.about
    if isinstance(file := about.get("domain_file"), str):
        raise UsageError(
            f"{name_or_path} was trained with the domain file {file!r}, which is code and is not "
            f"run unasked: `lear evaluate {shlex.quote(name_or_path)} {shlex.quote(file)}`"
        )
    benchmark = about.get("benchmark")
    if not isinstance(benchmark, str):
        raise UsageError(f"{name_or_path} does not say what it was trained on: name a benchmark")
    return benchmark


def benchmark_help(start: str) -> str:
    """Return the help of an argument that names a benchmark."""
    return (
        f"{start}, such as cogs/gen (`lear data list` has all); a domain ({_SHIPPED}) stands for "
        "its first benchmark; a file of pairs, or FILE.py[:NAME][/SPLIT], is a language of your own"
    )


def domain_help(start: str) -> str:
    """Return the help of an argument that names a domain."""
    return f"{start}: {_SHIPPED}; or FILE.py, a domain of your own"


_SHIPPED = ", ".join(registry.SHIPPED)


def add_model_argument(parser: CommandParser) -> None:
    """Declare MODEL."""
    parser.add_argument("model", metavar="MODEL", help="a shipped model's name, or a run's folder")


def add_answer_options(parser: CommandParser) -> None:
    """Declare what decides the answers of `parse` and `predict`."""
    parser.add_argument(
        "--execute", action="store_true", help="also execute the form and show its answer"
    )
    add_store_option(parser)
    add_unknown_words_option(parser, "refuse")
    parser.add_argument(
        "--min-probability",
        type=probability,
        default=0.0,
        metavar="P",
        help="give no answer that is less likely than this (default: 0)",
    )
    for name, excess in _LIMITS.items():
        parser.add_number(f"--max-{name}", f"refuse a sentence that {excess}")
    add_skip_option(parser)
    add_domain_option(parser)
    parser.add_data_option()


_LIMITS = {
    "characters": "has more characters than this (default: 20,000)",
    "tokens": "has more words and marks than this (default: 500)",
    "combinations": "takes more combinations of phrases than this (default: 120,000)",
}
"""The limits of `lear.Limits`, which has the defaults; to import it takes time."""


def answer_settings(options: Namespace) -> dict[str, Any]:
    """Return what `add_answer_options` declares as settings of `Parser`.

    The file of `--domain` is run here: a model never names one to be run.
    """
    from lear.answering.request import Limits

    if options.domain is not None:
        find_domain(options.domain)
    limits = {name: getattr(options, f"max_{name}") for name in _LIMITS}
    return {
        "unknown_words": options.unknown_words,
        "min_probability": options.min_probability,
        "limits": Limits(**{name: limit for name, limit in limits.items() if limit is not None}),
        "skip_steps": tuple(options.skip_step),
    }


def add_domain_option(parser: CommandParser) -> None:
    """Declare `--domain`, for commands that are given a model and no benchmark."""
    parser.add_argument(
        "--domain",
        metavar="FILE.py",
        help="the file of the model's domain, if it is one of your own; it is run",
    )


def add_unknown_words_option(parser: CommandParser, default: str) -> None:
    """Declare `--unknown-words`."""
    parser.add_argument(
        "--unknown-words",
        choices=("refuse", "overlook"),
        default=default,
        help="refuse a sentence with words that have no meaning here, or overlook these words "
        f"and say so (default: {default})",
    )


def add_skip_option(parser: CommandParser) -> None:
    """Declare `--skip-step`; `Parser` checks the names."""
    parser.add_argument(
        "--skip-step",
        action="append",
        default=[],
        metavar="STEP",
        help="leave out a finishing step of the domain (geo: fill_all, raise_most); repeatable",
    )


def add_store_option(parser: CommandParser) -> None:
    """Declare `--store`."""
    parser.add_argument(
        "--store", metavar="FILE", help="facts to execute forms on (default: those that ship)"
    )
