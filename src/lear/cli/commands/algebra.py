"""`lear algebra`: print the operations of a domain, and the types of a language from pairs."""

from argparse import Namespace
from pathlib import Path

from lear.cli.arguments import (
    CommandParser,
    domain_help,
    find_benchmark,
    find_domain,
    is_pairs_file,
)
from lear.cli.loading import load_language
from lear.cli.output import stderr_tracker, table, write, write_json
from lear.domain import Domain

EXAMPLES = """  lear algebra cogs
  lear algebra toy --json
  lear algebra runs/home"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "domain", metavar="DOMAIN", help=f"{domain_help('the domain')}; or PAIRS, or a run's folder"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print each operation with its signature and example; before them, what was inferred."""
    domain = _domain(options)
    operations = [(op.name, op.signature, op.example) for op in domain.language.algebra.operations]
    language = []
    if domain.inference is not None:
        language = domain.inference.describe(domain.inferred)
    if options.json:
        keys = ("name", "signature", "example")
        found = {"operations": [dict(zip(keys, row, strict=True)) for row in operations]}
        write_json({"domain": domain.name, **found, **({"language": language} if language else {})})
        return
    if language:
        write(table([("symbol", "takes -> gives"), *language]))
        write("")
    write(table([("operation", "signature", "example"), *operations]))


def _domain(options: Namespace) -> Domain:
    if is_pairs_file(options.domain):
        domain, benchmark = find_benchmark(options.domain)
        return load_language(domain, benchmark, options.data, stderr_tracker())
    if Path(options.domain).is_dir():
        from lear.parser import Parser

        return Parser.from_pretrained(options.domain).domain
    return find_domain(options.domain)
