"""What is inside a language: `lear algebra`, `lear types`, `lear lexicon`, and `lear show`.

`algebra` prints the operations, `types` the types of a file of pairs, `lexicon` what words stand
for, and `show` how these make a form: it draws a derivation of a sentence whose form is given.
"""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Derivation, evaluate, to_json
from lear.algebra.drawing import as_svg, as_text
from lear.benchmark import Example
from lear.cli.arguments import (
    CommandParser,
    benchmark_help,
    domain_help,
    find_benchmark,
    find_domain,
    is_pairs_file,
    one_of,
)
from lear.cli.dispatch import Command
from lear.cli.loading import induce, load_gazetteer, load_language, load_lexicon, load_rows
from lear.cli.output import stderr_tracker, table, write, write_json
from lear.domain import Domain
from lear.errors import DataError, SearchLimitError, UsageError
from lear.messages import Tracker, note

if TYPE_CHECKING:
    from lear.forest.oracle import Oracle, RuleCounts

ALGEBRA_EXAMPLES = """  lear algebra cogs
  lear algebra toy --json
  lear algebra runs/home"""


def configure_algebra(parser: CommandParser) -> None:
    """Declare the arguments of `lear algebra`."""
    named = f"{domain_help('the domain')}; or a file of pairs, or a run's folder"
    parser.add_argument("domain", metavar="DOMAIN", help=named)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


def algebra(options: Namespace) -> None:
    """Print each operation with its signature and example; before them, what was inferred."""
    domain = _domain_of(options)
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
        write(table([("symbol", "takes -> gives"), *language]) + "\n")
    write(table([("operation", "signature", "example"), *operations]))


def _domain_of(options: Namespace) -> Domain:
    if is_pairs_file(options.domain):
        domain, benchmark = find_benchmark(options.domain)
        return load_language(domain, benchmark, options.data, stderr_tracker())
    if Path(options.domain).is_dir():
        from lear.parser import Parser

        return Parser.from_pretrained(options.domain).domain
    return find_domain(options.domain)


TYPES_EXAMPLES = """  lear types pairs.csv
  lear types pairs.csv > types.toml          # edit it, then
  lear train pairs.csv --types types.toml --output runs/mine"""


def configure_types(parser: CommandParser) -> None:
    """Declare the arguments of `lear types`."""
    parser.add_argument("pairs", metavar="PAIRS", help="a file of pairs: .csv, .tsv or .jsonl")
    parser.add_argument("--json", action="store_true", help="one JSON object in place of TOML")
    parser.add_data_option()


def types(options: Namespace) -> None:
    """Print types as TOML, which `lear train --types` reads."""
    from lear.domains.terms.language import restore_language
    from lear.domains.terms.types_file import to_toml

    domain, benchmark = find_benchmark(options.pairs)
    if domain.inference is None:
        raise UsageError(f"{options.pairs} is no file of pairs: its types are in its algebra")
    domain = load_language(domain, benchmark, options.data, stderr_tracker())
    found = restore_language(domain.inferred).types
    if options.json:
        write_json(msgspec.to_builtins(found))
    else:
        write(to_toml(found).rstrip())


LEXICON_EXAMPLES = """  lear lexicon toy
  lear lexicon cogs --word froze
  lear lexicon cogs --json > cogs.lexicon.json"""


def configure_lexicon(parser: CommandParser) -> None:
    """Declare the arguments of `lear lexicon`."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark"))
    parser.add_argument("--word", help="only units with this word")
    parser.add_argument("--json", action="store_true", help="one JSON object: domain, units, words")
    parser.add_data_option()


def lexicon(options: Namespace) -> None:
    """Print units with their primitives and counts, then the function words."""
    domain, benchmark = find_benchmark(options.benchmark)
    tracker = stderr_tracker()
    domain = load_language(domain, benchmark, options.data, tracker)
    found = load_lexicon(domain, benchmark, options.data, tracker)
    if options.word is not None:
        found = found.with_word(options.word)
    if options.json:
        write(found.to_json().decode())
        return
    entries = [
        (" ".join(unit), str(entry.primitive), str(entry.count))
        for unit, entries in found.units.items()
        for entry in entries
    ]
    words = [(word, "function word", str(n)) for word, n in found.function_words.items()]
    write(table([("unit", "stands for", "rows"), *entries, *words], numbers=[2]))
    note(f"{len(entries)} entries, {len(words)} function words")


SHOW_EXAMPLES = """  lear show toy "Tom teaches John 's daughter 's daughter" \\
      --gold "teach ( tom , daughter ( daughter ( john ) ) )"
  lear show toy "Mary sees Tom" --gold "see ( mary , tom )" --json
  lear show cogs "A rose was helped by a dog ." --format svg \\
      --gold "rose ( x _ 1 ) AND help . theme ( x _ 3 , x _ 1 ) \\
AND help . agent ( x _ 3 , x _ 6 ) AND dog ( x _ 6 )" > rose.svg"""
FORMATS = ("text", "json", "svg")
MAX_RULE_ROWS = 1000
"""Training rows that rules are counted in, to choose among derivations."""


def configure_show(parser: CommandParser) -> None:
    """Declare the arguments of `lear show`."""
    parser.add_argument(
        "benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark of the lexicon")
    )
    parser.add_argument("sentence", metavar="SENTENCE", help="the sentence, in quotes")
    parser.add_argument("--gold", required=True, metavar="FORM", help="the form of the sentence")
    parser.add_argument(
        "--format", default="text", metavar="|".join(FORMATS), help="what to draw (default: text)"
    )
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_number(
        "--count",
        "print the first N derivations of the search; a single one is that whose rules are most "
        "frequent in training rows",
        1,
    )
    parser.add_data_option()


def show(options: Namespace) -> None:
    """Print derivations; a single one is chosen by the rules of unambiguous training rows."""
    from lear.forest.oracle import Oracle

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
    if options.count > 1 or count == 1:
        shown = forest.derivations(options.count)
    else:
        shown = [_count_rules(oracle, train, tracker).best(forest, reading.skeleton.words)]
    for derivation in shown:
        write(_formatted(domain, derivation, example, output_format))


def _why_not(oracle: "Oracle", example: Example) -> str:
    """Return why no derivation of a sentence has its form, in words that need no grammar."""
    from lear.answering.request import unknown_word_reason
    from lear.evaluation.coverage import why_unreached

    reason = why_unreached(oracle, example.tokens)
    if reason != "no derivation":  # as is said where all words have a meaning
        return reason
    if unknown := oracle.reader.unknown_words(example.tokens):
        return unknown_word_reason(oracle.reader, unknown)
    return "no way of putting its words together gives it"


def _count_rules(oracle: "Oracle", train: list[Example], tracker: Tracker) -> "RuleCounts":
    from lear.forest.oracle import RuleCounts

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


COMMANDS = {
    "algebra": Command(ALGEBRA_EXAMPLES, configure_algebra, algebra),
    "types": Command(TYPES_EXAMPLES, configure_types, types),
    "lexicon": Command(LEXICON_EXAMPLES, configure_lexicon, lexicon),
    "show": Command(SHOW_EXAMPLES, configure_show, show),
}
