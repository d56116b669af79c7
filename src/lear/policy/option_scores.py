"""What the network says during rollouts: of the options at choice points, and of units.

Lexical choices are drawn once a sentence and sample, before the rollouts begin.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lear.grammar.sentence_reading import NO_CATEGORY, Candidate, Span
from lear.model.lexical_choices import LexicalChoices
from lear.policy.choice_points import NONE, Option
from lear.policy.transitions import TransitionSystem
from lear.policy.tree_table import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NEVER = -np.inf
ABSENT = -2
"""Where a choice point has fewer options than the widest."""


class StateLogits(NamedTuple):
    """What a network says of states."""

    merge: Floats  # (states,)
    node_class: Floats  # (states, 1 + N); class 0 is open
    operation: Floats  # (states, operations)


class StateScorer(Protocol):
    """A network at work on the states of a growing table."""

    def logits(self, states: Ints) -> StateLogits:
        """The logits of some states, by their numbers; those that are new are computed first."""


class OptionTable:
    """The options of choice points as arrays, with log-probabilities under the present weights."""

    def __init__(self, transitions: TransitionSystem, scorer: StateScorer) -> None:
        """A table of a scorer of the transition system's states."""
        self.transitions = transitions
        self.scorer = scorer
        self.states = np.zeros(0, dtype=np.int64)
        self.classes = np.zeros((0, 1), dtype=np.int64)
        self.operations = np.zeros((0, 1), dtype=np.int64)
        self.pieces = np.zeros((0, 1), dtype=np.int64)
        self.categories = np.zeros((0, 1), dtype=np.int64)
        self.is_open = np.zeros((0, 1), dtype=bool)
        self.has_choice = np.zeros(0, dtype=bool)
        self.merge = np.zeros(0)
        self.log_class = np.zeros((0, 1))  # log-probability of each option's class
        self.log_operation = np.zeros((0, 1))  # and of its operation, given the class
        self.num_classes = np.zeros(0, dtype=np.int64)  # to choose from
        self.num_operations = np.zeros(0, dtype=np.int64)

    def extend(self) -> None:
        """Bring the arrays and the scores up to date with the transition system."""
        new = self.transitions.points[len(self.states) :]
        if not new:
            return
        states = np.array([point.state for point in new], dtype=np.int64)
        distinct, places = np.unique(states, return_inverse=True)
        logits = self.scorer.logits(distinct)
        # Most points share their options with others: the same tuples.
        shared = {id(point.options): point.options for point in new}
        places_of = {identity: place for place, identity in enumerate(shared)}
        width = max(self.pieces.shape[1], *map(len, shared.values()))
        table = np.full((len(shared), width, len(Option._fields)), ABSENT, dtype=np.int64)
        for row, point_options in enumerate(shared.values()):
            table[row, : len(point_options)] = point_options
        options = table[[places_of[id(point.options)] for point in new]]
        classes, operations, pieces, categories, is_open = np.moveaxis(options, 2, 0)
        log_class, num_classes = _stage(logits.node_class[places], classes)
        log_operation, num_operations = _stage(logits.operation[places], operations)
        self.num_classes = np.append(self.num_classes, num_classes)
        self.num_operations = np.append(self.num_operations, num_operations)
        self.states = np.append(self.states, states)
        self.merge = np.append(self.merge, logits.merge[places])
        self.classes = _grown(self.classes, classes, ABSENT)
        self.operations = _grown(self.operations, operations, ABSENT)
        self.pieces = _grown(self.pieces, pieces, ABSENT)
        self.categories = _grown(self.categories, categories, ABSENT)
        self.is_open = _grown(self.is_open, is_open == 1, False)  # noqa: FBT003
        is_candidate = (categories >= 0) | (categories == NO_CATEGORY)
        self.has_choice = np.append(self.has_choice, is_candidate.any(axis=1))
        self.log_class = _grown(self.log_class, log_class, NEVER)
        self.log_operation = _grown(self.log_operation, log_operation, NEVER)


def _stage(logits: Floats, chosen: Ints) -> tuple[Floats, Ints]:
    """Log-probabilities of the options' choices among those that some option has; their number."""
    allowed = np.zeros(logits.shape, dtype=bool)
    rows, columns = np.nonzero(chosen >= 0)
    allowed[rows, chosen[rows, columns]] = True
    masked = np.where(allowed, logits, NEVER)
    with np.errstate(invalid="ignore", divide="ignore"):
        top = np.where(allowed.any(axis=1), masked.max(axis=1), 0.0)
        log_z = top + np.log(np.exp(masked - top[:, None]).sum(axis=1))
    picked = np.take_along_axis(logits, np.maximum(chosen, 0), axis=1) - log_z[:, None]
    log_p = np.where(chosen >= 0, picked, np.where(chosen == NONE, 0.0, NEVER))
    return log_p, allowed.sum(axis=1)


