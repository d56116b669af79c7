"""`lear new`: write a commented start of a domain of your own."""

import re
from argparse import Namespace
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from lear.cli.arguments import CommandParser, one_of
from lear.cli.output import write, write_json
from lear.domains.registry import SHIPPED
from lear.errors import DataError, UsageError
from lear.messages import note
from lear.storage.files import write_whole

EXAMPLES = """  lear new home
  lear new home --kind python"""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Start(NamedTuple):
    """A file to begin with, and its kind of name."""

    template: str
    """The file in the package; NAME in it stands for the name of the domain."""
    suffix: str


KINDS = {
    "terms": Start("domains/terms/home.csv", ".csv"),
    "python": Start("cli/templates/domain.py.txt", ".py"),
}
DEFAULT = "terms"


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", help="the name of the domain, and of the file")
    parser.add_argument(
        "--kind",
        default=DEFAULT,
        metavar="|".join(KINDS),
        help=f"terms: a file of pairs; python: a domain in Python (default: {DEFAULT})",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(options: Namespace) -> None:
    """Write the file into the current folder, and print its path."""
    start = KINDS[one_of(options.kind, KINDS, "kind")]
    if not _NAME.fullmatch(options.name) or options.name in SHIPPED:
        raise UsageError(
            f"{options.name!r}: choose a name of small letters, digits and _ that no domain has"
        )
    path = Path(options.name + start.suffix)
    if path.exists():
        raise DataError(f"{path}: there is such a file; it is left as it is")
    text = (files("lear") / start.template).read_text(encoding="utf-8")
    text = text.replace("NAME_IN_CAPITALS", options.name.upper()).replace("NAME", options.name)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from None
    if options.json:
        write_json({"file": str(path)})
    else:
        write(str(path))
    note(
        f"`lear check {path}` says whether it works, `lear train {path} --output runs/mine` trains"
    )
