"""All alignments of sentences with the targets of their meanings, and EM over them.

A state is a position in a sentence with the set of targets that were emitted before it; an arc
reads a unit as one of the remaining targets or as nothing. Few targets make few states, so sums
over all alignments are exact, and arrays hold the arcs of all sentences at once.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lear.core.lexicon import BLANK, Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

NOTHING = ""
"""What a function word emits."""
Emission = tuple[Unit, str]
"""A unit, and the target that it stands for."""


class Pair(NamedTuple):
    """A training pair as the alignment sees it."""

    tokens: tuple[str, ...]
    targets: tuple[str, ...]
    """Of its meaning, with repetitions."""


class _Arc(NamedTuple):
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
    _arcs: dict[int, list[_Arc]] = field(default_factory=dict)  # by the place they begin at
    _firsts: list[int] = field(default_factory=list)  # the first state of each sentence
    _finals: dict[int, float] = field(default_factory=dict)  # state -> cost of what is unexplained
    _num_states: int = 0

    def add(self, pair: Pair) -> None:
        """Add the alignments of a pair."""
        tokens, targets = pair.tokens, tuple(sorted(pair.targets))
        # For each place the sets of emitted targets, as bits, with their states.
        states: list[dict[int, int]] = [{} for _ in range(len(tokens) + 1)]
        self._firsts.append(self._state(states[0], 0))
        for place, found in enumerate(states[:-1]):
            arcs = self._arcs.setdefault(place, [])
            for unit in self._units_at(tokens, place):
                self.occurrences[unit] += 1
                cost = self.extra_word ** (len(unit) - 1)
                after = states[place + len(unit)]
                for emitted, here in found.items():
                    for target, then in self._options(unit, targets, emitted):
                        key = (unit, target)
                        emission = self.emissions.setdefault(key, len(self.emissions))
                        arcs.append(_Arc(here, emission, self._state(after, then), cost))
        for emitted, state in states[-1].items():
            self._finals[state] = self.unexplained ** (len(targets) - emitted.bit_count())

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
        self, unit: Unit, targets: tuple[str, ...], emitted: int
    ) -> Iterator[tuple[str, int]]:
        """What a unit may emit, and what is emitted then."""
        if len(unit) == 1 or self.is_forced:
            yield NOTHING, emitted
        if unit == (BLANK,):
            return
        for index, target in enumerate(targets):
            # Of equal targets the first comes first, else one alignment would count twice.
            is_repeated = index > 0 and targets[index - 1] == target
            is_next = not is_repeated or emitted >> (index - 1) & 1
            if is_next and not emitted >> index & 1 and (unit, target) in self.plausible:
                yield target, emitted | 1 << index

    def run_em(self, rounds: int, smoothing: float) -> dict[Emission, float]:
        """The expected number of each emission after some rounds, from all equally likely."""
        import numpy as np

        arcs = _ArcArrays(self)
        counts = arcs.expected_counts(np.ones(len(self.emissions)))
        for _ in range(rounds):
            counts = arcs.expected_counts(self._probabilities(counts, smoothing))
        return dict(zip(self.emissions, counts.tolist(), strict=True))

    def _probabilities(self, counts: "Floats", smoothing: float) -> "Floats":
        """What each unit emits, shrunk towards how frequent targets are overall."""
        import numpy as np

        units: dict[Unit, int] = {}
        targets: dict[str, int] = {}
        unit_of = [units.setdefault(unit, len(units)) for unit, _ in self.emissions]
        target_of = [targets.setdefault(target, len(targets)) for _, target in self.emissions]
        of_units, of_targets = np.bincount(unit_of, counts), np.bincount(target_of, counts)
        overall = of_targets / of_targets.sum()
        found: Floats = (counts + smoothing * overall[target_of]) / (of_units[unit_of] + smoothing)
        return found


class _ArcArrays:
    """The arcs of a lattice as arrays, those of one place in all sentences together."""

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
        for place in sorted(place for place, arcs in lattice._arcs.items() if arcs):
            here, emission, there, cost = zip(*lattice._arcs[place], strict=True)
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
