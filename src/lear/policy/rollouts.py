"""Rollouts of the paper's policy, for many sentences and samples at once: sampled or greedy.

Every rollout is a row of pieces. At each step every row merges two neighbours (chosen by merge
scores) and decides what the new node is: open, or a nonterminal with a symbol and an operation.
One walk serves sampling and greedy decoding, over a network in torch or in NumPy. It records which
choice points were met and what was chosen there, for the gradient.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.algebra.algebra import Meaning, MeaningTable, Operation
from lear.algebra.derivations import applying, post_order
from lear.forest.programs import Instruction, Program
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import NO_CATEGORY, Candidate, Reading, SentenceReader, Span
from lear.model.forward_pass import Layers, States
from lear.model.lexical_choices import LexicalChoices
from lear.policy.steps import (
    NONE,
    SPAN,
    SYMBOL,
    TOKEN,
    WORD,
    Option,
    StateTable,
    TransitionSystem,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NEVER = -np.inf
NO_TREE = -1
LEXICAL = -1
"""The operation of a leaf."""


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
    """Interned trees by number; children have smaller numbers than their parents.

    Samples that agree on a constituent share its tree, so a meaning is computed once for each
    distinct constituent of a batch.
    """

    def __init__(self) -> None:
        self.trees: list[Tree] = []
        self._numbers: dict[Tree, int] = {}

    def numbers(self, columns: Sequence[Ints]) -> Ints:
        """Return the numbers of many trees, given by the columns of `Tree`."""
        code = np.zeros(len(columns[0]), dtype=np.int64)
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
        number = self._numbers.setdefault(tree, len(self.trees))
        if number == len(self.trees):
            self.trees.append(tree)
        return number

    def meanings(
        self,
        roots: Iterable[int],
        operations: Sequence[Operation],
        leaf: Callable[[Tree], Meaning],
        table: MeaningTable,
    ) -> dict[int, Meaning]:
        """Return the meanings of some trees and of all trees in them, each computed once."""
        trees = self.trees

        def operation(number: int) -> Operation:
            return operations[trees[number].operation]

        def apply(number: int, arguments: tuple[Meaning, ...]) -> Meaning | None:
            return table.apply(operation(number), arguments)

        node = applying(apply, operation)
        needed = set(roots)
        stack = list(needed)
        while stack:
            new = [number for number in trees[stack.pop()].children if number not in needed]
            needed.update(new)
            stack.extend(new)
        meanings: dict[int, Meaning] = {}
        for number in sorted(needed):  # a post-order of all trees at once
            tree = trees[number]
            arguments = tuple([meanings[child] for child in tree.children])
            meanings[number] = leaf(tree) if tree.operation == LEXICAL else node(number, arguments)
        return meanings


class StateScorer:
    """Logits for the states of a growing table; each state is computed once, level by level.

    Over a `Network` there are gradients, unless it is used without.
    """

    def __init__(self, layers: Layers, table: StateTable) -> None:
        self.layers = layers
        self.table = table
        self._states: States | None = None
        self._encoded: Any = None
        self._num_sentences = 0
        self._places: Ints = np.zeros(0, dtype=np.int64)  # of states, in the order of computation

    def logits(self, states: Ints | slice = slice(None)) -> tuple[Any, Any, Any]:
        """Return the logits of merging, classes and operations of some states, by number."""
        self._extend()
        assert self._states is not None
        return self.layers.node_logits(self._states.h[..., self._places[states], :])

    def _extend(self) -> None:
        """Compute the states that have come since the last call."""
        begin = len(self._places)
        if begin == len(self.table):
            return
        if sentences := self.table.sentences[self._num_sentences :]:
            encoded = self.layers.encode(sentences)
            both = [encoded] if self._encoded is None else [self._encoded, encoded]
            self._encoded = self.layers.join(both)
            self._num_sentences += len(sentences)
        places, groups = self.table.groups_from(begin)
        self._places = np.append(self._places, begin + places)
        for keys in groups:
            old, new = self._states, self._new_states(*keys.T)
            if old is not None:
                new = States(*map(self.layers.join, zip(old, new, strict=True)))
            self._states = new

    def _new_states(self, kinds: Ints, first: Ints, second: Ints) -> States:
        """Compute states of one kind, (n,), whose children have states."""
        kind, layers = int(kinds[0]), self.layers
        if kind == SYMBOL:
            return layers.symbol_states(first)
        if kind == WORD:
            return layers.word_states(first)
        if kind == TOKEN:
            return layers.token_states(self._encoded, first)
        if kind == SPAN:
            return layers.span_states(self._encoded, first, second)
        assert self._states is not None
        left, right = (self._states.pick(self._places[numbers]) for numbers in (first, second))
        return layers.compose(left, right)


CLASS, OPERATION, PIECE, CATEGORY, IS_OPEN = range(len(Option._fields))
"""The fields of options as columns; class and operation are what is decided of a node, in turn."""
ABSENT = -2
"""The fields of options that a choice point does not have, as it has fewer than others."""


class Policy:
    """The options at choice points as arrays, with their log-probabilities under a network."""

    def __init__(self, layers: Layers, reader: SentenceReader, categories: CategoryTable) -> None:
        """Begin without choice points; `categories` says which operations are legal."""
        self.layers = layers
        self.transitions = TransitionSystem(reader, categories, layers.config, layers.vocabulary)
        self._scorer = StateScorer(layers, self.transitions.states)
        self.states = np.zeros(0, dtype=np.int64)
        self.merge = np.zeros(0)
        self.options = np.zeros((0, 1, len(Option._fields)), dtype=np.int64)
        self.log_p = np.zeros((0, 1, 2))
        """The log-probability of each option's class, and of its operation given the class."""
        self.num_alternatives = np.zeros((0, 2), dtype=np.int64)
        """How many classes and how many operations there are to choose from."""
        self.has_choice = np.zeros(0, dtype=bool)
        """Tells where a lexical choice says which options there are."""

    def draws(
        self, readings: Sequence[Reading], samples: int, rng: np.random.Generator | None
    ) -> "LexicalDraws":
        """Draw lexical candidates for some trees a sentence; take the likeliest without `rng`."""
        choices = LexicalChoices(readings)
        log_p = np.zeros((0, 0))
        if choices.spans:
            log_p = self.layers.numpy(choices.log_probs(self.layers))
        keys = np.repeat(log_p[:, None, :], samples, axis=1)  # (choices, samples, width)
        if rng is not None and choices.spans:
            keys = keys + rng.gumbel(size=keys.shape)
        picks = keys.argmax(axis=2) if choices.spans else np.zeros((0, samples), dtype=np.int64)
        return LexicalDraws(choices, samples, log_p, picks)

    def roll_out(
        self,
        draws: "LexicalDraws",
        rng: np.random.Generator | None,
        prescribed: "Mapping[int, ActionSequence] | None" = None,
    ) -> "Rollouts":
        """Build a tree for every row of `draws`: sampled, or by the likeliest step each time.

        Args:
            draws: The sentences, and what their lexical choices come to.
            rng: For sampling; None is greedy.
            prescribed: Rows whose actions are given.
        """
        walk = _Walk(self, draws, rng)
        for row, actions in (prescribed or {}).items():
            for table, numbers in zip(walk.rollouts.actions, actions[:3], strict=True):
                table[row, : len(numbers)] = numbers
        return walk.run()

    def extend(self) -> None:
        """Bring the arrays up to date with the transition system."""
        new = self.transitions.points[len(self.states) :]
        if not new:
            return
        states = np.array([point.state for point in new], dtype=np.int64)
        distinct, places = np.unique(states, return_inverse=True)
        logits = map(self.layers.numpy, self._scorer.logits(distinct))
        merge, *stages = (values[places] for values in logits)
        # Most points share their options with others: the same tuples.
        shared = {id(point.options): point.options for point in new}
        places_of = {identity: place for place, identity in enumerate(shared)}
        width = max(self.options.shape[1], *map(len, shared.values()))
        table = np.full((len(shared), width, len(Option._fields)), ABSENT, dtype=np.int64)
        for row, point_options in enumerate(shared.values()):
            table[row, : len(point_options)] = point_options
        options = table[[places_of[id(point.options)] for point in new]]
        scored = [_scored(values, options[..., n]) for n, values in enumerate(stages)]
        log_p, counts = (np.stack(columns, axis=-1) for columns in zip(*scored, strict=True))
        is_candidate = (options[..., CATEGORY] >= 0) | (options[..., CATEGORY] == NO_CATEGORY)
        self.states = np.append(self.states, states)
        self.merge = np.append(self.merge, merge[:, 0])
        self.options = _grown(self.options, options, ABSENT)
        self.log_p = _grown(self.log_p, log_p, NEVER)
        self.num_alternatives = np.concatenate((self.num_alternatives, counts))
        self.has_choice = np.append(self.has_choice, is_candidate.any(axis=1))


