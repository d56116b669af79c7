"""`lear show`: a derivation of a sentence whose form is known."""

from argparse import Namespace

import msgspec

from lear.algebra import Meaning, MeaningTable
from lear.cli.arguments import Parser, one_of
from lear.cli.output import note, write
from lear.cli.rows import load_rows
from lear.derivation import Derivation
from lear.domain import Example
from lear.domains.registry import find_benchmark
from lear.errors import DataError, UsageError
from lear.forest import Forest
from lear.oracle import Oracle
from lear.rendering import as_svg, as_text
from lear.rules import RuleCounts

EXAMPLES = """  lear show toy "Tom teaches John 's daughter 's daughter" \\
      --gold "teach ( tom , daughter ( daughter ( john ) ) )"
  lear show cogs "A rose was helped by a dog ." --format svg \\
      --gold "rose ( x _ 1 ) AND help . theme ( x _ 3 , x _ 1 ) \\
AND help . agent ( x _ 3 , x _ 6 ) AND dog ( x _ 6 )" > rose.svg"""

FORMATS = ("text", "json", "svg")
NUM_RULE_ROWS = 1000


def configure(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help="whose lexicon: toy, cogs ...")
    parser.add_argument("sentence", metavar="SENTENCE", help="tokens separated by spaces")
    parser.add_argument("--gold", required=True, metavar="FORM", help="the form of the sentence")
    parser.add_argument("--format", default="text", help="text (default), json or svg")
    parser.add_argument("--all", action="store_true", help="every derivation, not only one")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print one derivation: the one whose rules training rows without a choice use most."""
    form = one_of(options.format, FORMATS, "format")
    domain, benchmark = find_benchmark(options.benchmark)
    example = Example(tuple(options.sentence.split()), options.gold, "", "--gold")
    if not example.tokens:
        raise UsageError("the sentence is empty")
    train = load_rows(domain, benchmark, "train", options.data)
    oracle = Oracle(domain, domain.induce(train))
    forest = _forest(oracle, example)
    if forest is None:
        raise DataError(f"no derivation of {example.form!r} from {example.sentence!r}")
    count = forest.count()
    note(f"{count} derivation{'s' if count > 1 else ''} of this meaning")
    if options.all:
        shown = forest.derivations(limit=count)
    else:
        rules = RuleCounts(domain)
        for row in train[:NUM_RULE_ROWS]:
            if (known := _forest(oracle, row)) is not None:
                rules.add(known, row.tokens)
        shown = [forest.best(lambda item, edge: rules.score(item, edge, example.tokens))]
    for derivation in shown:
        write(_formatted(derivation, example, form))


def _forest(oracle: Oracle, example: Example) -> Forest[Meaning] | None:
    table = MeaningTable(oracle.domain.algebra)
    return oracle.forest(example.tokens, oracle.domain.read_gold(example, table), table)


def _formatted(derivation: Derivation, example: Example, form: str) -> str:
    if form == "svg":
        return as_svg(derivation, example.tokens).rstrip()
    if form == "json":
        record = {"sentence": example.sentence, "form": example.form, "derivation": derivation}
        return msgspec.json.encode(record).decode()
    return f"{as_text(derivation, example.tokens)}\n=> {example.form}"
