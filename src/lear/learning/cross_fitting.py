"""Training on some rows and answering others: calibration by folds, and the choice of a language.

A calibration needs answers to rows that training did not see. Where there are no rows to spare,
each training row is answered by a model that was trained on other folds. In the same way the
variant of an inferred language is chosen that is right on rows held out: a random part, whose forms
are new combinations, and the longest rows. The first tells if a variant makes too many distinctions
to be learned from so few rows; the second if it makes too few to be right on longer sentences.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from lear.benchmark import Example, Gazetteer
from lear.domain import Domain
from lear.errors import DataError, LearError
from lear.evaluation.scores import evaluate
from lear.learning.calibration import Outcome, answer_outcomes, unseen_rows
from lear.learning.config import RunConfig, Stage
from lear.learning.run import train
from lear.learning.run_folder import RunFolder
from lear.messages import SILENT, Tracker, note, quiet_notes
from lear.parser import Parser

View = Callable[[tuple[str, ...]], tuple[str, ...]]
"""Maps a sentence to what a model sees of it."""


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

    `config` has the settings of the model that is to be calibrated; `rows` are its training rows,
    and the dev rows that choose between states of a run.
    """
    for number, held_out in enumerate(folds(rows["train"], num_folds, config.seed, view)):
        note(f"fold {number + 1} of {num_folds}: {len(held_out)} rows held out")
        # Rows held out choose nothing either, where dev rows are training rows.
        parts = {part: unseen_rows(rows[part], held_out) for part in ("train", "dev")}
        parts["dev"] = parts["dev"] or parts["train"]
        parser = _trained(config, domain, parts, gazetteer, tracker)
        yield from answer_outcomes(parser, tracker.track(held_out, "rows", len(held_out)))


def _trained(
    config: RunConfig,
    domain: Domain,
    rows: dict[str, list[Example]],
    gazetteer: Gazetteer = (),
    tracker: Tracker = SILENT,
) -> Parser:
    """Train in a folder that goes again, and return a parser that overlooks unknown words."""
    with TemporaryDirectory(prefix="lear-") as folder:
        run = RunFolder(Path(folder) / "run")
        parser = train(
            config, domain, rows, run, gazetteer=gazetteer, tracker=tracker, calibrates=False
        )
        return Parser(parser.model, unknown_words="overlook")


def folds(
    rows: Sequence[Example], count: int, seed: int, view: View = lambda tokens: tokens
) -> list[list[Example]]:
    """Cut rows into parts of about one size, at random.

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
    """Group rows that are linked by equal forms or views, also by way of others."""
    group_of: dict[Hashable, list[Example]] = {}
    for row in rows:
        keys = (("form", row.form), ("view", view(row.tokens)))
        linked = {id(group): group for key in keys if (group := group_of.get(key)) is not None}
        merged = [*(other for group in linked.values() for other in group), row]
        group_of |= {key: merged for key, group in group_of.items() if id(group) in linked}
        group_of |= dict.fromkeys(keys, merged)
    return list({id(group): group for group in group_of.values()}.values())


MAX_ROWS = 300
"""The number of rows of a trial, training and held-out ones together."""
NUM_PARTS = 4
"""The number of parts, of which one is held out."""
EPOCHS = 10
MIN_ROWS = 12
"""With fewer rows nothing can be held out."""
CLEAR_GAIN = 0.02
"""A later variant is chosen if its mean score is higher by this."""


def require_readable(domain: Domain, rows: Sequence[Example]) -> None:
    """Raise an error for the first row whose form cannot be read, before any time is spent."""
    inference = domain.inference
    if inference is not None and len(inference.readable(rows)) < len(rows):
        inference.infer(rows, inference.variants[0], None)  # names the row and the reason


def choose_language(
    config: RunConfig, domain: Domain, rows: Sequence[Example], tracker: Tracker = SILENT
) -> RunConfig:
    """Return the settings with a variant of the domain's language, if there is one to choose."""
    if domain.inference is None or config.language:
        return config
    variants = domain.inference.variants
    if config.types or len({row.form for row in rows}) < MIN_ROWS:
        return msgspec.structs.replace(config, language=variants[0])
    with tracker.phase("trying variants of the language on rows held out"):
        parts = _held_out_parts(rows, config.seed)
        scores = {v: [_score(config, domain, v, *part) for part in parts] for v in variants}
    best = variants[0]
    for variant in variants[1:]:
        if fmean(scores[variant]) > fmean(scores[best]) + CLEAR_GAIN:
            best = variant
    trials = (
        f"{variant} {' and '.join(f'{100 * score:.0f} %' for score in found)}"
        for variant, found in scores.items()
    )
    note(
        f"kinds of terms: {best} (right on held-out rows, at random and long ones: "
        f"{'; '.join(trials)})"
    )
    return msgspec.structs.replace(config, language=best)


def _held_out_parts(
    rows: Sequence[Example], seed: int
) -> list[tuple[list[Example], list[Example]]]:
    """Return rows to train on with rows to test on, twice: at random, and by length."""
    rng = np.random.default_rng(seed)
    chosen = sorted(rng.permutation(len(rows))[:MAX_ROWS].tolist())
    sample = [rows[place] for place in chosen]
    random_part = folds(sample, NUM_PARTS, seed)[0]
    by_length = sorted(sample, key=lambda row: len(row.tokens))
    longest = by_length[len(by_length) - len(by_length) // NUM_PARTS :]
    held_out = [(part, {id(row) for row in part}) for part in (random_part, longest)]
    return [([row for row in sample if id(row) not in out], part) for part, out in held_out]


def _score(
    config: RunConfig,
    domain: Domain,
    variant: str,
    train_rows: list[Example],
    test_rows: list[Example],
) -> float:
    """Return the exact match of a small network on rows that it did not see."""
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
    with quiet_notes():
        try:
            parser = _trained(trial, domain, rows)
        except LearError:  # nothing that can be learned from: the other variants may do better
            return 0.0
        return evaluate(parser, test_rows).overall.exact_match
