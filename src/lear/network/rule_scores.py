"""Scores of rules with gradients, for training: what `model.rule_scores` has without.

A derivation's score is the sum over its rules. Exact training normalises over all legal derivations
of a sentence, so these are potentials and need not be log-probabilities.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from lear.grammar.rules import Rule
from lear.model.rule_scores import NONTERMINAL, OPEN
from lear.network.network import Network
from lear.network.tree_lstm import State


def rule_scores(network: Network, rules: Sequence[Rule]) -> Tensor:
    """The score of each rule, (R,), computing every distinct prefix of a yield once."""
    if not rules:
        return network.composer.merge.weight.new_zeros(0)
    prefixes: dict[tuple[str, ...], int] = {}
    for rule in rules:
        for size in range(1, len(rule.parts) + 1):
            prefixes.setdefault(rule.parts[:size], len(prefixes))
    by_size: dict[int, list[tuple[str, ...]]] = {}
    for prefix in prefixes:
        by_size.setdefault(len(prefix), []).append(prefix)

    part_names = sorted({part for rule in rules for part in rule.parts})
    part_number = {part: number for number, part in enumerate(part_names)}
    parts = network.part_states(part_names)

    device = network.device
    opened = parts.h.new_zeros(len(prefixes))
    finished = parts.h.new_zeros(len(prefixes))
    operations = parts.h.new_zeros(len(prefixes), len(network.vocabulary.operations))
    previous: dict[tuple[str, ...], int] = {}
    state: State | None = None
    for size in sorted(by_size):
        group = by_size[size]
        last = parts.pick(_index([part_number[prefix[-1]] for prefix in group], device))
        if state is None:
            state = last
        else:
            left = state.pick(_index([previous[prefix[:-1]] for prefix in group], device))
            state = network.composer.cell(left, last)
            rows = _index([prefixes[prefix] for prefix in group], device)
            merge = network.composer.merge(state.h).squeeze(-1)  # (G,)
            classes = network.composer.nonterminal(state.h)  # (G, 2)
            below = opened[_index([prefixes[prefix[:-1]] for prefix in group], device)]
            opened = opened.index_put((rows,), below + merge + classes[:, OPEN])
            finished = finished.index_put((rows,), below + merge + classes[:, NONTERMINAL])
            operations = operations.index_put((rows,), network.algebraic.operation(state.h))
        previous = {prefix: row for row, prefix in enumerate(group)}
    whole = _index([prefixes[rule.parts] for rule in rules], device)
    numbers = network.vocabulary.operation_numbers
    chosen = _index([numbers[rule.operation] for rule in rules], device)
    return finished[whole] + operations[whole, chosen]


def _index(values: Sequence[int], device: torch.device) -> Tensor:
    return torch.tensor(values, dtype=torch.long, device=device)
