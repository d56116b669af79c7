"""All alignments of sentences with the targets of their meanings, and EM over them.

A state is a position in a sentence with the set of targets emitted before it. An arc is a unit
that emits one of the remaining targets, or nothing. Few targets make few states, so sums over all
alignments are exact. Arrays hold the arcs of all sentences at once.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
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
_MIN_SILENCE = 1e-4
"""However seldom a target is unsaid, it may be."""
Emission = tuple[Unit, str]
"""A unit, and the target that it emits or NOTHING."""


class Pair(NamedTuple):
    """A sentence with the targets of its meaning."""

    tokens: tuple[str, ...]
    targets: tuple[str, ...]
    """With repetitions."""


class _Arc(NamedTuple):
    source: int
    """The state that the arc leaves."""
    emission: int
    goal: int
    """The state that the arc enters."""
    factor: float


@dataclass
class Lattice:
    """The alignments of the pairs that were added."""

    plausible: set[Emission]
    """What units may emit, besides nothing."""
    units: set[Unit]
    """Multi-word units."""
    longest: int
    """Words of the longest unit."""
    is_forced: bool
    """Whether every occurrence of a multi-word unit is one; it may then emit nothing."""
    extra_word: float
    """Factor for each further word of a unit."""
    unexplained: float
    """Factor for each target that no unit emits; where it is learned, the one to begin with."""
    learns_silence: bool = False
    """Whether these factors are learned, one for each target: how often it is there unsaid."""
    bonus: Mapping[Emission, float] = field(default_factory=dict)
    """Emission -> pseudo-counts that speak for it."""
    emissions: dict[Emission, int] = field(default_factory=dict)
    """Emission -> its number."""
    occurrences: Counter[Unit] = field(default_factory=Counter)
    arcs: dict[int, list[_Arc]] = field(default_factory=dict)
    """Position in a sentence -> the arcs that begin there."""
    first_states: list[int] = field(default_factory=list)
    """The first state of each sentence."""
    unsaid: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Last state of an alignment -> the targets that were not emitted."""
    silent_counts: dict[str, float] = field(default_factory=dict)
    """After EM: target -> how often it is expected to be emitted by nothing."""
    num_states: int = 0

    def add(self, pair: Pair) -> None:
        """Add the alignments of a pair."""
        tokens, targets = pair.tokens, tuple(sorted(pair.targets))
        # For each position: the set of emitted targets, as bits -> number of the state.
        states: list[dict[int, int]] = [{} for _ in range(len(tokens) + 1)]
        self.first_states.append(self._state(states[0], 0))
        for position, states_here in enumerate(states[:-1]):
            arcs = self.arcs.setdefault(position, [])
            for unit in self._units_at(tokens, position):
                self.occurrences[unit] += 1
                factor = self.extra_word ** (len(unit) - 1)
                states_after = states[position + len(unit)]
                for emitted, source in states_here.items():
                    for target, emitted_after in self._options(unit, targets, emitted):
                        key = (unit, target)
                        emission = self.emissions.setdefault(key, len(self.emissions))
                        goal = self._state(states_after, emitted_after)
                        arcs.append(_Arc(source, emission, goal, factor))
        for emitted, state in states[-1].items():
            self.unsaid[state] = tuple(t for n, t in enumerate(targets) if not emitted >> n & 1)

    def _state(self, states: dict[int, int], emitted: int) -> int:
        if emitted not in states:
            states[emitted] = self.num_states
            self.num_states += 1
        return states[emitted]

    def _units_at(self, tokens: Unit, position: int) -> list[Unit]:
        sizes = range(min(self.longest, len(tokens) - position), 1, -1)
        runs = [tokens[position : position + size] for size in sizes]
        multiple = [run for run in runs if run in self.units]
        if self.is_forced and multiple:
            return multiple[:1]
        return [tokens[position : position + 1], *multiple]

    def _options(
        self, unit: Unit, targets: tuple[str, ...], emitted: int
    ) -> Iterator[tuple[str, int]]:
        """What a unit may emit, each with the set of emitted targets after it."""
        if len(unit) == 1 or self.is_forced:
            yield NOTHING, emitted
        if unit == (BLANK,):
            return
        for index, target in enumerate(targets):
            # Equal targets are emitted in order, or else one alignment would count twice.
            is_repeated = index > 0 and targets[index - 1] == target
            is_next = not is_repeated or emitted >> (index - 1) & 1
            if is_next and not emitted >> index & 1 and (unit, target) in self.plausible:
                yield target, emitted | 1 << index

    def run_em(self, rounds: int, smoothing: float) -> dict[Emission, float]:
        """The expected number of each emission; before the first round all are equally likely."""
        import numpy as np

        arcs = _ArcArrays(self)
        bonus = np.array([self.bonus.get(emission, 0.0) for emission in self.emissions])
        counts = arcs.expected_counts(1.0 + bonus)
        for _ in range(rounds):
            counts = arcs.expected_counts(self._probabilities(counts + bonus, smoothing))
            if self.learns_silence:
                arcs.learn_silence()
        self.silent_counts = arcs.silent_counts()
        return dict(zip(self.emissions, counts.tolist(), strict=True))

    def _probabilities(self, counts: "Floats", smoothing: float) -> "Floats":
        """The probability of each emission given its unit, smoothed by overall frequencies."""
        import numpy as np

        units: dict[Unit, int] = {}
        targets: dict[str, int] = {}
        unit_of = [units.setdefault(unit, len(units)) for unit, _ in self.emissions]
        target_of = [targets.setdefault(target, len(targets)) for _, target in self.emissions]
        unit_counts = np.bincount(unit_of, counts)
        target_counts = np.bincount(target_of, counts)
        overall = (target_counts / target_counts.sum())[target_of]
        smoothed: Floats = (counts + smoothing * overall) / (unit_counts[unit_of] + smoothing)
        return smoothed


