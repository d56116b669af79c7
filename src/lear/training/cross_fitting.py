"""Calibration without rows to spare: each training row is answered by a model that never saw it."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from lear.domain.domain import Domain
from lear.domain.example import Example, Gazetteer
from lear.errors import DataError
from lear.evaluation.answer_outcomes import answer_outcomes
from lear.evaluation.calibration import Outcome
from lear.messages.notes import note
from lear.messages.progress import SILENT, Tracker
from lear.parser import Parser
from lear.training.run import train
from lear.training.run_config import RunConfig
from lear.training.run_folder import RunFolder

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
