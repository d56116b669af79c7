"""`lear calibrate`: how far a model's probabilities can be trusted, and fitting them."""

from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from lear.learning.config import RunConfig
from lear.messages import note
from lear.storage.datasets import find_model
from lear.storage.files import write_whole

if TYPE_CHECKING:
    from lear.learning.calibration import Outcome, Report
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
    from lear.parser import Parser

    if sum(map(bool, (options.fit, options.folds, options.take_from))) > 1:
        raise UsageError("a calibration comes of --fit, --folds or --take-from: give one of them")
    domain, benchmark = find_benchmark(options.benchmark)
    part = one_of(options.part, PARTS, "part")
    title = f"{benchmark.name} {part}"
    parser = load_parser(options.model, domain, unknown_words=options.unknown_words)
    every = load_rows(domain, benchmark, part, options.data)
    rows = every[: options.limit]
    tracked = stderr_tracker().track(rows, "rows parsed", len(rows))
    outcomes = list(answer_outcomes(parser, tracked))
    if not outcomes:
        raise DataError(f"{title}: the model answers none of its {len(rows)} rows")
    calibration = _calibration(options, parser, benchmark, outcomes, title, every)
    report = measure(
        [outcome.probability(calibration) for outcome in outcomes],
        [outcome.is_right for outcome in outcomes],
    )
    if options.save:
        header = msgspec.structs.replace(parser.model.header, calibration=calibration)
        Parser(replace(parser.model, header=header)).save_pretrained(options.save)
        note(f"{options.save}: the model with this calibration")
    record = {
        "rows": title,
        "num_rows": len(rows),
        "num_unanswered": len(rows) - report.n,
        "calibration": msgspec.to_builtins(calibration),
        **asdict(report),
    }
    if options.output:
        _write_files(Path(options.output), record, report)
    if options.json:
        write_json(record)
    else:
        write(_text(record, report))


def _calibration(
    options: Namespace,
    parser: "Parser",
    benchmark: Benchmark,
    outcomes: list["Outcome"],
    title: str,
    rows: list[Example],
) -> "Calibration":
    """Return the model's own calibration, another model's, or one that is fitted."""
    from lear.learning.calibration import fit, fit_with_rare_words, unseen_rows
    from lear.model.model_file import load_model

    domain = parser.domain if options.fit else find_domain(parser.domain.name)
    if options.take_from:
        return load_model(find_model(options.take_from)).header.calibration
    if not (options.fit or options.folds):
        return parser.calibration
    fitted_on = f"{title}, {len(outcomes)} answers"
    try:
        config = msgspec.convert(parser.model.header.about.get("config"), RunConfig)
    except msgspec.ValidationError as error:
        said = f"{options.model}: the model does not say how to train it: {error}"
        if options.folds:
            raise DataError(said) from None
        note(f"{said}; no words are held out")
        return fit(outcomes, fitted_on)
    gazetteer = load_gazetteer(domain, benchmark, options.data)
    train = load_rows(domain, benchmark, "train", options.data)
    if options.fit:
        own = {"train": train, "dev": unseen_rows(rows, train)}
        return fit_with_rare_words(parser, config, outcomes, fitted_on, own, gazetteer)
    from lear.learning.cross_fitting import cross_outcomes

    dev = load_rows(domain, benchmark, "dev", options.data)
    crossed = cross_outcomes(
        config,
        domain,
        {"train": train, "dev": dev},
        options.folds,
        gazetteer,
        stderr_tracker(),
        view=lambda tokens: parser.reader.read(tokens).view,
    )
    answers = list(crossed)
    return fit(answers, f"{benchmark.name} train, {options.folds} folds, {len(answers)} answers")


def _write_files(folder: Path, record: dict[str, Any], report: "Report") -> None:
    from lear.learning.calibration import reliability_svg, risk_coverage_svg

    files = {
        "reliability.svg": reliability_svg(report, record["rows"]).encode(),
        "risk-coverage.svg": risk_coverage_svg(report, record["rows"]).encode(),
        "report.json": msgspec.json.encode(record),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from None
    for name, content in files.items():
        write_whole(folder / name, content)


def _text(record: dict[str, Any], report: "Report") -> str:
    bins = [(str(b.n), f"{b.mean_probability:.3f}", f"{b.share_right:.3f}") for b in report.bins]
    heading = ("answers", "mean probability", "share right")
    return (
        f"{record['rows']}: {report.num_right} of {report.n} answers are right, "
        f"{record['num_unanswered']} rows without one\n"
        f"AUC, right against wrong: {report.auc:.3f}\n"
        f"expected calibration error: {report.ece:.3f}\n"
        f"wrong among the 12 % least sure: {report.least_sure_wrong:.2f}\n"
        f"calibration: {msgspec.json.encode(record['calibration']).decode()}\n\n"
        f"{table([heading, *bins], numbers=range(3))}"
    )
