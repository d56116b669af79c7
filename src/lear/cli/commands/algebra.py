"""`lear algebra`: print the operations of a domain."""

from argparse import Namespace

from lear.cli.command_parser import CommandParser
from lear.cli.output import table, write, write_json
from lear.cli.shared_options import domain_help
from lear.domains.registry import find_domain

EXAMPLES = """  lear algebra cogs
  lear algebra toy --json"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("domain", metavar="DOMAIN", help=domain_help("the domain"))
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(options: Namespace) -> None:
    """Print each operation with its signature and example."""
    domain = find_domain(options.domain)
    rows = [(op.name, op.signature, op.example) for op in domain.language.algebra.operations]
    if options.json:
        keys = ("name", "signature", "example")
        operations = [dict(zip(keys, row, strict=True)) for row in rows]
        write_json({"domain": domain.name, "operations": operations})
    else:
        write(table([("operation", "signature", "example"), *rows]))