def _scored(logits: Floats, chosen: Ints) -> tuple[Floats, Ints]:
    """Return log-probabilities of options' choices, and how many choices some option has.

    Args:
        logits: The logits of all choices of a stage, (points, choices).
        chosen: The choice of each option, (points, width).
    """
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
    """Append rows that are at least as wide as a table, (n, width, k)."""
    missing = rows.shape[1] - table.shape[1]
    if missing:
        table = np.pad(table, ((0, 0), (0, missing), (0, 0)), constant_values=filler)
    return np.concatenate((table, rows))


@dataclass
class LexicalDraws:
    """A candidate for each sample and lexical choice, drawn before the rollouts begin.

    One that a tree does not use counts nothing.
    """

    choices: LexicalChoices
    samples: int
    log_p: Floats  # (choices, width)
    picks: Ints  # (choices, samples): the rank of the candidate that is taken

    def __post_init__(self) -> None:
        self.numbers = {span: number for number, span in enumerate(self.choices.spans)}
        """The choice of each sentence and span."""
        self.categories = np.full(self.log_p.shape, NONE, dtype=np.int64)
        for choice, options in enumerate(self.choices.candidates):
            self.categories[choice, : len(options)] = [o.leaf.category for o in options]
        owners = [sentence for sentence, _, _ in self.choices.spans]
        sentences = range(len(self.choices.readings) + 1)
        self._bounds: list[int] = np.searchsorted(owners, sentences).tolist()

    @property
    def num_rows(self) -> int:
        """Trees to be drawn: the samples of the first sentence, then of the second, and so on."""
        return len(self.choices.readings) * self.samples

    def at(self, rows: Ints, begins: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Return the choices at some spans of some rows, and the candidates drawn there."""
        spans = zip((rows // self.samples).tolist(), begins.tolist(), ends.tolist(), strict=True)
        choices = np.array([self.numbers[span] for span in spans], dtype=np.int64)
        return choices, self.picks[choices, rows % self.samples]

    def picks_of(self, row: int) -> Ints:
        """Return a view of the candidates that a row takes for the choices of its sentence."""
        sentence, sample = divmod(row, self.samples)
        view: Ints = self.picks[self._bounds[sentence] : self._bounds[sentence + 1], sample]
        return view

    def candidate(self, tree: Tree) -> Candidate:
        """Return what a leaf of a derivation stands for."""
        choice = self.numbers.get((tree.first, tree.begin, tree.end))
        if choice is not None:
            return self.choices.candidates[choice][tree.second]
        return self._only[tree.first][tree.begin, tree.end]

    @cached_property
    def _only(self) -> list[dict[Span, Candidate]]:
        """The candidates of spans without a choice, for each sentence."""
        return [
            {(leaf.begin, leaf.end): Candidate(leaf) for leaf in reading.skeleton.leaves}
            for reading in self.choices.readings
        ]


FREE = -1
"""In place of an action that is not prescribed, or not done yet."""


class ActionSequence(NamedTuple):
    """What one rollout did, as numbers that do not depend on the tables it was made with.

    Positions are columns of the row at that moment, options count from 0 at their choice point. The
    same actions on the same sentence give the same tree, in another step or another process.
    """

    leaves: Ints  # (T,) options of leaves: tokens, or units where they are found
    positions: Ints  # (T - 1,) of merges, in order
    options: Ints  # (T - 1,) of new nodes
    picks: Ints  # (choices of the sentence,) candidates drawn


@dataclass
class Rollouts:
    """What rollouts did, for replay and for gradients; each of them is a row."""

    actions: Ints  # (3, rows, T): leaves, positions and options as in `ActionSequence`, or FREE
    log_probs: Floats  # (rows,)
    final: Ints
    """The last piece of each row, NONE for a dead end."""
    trees: Ints
    """The derivation of each row, NO_TREE for a dead end."""
    tree_table: TreeTable = field(default_factory=TreeTable)
    nodes: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, points and options of what nodes became: leaves by column, then the node of a merge."""
    merges: list[tuple[Ints, Ints, Ints, Floats]] = field(default_factory=list)
    """Rows, points of all pairs, chosen pair and probabilities of the pairs, for each merge."""
    lexical: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, choices and candidates of the draws that lexical nodes made use of."""

    def sequence(self, row: int, draws: LexicalDraws) -> ActionSequence:
        """Return what a row did."""
        leaves, positions, options = (done[done != FREE] for done in self.actions[:, row])
        return ActionSequence(leaves, positions, options, draws.picks_of(row).copy())

    def answers(self, policy: Policy) -> dict[int, int]:
        """Return the derivation of each row that came to an answer."""
        last = enumerate(zip(self.final.tolist(), self.trees.tolist(), strict=True))
        is_answer = policy.transitions.is_answer
        return {row: tree for row, (piece, tree) in last if piece != NONE and is_answer(piece)}

    def program(self, row: int, policy: Policy, draws: LexicalDraws) -> Program:
        """Return the derivation of a row; function words at both ends belong to its root."""
        trees, names = self.tree_table.trees, policy.layers.vocabulary.operations

        def instruction(number: int) -> Instruction:
            tree = trees[number]
            if tree.operation == LEXICAL:
                return Instruction.leaf(draws.candidate(tree))
            return Instruction(names[tree.operation], len(tree.children), tree.begin, tree.end)

        order = post_order(int(self.trees[row]), lambda number: trees[number].children)
        *inside, last = map(instruction, order)
        if last.arity:
            tokens = draws.choices.readings[row // draws.samples].tokens
            last = last._replace(begin=0, end=len(tokens))
        return Program(float(self.log_probs[row]), (*inside, last))


class _Walk:
    """Rows of pieces on their way to one piece each."""

    def __init__(
        self, policy: Policy, draws: LexicalDraws, rng: np.random.Generator | None
    ) -> None:
        self.policy = policy
        self.draws = draws
        self.rng = rng
        samples, num_rows = draws.samples, draws.num_rows
        leaves = [policy.transitions.leaves(reading.tokens) for reading in draws.choices.readings]
        self.lengths = np.repeat([len(points) for points, _ in leaves], samples)
        width = int(self.lengths.max())
        leaf_points = np.full((len(leaves), width), NONE, dtype=np.int64)
        begins = np.zeros((len(leaves), width + 1), dtype=np.int64)
        for number, (points, first_tokens) in enumerate(leaves):
            leaf_points[number, : len(points)] = points
            begins[number] = first_tokens[-1]
            begins[number, : len(points)] = first_tokens[:-1]
        policy.extend()
        self.leaf_points = np.repeat(leaf_points, samples, axis=0)
        self.pieces = np.zeros((num_rows, width), dtype=np.int64)
        # Where each piece begins; a column more, so that every piece's end is the next one's begin.
        self.begins = np.repeat(begins, samples, axis=0)
        # The derivation of the constituent in each piece.
        self.trees = np.full((num_rows, width), NO_TREE, dtype=np.int64)
        nothing = np.full((2, num_rows), NONE, dtype=np.int64)
        actions = np.full((3, num_rows, width), FREE, dtype=np.int64)
        self.rollouts = Rollouts(actions, np.zeros(num_rows), *nothing)
        self.leaf_options, self.positions, self.node_options = actions
        self.num_merges = 0

    def run(self) -> Rollouts:
        """Go from tokens to the end."""
        rollouts, width = self.rollouts, self.leaf_points.shape[1]
        columns = np.arange(width)
        is_dead = ((self.leaf_points == NONE) & (columns < self.lengths[:, None])).any(axis=1)
        for column in range(width):
            rows = np.nonzero(~is_dead & (column < self.lengths))[0]
            points, positions = self.leaf_points[rows, column], np.full(len(rows), column)
            options = self._decide(rows, points, positions, self.leaf_options[rows, column])
            self.leaf_options[rows, column] = options
            self.pieces[rows, column] = self.policy.options[points, options, PIECE]
            nothing = np.full(len(rows), NO_TREE)
            self.trees[rows, column] = self._grow(
                rows, points, options, positions, nothing, nothing
            )
        rows = np.nonzero(~is_dead)[0]
        while len(rows):
            done = rows[self.lengths[rows] == 1]
            rollouts.final[done] = self.pieces[done, 0]
            rollouts.trees[done] = self.trees[done, 0]
            rows = rows[self.lengths[rows] > 1]
            if len(rows):
                rows = self._merge_step(rows)
        return rollouts

    def _merge_step(self, rows: Ints) -> Ints:
        """Make one merge in every row; return the rows that did not come to a dead end."""
        number, width = self.num_merges, int(self.lengths[rows].max())
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
        options = self._decide(rows, chosen, positions, self.node_options[rows, number])
        self.positions[rows, number] = positions
        self.node_options[rows, number] = options
        source = np.minimum(source[:, :width], width - 1)
        trees = self.trees[rows, :width]
        children = trees[each, positions], trees[each, positions + 1]
        trees = np.take_along_axis(trees, source, axis=1)
        trees[each, positions] = self._grow(rows, chosen, options, positions, *children)
        self.trees[rows, :width] = trees
        pieces = np.take_along_axis(self.pieces[rows, :width], source, axis=1)
        pieces[each, positions] = self.policy.options[chosen, options, PIECE]
        self.pieces[rows, :width] = pieces
        self.lengths[rows] -= 1
        self.num_merges += 1
        return rows

    def _pair_points(self, rows: Ints, width: int) -> Ints:
        """Return the choice point of each pair of neighbours of each row, NONE without one."""
        is_pair = np.arange(width - 1) < (self.lengths[rows] - 1)[:, None]
        pieces = self.pieces[rows, :width]
        left, right = pieces[:, :-1][is_pair], pieces[:, 1:][is_pair]
        points = np.full(is_pair.shape, NONE, dtype=np.int64)
        points[is_pair] = self.policy.transitions.pair_points(left, right)
        self.policy.extend()
        return points

    def _choose_merges(self, rows: Ints, points: Ints) -> Ints:
        """Choose the pair that is merged in each row."""
        logits = np.where(points != NONE, self.policy.merge[points], NEVER)
        top = logits.max(axis=1, keepdims=True)
        log_p = logits - (top + np.log(np.exp(logits - top).sum(axis=1, keepdims=True)))
        prescribed = self.positions[rows, self.num_merges]
        positions = self._choose(rows, log_p, log_p, prescribed)
        self.rollouts.merges.append((rows, points, positions, np.exp(log_p)))
        return positions

    def _grow(
        self, rows: Ints, points: Ints, options: Ints, columns: Ints, left: Ints, right: Ints
    ) -> Ints:
        """Return the derivations of new nodes, from those of their children."""
        chosen = self.policy.options[points, options]
        only = np.where(left == NO_TREE, right, left)  # an open node holds one constituent at most
        trees = only.copy()
        (new,) = np.nonzero(chosen[:, IS_OPEN] == 0)
        if not len(new):
            return trees
        operations = chosen[new, OPERATION]
        is_leaf = operations == NONE
        where = rows[new]
        begins, ends = self.begins[where, columns[new]], self.begins[where, columns[new] + 1]
        is_binary = (left[new] != NO_TREE) & (right[new] != NO_TREE)
        ranks = np.zeros(len(new), dtype=np.int64)
        (choosers,) = np.nonzero(is_leaf & self.policy.has_choice[points[new]])
        _, ranks[choosers] = self.draws.at(where[choosers], begins[choosers], ends[choosers])
        tree = (
            np.where(is_leaf, LEXICAL, operations),
            np.where(is_leaf, where // self.draws.samples, only[new]),
            np.where(is_leaf, ranks, np.where(is_binary, right[new], NO_TREE)),
            begins,
            ends,
        )
        trees[new] = self.rollouts.tree_table.numbers(tree)
        return trees

    def _decide(self, rows: Ints, points: Ints, columns: Ints, prescribed: Ints) -> Ints:
        """Decide what the nodes at some columns of some rows become."""
        policy, draws, rollouts = self.policy, self.draws, self.rollouts
        log_class, log_operation = np.moveaxis(policy.log_p[points], 2, 0)
        log_p = log_class + log_operation
        (choosers,) = np.nonzero(policy.has_choice[points])
        offered = policy.options[points[choosers], :, CATEGORY]
        where, columns = rows[choosers], columns[choosers]
        choices, ranks = draws.at(
            where, self.begins[where, columns], self.begins[where, columns + 1]
        )
        if len(choosers):
            fits = (offered == NONE) | (offered == draws.categories[choices, ranks][:, None])
            log_p[choosers] = np.where(fits, log_p[choosers], NEVER)
            log_class[choosers] = np.where(fits, log_class[choosers], NEVER)
        # The greedy choice is as in the paper: the class first, then the operation.
        is_best = log_class == log_class.max(axis=1, keepdims=True)
        options = self._choose(rows, log_p, np.where(is_best, log_p, NEVER), prescribed)
        rollouts.nodes.append((rows, points, options))
        if len(choosers):
            is_used = offered[np.arange(len(choosers)), options[choosers]] != NONE
            where, choices, ranks = where[is_used], choices[is_used], ranks[is_used]
            rollouts.log_probs[where] += draws.log_p[choices, ranks]
            rollouts.lexical.append((where, choices, ranks))
        return options

    def _choose(self, rows: Ints, log_p: Floats, greedy: Floats, prescribed: Ints) -> Ints:
        """Choose one alternative for each row: what is prescribed, else a sample or the best."""
        keys = greedy if self.rng is None else log_p + self.rng.gumbel(size=log_p.shape)
        chosen = np.where(prescribed == FREE, keys.argmax(axis=1), prescribed)
        self.rollouts.log_probs[rows] += log_p[np.arange(len(rows)), chosen]
        return chosen