def _grown(table: NDArray[Any], rows: NDArray[Any], filler: float) -> NDArray[Any]:
    """A table with more rows, which are at least as wide as it."""
    missing = rows.shape[1] - table.shape[1]
    if missing:
        table = np.pad(table, ((0, 0), (0, missing)), constant_values=filler)
    return np.concatenate((table, rows))


@dataclass
class LexicalDraws:
    """Pre-drawn candidate per sample and ambiguous span; one that a tree ignores counts nothing."""

    choices: LexicalChoices
    samples: int
    log_p: Floats  # (choices, width)
    picks: Ints  # (choices, samples): the rank of the candidate that is taken
    numbers: dict[tuple[int, int, int], int]
    """Sentence and span -> choice."""
    categories: Ints  # (choices, width)

    @classmethod
    def of(
        cls,
        choices: LexicalChoices,
        log_probs: Callable[[LexicalChoices], Floats],
        samples: int,
        rng: np.random.Generator | None,
    ) -> "LexicalDraws":
        """Draws for `samples` trees a sentence; the most likely candidates without `rng`.

        Args:
            choices: All choices of the sentences.
            log_probs: The log-probabilities of candidates, (choices, width).
            samples: Trees a sentence.
            rng: Source of all randomness.
        """
        shape = (len(choices.spans), choices.width)
        log_p = log_probs(choices) if choices.spans else np.zeros(shape)
        keys = np.repeat(log_p[:, None, :], samples, axis=1)  # (choices, samples, width)
        if rng is not None and choices.spans:
            keys = keys + rng.gumbel(size=keys.shape)
        categories = np.full(shape, -1, dtype=np.int64)
        for choice, options in enumerate(choices.candidates):
            categories[choice, : len(options)] = [o.leaf.category for o in options]
        ranks = keys.argmax(axis=2) if choices.spans else np.zeros((0, samples), dtype=np.int64)
        numbers = {span: number for number, span in enumerate(choices.spans)}
        return cls(choices, samples, log_p, ranks, numbers, categories)

    @cached_property
    def num_candidates(self) -> Ints:
        """Of each choice, (choices,)."""
        return np.array([len(options) for options in self.choices.candidates], dtype=np.int64)

    @property
    def num_rows(self) -> int:
        """Trees to be drawn: the samples of the first sentence, then of the second, and so on."""
        return len(self.choices.readings) * self.samples

    def at(self, rows: Ints, begins: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """The choices at some spans of some rows, and the candidates drawn there."""
        spans = zip((rows // self.samples).tolist(), begins.tolist(), ends.tolist(), strict=True)
        choices = np.array([self.numbers[span] for span in spans], dtype=np.int64)
        return choices, self.picks[choices, rows % self.samples]

    def picks_of(self, row: int) -> Ints:
        """The candidates that a row takes for the choices of its sentence."""
        return self.picks[self._choices_of(row // self.samples), row % self.samples]

    def prescribe(self, row: int, ranks: Ints) -> None:
        """Let a row take these candidates."""
        self.picks[self._choices_of(row // self.samples), row % self.samples] = ranks

    def _choices_of(self, sentence: int) -> slice:
        return slice(self._bounds[sentence], self._bounds[sentence + 1])

    @cached_property
    def _bounds(self) -> list[int]:
        """The first choice of each sentence, and the number of all choices."""
        owners = [sentence for sentence, _, _ in self.choices.spans]
        bounds: list[int] = np.searchsorted(owners, range(len(self.choices.readings) + 1)).tolist()
        return bounds

    def candidate(self, tree: Tree) -> Candidate:
        """What a leaf of a derivation stands for."""
        choice = self.numbers.get((tree.first, tree.begin, tree.end))
        if choice is not None:
            return self.choices.candidates[choice][tree.second]
        return self._only[tree.first][tree.begin, tree.end]

    @cached_property
    def _only(self) -> list[dict[Span, Candidate]]:
        """For each sentence, the candidates of spans without a choice."""
        return [
            {(leaf.begin, leaf.end): Candidate(leaf) for leaf in reading.skeleton.leaves}
            for reading in self.choices.readings
        ]
