"""`lear show`: draw a derivation of a sentence whose form is given."""

from argparse import Namespace

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Derivation, evaluate, to_json
from lear.algebra.drawing import as_svg, as_text
from lear.benchmark import Example
from lear.cli.arguments import CommandParser, benchmark_help, find_benchmark, one_of, positive
from lear.cli.loading import induce, load_gazetteer, load_language, load_rows
from lear.cli.output import stderr_tracker, write
from lear.domain import Domain
from lear.errors import DataError, SearchLimitError, UsageError
from lear.evaluation.coverage import why_unreached
from lear.forest.oracle import Oracle, RuleCounts
from lear.messages import Tracker, note

EXAMPLES = """  lear show toy "Tom teaches John 's daughter 's daughter" \\
      --gold "teach ( tom , daughter ( daughter ( john ) ) )"
  lear show toy "Mary sees Tom" --gold "see ( mary , tom )" --json
  lear show cogs "A rose was helped by a dog ." --format svg \\
      --gold "rose ( x _ 1 ) AND help . theme ( x _ 3 , x _ 1 ) \\
AND help . agent ( x _ 3 , x _ 6 ) AND dog ( x _ 6 )" > rose.svg"""

NO_DERIVATION = "no derivation"
"""What is said of a sentence whose words all have a meaning."""
FORMATS = ("text", "json", "svg")
MAX_RULE_ROWS = 1000
"""Training rows that rules are counted in, to choose among derivations."""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark of the lexicon")
    )
    parser.add_argument("sentence", metavar="SENTENCE", help="the sentence, in quotes")
    parser.add_argument("--gold", required=True, metavar="FORM", help="the form of the sentence")
    parser.add_argument("--format", default="text", metavar="text|json|svg", help="(default: text)")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument(
        "--count",
        type=positive,
        default=1,
        metavar="N",
        help="print the first N derivations of the search (default: 1, the one whose rules are "
        "most frequent in training rows)",
    )
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print derivations; for a single one, choose by the rules of unambiguous training rows."""
    output_format = one_of("json" if options.json else options.format, FORMATS, "format")
    if output_format == "svg" and options.count > 1:
        raise UsageError("--format svg draws one derivation; leave out --count")
    domain, benchmark = find_benchmark(options.benchmark)
    example = Example(domain.words.tokenize(options.sentence), options.gold, "", "--gold")
    if not example.tokens:
        raise UsageError("the sentence is empty")
    tracker = stderr_tracker()
    domain = load_language(domain, benchmark, options.data, tracker)
    train = load_rows(domain, benchmark, "train", options.data)
    gazetteer = load_gazetteer(domain, benchmark, options.data)
    oracle = Oracle.of(domain, induce(domain, train, gazetteer, tracker))
    reading = oracle.reader.read(example.tokens)
    forest = oracle.gold_forest(example, reading)
    if forest is None:
        raise DataError(f"this sentence cannot have this form: {_why_not(oracle, example)}")
    count = forest.count()
    note(f"{count} derivation{'s' if count > 1 else ''} of this meaning")
    if options.count > 1:
        shown = forest.derivations(options.count)
    elif count == 1:
        shown = forest.derivations(1)
    else:
        shown = [_count_rules(oracle, train, tracker).best(forest, reading.skeleton.words)]
    for derivation in shown:
        write(_formatted(domain, derivation, example, output_format))


def _why_not(oracle: Oracle, example: Example) -> str:
    """Why no derivation of a sentence has its form, in words that need no grammar."""
    reason = why_unreached(oracle, example.tokens)
    if reason != NO_DERIVATION:
        return reason
    # Completions are made of this module, without numpy.
    from lear.answering.request import unknown_word_reason

    if unknown := oracle.reader.unknown_words(example.tokens):
        return unknown_word_reason(oracle.reader, unknown)
    return "no way of putting its words together gives it"


def _count_rules(oracle: Oracle, train: list[Example], tracker: Tracker) -> RuleCounts:
    rules = RuleCounts(oracle.domain)
    rows = train[:MAX_RULE_ROWS]
    for row in tracker.track(rows, "training rows derived", len(rows)):
        reading = oracle.reader.read(row.tokens)
        try:
            forest = oracle.gold_forest(row, reading)
        except SearchLimitError:
            continue
        if forest is not None:
            rules.add(forest, reading.skeleton.words)
    return rules


def _formatted(domain: Domain, derivation: Derivation, example: Example, output_format: str) -> str:
    if output_format == "svg":
        return as_svg(derivation, example.tokens).rstrip()
    if output_format == "json":
        return to_json(derivation).decode()
    meaning = evaluate(derivation, MeaningTable(domain.language.algebra), domain.words.ground)
    return f"{as_text(derivation, example.tokens)}\n=> {domain.language.render(meaning)}"
