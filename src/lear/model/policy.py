"""The paper's policy, for many sentences and samples at once: sample, decode, and differentiate.

Every rollout is a row of cells. At each step every row merges two neighbours (chosen by merge
scores) and decides what the new node is: open, or a nonterminal with a symbol and an operation.
One walk serves sampling and greedy decoding; it records which sites were seen and chosen, and
`gradient` turns that record into gradients of the logits of nodes, exactly as autograd would.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from lear.model.cells import NONE, Machine
from lear.model.network import Network
from lear.model.node_scores import NodeScorer

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
        self.nodes = np.zeros(0, dtype=np.int64)
        self.symbols = np.zeros((0, 1), dtype=np.int64)
        self.operations = np.zeros((0, 1), dtype=np.int64)
        self.cells = np.zeros((0, 1), dtype=np.int64)
        self.scorer = NodeScorer(self.network)
        self.merge = np.zeros(0)
        self.log_symbol = np.zeros((0, 1))  # log-probability of each option's class
        self.log_operation = np.zeros((0, 1))  # and of its operation, given the class

    def extend(self) -> None:
        """Bring the arrays and the scores up to date with the machine."""
        sites = self.machine.sites
        new = sites[len(self.nodes) :]
        if new:
            width = max(self.cells.shape[1], *(len(site.options) for site in new))
            self.nodes = np.append(self.nodes, [site.node for site in new])
            self.symbols = _grown(self.symbols, [[o.symbol for o in s.options] for s in new], width)
            self.operations = _grown(
                self.operations, [[o.operation for o in s.options] for s in new], width
            )
            self.cells = _grown(self.cells, [[o.cell for o in s.options] for s in new], width)
        if len(self.merge) == len(sites):
            return
        with torch.no_grad():
            self.scorer.extend(self.machine.nodes)
            scores = self.scorer.scores()
        self.merge = scores.merge.double().cpu().numpy()[self.nodes]
        self.log_symbol = self._stage(scores.symbol.double().cpu().numpy(), self.symbols)
        self.log_operation = self._stage(scores.operation.double().cpu().numpy(), self.operations)

    def _stage(self, logits: Floats, chosen: Ints) -> Floats:
        """Log-probabilities of the options' choices among those that some option has."""
        mine = logits[self.nodes]  # (sites, choices)
        allowed = np.zeros(mine.shape, dtype=bool)
        rows, columns = np.nonzero(chosen >= 0)
        allowed[rows, chosen[rows, columns]] = True
        masked = np.where(allowed, mine, NEVER)
        with np.errstate(invalid="ignore", divide="ignore"):
            top = np.where(allowed.any(axis=1), masked.max(axis=1), 0.0)
            log_z = top + np.log(np.exp(masked - top[:, None]).sum(axis=1))
        picked = np.take_along_axis(mine, np.maximum(chosen, 0), axis=1) - log_z[:, None]
        return np.where(chosen >= 0, picked, np.where(chosen == NONE, 0.0, NEVER))


def _grown(table: Ints, rows: list[list[int]], width: int) -> Ints:
    """A table with more rows, all padded to one width."""
    grown = np.full((len(table) + len(rows), width), ABSENT, dtype=np.int64)
    grown[: len(table), : table.shape[1]] = table
    for row, values in enumerate(rows, start=len(table)):
        grown[row, : len(values)] = values
    return grown


@dataclass
class Record:
    """What rollouts did, for replay and for gradients."""

    leaves: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, sites and options of the decisions about tokens, one column of tokens at a time."""
    merges: list[tuple[Ints, Ints, Ints, Floats]] = field(default_factory=list)
    """Rows, candidate sites, chosen place and probabilities of the places, for each step."""
    outcomes: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    """Rows, sites and options of the decisions about new nodes, for each step."""
    log_probs: Floats = field(default_factory=lambda: np.zeros(0))
    final: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The last cell of each row, NONE for a dead end."""


def roll_out(
    table: SiteTable, sentences: Sequence[tuple[str, ...]], rng: np.random.Generator | None
) -> Record:
    """Build one tree a sentence: sampled, or the most likely step each time without `rng`."""
    machine = table.machine
    num_rows, width = len(sentences), max(map(len, sentences))
    lengths = np.array([len(tokens) for tokens in sentences])
    leaf_sites = np.full((num_rows, width), NONE, dtype=np.int64)
    for row, tokens in enumerate(sentences):
        leaf_sites[row, : len(tokens)] = [machine.leaf_site(token) for token in tokens]
    table.extend()
    record = Record(log_probs=np.zeros(num_rows), final=np.full(num_rows, NONE, dtype=np.int64))
    cells = np.zeros((num_rows, width), dtype=np.int64)
    alive = np.array(
        [NONE not in leaf_sites[row, : lengths[row]] for row in range(num_rows)], dtype=bool
    )
    for column in range(width):
        rows = np.nonzero(alive & (column < lengths))[0]
        sites = leaf_sites[rows, column]
        options = _decide(table, sites, record, rows, rng)
        record.leaves.append((rows, sites, options))
        cells[rows, column] = table.cells[sites, options]
    rows = np.nonzero(alive)[0]
    while len(rows):
        done = lengths[rows] == 1
        record.final[rows[done]] = cells[rows[done], 0]
        rows = rows[~done]
        if len(rows):
            rows = _merge_step(table, cells, lengths, rows, record, rng)
    return record


