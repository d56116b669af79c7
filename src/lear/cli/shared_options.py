"""Options and help texts that several commands share."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lear.cli.command_parser import CommandParser, one_of, probability
from lear.domain.domain import Domain, Execute
from lear.domains.registry import loaded_domains
from lear.errors import UsageError
from lear.storage.data_folder import DataFolder

if TYPE_CHECKING:
    from lear.parser import Parser


def benchmark_help(start: str) -> str:
    """Help on a benchmark argument, with the names of those of loaded domains."""
    benchmarks = (b.name for domain in loaded_domains().values() for b in domain.corpus.benchmarks)
    return f"{start}: {', '.join(benchmarks)}; the name of a domain means its first benchmark"


def domain_help(start: str, *, executable: bool = False) -> str:
    """Help on a domain argument, with the names of loaded domains, or of those that can execute."""
    domains = loaded_domains().values()
    names = [d.name for d in domains if d.execution is not None or not executable]
    return f"{start}: {', '.join(names)}"


def load_parser(name_or_path: str, domain: Domain, **settings: Any) -> "Parser":
    """Load a parser by its model's name or path; raise `UsageError` if it is of another domain."""
    from lear.parser import Parser

    parser = Parser.from_pretrained(name_or_path, **settings)
    if parser.domain.name != domain.name:
        raise UsageError(f"{name_or_path} is a model of {parser.domain.name}, not of {domain.name}")
    return parser


def add_policy_options(parser: CommandParser) -> None:
    """Declare the options of what to answer: `--unknown-words` and `--min-probability`."""
    add_unknown_words_option(parser, "refuse")
    parser.add_argument(
        "--min-probability",
        type=probability,
        default=0.0,
        metavar="P",
        help="give no answer that is less likely than this (default: 0)",
    )


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


def open_store(domain: Domain, store: str | None, data: str | None) -> Execute:
    """A function that executes forms; raise `UsageError` if the domain has no facts."""
    if domain.execution is None:
        raise UsageError(f"forms of {domain.name} cannot be run: it has no facts to run them on")
    find = DataFolder.choose(data).find
    return domain.execution.open_store(None if store is None else Path(store), find)


def run_form(domain: Domain, execute: Execute, form: str) -> dict[str, object]:
    """What commands show of a form that is run: `answer`, and `unit` where its numbers have one.

    Raises `FormError` if it cannot be run. `execute` is what `open_store` gives for the domain.
    """
    assert domain.execution is not None  # open_store refuses other domains
    answer = execute(form)
    unit = domain.execution.unit(form)
    return {"answer": answer} if unit is None else {"answer": answer, "unit": unit}
