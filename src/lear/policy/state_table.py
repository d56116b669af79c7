"""What network states are computed from, interned.

With semantic locality that is the words and symbols of the node alone, so equal nodes anywhere in a
batch share one state. Without locality a state belongs to a sentence, and is shared by the samples
of that sentence only.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

SYMBOL, WORD, TOKEN, SPAN, PAIR = range(5)
"""Kinds of states: of a symbol, of a word by itself, of a token in its sentence, of a span in its
sentence, of the parent of two nodes by the Tree-LSTM."""

StateKey = tuple[int, int, int, int]
"""Kind, and up to three numbers: (SYMBOL, symbol), (WORD, word), (TOKEN, sentence, position),
(SPAN, sentence, begin, end), (PAIR, left state, right state); the rest is 0."""


class StateTable:
    """Interned states by number; children have smaller numbers than their parents."""

    def __init__(self) -> None:
        self.keys: list[StateKey] = []
        self.levels: list[int] = []
        """0 for what has no children, else one more than the higher of the children."""
        self.sentences: list[Sequence[int]] = []
        """The sentences that states refer to, as numbers of words."""
        self._numbers: dict[StateKey, int] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def number(self, kind: int, first: int, second: int = 0, third: int = 0) -> int:
        """The number of a state, old or new."""
        key = (kind, first, second, third)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
            levels = self.levels
            levels.append(1 + max(levels[first], levels[second]) if kind == PAIR else 0)
        return number

    def add_sentence(self, words: Sequence[int]) -> int:
        """The number of a new sentence."""
        self.sentences.append(words)
        return len(self.sentences) - 1

    def groups_from(self, first: int) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
        """The states from a number on, in an order in which they can be computed.

        Returns:
            Where each of them comes in that order, from 0; and their keys in groups of one kind,
            (n, 4), in which no state needs another of its group.
        """
        levels = np.array(self.levels[first:])
        keys = np.array(self.keys[first:], dtype=np.int64)
        order = np.argsort(levels * PAIR + keys[:, 0], kind="stable")
        keys = keys[order]
        groups = levels[order] * PAIR + keys[:, 0]
        borders = [*np.nonzero(np.diff(groups, prepend=-1))[0].tolist(), len(groups)]
        return np.argsort(order, kind="stable"), [keys[a:b] for a, b in pairwise(borders)]
