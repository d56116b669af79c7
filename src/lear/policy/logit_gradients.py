"""The gradient of rollouts with respect to the logits of their decisions, in closed form.

It is what autograd would give. Choice points are visited by thousands of rows: their gradients are
added up first, and go through the network once for each distinct state of the batch.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from lear.model.lexical_choices import LexicalChoices
from lear.network.lexical_potentials import lexical_logits
from lear.network.network import Network
from lear.policy.choice_points import NONE
from lear.policy.option_scores import Floats, Ints, LexicalDraws, OptionTable
from lear.policy.rollout import Rollouts
from lear.policy.trainable_state_scores import TrainableStateScorer
from lear.policy.transitions import TransitionSystem


@dataclass(frozen=True)
class EntropyWeights:
    """How much the entropy of each decision counts."""

    per_row: Floats
    num_decisions: Ints | None
    """Of each row, those with several alternatives; None where entropies are added up as they
    are, else each is taken as a share of its maximum, and the mean of them."""

    @classmethod
    def of(
        cls,
        table: OptionTable,
        draws: LexicalDraws,
        rollouts: Rollouts,
        per_row: Floats,
        entropy_of: Literal["sum", "mean"],
    ) -> "EntropyWeights":
        """The weights of rows, divided among their decisions."""
        if entropy_of == "sum":
            return cls(per_row, None)
        count = np.zeros(len(per_row), dtype=np.int64)
        for rows, points, _, _ in rollouts.merges:
            np.add.at(count, rows, (points != NONE).sum(axis=1) > 1)
        for rows, points, options in (*rollouts.leaves, *rollouts.outcomes):
            # Where no class was drawn for the option, there was no such decision.
            np.add.at(
                count, rows, (table.classes[points, options] >= 0) & (table.num_classes[points] > 1)
            )
            is_algebraic = table.operations[points, options] >= 0
            np.add.at(count, rows, is_algebraic & (table.num_operations[points] > 1))
        num_candidates = draws.num_candidates
        for rows, choices, _ in rollouts.lexical:
            np.add.at(count, rows, num_candidates[choices] > 1)
        return cls(per_row, count)

    def at(self, rows: Ints, num_alternatives: Ints) -> Floats:
        """The weights of decisions of some rows, with so many alternatives each."""
        weights: Floats = self.per_row[rows]
        if self.num_decisions is None:
            return weights
        is_open = num_alternatives > 1
        greatest = np.log(np.where(is_open, num_alternatives, 2))
        shares: Floats = weights / (greatest * np.maximum(self.num_decisions[rows], 1))
        return np.where(is_open, shares, 0.0)


@dataclass(frozen=True)
class LogitGradients:
    """Gradients with respect to logits."""

    merge: Floats  # (states,)
    node_class: Floats  # (states, 1 + N)
    operation: Floats  # (states, operations)
    lexical: Floats  # (choices, width)


def logit_gradients(
    table: OptionTable,
    draws: LexicalDraws,
    rollouts: Rollouts,
    weights: Floats,
    entropy: EntropyWeights,
) -> LogitGradients:
    """Of the sum over rows of weight * log p(row) + entropy weight * entropy of its decisions."""
    num_states = len(table.transitions.states)
    merge = np.zeros(num_states)
    for rows, points, positions, p in rollouts.merges:
        weight = np.zeros(p.shape)
        weight[np.arange(len(rows)), positions] = weights[rows]
        is_pair = points != NONE
        entropy_weight = entropy.at(rows, is_pair.sum(axis=1))
        change = _softmax_gradient(p, weight, entropy_weight[:, None])
        np.add.at(merge, table.states[points[is_pair]], change[is_pair])

    num_points, width = table.classes.shape
    chosen = np.zeros((num_points, width))
    visits = np.zeros(num_points)  # each as much as its row's entropy counts
    finishes = np.zeros(num_points)
    for rows, points, options in (*rollouts.leaves, *rollouts.outcomes):
        np.add.at(chosen, (points, options), weights[rows])
        is_drawn = table.classes[points, options] >= 0
        drawn_weight = np.where(is_drawn, entropy.at(rows, table.num_classes[points]), 0.0)
        np.add.at(visits, points, drawn_weight)
        is_algebraic = table.operations[points, options] >= 0
        at = points[is_algebraic]
        np.add.at(finishes, at, entropy.at(rows[is_algebraic], table.num_operations[at]))
    transitions = table.transitions
    node_class = np.zeros((num_states, 1 + transitions.config.num_classes))
    operation = np.zeros((num_states, transitions.num_operations))
    drawn = np.where(table.classes >= 0, chosen, 0.0)
    _stage_gradient(node_class, table, table.classes, table.log_class, drawn, visits)
    drawn = np.where(table.operations >= 0, chosen, 0.0)
    _stage_gradient(operation, table, table.operations, table.log_operation, drawn, finishes)
    return LogitGradients(
        merge, node_class, operation, _lexical_gradient(draws, rollouts, weights, entropy)
    )


def _lexical_gradient(
    draws: LexicalDraws, rollouts: Rollouts, weights: Floats, entropy: EntropyWeights
) -> Floats:
    weight = np.zeros(draws.log_p.shape)
    visits = np.zeros(len(weight))
    num_candidates = draws.num_candidates
    for rows, choices, ranks in rollouts.lexical:
        np.add.at(weight, (choices, ranks), weights[rows])
        np.add.at(visits, choices, entropy.at(rows, num_candidates[choices]))
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
    table: OptionTable,
    choices: Ints,
    log_p: Floats,
    chosen: Floats,
    visits: Floats,
) -> None:
    """Add weight * (chosen - p) and the entropy's gradient of each choice point to its state."""
    num_choices = out.shape[1]
    num_points = len(visits)
    p = np.zeros((num_points, num_choices))
    weight = np.zeros((num_points, num_choices))
    rows, columns = np.nonzero(choices >= 0)
    p[rows, choices[rows, columns]] = np.exp(log_p[rows, columns])
    np.add.at(weight, (rows, choices[rows, columns]), chosen[rows, columns])
    change = _softmax_gradient(p, weight, visits[:, None])
    np.add.at(out, table.states, change)


def send_back(
    transitions: TransitionSystem,
    choices: LexicalChoices,
    network: Network,
    gradients: LogitGradients,
) -> None:
    """Add the gradient that follows from those of the logits to the network's weights.

    The logits are to be increased along `gradients`; optimizers minimise, hence the sign.
    """
    scorer = TrainableStateScorer(network, transitions.states)
    scorer.extend()
    scores = scorer.scores()
    pairs = [
        (scores.merge, gradients.merge),
        (scores.node_class, gradients.node_class),
        (scores.operation, gradients.operation),
    ]
    if choices.spans:
        is_candidate = choices.is_candidate()
        mask = torch.tensor(is_candidate, device=network.device)
        pairs.append((lexical_logits(network, choices)[mask], gradients.lexical[is_candidate]))
    objective = torch.zeros((), dtype=scores.merge.dtype, device=network.device)
    for logits, values in pairs:
        weight = torch.tensor(values, dtype=logits.dtype, device=logits.device)
        objective = objective + (logits * weight).sum()
    (-objective).backward()  # type: ignore[no-untyped-call]
