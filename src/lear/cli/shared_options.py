"""Options and help texts that several commands share."""

import shlex
from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lear.cli.benchmark_argument import find_domain
from lear.cli.command_parser import CommandParser, one_of, positive, probability
from lear.decoding.limits import DEFAULT_LIMITS, MAX_REMEMBERED, Limits
from lear.domain.domain import Domain
from lear.domains.registry import loaded_domains
from lear.errors import UsageError
from lear.storage.model_files import find_model

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
