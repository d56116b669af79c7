"""The paper's policy, for many sentences and samples at once: sample and decode.

Every rollout is a row of cells. At each step every row merges two neighbours (chosen by merge
scores) and decides what the new node is: open, or a nonterminal with a symbol and an operation.
One walk serves sampling and greedy decoding; it records which sites were seen and chosen, for
`policy_gradient` to differentiate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lear.model.cells import NONE, Machine, Option
from lear.model.lexical import LexicalDraws
from lear.model.network import Network
from lear.model.node_scores import NodeScorer
from lear.model.script import FREE, Decisions, Script
from lear.model.trees import LEXICAL, NO_TREE, TreeTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NEVER = -np.inf
ABSENT = -2
"""Where a site has fewer options than the widest."""


class SiteTable:
    """The options of sites as arrays, with log-probabilities under the present weights."""

    def __init__(self, machine: Machine, network: Network) -> None:
        self.machine = machine
        self.network = network
        self.scorer = NodeScorer(network, machine.nodes)
        self.nodes = np.zeros(0, dtype=np.int64)
        self.symbols = np.zeros((0, 1), dtype=np.int64)
        self.operations = np.zeros((0, 1), dtype=np.int64)
        self.cells = np.zeros((0, 1), dtype=np.int64)
        self.lexical_categories = np.zeros((0, 1), dtype=np.int64)
        self.has_choice = np.zeros(0, dtype=bool)
        self.merge = np.zeros(0)
        self.log_symbol = np.zeros((0, 1))  # log-probability of each option's class
        self.log_operation = np.zeros((0, 1))  # and of its operation, given the class

    def extend(self) -> None:
        """Bring the arrays and the scores up to date with the machine."""
        new = self.machine.sites[len(self.nodes) :]
        if not new:
            return
        with torch.no_grad():
            self.scorer.extend()
            nodes = np.array([site.node for site in new], dtype=np.int64)
            distinct, places = np.unique(nodes, return_inverse=True)
            scores = self.scorer.scores(distinct)
        width = max(self.cells.shape[1], *(len(site.options) for site in new))
        options = np.full((len(new), width, len(Option._fields)), ABSENT, dtype=np.int64)
        for row, site in enumerate(new):
            options[row, : len(site.options)] = site.options
        symbols, operations, cells, choices = np.moveaxis(options, 2, 0)
        log_symbol = _stage(scores.symbol.cpu().double().numpy()[places], symbols)
        log_operation = _stage(scores.operation.cpu().double().numpy()[places], operations)
        self.nodes = np.append(self.nodes, nodes)
        self.merge = np.append(self.merge, scores.merge.cpu().double().numpy()[places])
        self.symbols = _grown(self.symbols, symbols, ABSENT)
        self.operations = _grown(self.operations, operations, ABSENT)
        self.cells = _grown(self.cells, cells, ABSENT)
        self.lexical_categories = _grown(self.lexical_categories, choices, ABSENT)
        self.has_choice = np.append(self.has_choice, (choices >= 0).any(axis=1))
        self.log_symbol = _grown(self.log_symbol, log_symbol, NEVER)
        self.log_operation = _grown(self.log_operation, log_operation, NEVER)


def _stage(logits: Floats, chosen: Ints) -> Floats:
    """Log-probabilities of the options' choices among those that some option has."""
    allowed = np.zeros(logits.shape, dtype=bool)
    rows, columns = np.nonzero(chosen >= 0)
    allowed[rows, chosen[rows, columns]] = True
    masked = np.where(allowed, logits, NEVER)
    with np.errstate(invalid="ignore", divide="ignore"):
        top = np.where(allowed.any(axis=1), masked.max(axis=1), 0.0)
        log_z = top + np.log(np.exp(masked - top[:, None]).sum(axis=1))
    picked = np.take_along_axis(logits, np.maximum(chosen, 0), axis=1) - log_z[:, None]
    return np.where(chosen >= 0, picked, np.where(chosen == NONE, 0.0, NEVER))


def _grown(table: NDArray[Any], rows: NDArray[Any], filler: float) -> NDArray[Any]:
    """A table with more rows, which are at least as wide as it."""
    missing = rows.shape[1] - table.shape[1]
    if missing:
        table = np.pad(table, ((0, 0), (0, missing)), constant_values=filler)
    return np.concatenate((table, rows))


