"""States of nodes and what a model says of them, in NumPy: for greedy decoding.

Each distinct state is computed once, level by level. `policy.trainable_state_scores` does the same
with gradients.
"""

import numpy as np

from lear.model.forward_pass import ForwardPass
from lear.model.layers import Floats as AnyFloats
from lear.model.layers import States
from lear.policy.option_scores import Ints, StateLogits
from lear.policy.state_table import PAIR, SPAN, SYMBOL, TOKEN, WORD, StateTable


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
