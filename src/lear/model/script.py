"""The decisions of a rollout, as numbers that do not depend on the tables it was made with.

Places are columns of the row at that moment, options count from 0 at their site. The same script
on the same sentence gives the same tree, in another step or another process.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
FREE = -1
"""Where nothing is prescribed."""


@dataclass(frozen=True)
class Script:
    """What one rollout did, from tokens to the end."""

    leaves: Ints  # (T,) options of tokens
    places: Ints  # (T - 1,) of merges, in order
    options: Ints  # (T - 1,) of new nodes
    picks: Ints  # (choices of the sentence,) candidates drawn


@dataclass
class Decisions:
    """The decisions of many rows, to be filled in; FREE where a row has none."""

    leaves: Ints  # (rows, T)
    places: Ints  # (rows, T)
    options: Ints  # (rows, T)

    @classmethod
    def free(cls, num_rows: int, width: int) -> "Decisions":
        """No decision yet."""
        return cls(*(np.full((num_rows, width), FREE, dtype=np.int64) for _ in range(3)))

    def write(self, row: int, script: Script) -> None:
        """Prescribe what a row does."""
        self.leaves[row, : len(script.leaves)] = script.leaves
        self.places[row, : len(script.places)] = script.places
        self.options[row, : len(script.options)] = script.options

    def script(self, row: int, num_tokens: int, ranks: Ints) -> Script:
        """What a row did."""
        merges = num_tokens - 1
        return Script(
            self.leaves[row, :num_tokens].copy(),
            self.places[row, :merges].copy(),
            self.options[row, :merges].copy(),
            ranks.copy(),
        )
