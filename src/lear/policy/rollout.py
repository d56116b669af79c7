"""Rollouts of the paper's policy, for many sentences and samples at once: sampled or greedy.

Every rollout is a row of pieces. At each step every row merges two neighbours (chosen by merge
scores) and decides what the new node is: open, or a nonterminal with a symbol and an operation.
One walk serves sampling and greedy decoding. It records which choice points were met and what was
chosen there, for the gradient.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lear.policy.choice_points import NONE
from lear.policy.option_scores import NEVER, Floats, Ints, LexicalDraws, OptionTable
from lear.policy.transitions import TransitionSystem
from lear.policy.tree_table import LEXICAL, NO_TREE, TreeTable

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
