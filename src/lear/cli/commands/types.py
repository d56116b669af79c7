"""`lear types`: print the types that are worked out from a file of pairs."""

from argparse import Namespace

import msgspec

from lear.cli.arguments import CommandParser, find_benchmark
from lear.cli.loading import load_language
from lear.cli.output import stderr_tracker, write, write_json
from lear.domains.terms.language import restore_language
from lear.domains.terms.types_file import to_toml
from lear.errors import UsageError

EXAMPLES = """  lear types pairs.csv
  lear types pairs.csv > types.toml          # mend it, then
  lear train pairs.csv --types types.toml --output runs/mine"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("pairs", metavar="PAIRS", help="a file of pairs: .csv, .tsv or .jsonl")
    parser.add_argument("--json", action="store_true", help="one JSON object in place of TOML")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print them as TOML, which `lear train --types` reads."""
    domain, benchmark = find_benchmark(options.pairs)
    if domain.inference is None:
        raise UsageError(f"{options.pairs} is no file of pairs: its types are in its algebra")
    domain = load_language(domain, benchmark, options.data, stderr_tracker())
    types = restore_language(domain.inferred).types
    if options.json:
        write_json(msgspec.to_builtins(types))
    else:
        write(to_toml(types).rstrip())
