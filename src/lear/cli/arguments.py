"""The argument parser of all commands, and the types of their options.

What an argument that names a domain or a benchmark means: a name, or a file.

`cogs` and `cogs/gen` are names. `my_domain.py` is a file with a domain, `my_domain.py:NAME` one of
several in it, and `/SPLIT` after either is one of its benchmarks. Naming a Python file runs it.
`pairs.csv` (also .tsv, .jsonl) is a file of pairs: a language of terms, worked out from it.

Options and help texts that several commands share.
"""

import argparse
import re
import shlex
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from lear.answering.request import DEFAULT_LIMITS, MAX_REMEMBERED, Limits
from lear.benchmark import Benchmark
from lear.domain import Domain
from lear.domains import registry
from lear.domains.pairs import SUFFIXES
from lear.domains.registry import load_domain, loaded_domains
from lear.errors import UsageError
from lear.messages import did_you_mean
from lear.storage.datasets import find_model

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


_FILE = re.compile(r"(?P<path>.+\.(?P<suffix>py))(?::(?P<name>\w+))?(?:/(?P<split>[^/]+))?")
"""A file by a suffix that lear has a use for, what of it is meant, and one of its benchmarks."""
_OPENED_BY: dict[str, Callable[[str, str | None], Domain]] = {"py": load_domain}
"""Suffix of a file -> what makes a domain of it: a path, and a name in the file."""


def find_domain(argument: str) -> Domain:
    """The domain that an argument means."""
    if is_pairs_file(argument):
        return _domain_of_pairs(argument)
    return _domain_in_file(argument) or registry.find_domain(argument)


def find_benchmark(argument: str) -> tuple[Domain, Benchmark]:
    """The benchmark that an argument means; a domain means its first one."""
    if is_pairs_file(argument):
        domain_of_pairs = _domain_of_pairs(argument)
        return domain_of_pairs, domain_of_pairs.corpus.benchmarks[0]
    domain = _domain_in_file(argument)
    if domain is None:
        return registry.find_benchmark(argument)
    split = _split_of(argument)
    return registry.find_benchmark(domain.name if split is None else f"{domain.name}/{split}")


def is_pairs_file(argument: str) -> bool:
    """Whether an argument names a file of pairs."""
    return Path(argument).suffix in SUFFIXES


def _domain_of_pairs(argument: str) -> Domain:
    # Every command would pay for this import, and few are given pairs.
    from lear.domains.terms.domain import pairs_domain

    path = Path(argument)
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    return pairs_domain(path)


def file_of(argument: str) -> str | None:
    """The file that an argument means, with the name in it but without the benchmark."""
    found = _FILE.fullmatch(argument)
    if found is None:
        return None
    return found["path"] if found["name"] is None else f"{found['path']}:{found['name']}"


def _domain_in_file(argument: str) -> Domain | None:
    found = _FILE.fullmatch(argument)
    return None if found is None else _OPENED_BY[found["suffix"]](found["path"], found["name"])


def _split_of(argument: str) -> str | None:
    found = _FILE.fullmatch(argument)
    return None if found is None else found["split"]


if TYPE_CHECKING:
    from lear.parser import Parser

LIMIT_HELP = {
    "characters": "has more characters",
    "tokens": "has more words and marks",
    "combinations": "takes more combinations of phrases",
}
"""Limit -> what a sentence beyond it does."""


def benchmark_help(start: str) -> str:
    """Help on a benchmark argument, with the names of those of loaded domains."""
    benchmarks = (b.name for domain in loaded_domains().values() for b in domain.corpus.benchmarks)
    names = f"{start}: {', '.join(benchmarks)}; the name of a domain means its first benchmark"
    return f"{names}. FILE.py, FILE.py:NAME, with or without /SPLIT, is a domain of your own"


def domain_help(start: str, *, executable: bool = False) -> str:
    """Help on a domain argument, with the names of loaded domains, or of those that can execute."""
    domains = loaded_domains().values()
    names = [d.name for d in domains if d.execution is not None or not executable]
    return f"{start}: {', '.join(names)}; or FILE.py, a domain of your own"


def add_domain_option(parser: CommandParser) -> None:
    """Declare `--domain`, for commands that are given a model and no benchmark."""
    parser.add_argument(
        "--domain",
        metavar="FILE.py",
        help="the file of the model's domain, if it is one of your own; it is run",
    )


def load_named_domain(options: Namespace) -> None:
    """Make the domain known that `--domain` names, if it does: models never name one to be run."""
    if options.domain is not None:
        find_domain(options.domain)


def load_parser(name_or_path: str, domain: Domain, **settings: Any) -> "Parser":
    """Load a parser by its model's name or path; raise `UsageError` if it is of another domain."""
    from lear.parser import Parser

    parser = Parser.from_pretrained(name_or_path, **settings)
    if parser.domain.name != domain.name:
        raise UsageError(f"{name_or_path} is a model of {parser.domain.name}, not of {domain.name}")
    return parser


def benchmark_of_model(name_or_path: str) -> str:
    """The benchmark that a model was trained on; `UsageError` if it is in a file to be run."""
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


def add_policy_options(parser: CommandParser) -> None:
    """Declare the options of what to answer: `--unknown-words`, `--min-probability`, limits."""
    add_unknown_words_option(parser, "refuse")
    parser.add_argument(
        "--min-probability",
        type=probability,
        default=0.0,
        metavar="P",
        help="give no answer that is less likely than this (default: 0)",
    )
    for name, limit in asdict(DEFAULT_LIMITS).items():
        parser.add_argument(
            f"--max-{name}",
            type=positive,
            default=limit,
            metavar="N",
            help=f"refuse a sentence that {LIMIT_HELP[name]} than this (default: {limit:,})",
        )


def add_memory_option(parser: CommandParser) -> None:
    """Declare `--max-remembered`, for commands that parse much."""
    parser.add_argument(
        "--max-remembered",
        type=positive,
        default=MAX_REMEMBERED,
        metavar="N",
        help="remember derivations of so many sentences' skeletons; fewer take less memory "
        f"(default: {MAX_REMEMBERED:,})",
    )


def policy(options: Namespace) -> dict[str, Any]:
    """What these options say, as settings of `Parser`."""
    limits = {name: getattr(options, f"max_{name}") for name in LIMIT_HELP}
    return {
        "unknown_words": options.unknown_words,
        "min_probability": options.min_probability,
        "limits": Limits(**limits),
    }


def add_unknown_words_option(parser: CommandParser, default: str) -> None:
    """Declare `--unknown-words`."""
    parser.add_argument(
        "--unknown-words",
        choices=("refuse", "overlook"),
        default=default,
        help="refuse sentences with words that nothing can be made of, or overlook such words "
        f"and say so (default: {default})",
    )


def add_skip_option(parser: CommandParser) -> None:
    """Declare `--skip-step`."""
    parser.add_argument(
        "--skip-step",
        action="append",
        default=[],
        metavar="STEP",
        help="leave out a finishing step of the domain (of geo: fill_all, raise_most); can be "
        "repeated",
    )


def skipped_finishing_steps(domain: Domain, options: Namespace) -> tuple[str, ...]:
    """The finishing steps that the user leaves out; raise `UsageError` if there is none such."""
    names = tuple(domain.language.finishing)
    if options.skip_step and not names:
        raise UsageError(f"domain {domain.name!r} has no finishing steps")
    return tuple(one_of(name, names, "finishing step") for name in options.skip_step)


def add_store_option(parser: CommandParser) -> None:
    """Declare `--store`."""
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="facts to execute forms on (default: those that ship)",
    )
