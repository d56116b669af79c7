"""Running forms for commands."""

from collections.abc import Callable
from pathlib import Path

from lear.cli.arguments import CommandParser
from lear.data.folder import DataFolder
from lear.domain import Domain
from lear.errors import UsageError


def add_store_option(parser: CommandParser) -> None:
    """Declare where the facts come from."""
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="facts to run forms on; the default are those that ship, or lie in the data folder",
    )


def executor(domain: Domain, store: str | None, data: str | None) -> Callable[[str], object]:
    """A function from forms to answers, where the domain has facts to run them on."""
    if domain.open_store is None:
        raise UsageError(f"forms of {domain.name} cannot be run: it has no facts to run them on")
    find = DataFolder.choose(data).find
    return domain.open_store(None if store is None else Path(store), find)
