"""`lear calibrate`: how far a model's probabilities can be trusted, and fitting them."""

from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lear.benchmark import PARTS, Benchmark, Example
from lear.cli.arguments import (
    CommandParser,
    add_unknown_words_option,
    benchmark_help,
    find_benchmark,
    folds,
    load_parser,
    one_of,
    positive,
)
from lear.cli.loading import load_gazetteer, load_rows
from lear.cli.output import stderr_tracker, table, write, write_json
from lear.domains.registry import find_domain
from lear.errors import DataError, UsageError
from lear.messages import note
from lear.storage.datasets import find_model
from lear.storage.files import write_whole

if TYPE_CHECKING:
    from lear.learning.calibration import Outcome, Report
    from lear.learning.config import RunConfig
    from lear.model.config import Calibration
    from lear.parser import Parser

EXAMPLES = """  lear calibrate geo geo/standard
  lear calibrate geo geo/standard --output calibration
  lear calibrate runs/dev geo/standard_dev --fit --save runs/dev/calibrated
  lear calibrate runs/all geo/standard --folds 5 --save runs/all/calibrated
  lear calibrate runs/all geo/standard --take-from runs/dev/calibrated --save runs/all/calibrated"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a run's folder, or a shipped model's name")
    parser.add_argument("benchmark", metavar="DOMAIN/SPLIT", help=benchmark_help("the benchmark"))
    parser.add_argument("--part", default="test", help="train, dev or test (default)")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N rows")
    parser.add_argument(
        "--fit",
        action="store_true",
        help="fit the calibration on these rows, which training must not have seen, and report "
        "what it comes to on them (default: report what the model's own comes to)",
    )
    parser.add_argument(
        "--folds",
        type=folds,
        metavar="N",
        help="fit on the training rows: cut them into N parts, and answer each part by a model "
        "with the same settings that is trained on the others; takes N trainings",
    )
    parser.add_argument(
        "--take-from", metavar="MODEL", help="report with the calibration of another model"
    )
    parser.add_argument(
        "--save", metavar="FOLDER", help="write the model with the calibration into a folder"
    )
    parser.add_argument(
        "--output", metavar="FOLDER", help="write reliability.svg, risk-coverage.svg, report.json"
    )
    add_unknown_words_option(parser, "overlook")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Parse all rows, compare probabilities with verdicts, and write what is asked for."""
    from lear.learning.calibration import answer_outcomes, measure
    from lear.model.model_file import load_model
    from lear.parser import Parser

    if sum(map(bool, (options.fit, options.folds, options.take_from))) > 1:
        raise UsageError("a calibration comes of --fit, --folds or --take-from: give one of them")
    domain, benchmark = find_benchmark(options.benchmark)
    part = one_of(options.part, PARTS, "part")
    parser = load_parser(options.model, domain, unknown_words=options.unknown_words)
    every = load_rows(domain, benchmark, part, options.data)
    rows = every[: options.limit]
    if not parser.model.header.rules and parser.model.header.decoding == "chart":
        parser = _with_rules(parser, load_rows(domain, benchmark, "train", options.data))
    tracked = stderr_tracker().track(rows, "rows parsed", len(rows))
    outcomes = list(answer_outcomes(parser, tracked))
    if not outcomes:
        raise DataError(f"{benchmark.name} {part}: the model answers none of its {len(rows)} rows")
    calibration = parser.calibration
    if options.fit:
        title = f"{benchmark.name} {part}, {len(outcomes)} answers"
        calibration = _fitted(parser, outcomes, title, every, benchmark, options)
    elif options.folds:
        calibration = _cross_fitted(parser, benchmark, options)
    elif options.take_from:
        calibration = load_model(find_model(options.take_from)).header.calibration
    report = measure(
        [outcome.probability(calibration) for outcome in outcomes],
        [outcome.is_right for outcome in outcomes],
    )
    if options.save:
        header = msgspec.structs.replace(parser.model.header, calibration=calibration)
        Parser(replace(parser.model, header=header)).save_pretrained(options.save)
        note(f"{options.save}: the model with this calibration")
    record = _record(f"{benchmark.name} {part}", len(rows), calibration, report)
    if options.output:
        _write_files(Path(options.output), f"{benchmark.name} {part}", record, report)
    if options.json:
        write_json(record)
    else:
        write(_text(record, report))


