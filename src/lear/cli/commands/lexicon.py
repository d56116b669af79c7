"""`lear lexicon`: print the lexicon induced from a benchmark's training rows."""

from argparse import Namespace

from lear.cli.arguments import CommandParser, benchmark_help, find_benchmark
from lear.cli.loading import load_language, load_lexicon
from lear.cli.output import stderr_tracker, table, write
from lear.messages import note

EXAMPLES = """  lear lexicon toy
  lear lexicon cogs --word froze
  lear lexicon cogs --json > cogs.lexicon.json"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark"))
    parser.add_argument("--word", help="only units with this word")
    parser.add_argument("--json", action="store_true", help="one JSON object: domain, units, words")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print units with their primitives and counts, then the function words."""
    domain, benchmark = find_benchmark(options.benchmark)
    tracker = stderr_tracker()
    domain = load_language(domain, benchmark, options.data, tracker)
    lexicon = load_lexicon(domain, benchmark, options.data, tracker)
    if options.word is not None:
        lexicon = lexicon.with_word(options.word)
    if options.json:
        write(lexicon.to_json().decode())
        return
    entries = [
        (" ".join(unit), str(entry.primitive), str(entry.count))
        for unit, entries in lexicon.units.items()
        for entry in entries
    ]
    words = [(word, "function word", str(n)) for word, n in lexicon.function_words.items()]
    write(table([("unit", "stands for", "rows"), *entries, *words], numbers=[2]))
    note(f"{len(entries)} entries, {len(words)} function words")
