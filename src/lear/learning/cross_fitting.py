"""Calibration without rows to spare: each training row is answered by a model that never saw it.

Which variant of an inferred language to take: what is right on rows held out from training.

Two parts are held out in turn: rows at random, whose forms are new combinations, and the longest
rows. The first tells whether a variant tells apart too much to learn from so few rows; the second
whether it tells apart too little to be right on longer sentences.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
import numpy as np

from lear.benchmark import Example, Gazetteer
from lear.domain import Domain
from lear.errors import DataError, LearError
from lear.evaluation.scores import evaluate
from lear.learning.calibration import Outcome, answer_outcomes
from lear.learning.config import RunConfig, Stage
from lear.learning.run import train
from lear.learning.run_folder import RunFolder
from lear.messages import SILENT, Tracker, note, quiet_notes
from lear.parser import Parser

View = Callable[[tuple[str, ...]], tuple[str, ...]]
"""A sentence -> what a model sees of it."""


def cross_outcomes(
    config: RunConfig,
    domain: Domain,
    rows: dict[str, list[Example]],
    num_folds: int,
    gazetteer: Gazetteer = (),
    tracker: Tracker = SILENT,
    *,
    view: View = lambda tokens: tokens,
) -> Iterator[Outcome]:
    """Train on all folds but one, answer the rows of that one, for each in turn.

    Args:
        config: The settings of the model that is to be calibrated.
        domain: What it parses.
        rows: Its training rows, and the dev rows that choose between states of a run.
        num_folds: Into how many parts the training rows are cut.
        gazetteer: Names for the lexicon.
        tracker: Told how far it has come.
        view: What the model sees of a sentence.
    """
    with TemporaryDirectory(prefix="lear-folds-") as folder:
        for number, held_out in enumerate(folds(rows["train"], num_folds, config.seed, view)):
            note(f"fold {number + 1} of {num_folds}: {len(held_out)} rows held out")
            out = {(row.tokens, row.form) for row in held_out}
            # Rows held out choose nothing either, where dev rows are training rows.
            parts = {
                part: [row for row in rows[part] if (row.tokens, row.form) not in out]
                for part in ("train", "dev")
            }
            parts["dev"] = parts["dev"] or parts["train"]
            run = RunFolder(Path(folder) / str(number))
            trained = train(
                config, domain, parts, run, gazetteer=gazetteer, tracker=tracker, calibrates=False
            )
            parser = Parser(trained.model, unknown_words="overlook")
            yield from answer_outcomes(parser, tracker.track(held_out, "rows", len(held_out)))


def folds(
    rows: Sequence[Example], count: int, seed: int, view: View = lambda tokens: tokens
) -> list[list[Example]]:
    """Rows cut into parts of about one size, at random.

    Rows of one form stay together, and so do rows whose sentences a model cannot tell apart: where
    names of one sort are one word to it, "capital of texas" has seen "capital of ohio".
    """
    groups = _groups(rows, view)
    if len(groups) < count:
        raise DataError(f"{len(groups)} different forms cannot be cut into {count} folds")
    order = np.random.default_rng(seed).permutation(len(groups)).tolist()
    parts: list[list[Example]] = [[] for _ in range(count)]
    # Large groups first, each into the part that is the smallest so far.
    for place in sorted(order, key=lambda place: -len(groups[place])):
        min(parts, key=len).extend(groups[place])
    return parts


def _groups(rows: Sequence[Example], view: View) -> list[list[Example]]:
    """Rows that are linked by equal forms or views, also by way of others."""
    group_of: dict[Hashable, list[Example]] = {}
    for row in rows:
        keys = (("form", row.form), ("view", view(row.tokens)))
        linked = {id(group): group for key in keys if (group := group_of.get(key)) is not None}
        merged = [*(other for group in linked.values() for other in group), row]
        group_of |= {key: merged for key, group in group_of.items() if id(group) in linked}
        group_of |= dict.fromkeys(keys, merged)
    return list({id(group): group for group in group_of.values()}.values())


MAX_ROWS = 300
"""Rows of a trial, training and held-out ones together."""
NUM_PARTS = 4
"""One part in so many is held out."""
EPOCHS = 10
MIN_ROWS = 12
"""With fewer rows nothing can be held out."""
CLEAR_GAIN = 0.02
"""A later variant must be right on so many more rows, as a share, to be taken."""


class Trial(NamedTuple):
    """How a variant did."""

    variant: str
    scores: tuple[float, ...]
    """Exact match on each part that was held out."""

    @property
    def mean(self) -> float:
        """Of its scores."""
        return sum(self.scores) / len(self.scores)

    def __str__(self) -> str:
        return f"{self.variant} {' and '.join(f'{100 * score:.0f} %' for score in self.scores)}"


def require_readable(domain: Domain, rows: Sequence[Example]) -> None:
    """Raise an error for the first row whose form cannot be read, before any time is spent."""
    inference = domain.inference
    if inference is not None and len(inference.readable(rows)) < len(rows):
        inference.infer(rows, inference.variants[0], None)  # names the row and the reason


def choose_language(
    config: RunConfig, domain: Domain, rows: Sequence[Example], tracker: Tracker = SILENT
) -> RunConfig:
    """The settings with a variant of the domain's language, where there is one to be chosen.

    Args:
        config: The settings of the run.
        domain: Whose language is inferred.
        rows: The training rows.
        tracker: Told how far it has come.
    """
    if domain.inference is None or config.language:
        return config
    variants = domain.inference.variants
    if config.types or len({row.form for row in rows}) < MIN_ROWS:
        return msgspec.structs.replace(config, language=variants[0])
    parts = held_out_parts(rows, config.seed)
    trials = []
    with tracker.phase("trying variants of the language on rows held out"):
        for variant in variants:
            scores = tuple(_score(config, domain, variant, *part) for part in parts)
            trials.append(Trial(variant, scores))
    best = trials[0]
    for trial in trials[1:]:
        if trial.mean > best.mean + CLEAR_GAIN:
            best = trial
    note(
        f"kinds of terms: {best.variant} (right on held-out rows, at random and long ones: "
        f"{'; '.join(map(str, trials))})"
    )
    return msgspec.structs.replace(config, language=best.variant)


def held_out_parts(rows: Sequence[Example], seed: int) -> list[tuple[list[Example], list[Example]]]:
    """Rows to train on with rows to test on: at random, and by length."""
    rng = np.random.default_rng(seed)
    chosen = sorted(rng.permutation(len(rows))[:MAX_ROWS].tolist())
    sample = [rows[place] for place in chosen]
    random_part = folds(sample, NUM_PARTS, seed)[0]
    by_length = sorted(sample, key=lambda row: len(row.tokens))
    longest = by_length[len(by_length) - len(by_length) // NUM_PARTS :]
    return [(_without(sample, part), part) for part in (random_part, longest)]


def _without(rows: Sequence[Example], part: Sequence[Example]) -> list[Example]:
    out = {id(row) for row in part}
    return [row for row in rows if id(row) not in out]


def _score(
    config: RunConfig,
    domain: Domain,
    variant: str,
    train_rows: list[Example],
    test_rows: list[Example],
) -> float:
    """Exact match on rows held out, by one small network that never saw them."""
    model = msgspec.structs.replace(config.model, members=1)
    trial = msgspec.structs.replace(
        config,
        language=variant,
        train_rows=None,
        model=model,
        curriculum=(Stage(epochs=EPOCHS),),
        dev_every=EPOCHS,
    )
    rows = {"train": train_rows, "dev": test_rows[:1]}
    with TemporaryDirectory(prefix="lear-trial-") as folder, quiet_notes():
        try:
            run = RunFolder(Path(folder) / "run")
            parser = train(trial, domain, rows, run, calibrates=False)
        except LearError:  # nothing that can be learned from: the other variants may do better
            return 0.0
        judge = Parser(parser.model, unknown_words="overlook")
        return evaluate(judge, test_rows).overall.exact_match
