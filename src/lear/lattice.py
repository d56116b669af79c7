"""All alignments of sentences with the symbols of their meanings, and EM over them.

A state is a place in a sentence with the set of symbols that were emitted before it; a step reads a
unit as one of the remaining symbols or as nothing. Few symbols make few states, so sums over all
alignments are exact, and arrays hold the steps of all sentences at once.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lear.lexicon import Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BLANK = ""
"""In place of a word that is known already: it emits nothing, and is no part of a unit."""
NOTHING = ""
"""What a function word emits."""
Emission = tuple[Unit, str]
"""A unit, and the symbol that it stands for."""


class Pair(NamedTuple):
    """A training pair as the alignment sees it."""

    tokens: tuple[str, ...]
    symbols: tuple[str, ...]
    """Of its meaning, with repetitions."""


class _Step(NamedTuple):
    here: int
    emission: int
    there: int
    cost: float


@dataclass
class Lattice:
    """The alignments of the pairs that were added."""

    plausible: set[Emission]
    """What units may emit, besides nothing."""
    units: set[Unit]
    """Units of several words."""
    longest: int
    is_forced: bool
    """Whether such units must be read as one, and may then emit nothing too."""
    extra_word: float
    unexplained: float
    emissions: dict[Emission, int] = field(default_factory=dict)
    """Numbers of emissions."""
    occurrences: Counter[Unit] = field(default_factory=Counter)
    _steps: dict[int, list[_Step]] = field(default_factory=dict)  # by the place they begin at
    _firsts: list[int] = field(default_factory=list)  # the first state of each sentence
    _finals: dict[int, float] = field(default_factory=dict)  # state -> cost of what is unexplained
    _num_states: int = 0

    def add(self, pair: Pair) -> None:
        """Add the alignments of a pair."""
        tokens, symbols = pair.tokens, tuple(sorted(pair.symbols))
        # For each place the sets of emitted symbols, as bits, with their states.
        states: list[dict[int, int]] = [{} for _ in range(len(tokens) + 1)]
        self._firsts.append(self._state(states[0], 0))
        for place, found in enumerate(states[:-1]):
            steps = self._steps.setdefault(place, [])
            for unit in self._units_at(tokens, place):
                self.occurrences[unit] += 1
                cost = self.extra_word ** (len(unit) - 1)
                after = states[place + len(unit)]
                for emitted, here in found.items():
                    for symbol, then in self._options(unit, symbols, emitted):
                        key = (unit, symbol)
                        emission = self.emissions.setdefault(key, len(self.emissions))
                        steps.append(_Step(here, emission, self._state(after, then), cost))
        for emitted, state in states[-1].items():
            self._finals[state] = self.unexplained ** (len(symbols) - emitted.bit_count())

    def _state(self, states: dict[int, int], emitted: int) -> int:
        if emitted not in states:
            states[emitted] = self._num_states
            self._num_states += 1
        return states[emitted]

    def _units_at(self, tokens: Unit, place: int) -> list[Unit]:
        sizes = range(min(self.longest, len(tokens) - place), 1, -1)
        found = [tokens[place : place + size] for size in sizes]
        multiple = [unit for unit in found if unit in self.units]
        if self.is_forced and multiple:
            return multiple[:1]
        return [tokens[place : place + 1], *multiple]

    def _options(
        self, unit: Unit, symbols: tuple[str, ...], emitted: int
    ) -> Iterator[tuple[str, int]]:
        """What a unit may emit, and what is emitted then."""
        if len(unit) == 1 or self.is_forced:
            yield NOTHING, emitted
        if unit == (BLANK,):
            return
        for index, symbol in enumerate(symbols):
            # Of equal symbols the first comes first, else one alignment would count twice.
            is_repeated = index > 0 and symbols[index - 1] == symbol
            is_next = not is_repeated or emitted >> (index - 1) & 1
            if is_next and not emitted >> index & 1 and (unit, symbol) in self.plausible:
                yield symbol, emitted | 1 << index

    def run_em(self, rounds: int, smoothing: float) -> dict[Emission, float]:
        """The expected number of each emission after some rounds, from all equally likely."""
        import numpy as np

        steps = _Steps(self)
        counts = steps.expected_counts(np.ones(len(self.emissions)))
        for _ in range(rounds):
            counts = steps.expected_counts(self._probabilities(counts, smoothing))
        return dict(zip(self.emissions, counts.tolist(), strict=True))

    def _probabilities(self, counts: "Floats", smoothing: float) -> "Floats":
        """What each unit emits, shrunk towards how frequent symbols are overall."""
        import numpy as np

        units: dict[Unit, int] = {}
        symbols: dict[str, int] = {}
        unit_of = [units.setdefault(unit, len(units)) for unit, _ in self.emissions]
        symbol_of = [symbols.setdefault(symbol, len(symbols)) for _, symbol in self.emissions]
        of_units, of_symbols = np.bincount(unit_of, counts), np.bincount(symbol_of, counts)
        overall = of_symbols / of_symbols.sum()
        found: Floats = (counts + smoothing * overall[symbol_of]) / (of_units[unit_of] + smoothing)
        return found


class _Steps:
    """The steps of a lattice as arrays, those of one place in all sentences together."""

    def __init__(self, lattice: Lattice) -> None:
        import numpy as np

        self.num_states = lattice._num_states
        self.num_emissions = len(lattice.emissions)
        self.firsts = np.array(lattice._firsts)
        sizes = np.diff([*lattice._firsts, self.num_states])
        self.sentence = np.repeat(np.arange(len(sizes)), sizes)  # of each state
        self.final = np.zeros(self.num_states)
        self.final[list(lattice._finals)] = list(lattice._finals.values())
        self.levels: list[tuple[Ints, Ints, Ints, Floats]] = []
        for place in sorted(place for place, steps in lattice._steps.items() if steps):
            here, emission, there, cost = zip(*lattice._steps[place], strict=True)
            arrays = np.array(here), np.array(emission), np.array(there), np.array(cost)
            self.levels.append(arrays)

    def expected_counts(self, probability: "Floats") -> "Floats":
        """How often each emission is used: forwards and backwards through all sentences."""
        import numpy as np

        weights = [cost * probability[emission] for _, emission, _, cost in self.levels]
        forward = np.zeros(self.num_states)
        forward[self.firsts] = 1.0
        for (here, _, there, _), weight in zip(self.levels, weights, strict=True):
            forward += np.bincount(there, forward[here] * weight, self.num_states)
        backward = self.final.copy()
        for (here, _, there, _), weight in reversed([*zip(self.levels, weights, strict=True)]):
            backward += np.bincount(here, backward[there] * weight, self.num_states)
        totals = backward[self.firsts][self.sentence]
        counts = np.zeros(self.num_emissions)
        for (here, emission, there, _), weight in zip(self.levels, weights, strict=True):
            use = forward[here] * weight * backward[there] / totals[here]
            counts += np.bincount(emission, use, self.num_emissions)
        return counts
