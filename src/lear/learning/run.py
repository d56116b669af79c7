"""A run from raw rows to a trained model in its folder."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import torch

from lear.benchmark import PARTS, Example, Gazetteer
from lear.domain import Domain
from lear.errors import DataError, LearError, UsageError
from lear.evaluation.scores import evaluate
from lear.learning.calibration import answer_outcomes, fitted_calibration, held_out_words
from lear.learning.checkpoint import Progress, load_checkpoint
from lear.learning.config import RunConfig
from lear.learning.lexicons import make_lexicon
from lear.learning.loop import Loop, Metrics, make_average, make_optimizer
from lear.learning.run_folder import RunFolder, changes_since, note_changes, note_origin
from lear.learning.setup import Learner, make_learner
from lear.lexicon.lexicon import Lexicon
from lear.messages import SILENT, Tracker, note
from lear.model.model_file import Decoding, Model, ModelHeader, load_model, save_model
from lear.model.network import Network
from lear.parser import Parser
from lear.storage.files import locked_folder
from lear.version import __version__

MAX_CALIBRATION_ROWS = 300
"""How many dev rows probabilities are fitted on at most."""


def train(
    config: RunConfig,
    domain: Domain,
    rows: dict[str, list[Example]],
    folder: RunFolder,
    *,
    resume: bool = False,
    gazetteer: Gazetteer = (),
    environment: dict[str, Any] | None = None,
    tracker: Tracker = SILENT,
    allow_changes: bool = False,
    calibrates: bool = True,
    choose: Callable[[RunConfig, Sequence[Example]], RunConfig] | None = None,
) -> Parser:
    """Train on the rows of `train`, choose by those of `dev`; return the chosen parser.

    Args:
        config: The settings.
        domain: What to learn.
        rows: By part.
        folder: Where the run is kept.
        resume: Go on with the run in the folder.
        gazetteer: Names for the lexicon, besides those in training rows.
        environment: What to note of where the rows come from.
        tracker: Told how far the run has come.
        allow_changes: Go on with other settings than those that the run was begun with.
        calibrates: Whether probabilities are fitted at the end.
        choose: Decides by the training rows what the settings leave open, once the folder is this
            run's.
    """
    if unknown := set(rows) - set(PARTS):
        raise UsageError(f"rows of unknown parts: {', '.join(sorted(unknown))}")
    rows = {**rows, "train": _drawn(config, rows["train"])}
    origin = environment or {}
    folder.check(resume=resume)
    is_new = not folder.root.exists()
    with locked_folder(folder.root):
        folder.prepare(resume=resume)
        try:
            config = config if choose is None else choose(config, rows["train"])
            changes = None
            if resume:
                changes = changes_since(folder, config, origin, may_change=allow_changes)
            else:
                note_origin(folder, config, origin)
            _learn(config, domain, rows, folder, changes, gazetteer, origin, tracker)
        except BaseException as error:
            # What cannot be learned leaves nothing behind, nor what did not begin.
            if is_new and (isinstance(error, LearError) or not folder.can_go_on()):
                folder.leave_nothing()
            raise
        if not calibrates:
            return Parser(load_model(folder.model("best")))
        return _calibrated(folder, config, rows, gazetteer)


def _drawn(config: RunConfig, rows: list[Example]) -> list[Example]:
    """The training rows that the settings ask for, in their order."""
    if config.train_rows is None or config.train_rows >= len(rows):
        return rows
    chosen = sorted(random.Random(config.seed).sample(range(len(rows)), config.train_rows))
    return [rows[place] for place in chosen]


def _learn(
    config: RunConfig,
    domain: Domain,
    rows: dict[str, list[Example]],
    folder: RunFolder,
    changes: Sequence[str] | None,
    gazetteer: Gazetteer,
    environment: dict[str, Any],
    tracker: Tracker,
) -> None:
    """Train from wherever the run stands to its end.

    One that goes on has `changes` since it began, which may be none; a new one has None.
    """
    torch.set_num_threads(config.threads)
    torch.use_deterministic_algorithms(mode=True)
    torch.manual_seed(config.seed)
    domain = _inferred(config, domain, rows["train"], tracker).with_algebra(config.model.algebra)
    with tracker.phase(f"making the lexicon from {len(rows['train']):,} training rows"):
        lexicon = make_lexicon(config, domain, rows["train"], gazetteer)
    learner = make_learner(config, domain, lexicon, rows["train"], tracker)
    optimizer = make_optimizer(learner.network, config.optim)
    average = make_average(learner.network, config.optim)
    progress = Progress()
    if changes is not None and not folder.begins_anew():
        try:
            progress = load_checkpoint(
                folder.checkpoint, learner.network, optimizer, learner.objective, average
            )
        except DataError as error:
            told = f" ({'; '.join(changes)})" if changes else ""
            raise DataError(f"{error}{told}") from None
        note_changes(folder, config, changes)
        folder.trim_metrics(progress.total_steps, is_looked=progress.rows == 0)
    model = partial(_model, config, domain, lexicon, learner, environment)
    Loop(
        config=config,
        network=learner.network,
        optimizer=optimizer,
        objective=learner.objective,
        evaluate=lambda network: (
            evaluate(
                Parser(model(network, None), unknown_words="overlook"),
                rows["dev"],
                tracker=tracker,
            ).overall.exact_match
        ),
        save_model=lambda network, which, metrics: save_model(
            folder.model(which), model(network, metrics)
        ),
        report=partial(_report, folder),
        checkpoint=folder.checkpoint,
        progress=progress,
        average=average,
        tracker=tracker,
    ).run()


def _inferred(
    config: RunConfig, domain: Domain, rows: Sequence[Example], tracker: Tracker
) -> Domain:
    """The domain, with its language worked out from training rows where that is to be done."""
    if domain.inference is None:
        return domain
    variant = config.language or domain.inference.variants[0]
    if variant not in domain.inference.variants:
        choices = ", ".join(domain.inference.variants)
        raise UsageError(f"language is one of {choices}, not {variant!r}")
    with tracker.phase(f"working out the language of {len(rows):,} training rows"):
        return domain.inference.infer(rows, variant, Path(config.types) if config.types else None)


def _calibrated(
    folder: RunFolder, config: RunConfig, rows: dict[str, list[Example]], gazetteer: Gazetteer
) -> Parser:
    """The chosen model, with probabilities fitted on dev rows that it was not trained on."""
    model = load_model(folder.model("best"))
    seen = {(row.tokens, row.form) for row in rows["train"]}
    unseen = [row for row in rows["dev"] if (row.tokens, row.form) not in seen]
    if not unseen:
        note("all dev rows are training rows: probabilities stay as they are (`lear calibrate`)")
        return Parser(model)
    fitted_on = f"{config.benchmark} dev, {len(unseen[:MAX_CALIBRATION_ROWS])} rows"
    parser = Parser(model, unknown_words="overlook")
    outcomes = list(answer_outcomes(parser, unseen[:MAX_CALIBRATION_ROWS]))
    with_traits = held_out_words(config, parser, rows["train"], unseen, gazetteer)
    calibration = fitted_calibration(outcomes, fitted_on, with_traits)
    header = msgspec.structs.replace(model.header, calibration=calibration)
    model = replace(model, header=header)
    save_model(folder.model("best"), model)
    return Parser(model)


def _model(
    config: RunConfig,
    domain: Domain,
    lexicon: Lexicon,
    learner: Learner,
    environment: dict[str, Any],
    network: Network,
    metrics: Metrics | None,
) -> Model:
    """The model as it is now, with where it comes from."""
    about = {
        "lear": __version__,
        "config": msgspec.to_builtins(config),
        "metrics": None if metrics is None else msgspec.to_builtins(metrics),
        **environment,
    }
    decoding: Decoding = "chart" if config.optim.objective == "exact" else "greedy"
    header = ModelHeader(
        domain.name,
        config.model,
        learner.network.vocabulary,
        decoding,
        learner.objective.rules(),
        about,
        learner.attested,
        language=domain.inferred,
    )
    return Model(header, lexicon, network.weights())


def _report(folder: RunFolder, metrics: Metrics) -> None:
    """Append a line to the run's metrics, and tell the user."""
    try:
        with folder.metrics.open("ab") as stream:
            stream.write(msgspec.json.encode(metrics) + b"\n")
    except OSError as error:
        raise DataError(f"{folder.metrics}: cannot be written: {error.strerror}") from None
    note(
        f"epoch {metrics.epoch:g}: loss {metrics.loss:.4f}, "
        f"dev {100 * metrics.dev_exact_match:.2f} %, "
        f"{metrics.rows_per_second:,.0f} rows/s, {metrics.seconds_left:.0f} s left"
    )
