"""Derivations of rollouts, interned: samples that agree on a constituent share its tree.

So a meaning is computed once for each distinct constituent of a batch, not once a sample.

What the network says during rollouts: of the options at choice points, and of units.

Lexical choices are drawn once a sentence and sample, before the rollouts begin.

States of nodes and what a model says of them, in NumPy: for greedy decoding.

Each distinct state is computed once, level by level. `policy.trainable_state_scores` does the same
with gradients.

Rollouts of the paper's policy, for many sentences and samples at once: sampled or greedy.

Every rollout is a row of pieces. At each step every row merges two neighbours (chosen by merge
scores) and decides what the new node is: open, or a nonterminal with a symbol and an operation.
One walk serves sampling and greedy decoding. It records which choice points were met and what was
chosen there, for the gradient.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lear.algebra.algebra import Meaning, MeaningTable, Operation
from lear.algebra.derivations import applying, post_order
from lear.forest.programs import Instruction, Program
from lear.grammar.reading import NO_CATEGORY, Candidate, Span
from lear.model.forward_pass import Floats as AnyFloats
from lear.model.forward_pass import ForwardPass, States
from lear.model.lexical_choices import LexicalChoices
from lear.policy.steps import (
    NONE,
    PAIR,
    SPAN,
    SYMBOL,
    TOKEN,
    WORD,
    Option,
    StateTable,
    TransitionSystem,
)

Ints = NDArray[np.int64]
NO_TREE = -1
LEXICAL = -1
"""In place of an operation, at a leaf."""


class Tree(NamedTuple):
    """A node of a derivation; at a leaf `first` is the sentence and `second` its candidate."""

    operation: int
    first: int
    second: int
    """NO_TREE for the second argument of a unary operation."""
    begin: int
    end: int

    @property
    def children(self) -> tuple[int, ...]:
        """The numbers of the trees that it consists of."""
        if self.operation == LEXICAL:
            return ()
        return (self.first,) if self.second == NO_TREE else (self.first, self.second)


class TreeTable:
    """Trees by number; children have smaller numbers than their parents."""

    def __init__(self) -> None:
        self.trees: list[Tree] = []
        self._numbers: dict[Tree, int] = {}

    def numbers(
        self, operations: Ints, firsts: Ints, seconds: Ints, begins: Ints, ends: Ints
    ) -> Ints:
        """The numbers of many trees, (n,) each; only distinct ones are looked up."""
        columns = (operations, firsts, seconds, begins, ends)
        code = np.zeros(len(operations), dtype=np.int64)
        where = np.zeros(0, dtype=np.int64)
        for column in columns:
            # Codes stay below n, so that their product with a column never overflows.
            pairs = code * (int(column.max(initial=0)) + 2) + column
            _, where, code = np.unique(pairs, return_index=True, return_inverse=True)
        distinct = zip(*(column[where].tolist() for column in columns), strict=True)
        numbers: Ints = np.array([self._number(Tree(*key)) for key in distinct], dtype=np.int64)
        every: Ints = numbers[code]
        return every

    def _number(self, tree: Tree) -> int:
        number = self._numbers.get(tree)
        if number is None:
            number = self._numbers[tree] = len(self.trees)
            self.trees.append(tree)
        return number

    def meanings(
        self,
        roots: Iterable[int],
        operations: Sequence[Operation],
        leaf: Callable[[Tree], Meaning],
        table: MeaningTable,
    ) -> dict[int, Meaning]:
        """The meanings of some trees and of all trees in them, each computed once.

        The order of numbers is a post-order of all trees at once, so no stack is needed.
        """
        trees = self.trees

        def operation(number: int) -> Operation:
            return operations[trees[number].operation]

        def apply(number: int, arguments: tuple[Meaning, ...]) -> Meaning | None:
            return table.apply(operations[trees[number].operation], arguments)

        node = applying(apply, operation)
        meanings: dict[int, Meaning] = {}
        for number in self._under(roots):
            tree = trees[number]
            if tree.operation == LEXICAL:
                meanings[number] = leaf(tree)
            else:
                arguments = tuple([meanings[child] for child in tree.children])
                meanings[number] = node(number, arguments)
        return meanings

    def _under(self, roots: Iterable[int]) -> list[int]:
        """The numbers of the trees that some trees consist of, themselves included, in order."""
        numbers = set(roots)
        stack = list(numbers)
        while stack:
            new = [n for n in self.trees[stack.pop()].children if n not in numbers]
            numbers.update(new)
            stack.extend(new)
        return sorted(numbers)

    def program(
        self,
        root: int,
        names: Sequence[str],
        candidate: Callable[[Tree], Candidate],
        num_tokens: int,
        score: float = 0.0,
    ) -> Program:
        """A tree as a program.

        Args:
            root: Its number.
            names: Of the operations.
            candidate: What a leaf stands for.
            num_tokens: Of the sentence; function words at its ends belong to the root.
            score: Of the tree.
        """

        def instruction(number: int) -> Instruction:
            tree = self.trees[number]
            if tree.operation == LEXICAL:
                return Instruction.leaf(candidate(tree))
            return Instruction(names[tree.operation], len(tree.children), tree.begin, tree.end)

        order = post_order(root, lambda number: self.trees[number].children)
        *inside, last = map(instruction, order)
        if last.arity:
            last = last._replace(begin=0, end=num_tokens)
        return Program(score, (*inside, last))


Floats = NDArray[np.float64]
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


class ForwardStateScorer:
    """The states of a growing table by a model of one member."""

    def __init__(self, forward: ForwardPass, table: StateTable) -> None:
        self.forward = forward
        self.table = table
        hidden = forward.config.hidden
        nothing = np.zeros((1, 0, hidden), dtype=forward.merge.bias.dtype)
        self._states = States(nothing, nothing)
        self._encoded: AnyFloats = np.zeros((1, 0, 0, 2 * hidden), dtype=nothing.dtype)
        self._places: Ints = np.zeros(0, dtype=np.int64)  # of states, in the order of computation

    def logits(self, states: Ints) -> StateLogits:
        """The logits of some states, by their numbers; those that are new are computed first."""
        self._extend()
        h = self._states.h[:, self._places[states]]
        layers = (self.forward.merge, self.forward.nonterminal, self.forward.operation)
        merge, node_class, operation = (layer(h)[0].astype(np.float64) for layer in layers)
        return StateLogits(merge[:, 0], node_class, operation)

    def _extend(self) -> None:
        begin = len(self._places)
        if begin == len(self.table):
            return
        self._encode()
        places, groups = self.table.groups_from(begin)
        self._places = np.append(self._places, begin + places)
        for keys in groups:
            old, new = self._states, self._new_states(keys)
            self._states = States(
                np.concatenate((old.h, new.h), axis=1), np.concatenate((old.c, new.c), axis=1)
            )

    def _new_states(self, keys: Ints) -> States:
        """The states of some keys of one kind, (n, 4), whose children have states."""
        forward, (first, second, third) = self.forward, keys[:, 1:].T
        kind = int(keys[0, 0])
        if kind == SYMBOL:
            return forward.embedded("composer.symbols", first)
        if kind == WORD:
            return forward.embedded("composer.words", first)
        if kind == TOKEN:
            return forward.token_states(self._encoded, first, second)
        if kind == SPAN:
            return forward.span_states(self._encoded, first, second, third)
        assert kind == PAIR
        left, right = (self._states.pick(self._places[numbers]) for numbers in (first, second))
        return forward.compose(left, right)

    def _encode(self) -> None:
        """Encode the sentences that have come since the last call."""
        new = self.table.sentences[self._encoded.shape[1] :]
        if new:
            encoded = self.forward.encode("composer.sentences", new)
            length = max(encoded.shape[2], self._encoded.shape[2])
            parts = [_padded(part, length) for part in (self._encoded, encoded)]
            self._encoded = np.concatenate(parts, axis=1)


def _padded(states: AnyFloats, length: int) -> AnyFloats:
    """States of sentences (K, B, T, D) with zeros up to a length."""
    return np.pad(states, ((0, 0), (0, 0), (0, length - states.shape[2]), (0, 0)))


FREE = -1
"""Where nothing is prescribed."""


@dataclass(frozen=True)
class ActionSequence:
    """What one rollout did, as numbers that do not depend on the tables it was made with.

    Positions are columns of the row at that moment, options count from 0 at their choice point. The
    same actions on the same sentence give the same tree, in another step or another process.
    """

    leaves: Ints  # (T,) options of leaves: tokens, or units where they are found
    positions: Ints  # (T - 1,) of merges, in order
    options: Ints  # (T - 1,) of new nodes
    picks: Ints  # (choices of the sentence,) candidates drawn


@dataclass
class ActionTable:
    """The actions of many rows, to be filled in; FREE where a row has none."""

    leaves: Ints  # (rows, T)
    positions: Ints  # (rows, T)
    options: Ints  # (rows, T)

    @classmethod
    def free(cls, num_rows: int, width: int) -> "ActionTable":
        """No action yet."""
        return cls(*(np.full((num_rows, width), FREE, dtype=np.int64) for _ in range(3)))

    def write(self, row: int, actions: ActionSequence) -> None:
        """Prescribe what a row does."""
        self.leaves[row, : len(actions.leaves)] = actions.leaves
        self.positions[row, : len(actions.positions)] = actions.positions
        self.options[row, : len(actions.options)] = actions.options

    def sequence(self, row: int, ranks: Ints) -> ActionSequence:
        """What a row did."""
        num_leaves = int((self.leaves[row] != FREE).sum())
        merges = int((self.positions[row] != FREE).sum())
        return ActionSequence(
            self.leaves[row, :num_leaves].copy(),
            self.positions[row, :merges].copy(),
            self.options[row, :merges].copy(),
            ranks.copy(),
        )


@dataclass
class Rollouts:
    """What rollouts did, for replay and for gradients."""

    leaves: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, points and options of the decisions about leaves, one column of leaves at a time."""
    merges: list[tuple[Ints, Ints, Ints, Floats]] = field(default_factory=list)
    """Rows, points of all pairs, chosen pair and probabilities of the pairs, for each merge."""
    outcomes: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, points and options of the decisions about new nodes, for each merge."""
    lexical: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, choices and candidates of the draws that lexical nodes made use of."""
    log_probs: Floats = field(default_factory=lambda: np.zeros(0))
    final: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The last piece of each row, NONE for a dead end."""
    trees: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The derivation of each row, NO_TREE for a dead end."""
    tree_table: TreeTable = field(default_factory=TreeTable)
    actions: ActionTable = field(default_factory=lambda: ActionTable.free(0, 0))

    def answers(self, transitions: TransitionSystem) -> dict[int, int]:
        """Row -> derivation, of the rows that came to an answer."""
        return {
            row: tree
            for row, (piece, tree) in enumerate(
                zip(self.final.tolist(), self.trees.tolist(), strict=True)
            )
            if piece != NONE and transitions.is_answer(piece)
        }