class _ArcArrays:
    """The arcs of a lattice as arrays: one level for each position, over all sentences."""

    def __init__(self, lattice: Lattice) -> None:
        import numpy as np

        self.num_states = lattice.num_states
        self.num_emissions = len(lattice.emissions)
        self.first_states = np.array(lattice.first_states)
        sizes = np.diff([*lattice.first_states, self.num_states])
        self.sentence_of_state = np.repeat(np.arange(len(sizes)), sizes)
        self.targets = sorted({target for targets in lattice.unsaid.values() for target in targets})
        numbers = {target: number for number, target in enumerate(self.targets)}
        self.last_states = np.array(list(lattice.unsaid))
        # One row for each last state: how often each target is left over there.
        self.unsaid = np.zeros((len(self.last_states), len(self.targets)))
        for row, targets in enumerate(lattice.unsaid.values()):
            for target in targets:
                self.unsaid[row, numbers[target]] += 1
        self.silence = np.full(len(self.targets), lattice.unexplained)
        self.silent = np.zeros(len(self.targets))
        self.levels: list[tuple[Ints, Ints, Ints, Floats]] = []
        for position in sorted(position for position, arcs in lattice.arcs.items() if arcs):
            source, emission, goal, factor = zip(*lattice.arcs[position], strict=True)
            arrays = np.array(source), np.array(emission), np.array(goal), np.array(factor)
            self.levels.append(arrays)

    def expected_counts(self, probability: "Floats") -> "Floats":
        """The expected number of each emission, by forward-backward over all sentences."""
        import numpy as np

        weights = [factor * probability[emission] for _, emission, _, factor in self.levels]
        forward = np.zeros(self.num_states)
        forward[self.first_states] = 1.0
        for (source, _, goal, _), weight in zip(self.levels, weights, strict=True):
            forward += np.bincount(goal, forward[source] * weight, self.num_states)
        final = np.exp(self.unsaid @ np.log(self.silence))
        backward = np.zeros(self.num_states)
        backward[self.last_states] = final
        for (source, _, goal, _), weight in reversed([*zip(self.levels, weights, strict=True)]):
            backward += np.bincount(source, backward[goal] * weight, self.num_states)
        totals = backward[self.first_states][self.sentence_of_state]
        ends = forward[self.last_states] * final / totals[self.last_states]
        self.silent = ends @ self.unsaid
        counts = np.zeros(self.num_emissions)
        for (source, emission, goal, _), weight in zip(self.levels, weights, strict=True):
            use = forward[source] * weight * backward[goal] / totals[source]
            counts += np.bincount(emission, use, self.num_emissions)
        return counts

    def learn_silence(self) -> None:
        """A target is there unsaid as often as it was expected to be in the last round."""
        import numpy as np

        num_sentences = len(self.first_states)
        self.silence = np.maximum(self.silent / num_sentences, _MIN_SILENCE)

    def silent_counts(self) -> dict[str, float]:
        """Target -> how often it is expected to be emitted by nothing."""
        return dict(zip(self.targets, self.silent.tolist(), strict=True))
