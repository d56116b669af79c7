"""`lear execute`: execute forms and print the answers as JSON lines."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from lear.cli.arguments import CommandParser, add_store_option, find_domain
from lear.cli.loading import open_stdin
from lear.cli.output import stderr_tracker, write_json
from lear.domain import Domain, open_store, run_form
from lear.errors import DataError, FormError, UsageError
from lear.messages import SILENT, note
from lear.storage.datasets import DataFolder
from lear.storage.files import STDIN, TextLine, text_lines

EXAMPLES = """  lear execute cfq "SELECT count ( * ) WHERE { M0 film.director.film M1 }"
  lear execute cfq - < queries.txt > answers.jsonl
  lear execute cfq - --store facts.ttl < queries.txt
  lear execute geo "answer(capital(loc_2(stateid('texas'))))"
  lear execute geo --gold"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "domain",
        metavar="DOMAIN",
        help="the domain of the forms: cfq, geo; or FILE.py, a domain of your own with facts",
    )
    parser.add_argument(
        "form", nargs="?", metavar="FORM", help="a form; - reads standard input, one form a line"
    )
    parser.add_argument(
        "--gold",
        action="store_true",
        help="execute the forms of all questions with gold answers; print those that differ",
    )
    parser.add_argument("--json", action="store_true", help="JSON lines, which is the default")
    add_store_option(parser)
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print one JSON object for each form: its answer, or the error."""
    domain = find_domain(options.domain)
    if options.gold == (options.form is not None):
        raise UsageError("give a form, - for forms from standard input, or --gold")
    if options.gold:
        _check_gold(domain, options)
        return
    execute = open_store(domain, options.store, options.data)
    num_failed = 0
    # Where answers are seen as they come, or forms are typed, a bar would be in the way.
    is_seen = sys.stdout.isatty() or sys.stdin is None or sys.stdin.isatty()
    tracker = SILENT if options.form != "-" or is_seen else stderr_tracker()
    for _, form, cause in tracker.track(_forms(options.form), "forms executed", None):
        try:
            if cause:
                raise FormError(cause)
            write_json({"form": form} | run_form(domain, execute, form))
        except FormError as error:
            num_failed += 1
            write_json({"form": form, "error": str(error)})
    if num_failed:
        raise DataError(f"not run: {num_failed} of the forms")


def _check_gold(domain: Domain, options: Namespace) -> None:
    if domain.execution is None or domain.execution.check_answers is None:
        raise UsageError(f"there are no gold answers for {domain.name}")
    store = None if options.store is None else Path(options.store)
    check = domain.execution.check_answers(store, DataFolder.choose(options.data).find)
    for miss in check.misses:
        write_json(miss)
    note(f"{check.total - len(check.misses)} of {check.total} gold answers are given")


def _forms(argument: str) -> Iterator[TextLine]:
    if argument != "-":
        yield TextLine(1, argument)
        return
    for number, text, error in text_lines(open_stdin()):
        yield TextLine(number, text.strip(), f"{STDIN}:{number}: {error}" if error else "")
