"""`lear execute`: run a form, or one a line from stdin, and print the answers as JSON lines."""

import sys
from argparse import Namespace
from collections.abc import Iterator

from lear.cli.arguments import CommandParser
from lear.cli.output import write_json
from lear.cli.stores import add_store_option, executor
from lear.domains.registry import find_domain
from lear.errors import DataError, FormError

EXAMPLES = """  lear execute cfq "SELECT count ( * ) WHERE { M0 film.director.film M1 }"
  lear execute cfq - < queries.txt > answers.jsonl
  lear execute cfq - --store facts.ttl < queries.txt"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("domain", metavar="DOMAIN", help="whose forms they are: cfq")
    parser.add_argument("form", metavar="FORM", help="a form, or - for one a line from stdin")
    add_store_option(parser)


def run(options: Namespace) -> None:
    """Print one JSON object for each form: its answer, or why there is none."""
    execute = executor(find_domain(options.domain), options.store)
    num_failed = 0
    for form in _forms(options.form):
        try:
            write_json({"form": form, "answer": execute(form)})
        except FormError as error:
            num_failed += 1
            write_json({"form": form, "error": str(error)})
    if num_failed:
        raise DataError(f"not run: {num_failed} of the forms")


def _forms(argument: str) -> Iterator[str]:
    if argument != "-":
        yield argument
        return
    if sys.stdin is None:
        raise DataError("standard input is closed")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8").strip()
        except UnicodeDecodeError:
            raise DataError(f"-:{number}: not UTF-8 text") from None
        yield text
