"""Gradients of what rollouts did, in closed form: of logits, just as autograd would have them.

Sites are visited by thousands of rows; their gradients are added up first, and go through the
network once.
"""

from dataclasses import dataclass

import numpy as np

from lear.model.cells import NONE
from lear.model.lexical import LexicalDraws
from lear.model.policy import Floats, Ints, Record, SiteTable


@dataclass(frozen=True)
class LogitGradients:
    """Gradients with respect to the logits of nodes."""

    merge: Floats  # (nodes,)
    symbol: Floats  # (nodes, 1 + N)
    operation: Floats  # (nodes, operations)
    lexical: Floats  # (choices, width)


def gradient(
    table: SiteTable, draws: LexicalDraws, record: Record, weights: Floats, entropy_weights: Floats
) -> LogitGradients:
    """Of the sum over rows of weight * log p(row) + entropy weight * entropy of its decisions."""
    num_nodes = len(table.machine.nodes)
    network = table.network
    merge = np.zeros(num_nodes)
    for rows, sites, places, p in record.merges:
        weight = np.zeros(p.shape)
        weight[np.arange(len(rows)), places] = weights[rows]
        change = _softmax_gradient(p, weight, entropy_weights[rows][:, None])
        is_site = sites != NONE
        np.add.at(merge, table.nodes[sites[is_site]], change[is_site])

    num_sites, width = table.symbols.shape
    chosen = np.zeros((num_sites, width))
    visits = np.zeros(num_sites)  # each as much as its row's entropy counts
    closings = np.zeros(num_sites)
    for rows, sites, options in (*record.leaves, *record.outcomes):
        np.add.at(chosen, (sites, options), weights[rows])
        np.add.at(visits, sites, entropy_weights[rows])
        is_algebraic = table.operations[sites, options] >= 0
        np.add.at(closings, sites[is_algebraic], entropy_weights[rows[is_algebraic]])
    symbol = np.zeros((num_nodes, network.composer.nonterminal.out_features))
    operation = np.zeros((num_nodes, len(network.vocabulary.operations)))
    _stage_gradient(symbol, table, table.symbols, table.log_symbol, chosen, visits)
    chosen = np.where(table.operations >= 0, chosen, 0.0)
    _stage_gradient(operation, table, table.operations, table.log_operation, chosen, closings)
    return LogitGradients(
        merge, symbol, operation, _lexical_gradient(draws, record, weights, entropy_weights)
    )


def _lexical_gradient(
    draws: LexicalDraws, record: Record, weights: Floats, entropy_weights: Floats
) -> Floats:
    weight = np.zeros(draws.log_p.shape)
    visits = np.zeros(len(weight))
    for rows, choices, ranks in record.lexical:
        np.add.at(weight, (choices, ranks), weights[rows])
        np.add.at(visits, choices, entropy_weights[rows])
    return _softmax_gradient(np.exp(draws.log_p), weight, visits[:, None])


def _softmax_gradient(p: Floats, weight: Floats, entropy_weight: Floats) -> Floats:
    """Of sum weight * log p + entropy_weight * entropy of p, with respect to the logits."""
    logs = np.log(np.where(p > 0, p, 1.0))
    entropy = -(p * logs).sum(axis=1, keepdims=True)
    change: Floats = weight - weight.sum(axis=1, keepdims=True) * p
    change -= entropy_weight * p * (logs + entropy)
    return change


def _stage_gradient(
    out: Floats,
    table: SiteTable,
    choices: Ints,
    log_p: Floats,
    chosen: Floats,
    visits: Floats,
) -> None:
    """Add, for each site, weight * (chosen - p) and the gradient of the entropy, to its node."""
    num_choices = out.shape[1]
    num_sites = len(visits)
    p = np.zeros((num_sites, num_choices))
    weight = np.zeros((num_sites, num_choices))
    rows, columns = np.nonzero(choices >= 0)
    p[rows, choices[rows, columns]] = np.exp(log_p[rows, columns])
    np.add.at(weight, (rows, choices[rows, columns]), chosen[rows, columns])
    change = _softmax_gradient(p, weight, visits[:, None])
    np.add.at(out, table.nodes, change)