def _fitted(
    parser: "Parser",
    outcomes: list["Outcome"],
    title: str,
    rows: list[Example],
    benchmark: Benchmark,
    options: Namespace,
) -> "Calibration":
    """A calibration fitted on answers, and on others that have the traits which these lack."""
    from lear.learning.calibration import fitted_calibration, held_out_words

    domain = parser.domain
    try:
        config = _config(parser, options)
    except DataError as error:
        note(f"{error}; no words are held out")
        return fitted_calibration(outcomes, title, ())
    train = load_rows(domain, benchmark, "train", options.data)
    gazetteer = load_gazetteer(domain, benchmark, options.data)
    seen = {(row.tokens, row.form) for row in train}
    unseen = [row for row in rows if (row.tokens, row.form) not in seen]
    with_traits = held_out_words(config, parser, train, unseen, gazetteer)
    return fitted_calibration(outcomes, title, with_traits)


def _config(parser: "Parser", options: Namespace) -> "RunConfig":
    """How a model was trained."""
    from lear.learning.config import RunConfig

    try:
        return msgspec.convert(parser.model.header.about.get("config"), RunConfig)
    except msgspec.ValidationError as error:
        raise DataError(
            f"{options.model}: the model does not say how to train it: {error}"
        ) from None


def _cross_fitted(parser: "Parser", benchmark: Benchmark, options: Namespace) -> "Calibration":
    """A calibration fitted on training rows, by models that did not see them."""
    from lear.learning.calibration import fit
    from lear.learning.cross_fitting import cross_outcomes

    config = _config(parser, options)
    domain = find_domain(parser.domain.name)
    rows = {part: load_rows(domain, benchmark, part, options.data) for part in ("train", "dev")}
    gazetteer = load_gazetteer(domain, benchmark, options.data)
    outcomes = list(
        cross_outcomes(
            config,
            domain,
            rows,
            options.folds,
            gazetteer,
            stderr_tracker(),
            view=lambda tokens: parser.reader.read(tokens).view,
        )
    )
    title = f"{benchmark.name} train, {options.folds} folds, {len(outcomes)} answers"
    return fit(outcomes, title)


def _with_rules(parser: "Parser", train: list[Example]) -> "Parser":
    """A parser that knows which rules training derivations use, if its model does not say."""
    from lear.learning.calibration import training_rules
    from lear.parser import Parser

    tracked = stderr_tracker().track(train, "training rows parsed", len(train))
    rules = training_rules(parser, tracked)
    header = msgspec.structs.replace(parser.model.header, rules=rules)
    return Parser(replace(parser.model, header=header), unknown_words=parser.unknown_words)


def _record(
    title: str, num_rows: int, calibration: "Calibration", report: "Report"
) -> dict[str, object]:
    return {
        "rows": title,
        "num_rows": num_rows,
        "num_unanswered": num_rows - report.n,
        "calibration": msgspec.to_builtins(calibration),
        **asdict(report),
    }


def _write_files(folder: Path, title: str, record: dict[str, object], report: "Report") -> None:
    from lear.learning.calibration import reliability_svg, risk_coverage_svg

    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "reliability.svg", reliability_svg(report, title).encode())
        write_whole(folder / "risk-coverage.svg", risk_coverage_svg(report, title).encode())
        write_whole(folder / "report.json", msgspec.json.encode(record))
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from None


def _text(record: dict[str, object], report: "Report") -> str:
    bins = [(str(b.n), f"{b.mean_probability:.3f}", f"{b.share_right:.3f}") for b in report.bins]
    heading = ("answers", "mean probability", "share right")
    return "\n".join(
        (
            f"{record['rows']}: {report.num_right} of {report.n} answers are right, "
            f"{record['num_unanswered']} rows without one",
            f"AUC, right against wrong: {report.auc:.3f}",
            f"expected calibration error: {report.ece:.3f}",
            f"wrong among the 12 % least sure: {report.least_sure_wrong:.2f}",
            f"calibration: {msgspec.json.encode(record['calibration']).decode()}",
            "",
            table([heading, *bins], numbers=range(3)),
        )
    )