def _merge_step(
    table: SiteTable,
    cells: Ints,
    lengths: Ints,
    rows: Ints,
    record: Record,
    rng: np.random.Generator | None,
) -> Ints:
    """One merge in every row; returns the rows that did not come to a dead end."""
    width = int(lengths[rows].max())
    valid = np.arange(width - 1) < (lengths[rows] - 1)[:, None]
    sites = table.machine.pair_sites(cells[rows, : width - 1], cells[rows, 1:width])
    sites = np.where(valid, sites, NONE)
    table.extend()
    keep = (sites != NONE).any(axis=1)
    rows, sites = rows[keep], sites[keep]
    if not len(rows):
        return rows
    logits = np.where(sites != NONE, table.merge[sites], NEVER)
    log_p = logits - _log_sum(logits)[:, None]
    places = _choose(log_p, rng)
    picked = np.arange(len(rows))
    record.log_probs[rows] += log_p[picked, places]
    record.merges.append((rows, sites, places, np.exp(log_p)))
    chosen = sites[picked, places]
    options = _decide(table, chosen, record, rows, rng)
    record.outcomes.append((rows, chosen, options))
    columns = np.arange(width)
    source = np.minimum(columns + (columns > places[:, None]), width - 1)
    moved = np.take_along_axis(cells[rows, :width], source, axis=1)
    moved[picked, places] = table.cells[chosen, options]
    cells[rows, :width] = moved
    lengths[rows] -= 1
    return rows


def _decide(
    table: SiteTable, sites: Ints, record: Record, rows: Ints, rng: np.random.Generator | None
) -> Ints:
    log_p = table.log_symbol[sites] + table.log_operation[sites]
    if rng is None:
        # Greedy as in the paper: the class first, then the operation.
        best = table.log_symbol[sites].max(axis=1, keepdims=True)
        log_choice = np.where(table.log_symbol[sites] == best, log_p, NEVER)
        options = _choose(log_choice, None)
    else:
        options = _choose(log_p, rng)
    record.log_probs[rows] += log_p[np.arange(len(rows)), options]
    return options


def _choose(log_p: Floats, rng: np.random.Generator | None) -> Ints:
    keys = log_p if rng is None else log_p + rng.gumbel(size=log_p.shape)
    places: Ints = keys.argmax(axis=1)
    return places


def _log_sum(logits: Floats) -> Floats:
    top = logits.max(axis=1)
    total: Floats = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
    return total


@dataclass(frozen=True)
class LogitGradients:
    """Gradients with respect to the logits of nodes."""

    merge: Floats
    symbol: Floats
    operation: Floats


def gradient(
    table: SiteTable, record: Record, weights: Floats, entropy_weight: float
) -> LogitGradients:
    """The gradient of sum_row weight * log p(row) + entropy_weight * entropy of its decisions."""
    num_nodes = len(table.machine.nodes)
    network = table.network
    merge = np.zeros(num_nodes)
    for rows, sites, places, p in record.merges:
        logs = np.log(np.where(p > 0, p, 1.0))
        entropy = -(p * logs).sum(axis=1, keepdims=True)
        change = -weights[rows][:, None] * p - entropy_weight * p * (logs + entropy)
        change[np.arange(len(rows)), places] += weights[rows]
        is_site = sites != NONE
        np.add.at(merge, table.nodes[sites[is_site]], change[is_site])

    num_sites, width = table.symbols.shape
    chosen = np.zeros((num_sites, width))
    visits = np.zeros(num_sites)
    closings = np.zeros(num_sites)
    for rows, sites, options in (*record.leaves, *record.outcomes):
        np.add.at(chosen, (sites, options), weights[rows])
        np.add.at(visits, sites, 1.0)
        np.add.at(closings, sites, (table.operations[sites, options] >= 0).astype(float))
    symbol = np.zeros((num_nodes, network.composer.nonterminal.out_features))
    operation = np.zeros((num_nodes, len(network.vocabulary.operations)))
    _stage_gradient(symbol, table, table.symbols, table.log_symbol, chosen, visits, entropy_weight)
    is_algebraic = table.operations >= 0
    _stage_gradient(
        operation, table, table.operations, table.log_operation,
        np.where(is_algebraic, chosen, 0.0), closings, entropy_weight,
    )  # fmt: skip
    return LogitGradients(merge, symbol, operation)


def _stage_gradient(
    out: Floats,
    table: SiteTable,
    choices: Ints,
    log_p: Floats,
    chosen: Floats,
    visits: Floats,
    entropy_weight: float,
) -> None:
    """Add, for each site, weight * (chosen - p) and the gradient of the entropy, to its node."""
    num_choices = out.shape[1]
    num_sites = len(visits)
    p = np.zeros((num_sites, num_choices))
    weight = np.zeros((num_sites, num_choices))
    rows, columns = np.nonzero(choices >= 0)
    p[rows, choices[rows, columns]] = np.exp(log_p[rows, columns])
    np.add.at(weight, (rows, choices[rows, columns]), chosen[rows, columns])
    logs = np.log(np.where(p > 0, p, 1.0))
    entropy = -(p * logs).sum(axis=1, keepdims=True)
    change = weight - weight.sum(axis=1, keepdims=True) * p
    change -= entropy_weight * visits[:, None] * p * (logs + entropy)
    np.add.at(out, table.nodes, change)
