"""`lear evaluate`: score a model on a benchmark."""

from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lear.benchmark import PARTS, Benchmark, Example
from lear.cli.arguments import (
    CommandParser,
    add_skip_option,
    add_store_option,
    add_unknown_words_option,
    benchmark_help,
    benchmark_of_model,
    find_benchmark,
    is_pairs_file,
    load_parser,
    one_of,
    positive,
)
from lear.cli.loading import are_published, group_label, load_rows
from lear.cli.output import output_file, peak_rss_mb, stderr_tracker, table, write, write_json
from lear.domain import Domain, open_store
from lear.domains.pairs import has_splits, read_pairs
from lear.errors import LearError
from lear.forest.oracle import Oracle
from lear.messages import note

if TYPE_CHECKING:
    from lear.evaluation.scores import Score, Scores
    from lear.parser import Parse

EXAMPLES = """  lear evaluate cogs cogs/gen
  lear evaluate runs/cogs-1 cogs/gen --json
  lear evaluate runs/mine my_domain.py
  lear evaluate cogs cogs/gen_original --wrong wrong.jsonl
  lear evaluate geo geo/standard --execute
  lear evaluate runs/toy toy --part dev --fail-under 0.99"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a run's folder, or a shipped model's name")
    parser.add_argument(
        "benchmark",
        nargs="?",
        metavar="DOMAIN/SPLIT",
        help=benchmark_help("the benchmark (default: the one that it was trained on)"),
    )
    parser.add_argument(
        "--part", default="test", metavar="train|dev|test", help="which rows (default: test)"
    )
    parser.add_argument("--wrong", metavar="FILE", help="write the wrong rows as JSON lines")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N rows")
    parser.add_argument(
        "--fail-under", type=float, metavar="X", help="exit with 1 if exact match is below X"
    )
    parser.add_argument(
        "--execute", action="store_true", help="also execute the forms and compare the answers"
    )
    parser.add_argument(
        "--skip-faults",
        action="store_true",
        help="do not find out whose fault wrong answers are: faster where many are wrong",
    )
    # No answer is a wrong one here, so that there is nothing to lose.
    add_unknown_words_option(parser, "overlook")
    add_skip_option(parser)
    add_store_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Parse all rows and print the scores."""
    from lear.evaluation.scores import blame, evaluate  # they bring arrays

    domain, benchmark = find_benchmark(options.benchmark or benchmark_of_model(options.model))
    part = one_of(options.part, PARTS, "part")
    tracker = stderr_tracker()
    with output_file(options.wrong) as wrong:
        with tracker.phase("loading the model and the rows", is_long=False):
            parser = load_parser(options.model, domain, unknown_words=options.unknown_words)
            rows = _rows(domain, benchmark, part, options)[: options.limit]
        parser.skip_steps = options.skip_step
        execute = open_store(domain, options.store, options.data) if options.execute else None
        oracle = Oracle(parser.reader)
        is_free = parser.model.header.config.merging == "free"

        def on_wrong(row: Example, parse: "Parse") -> None:
            record = {"source": row.source, "category": row.group, "gold": row.form}
            if not options.skip_faults:
                record["fault"] = blame(oracle, row, parse.derivation, is_free=is_free)
                faults[record["fault"]] += 1
            if wrong is not None:
                wrong.write(msgspec.json.encode(record | parse.to_dict()) + b"\n")

        faults: Counter[str] = Counter()
        scores = evaluate(parser, rows, on_wrong, execute, tracker)
        scores.faults = faults
    if options.json:
        write_json(
            {
                "benchmark": benchmark.name,
                "part": part,
                **scores_as_dict(scores, domain),
                "peak_rss_mb": peak_rss_mb(),
                "data_as_published": are_published(benchmark, (part,), options.data),
            }
        )
    else:
        write(score_table(f"{benchmark.name} {part}", domain, scores))
    exact_match = scores.overall.exact_match
    if options.fail_under is not None and exact_match < options.fail_under:
        raise LearError(f"exact match {exact_match:.4f} is below {options.fail_under}")


def _rows(domain: Domain, benchmark: Benchmark, part: str, options: Namespace) -> list[Example]:
    """Load the rows to score: all rows of a file of pairs that has no column `split`."""
    is_whole = part == "test" and is_pairs_file(benchmark.name)
    if not is_whole or has_splits(Path(benchmark.name)):
        return load_rows(domain, benchmark, part, options.data)
    note(f"{benchmark.name} has no column `split`: all of its rows are taken")
    parts = read_pairs(Path(benchmark.name), domain.words.tokenize)
    return [row for rows in parts.values() for row in rows]


def scores_as_dict(scores: "Scores", domain: Domain) -> dict[str, object]:
    """Return the fields that `--json` prints of scores."""
    return {
        **_as_dict(scores.overall),
        "seconds": round(scores.parse_seconds, 3),
        "sentences_per_second": round(scores.sentences_per_second, 1),
        "categories": {name: _as_dict(s) for name, s in scores.groups.items()},
        "kinds": {name: _as_dict(s) for name, s in scores.by_kind(domain).items()},
        "faults": dict(scores.faults),
        "lengths": {name: _as_dict(s) for name, s in scores.by_length().items()},
    }


def _as_dict(score: "Score") -> dict[str, object]:
    fields: dict[str, object] = {
        "n": score.n,
        "exact_match": score.exact_match,
        "text_match": score.text_match,
        "lenient": score.lenient_match,
    }
    if score.denotation_match is not None:
        fields |= {"denotation": score.denotation_match, "num_run": score.run}
    return fields


def score_table(title: str, domain: Domain, scores: "Scores") -> str:
    """Return scores by group, kind and length as text, with those of all rows under the title."""
    labelled = {group_label(domain, group): score for group, score in scores.groups.items()}
    labelled |= scores.by_kind(domain)
    labelled |= {f"{length} tokens": score for length, score in scores.by_length().items()}
    labelled[title] = scores.overall
    rows = [
        (name, str(s.n), _percent(s.exact_match), _percent(s.text_match), _percent(s.lenient_match))
        for name, s in labelled.items()
    ]
    text = table([("rows", "n", "exact", "text", "lenient"), *rows], numbers=range(1, 5))
    if scores.overall.denotation_match is not None:
        share, count = _percent(scores.overall.denotation_match), scores.overall.run
        text += f"\n\nsame answer as gold: {share} of {count} rows that can be run"
    if scores.faults:
        faults = ", ".join(f"{fault} {count}" for fault, count in scores.faults.most_common())
        text += f"\n\nfaults of wrong answers: {faults}"
    return text


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"
