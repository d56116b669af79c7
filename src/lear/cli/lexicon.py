"""`lear lexicon`: what the words of a benchmark stand for, induced from its training rows."""

import sys
from argparse import Namespace

from lear.cli.arguments import Parser
from lear.cli.output import note, table, write
from lear.cli.rows import load_rows
from lear.domains.registry import find_benchmark

EXAMPLES = """  lear lexicon toy
  lear lexicon cogs --word froze
  lear lexicon cogs --json > cogs.lexicon.json"""


def configure(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help="toy, cogs, cogs/gen ...")
    parser.add_argument("--word", help="only units with this word")
    parser.add_argument("--json", action="store_true", help="one JSON object: domain, units, words")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print units with their primitives and counts, then the function words."""
    domain, benchmark = find_benchmark(options.benchmark)
    lexicon = domain.induce(load_rows(domain, benchmark, "train", options.data))
    if options.json:
        sys.stdout.write(lexicon.to_json().decode() + "\n")
        return
    rows = [
        (" ".join(unit), str(entry.primitive), str(entry.count))
        for unit, entries in lexicon.units.items()
        if options.word is None or options.word in unit
        for entry in entries
    ]
    words = [
        (word, "function word", str(count))
        for word, count in lexicon.function_words.items()
        if options.word in (None, word)
    ]
    write(table([("unit", "stands for", "rows"), *rows, *words], numbers=[2]))
    note(f"{len(rows)} entries, {len(words)} function words")