def roll_out(
    table: OptionTable,
    draws: LexicalDraws,
    rng: np.random.Generator | None,
    prescribed: Mapping[int, ActionSequence] | None = None,
) -> Rollouts:
    """Build a tree for every row of `draws`: sampled, or the likeliest step each time.

    Args:
        table: The options at choice points.
        draws: The sentences, and what their lexical choices come to.
        rng: For sampling; None is greedy.
        prescribed: Rows that do as is prescribed.
    """
    walk = _Walk(table, draws, rng)
    for row, sequence in (prescribed or {}).items():
        walk.prescribed.write(row, sequence)
    return walk.run()


class _Walk:
    """Rows of pieces on their way to one piece each."""

    def __init__(
        self, table: OptionTable, draws: LexicalDraws, rng: np.random.Generator | None
    ) -> None:
        self.table = table
        self.draws = draws
        self.rng = rng
        samples = draws.samples
        leaves = [table.transitions.leaves(reading.tokens) for reading in draws.choices.readings]
        self.lengths = np.repeat([len(points) for points, _ in leaves], samples)
        width = int(self.lengths.max())
        leaf_points = np.full((len(leaves), width), NONE, dtype=np.int64)
        begins = np.zeros((len(leaves), width + 1), dtype=np.int64)
        for number, (points, first_tokens) in enumerate(leaves):
            leaf_points[number, : len(points)] = points
            begins[number] = first_tokens[-1]
            begins[number, : len(points)] = first_tokens[:-1]
        table.extend()
        self.leaf_points = np.repeat(leaf_points, samples, axis=0)
        self.pieces = np.zeros((draws.num_rows, width), dtype=np.int64)
        # Where each piece begins; a column more, so that every piece's end is the next one's begin.
        self.begins = np.repeat(begins, samples, axis=0)
        # The derivation of the constituent in each piece.
        self.trees = np.full((draws.num_rows, width), NO_TREE, dtype=np.int64)
        self.rollouts = Rollouts(
            log_probs=np.zeros(draws.num_rows),
            final=np.full(draws.num_rows, NONE, dtype=np.int64),
            trees=np.full(draws.num_rows, NO_TREE, dtype=np.int64),
            actions=ActionTable.free(draws.num_rows, width),
        )
        self.prescribed = ActionTable.free(draws.num_rows, width)
        self.num_merges = 0

    def run(self) -> Rollouts:
        """From tokens to the end."""
        columns = np.arange(self.leaf_points.shape[1])
        is_dead = ((self.leaf_points == NONE) & (columns < self.lengths[:, None])).any(axis=1)
        for column in columns.tolist():
            rows = np.nonzero(~is_dead & (column < self.lengths))[0]
            points = self.leaf_points[rows, column]
            positions = np.full(len(rows), column)
            prescribed = self.prescribed.leaves[rows, column]
            options = self._decide(rows, points, positions, prescribed)
            self.rollouts.actions.leaves[rows, column] = options
            self.rollouts.leaves.append((rows, points, options))
            self.pieces[rows, column] = self.table.pieces[points, options]
            nothing = np.full(len(rows), NO_TREE)
            trees = self._grow(rows, points, options, positions, nothing, nothing)
            self.trees[rows, column] = trees
        rows = np.nonzero(~is_dead)[0]
        while len(rows):
            done = self.lengths[rows] == 1
            self.rollouts.final[rows[done]] = self.pieces[rows[done], 0]
            self.rollouts.trees[rows[done]] = self.trees[rows[done], 0]
            rows = rows[~done]
            if len(rows):
                rows = self._merge_step(rows)
        return self.rollouts

    def _merge_step(self, rows: Ints) -> Ints:
        """One merge in every row; returns the rows that did not come to a dead end."""
        rollouts = self.rollouts
        width = int(self.lengths[rows].max())
        points = self._pair_points(rows, width)
        is_alive = (points != NONE).any(axis=1)
        rows, points = rows[is_alive], points[is_alive]
        if not len(rows):
            return rows
        each = np.arange(len(rows))
        positions = self._choose_merges(rows, points)
        chosen = points[each, positions]
        # Columns behind the merged pair move one to the left.
        columns = np.arange(width + 1)
        source = np.minimum(columns + (columns > positions[:, None]), width)
        begins = np.take_along_axis(self.begins[rows, : width + 1], source, axis=1)
        self.begins[rows, : width + 1] = begins
        prescribed = self.prescribed.options[rows, self.num_merges]
        options = self._decide(rows, chosen, positions, prescribed)
        rollouts.actions.positions[rows, self.num_merges] = positions
        rollouts.actions.options[rows, self.num_merges] = options
        rollouts.outcomes.append((rows, chosen, options))
        self.num_merges += 1
        source = np.minimum(source[:, :width], width - 1)
        trees = self.trees[rows, :width]
        children = trees[each, positions], trees[each, positions + 1]
        trees = np.take_along_axis(trees, source, axis=1)
        trees[each, positions] = self._grow(rows, chosen, options, positions, *children)
        self.trees[rows, :width] = trees
        pieces = np.take_along_axis(self.pieces[rows, :width], source, axis=1)
        pieces[each, positions] = self.table.pieces[chosen, options]
        self.pieces[rows, :width] = pieces
        self.lengths[rows] -= 1
        return rows

    def _pair_points(self, rows: Ints, width: int) -> Ints:
        """The choice point of each pair of neighbours of each row, NONE where there is none."""
        is_pair = np.arange(width - 1) < (self.lengths[rows] - 1)[:, None]
        pieces = self.pieces[rows, :width]
        left, right = pieces[:, :-1][is_pair], pieces[:, 1:][is_pair]
        points = np.full(is_pair.shape, NONE, dtype=np.int64)
        points[is_pair] = self.table.transitions.pair_points(left, right)
        self.table.extend()
        return points

    def _choose_merges(self, rows: Ints, points: Ints) -> Ints:
        """Which pair of each row is merged."""
        logits = np.where(points != NONE, self.table.merge[points], NEVER)
        log_p = logits - _log_sum(logits)[:, None]
        free = _choose(log_p, self.rng)
        positions = _obeying(free, self.prescribed.positions[rows, self.num_merges])
        self.rollouts.log_probs[rows] += log_p[np.arange(len(rows)), positions]
        self.rollouts.merges.append((rows, points, positions, np.exp(log_p)))
        return positions

    def _grow(
        self, rows: Ints, points: Ints, options: Ints, columns: Ints, left: Ints, right: Ints
    ) -> Ints:
        """The derivations of new nodes from those of their children."""
        table = self.table
        operations = table.operations[points, options]
        only = np.where(left == NO_TREE, right, left)  # an open node holds one constituent at most
        trees = only.copy()
        finished = np.nonzero(~table.is_open[points, options])[0]
        if not len(finished):
            return trees
        operation = operations[finished]
        is_leaf = operation == NONE
        where = rows[finished]
        begins = self.begins[where, columns[finished]]
        ends = self.begins[where, columns[finished] + 1]
        both = (left[finished] != NO_TREE) & (right[finished] != NO_TREE)
        ranks = np.zeros(len(finished), dtype=np.int64)
        choosers = np.nonzero(is_leaf & table.has_choice[points[finished]])[0]
        if len(choosers):
            _, ranks[choosers] = self.draws.at(where[choosers], begins[choosers], ends[choosers])
        trees[finished] = self.rollouts.tree_table.numbers(
            np.where(is_leaf, LEXICAL, operation),
            np.where(is_leaf, where // self.draws.samples, only[finished]),
            np.where(is_leaf, ranks, np.where(both, right[finished], NO_TREE)),
            begins,
            ends,
        )
        return trees

    def _decide(self, rows: Ints, points: Ints, columns: Ints, prescribed: Ints) -> Ints:
        """What the nodes at some columns of some rows become."""
        table = self.table
        log_class = table.log_class[points]
        log_p = log_class + table.log_operation[points]
        choosers = np.nonzero(table.has_choice[points])[0]
        if len(choosers):
            where, columns = rows[choosers], columns[choosers]
            begins, ends = self.begins[where, columns], self.begins[where, columns + 1]
            choices, ranks = self.draws.at(where, begins, ends)
            offered = table.categories[points[choosers]]
            drawn = self.draws.categories[choices, ranks][:, None]
            fits = (offered == NONE) | (offered == drawn)
            log_p[choosers] = np.where(fits, log_p[choosers], NEVER)
            log_class[choosers] = np.where(fits, log_class[choosers], NEVER)
        if self.rng is None:
            # Greedy as in the paper: the class first, then the operation.
            is_best = log_class == log_class.max(axis=1, keepdims=True)
            options = _choose(np.where(is_best, log_p, NEVER), None)
        else:
            options = _choose(log_p, self.rng)
        options = _obeying(options, prescribed)
        self.rollouts.log_probs[rows] += log_p[np.arange(len(rows)), options]
        if len(choosers):
            is_used = table.categories[points[choosers], options[choosers]] != NONE
            where, choices, ranks = where[is_used], choices[is_used], ranks[is_used]
            self.rollouts.log_probs[where] += self.draws.log_p[choices, ranks]
            self.rollouts.lexical.append((where, choices, ranks))
        return options


def _choose(log_p: Floats, rng: np.random.Generator | None) -> Ints:
    keys = log_p if rng is None else log_p + rng.gumbel(size=log_p.shape)
    chosen: Ints = keys.argmax(axis=1)
    return chosen


def _obeying(chosen: Ints, prescribed: Ints) -> Ints:
    return np.where(prescribed == FREE, chosen, prescribed)


def _log_sum(logits: Floats) -> Floats:
    top = logits.max(axis=1)
    total: Floats = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
    return total