@dataclass
class Record:
    """What rollouts did, for replay and for gradients."""

    leaves: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, sites and options of the decisions about tokens, one column of tokens at a time."""
    merges: list[tuple[Ints, Ints, Ints, Floats]] = field(default_factory=list)
    """Rows, candidate sites, chosen place and probabilities of the places, for each step."""
    outcomes: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, sites and options of the decisions about new nodes, for each step."""
    lexical: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, choices and candidates of the draws that lexical nodes made use of."""
    log_probs: Floats = field(default_factory=lambda: np.zeros(0))
    final: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The last cell of each row, NONE for a dead end."""
    trees: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The derivation of each row, NO_TREE for a dead end."""
    tree_table: TreeTable = field(default_factory=TreeTable)
    decisions: Decisions = field(default_factory=lambda: Decisions.free(0, 0))

    def answers(self, machine: Machine) -> dict[int, int]:
        """Row -> derivation, of the rows that came to an answer."""
        return {
            row: tree
            for row, (cell, tree) in enumerate(
                zip(self.final.tolist(), self.trees.tolist(), strict=True)
            )
            if cell != NONE and machine.is_answer(cell)
        }


def roll_out(
    table: SiteTable,
    draws: LexicalDraws,
    rng: np.random.Generator | None,
    scripts: Mapping[int, Script] | None = None,
) -> Record:
    """Build a tree for every row of `draws`: sampled, or the likeliest step each time.

    Args:
        table: Where sites are looked up.
        draws: The sentences, and what their lexical choices come to.
        rng: For sampling; None is greedy.
        scripts: Rows that do as they are told.
    """
    rollout = _Rollout(table, draws, rng)
    for row, script in (scripts or {}).items():
        rollout.told.write(row, script)
    return rollout.run()


class _Rollout:
    """Rows of cells on their way to one cell each."""

    def __init__(
        self, table: SiteTable, draws: LexicalDraws, rng: np.random.Generator | None
    ) -> None:
        self.table = table
        self.draws = draws
        self.rng = rng
        samples, sentences = draws.samples, [reading.tokens for reading in draws.choices.readings]
        self.lengths = np.repeat([len(tokens) for tokens in sentences], samples)
        width = int(self.lengths.max())
        leaf_sites = np.full((len(sentences), width), NONE, dtype=np.int64)
        for number, tokens in enumerate(sentences):
            leaf_sites[number, : len(tokens)] = table.machine.leaf_sites(tokens)
        table.extend()
        self.leaf_sites = np.repeat(leaf_sites, samples, axis=0)
        self.cells = np.zeros((draws.num_rows, width), dtype=np.int64)
        # Where each cell begins; a column more, so that every cell's end is the next one's begin.
        self.begins = np.tile(np.arange(width + 1), (draws.num_rows, 1))
        # The derivation of the constituent in each cell.
        self.trees = np.full((draws.num_rows, width), NO_TREE, dtype=np.int64)
        self.record = Record(
            log_probs=np.zeros(draws.num_rows),
            final=np.full(draws.num_rows, NONE, dtype=np.int64),
            trees=np.full(draws.num_rows, NO_TREE, dtype=np.int64),
            decisions=Decisions.free(draws.num_rows, width),
        )
        self.told = Decisions.free(draws.num_rows, width)
        self.num_merges = 0

    def run(self) -> Record:
        """From tokens to the end."""
        columns = np.arange(self.leaf_sites.shape[1])
        is_dead = ((self.leaf_sites == NONE) & (columns < self.lengths[:, None])).any(axis=1)
        for column in columns.tolist():
            rows = np.nonzero(~is_dead & (column < self.lengths))[0]
            sites = self.leaf_sites[rows, column]
            places = np.full(len(rows), column)
            options = self._decide(rows, sites, places, self.told.leaves[rows, column])
            self.record.decisions.leaves[rows, column] = options
            self.record.leaves.append((rows, sites, options))
            self.cells[rows, column] = self.table.cells[sites, options]
            nothing = np.full(len(rows), NO_TREE)
            self.trees[rows, column] = self._grow(rows, sites, options, places, nothing, nothing)
        rows = np.nonzero(~is_dead)[0]
        while len(rows):
            done = self.lengths[rows] == 1
            self.record.final[rows[done]] = self.cells[rows[done], 0]
            self.record.trees[rows[done]] = self.trees[rows[done], 0]
            rows = rows[~done]
            if len(rows):
                rows = self._merge_step(rows)
        return self.record

    def _merge_step(self, rows: Ints) -> Ints:
        """One merge in every row; returns the rows that did not come to a dead end."""
        table, record = self.table, self.record
        width = int(self.lengths[rows].max())
        valid = np.arange(width - 1) < (self.lengths[rows] - 1)[:, None]
        cells = self.cells[rows, :width]
        sites = np.full(valid.shape, NONE, dtype=np.int64)
        sites[valid] = table.machine.pair_sites(cells[:, :-1][valid], cells[:, 1:][valid])
        table.extend()
        keep = (sites != NONE).any(axis=1)
        rows, sites = rows[keep], sites[keep]
        if not len(rows):
            return rows
        logits = np.where(sites != NONE, table.merge[sites], NEVER)
        log_p = logits - _log_sum(logits)[:, None]
        places = _obeying(_choose(log_p, self.rng), self.told.places[rows, self.num_merges])
        picked = np.arange(len(rows))
        record.log_probs[rows] += log_p[picked, places]
        record.merges.append((rows, sites, places, np.exp(log_p)))
        chosen = sites[picked, places]
        columns = np.arange(width + 1)
        source = np.minimum(columns + (columns > places[:, None]), width)
        begins = np.take_along_axis(self.begins[rows, : width + 1], source, axis=1)
        self.begins[rows, : width + 1] = begins
        told = self.told.options[rows, self.num_merges]
        options = self._decide(rows, chosen, places, told)
        record.decisions.places[rows, self.num_merges] = places
        record.decisions.options[rows, self.num_merges] = options
        self.num_merges += 1
        record.outcomes.append((rows, chosen, options))
        source = np.minimum(source[:, :width], width - 1)
        trees = self.trees[rows, :width]
        children = trees[picked, places], trees[picked, places + 1]
        trees = np.take_along_axis(trees, source, axis=1)
        trees[picked, places] = self._grow(rows, chosen, options, places, *children)
        self.trees[rows, :width] = trees
        moved = np.take_along_axis(self.cells[rows, :width], source, axis=1)
        moved[picked, places] = table.cells[chosen, options]
        self.cells[rows, :width] = moved
        self.lengths[rows] -= 1
        return rows

    def _grow(
        self, rows: Ints, sites: Ints, options: Ints, columns: Ints, left: Ints, right: Ints
    ) -> Ints:
        """The derivations of new nodes from those of their children."""
        table = self.table
        symbols, operations = table.symbols[sites, options], table.operations[sites, options]
        only = np.where(left == NO_TREE, right, left)  # an open node holds one constituent at most
        trees = only.copy()
        closed = np.nonzero(symbols > 0)[0]
        if not len(closed):
            return trees
        operation = operations[closed]
        is_leaf = operation == NONE
        where = rows[closed]
        begins = self.begins[where, columns[closed]]
        ends = self.begins[where, columns[closed] + 1]
        both = (left[closed] != NO_TREE) & (right[closed] != NO_TREE)
        ranks = np.zeros(len(closed), dtype=np.int64)
        choosers = np.nonzero(is_leaf & table.has_choice[sites[closed]])[0]
        if len(choosers):
            _, ranks[choosers] = self.draws.at(where[choosers], begins[choosers], ends[choosers])
        trees[closed] = self.record.tree_table.numbers(
            np.where(is_leaf, LEXICAL, operation),
            np.where(is_leaf, where // self.draws.samples, only[closed]),
            np.where(is_leaf, ranks, np.where(both, right[closed], NO_TREE)),
            begins,
            ends,
        )
        return trees

    def _decide(self, rows: Ints, sites: Ints, columns: Ints, told: Ints) -> Ints:
        """What the nodes at some columns of some rows become."""
        table = self.table
        log_symbol = table.log_symbol[sites]
        log_p = log_symbol + table.log_operation[sites]
        choosers = np.nonzero(table.has_choice[sites])[0]
        if len(choosers):
            where, columns = rows[choosers], columns[choosers]
            begins, ends = self.begins[where, columns], self.begins[where, columns + 1]
            choices, ranks = self.draws.at(where, begins, ends)
            offered = table.lexical_categories[sites[choosers]]
            drawn = self.draws.categories[choices, ranks][:, None]
            fits = (offered == NONE) | (offered == drawn)
            log_p[choosers] = np.where(fits, log_p[choosers], NEVER)
        if self.rng is None:
            # Greedy as in the paper: the class first, then the operation.
            is_best = log_symbol == log_symbol.max(axis=1, keepdims=True)
            options = _choose(np.where(is_best, log_p, NEVER), None)
        else:
            options = _choose(log_p, self.rng)
        options = _obeying(options, told)
        self.record.log_probs[rows] += log_p[np.arange(len(rows)), options]
        if len(choosers):
            is_used = table.lexical_categories[sites[choosers], options[choosers]] != NONE
            where, choices, ranks = where[is_used], choices[is_used], ranks[is_used]
            self.record.log_probs[where] += self.draws.log_p[choices, ranks]
            self.record.lexical.append((where, choices, ranks))
        return options


def _choose(log_p: Floats, rng: np.random.Generator | None) -> Ints:
    keys = log_p if rng is None else log_p + rng.gumbel(size=log_p.shape)
    places: Ints = keys.argmax(axis=1)
    return places


def _obeying(chosen: Ints, told: Ints) -> Ints:
    return np.where(told == FREE, chosen, told)


def _log_sum(logits: Floats) -> Floats:
    top = logits.max(axis=1)
    total: Floats = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
    return total
