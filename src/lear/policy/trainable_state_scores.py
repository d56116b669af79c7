"""States of nodes with gradients, for training: what `policy.state_scores` has without."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lear.model.lexical_choices import LexicalChoices
from lear.network.lexical_potentials import lexical_log_probs
from lear.network.network import Network
from lear.network.tree_lstm import State
from lear.policy.option_scores import Floats, Ints, StateLogits
from lear.policy.state_table import PAIR, SPAN, SYMBOL, TOKEN, WORD, StateTable


@dataclass(frozen=True)
class StateScores:
    """Logits for states, by their numbers."""

    merge: Tensor  # (states,)
    node_class: Tensor  # (states, 1 + N); class 0 is open
    operation: Tensor  # (states, operations)


class TrainableStateScorer:
    """The states of a growing table by a network."""

    def __init__(self, network: Network, table: StateTable) -> None:
        self.network = network
        self.table = table
        hidden, device = network.config.hidden, network.device
        nothing = torch.zeros((0, hidden), dtype=network.composer.merge.weight.dtype, device=device)
        self._state = State(nothing, nothing)
        self._encoded = nothing.new_zeros((0, 0, 2 * hidden))
        self._places: Ints = np.zeros(0, dtype=np.int64)  # of states, in the order of computation

    def extend(self) -> None:
        """Compute the states that have come since the last call, level by level."""
        begin = len(self._places)
        if begin == len(self.table):
            return
        self._encode()
        places, groups = self.table.groups_from(begin)
        self._places = np.append(self._places, begin + places)
        for keys in groups:
            new = self._states(keys)
            old = self._state
            self._state = State(torch.cat((old.h, new.h)), torch.cat((old.c, new.c)))

    def _states(self, keys: Ints) -> State:
        """The states of some keys of one kind, (n, 4), whose children have states."""
        composer = self.network.composer
        kind = int(keys[0, 0])
        columns = keys[:, 1:]
        if kind == PAIR:
            columns = self._places[columns]  # from numbers of states to where they are
        first, second, third = (
            torch.tensor(column, device=self.network.device) for column in columns.T
        )
        state: State
        if kind == SYMBOL:
            state = composer.symbols(first)
        elif kind == WORD:
            state = composer.words(first)
        elif kind == TOKEN:
            state = composer.token_states(self._encoded, first, second)
        elif kind == SPAN:
            state = composer.span_states(self._encoded, first, second, third)
        else:
            state = composer.cell(self._state.pick(first), self._state.pick(second))
        return state

    def _encode(self) -> None:
        """Encode the sentences that have come since the last call."""
        new = self.table.sentences[len(self._encoded) :]
        if not new:
            return
        encoded = self.network.composer.sentences(new)
        length = max(encoded.shape[1], self._encoded.shape[1])
        self._encoded = torch.cat([_padded(part, length) for part in (self._encoded, encoded)])

    def logits(self, states: Ints) -> StateLogits:
        """The logits of some states, by their numbers; those that are new are computed first."""
        with torch.no_grad():
            self.extend()
            scores = self.scores(states)
        parts = (scores.merge, scores.node_class, scores.operation)
        merge, node_class, operation = (part.cpu().double().numpy() for part in parts)
        return StateLogits(merge, node_class, operation)

    def scores(self, states: Ints | None = None) -> StateScores:
        """The logits of some states, or of all, with gradients if they were computed so."""
        places = self._places if states is None else self._places[states]
        h = self._state.h[torch.tensor(places, device=self.network.device)]
        composer = self.network.composer
        return StateScores(
            composer.merge(h).squeeze(-1),
            composer.nonterminal(h),
            self.network.algebraic.operation(h),
        )


def _padded(states: Tensor, length: int) -> Tensor:
    """States of sentences (B, T, D) with zeros up to a length."""
    missing = states.new_zeros((states.shape[0], length - states.shape[1], states.shape[2]))
    return torch.cat((states, missing), dim=1)


def drawn_log_probs(network: Network, choices: LexicalChoices) -> Floats:
    """The log-probabilities of lexical candidates, (choices, width), without gradients."""
    with torch.no_grad():
        log_p: Floats = lexical_log_probs(network, choices).cpu().double().numpy()
    return log_p
