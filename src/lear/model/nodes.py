"""Interned nodes: what the network computes a state for, each once.

A node's state is a function of its own words and symbols only (semantic locality), so equal nodes
anywhere in a batch are one. Without locality a node belongs to a sentence, and is shared by the
samples of that sentence only.
"""

from collections.abc import Sequence

SYMBOL, WORD, TOKEN, SPAN, PAIR = range(5)
"""Kinds of nodes: a latent symbol, a word by itself, a token of a sentence in its context, a span
of a sentence, a Tree-LSTM's parent of two nodes."""

Node = tuple[int, int, int, int]
"""Kind, and up to three numbers: (SYMBOL, symbol), (WORD, word), (TOKEN, sentence, place),
(SPAN, sentence, begin, end), (PAIR, left, right); the rest is 0."""


class NodeTable:
    """Nodes by number; children have smaller numbers than their parents."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.levels: list[int] = []
        """0 for what has no children, else one more than the higher of the children."""
        self.sentences: list[Sequence[int]] = []
        """The sentences that nodes refer to, as numbers of words."""
        self._numbers: dict[Node, int] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def number(self, kind: int, first: int, second: int = 0, third: int = 0) -> int:
        """The number of a node, new or known."""
        key = (kind, first, second, third)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.nodes)
            self.nodes.append(key)
            is_pair = kind == PAIR
            levels = self.levels
            levels.append(1 + max(levels[first], levels[second]) if is_pair else 0)
        return number

    def add_sentence(self, words: Sequence[int]) -> int:
        """The number of a new sentence."""
        self.sentences.append(words)
        return len(self.sentences) - 1
