"""Loading the model that a command was given."""

from typing import TYPE_CHECKING

from lear.domain import Domain
from lear.errors import UsageError

if TYPE_CHECKING:
    from lear.parser import Parser


def load_parser(name_or_path: str, domain: Domain) -> "Parser":
    """A parser by a model's name or path; it must be one of this domain."""
    from lear.parser import Parser

    parser = Parser.from_pretrained(name_or_path)
    if parser.domain.name != domain.name:
        raise UsageError(f"{name_or_path} is a model of {parser.domain.name}, not of {domain.name}")
    return parser
