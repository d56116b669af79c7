"""Lexicons by alignment: EM over all alignments of sentences with the targets of their meanings.

The targets of a sentence are the primitives of its meaning. An alignment cuts the sentence into
units; each unit emits one target or nothing, and each target is emitted once. This "once" makes
words compete: in "the capital of the state", "state" leaves the target `capital` to "capital". A
multi-word unit pays for its length, so it is used only where its single words would be unlikely to
emit the target, as in "united states". `alignment_inducer` is the default for a language of one's
own; covers are quicker, but where two words always stand together they give the primitive to both.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from lear.algebra.algebra import Primitive
from lear.benchmark import Example, Gazetteer
from lear.lexicon.lexicon import BLANK, Lexicon, Unit

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
    """They may repeat."""


class _Arc(NamedTuple):
    source: int
    """The state that the arc leaves."""
    emission: int
    goal: int
    """The state that the arc enters."""
    factor: float


@dataclass
class Lattice:
    """The alignments of the pairs that were added.

    A state is a position in a sentence with the set of targets emitted before it. An arc is a unit
    that emits one of the remaining targets, or nothing. Few targets make few states, so the sum
    over all alignments is exact.
    """

    settings: "AlignmentSettings"
    plausible: set[Emission]
    """What units may emit, besides nothing."""
    units: set[Unit]
    """Multi-word units."""
    is_forced: bool
    """If so, every occurrence of a multi-word unit is one; it may then emit nothing."""
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
    num_states: int = 0

    def add(self, pair: Pair) -> None:
        """Add the alignments of a pair of sentence and targets."""
        tokens, targets = pair.tokens, tuple(sorted(pair.targets))
        # For each position: the set of emitted targets, as bits -> number of the state.
        states: list[dict[int, int]] = [{} for _ in range(len(tokens) + 1)]
        self.first_states.append(self._state(states[0], 0))
        for position, states_here in enumerate(states[:-1]):
            arcs = self.arcs.setdefault(position, [])
            for unit in self._units_at(tokens, position):
                self.occurrences[unit] += 1
                factor = self.settings.extra_word ** (len(unit) - 1)
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
        sizes = range(min(self.settings.max_words, len(tokens) - position), 1, -1)
        runs = [tokens[position : position + size] for size in sizes]
        multiple = [run for run in runs if run in self.units]
        if self.is_forced and multiple:
            return multiple[:1]
        return [tokens[position : position + 1], *multiple]

    def _options(
        self, unit: Unit, targets: tuple[str, ...], emitted: int
    ) -> Iterator[tuple[str, int]]:
        """Give what a unit may emit, each with the set of emitted targets after it."""
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

    def run_em(self) -> "Alignment":
        """Return expected emissions; before the first round all are equally likely."""
        import numpy as np

        arcs = _ArcArrays(self)
        bonus = np.array([self.bonus.get(emission, 0.0) for emission in self.emissions])
        counts = arcs.expected_counts(1.0 + bonus)
        for _ in range(self.settings.rounds):
            counts = arcs.expected_counts(self._probabilities(counts + bonus))
            if self.settings.learns_silence:
                num_sentences = len(self.first_states)
                arcs.silence = np.maximum(arcs.silent / num_sentences, _MIN_SILENCE)
        return Alignment(
            dict(zip(self.emissions, counts.tolist(), strict=True)),
            self.occurrences,
            dict(zip(arcs.targets, arcs.silent.tolist(), strict=True)),
            len(self.first_states),
        )

    def _probabilities(self, counts: "Floats") -> "Floats":
        """Return each emission's probability given its unit, smoothed by overall frequencies."""
        import numpy as np

        smoothing = self.settings.smoothing
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
        self.silence = np.full(len(self.targets), lattice.settings.unexplained)
        self.silent = np.zeros(len(self.targets))
        """For each target: how often it was expected to be unsaid in the last round."""
        self.levels: list[tuple[Ints, Ints, Ints, Floats]] = []
        for position in sorted(position for position, arcs in lattice.arcs.items() if arcs):
            source, emission, goal, factor = zip(*lattice.arcs[position], strict=True)
            arrays = np.array(source), np.array(emission), np.array(goal), np.array(factor)
            self.levels.append(arrays)

    def expected_counts(self, probability: "Floats") -> "Floats":
        """Return the expected number of each emission, by forward-backward over all sentences."""
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


@dataclass(frozen=True, slots=True)
class AlignmentSettings:
    """Weights of alignments, and thresholds for what takes part in them."""

    max_words: int = 3
    """Words of a unit."""
    max_target_sets: int = 1024
    """Different sets of a pair's targets; pairs with more have too many alignments and are left
    out."""
    min_occurrences: int = 2
    """Occurrences of a multi-word unit."""
    min_cohesion: float = 0.5
    """Share of the occurrences of a multi-word unit's rarest word that are in this unit."""
    extra_word: float = 0.1
    """Factor for each further word of a unit."""
    unexplained: float = 1e-4
    """Factor for each target that no unit emits."""
    smoothing: float = 0.3
    """Pseudo-counts per unit, distributed like the overall frequencies of targets."""
    rounds: int = 20
    """Rounds of EM."""
    rough_rounds: int = 3
    """Rounds of IBM model 1, which selects the plausible emissions; with more it is too sure."""
    max_rare_occurrences: int = 5
    """Units with at most so many occurrences may emit every target of their rows."""
    min_share: float = 0.002
    """For other units: the share of its occurrences in which a unit must emit a target."""
    min_joint_rows: int = 3
    """Companions: rows that have both the word and the target."""
    min_joint_share: float = 0.8
    """Companions: share of the word's rows that have the target."""
    min_lift: float = 3.0
    """Companions: this share, divided by the share of all rows that have the target."""
    learns_silence: bool = False
    """If so, EM learns how often each target is unsaid; `unexplained` is where that begins."""
    max_spread: float = 1.0
    """A target that more than this share of pairs have tells nothing of the words beside it; it is
    emitted only where a bonus speaks for it."""


DEFAULT = AlignmentSettings()


class Alignment(NamedTuple):
    """The result of EM: expected numbers of emissions."""

    counts: Mapping[Emission, float]
    occurrences: Mapping[Unit, int]
    """How often the words of each unit stand together, used as a unit or not."""
    silent: Mapping[str, float]
    """Target -> how often no unit is expected to emit it."""
    num_rows: int = 0
    """How many pairs were aligned."""

    def uses(self) -> dict[Unit, float]:
        """Return unit -> how often it is expected to be used as one."""
        totals: dict[Unit, float] = {}
        for (unit, _), count in self.counts.items():
            totals[unit] = totals.get(unit, 0.0) + count
        return totals


def align(
    pairs: Sequence[Pair],
    settings: AlignmentSettings = DEFAULT,
    bonus: Mapping[Emission, float] | None = None,
) -> Alignment:
    """Return expected emissions, in two passes: select the multi-word units, then align with them.

    Args:
        pairs: Sentences and targets.
        settings: Weights and thresholds.
        bonus: Emission -> pseudo-counts that speak for it.
    """
    pairs = [pair for pair in pairs if num_target_sets(pair.targets) <= settings.max_target_sets]
    if not pairs:
        return Alignment({}, {}, {})
    bonus = bonus or {}
    free = _align(pairs, _collocations(pairs, settings), settings, bonus, is_forced=False)
    units = {
        unit
        for unit, use in free.uses().items()
        if len(unit) > 1 and use > 0.5 * free.occurrences[unit]
    }
    return _align(pairs, units, settings, bonus, is_forced=True)


def num_target_sets(targets: Sequence[str]) -> int:
    """Return how many different sets, with repetitions, can be made of targets."""
    return prod(count + 1 for count in Counter(targets).values())


def align_all(
    pairs: Sequence[Pair],
    settings: Sequence[AlignmentSettings],
    bonus: Mapping[Emission, float] | None = None,
) -> Alignment:
    """Merge alignments, one for each of the settings; the largest counts are kept.

    EM ends in local optima: a low `min_share` admits rare uses of frequent words, a high one keeps
    rare words from emitting unlikely targets. A unit of several words must be one in all of them.
    """
    alignments = [align(pairs, each, bonus) for each in settings]
    units_of = [{unit for unit, _ in alignment.counts} for alignment in alignments]
    in_all = units_of[0].intersection(*units_of)
    counts: dict[Emission, float] = {}
    occurrences: dict[Unit, int] = {}
    for alignment in alignments:
        occurrences.update(alignment.occurrences)
        for emission, count in alignment.counts.items():
            if len(emission[0]) == 1 or emission[0] in in_all:
                counts[emission] = max(count, counts.get(emission, 0.0))
    silent = {
        target: min(alignment.silent.get(target, 0.0) for alignment in alignments)
        for target in alignments[0].silent
    }
    return Alignment(counts, occurrences, silent, alignments[0].num_rows)


def _align(
    pairs: Sequence[Pair],
    units: set[Unit],
    settings: AlignmentSettings,
    bonus: Mapping[Emission, float],
    *,
    is_forced: bool,
) -> Alignment:
    """Return expected emissions with these multi-word units; if forced, every occurrence is one."""
    plausible = _telling(_plausible(pairs, units, settings), pairs, settings, bonus)
    lattice = Lattice(settings, plausible, units, is_forced, bonus)
    for pair in pairs:
        lattice.add(pair)
    return lattice.run_em()


def _collocations(pairs: Sequence[Pair], settings: AlignmentSettings) -> set[Unit]:
    """Return the runs of words that make up most occurrences of their rarest word."""
    runs = Counter(
        pair.tokens[begin : begin + size]
        for pair in pairs
        for size in range(1, settings.max_words + 1)
        for begin in range(len(pair.tokens) - size + 1)
    )
    return {
        run
        for run, count in runs.items()
        if len(run) > 1
        and BLANK not in run
        and count >= settings.min_occurrences
        and count >= settings.min_cohesion * min(runs[word,] for word in run)
    }


def _plausible(
    pairs: Sequence[Pair], units: set[Unit], settings: AlignmentSettings
) -> set[Emission]:
    """Return the emissions that get some probability without the "once".

    Every target then chooses its unit by itself (IBM model 1), which is cheap. Rare units keep all
    targets of their rows: that model has too little evidence about them.
    """
    rows = [
        (
            [
                pair.tokens[begin : begin + size]
                for begin in range(len(pair.tokens))
                for size in range(1, settings.max_words + 1)
                if size == 1 or pair.tokens[begin : begin + size] in units
            ],
            pair.targets,
        )
        for pair in pairs
    ]
    occurrences = Counter(unit for in_row, _ in rows for unit in in_row)
    weights: dict[Emission, float] = {}
    for _ in range(settings.rough_rounds):
        weights = _rough_round(rows, weights)
    return {
        (unit, target)
        for (unit, target), weight in weights.items()
        if occurrences[unit] <= settings.max_rare_occurrences
        or weight >= settings.min_share * occurrences[unit]
    }


def _telling(
    emissions: set[Emission],
    pairs: Sequence[Pair],
    settings: AlignmentSettings,
    bonus: Mapping[Emission, float],
) -> set[Emission]:
    """Return the emissions without those of targets that nearly all pairs have."""
    if settings.max_spread >= 1:
        return emissions
    spread = Counter(target for pair in pairs for target in set(pair.targets))
    everywhere = {t for t, count in spread.items() if count > settings.max_spread * len(pairs)}
    return {e for e in emissions if e[1] not in everywhere or e in bonus}


def _rough_round(
    rows: Sequence[tuple[Sequence[Unit], Sequence[str]]], weights: Mapping[Emission, float]
) -> dict[Emission, float]:
    """Run one round of EM of IBM model 1; without weights, all emissions are equally likely."""
    totals: dict[Unit, float] = {}
    for (unit, _), weight in weights.items():
        totals[unit] = totals.get(unit, 0.0) + weight
    expected: dict[Emission, float] = {}
    for units, targets in rows:
        for target in targets:
            shares = [weights.get((u, target), 1.0) / totals.get(u, 1.0) for u in units]
            total = sum(shares)
            for unit, share in zip(units, shares, strict=True):
                key = (unit, target)
                expected[key] = expected.get(key, 0.0) + share / total
    return expected


def companions(
    pairs: Sequence[Pair], settings: AlignmentSettings = DEFAULT
) -> list[tuple[str, str]]:
    """Return pairs of a word and a target that nearly all its rows have, and few other rows.

    Of two words that always stand together ("run through"), only one is aligned with their target.
    The other one is needed where it stands with an unknown word ("meanders through").
    """
    with_word: Counter[str] = Counter()
    with_target: Counter[str] = Counter()
    with_both: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        words, targets = set(pair.tokens) - {BLANK}, set(pair.targets)
        with_word.update(words)
        with_target.update(targets)
        with_both.update((word, target) for word in words for target in targets)
    return sorted(
        (word, target)
        for (word, target), count in with_both.items()
        if count >= settings.min_joint_rows
        and count >= settings.min_joint_share * with_word[word]
        and count * len(pairs) >= settings.min_lift * with_word[word] * with_target[target]
    )


MIN_COUNT = 0.5
"""Expected emissions of a primitive for it to become a candidate of a unit."""
MIN_SHARE = 0.05
"""The same, as a share of the unit's uses."""
ENOUGH = 200
"""A row is left out where all its words and primitives are in so many others."""


def alignment_inducer(
    domain: str, primitives_of: Callable[[Example], Iterable[Primitive]], *, once: bool = False
) -> Callable[[Sequence[Example], Gazetteer], Lexicon]:
    """Return a ready `Words.induce`, which only has to know the primitives of a row's form.

    Args:
        domain: The lexicon's domain.
        primitives_of: A row -> the primitives that its words stand for, as often as words do.
        once: Whether forms repeat what is said once ("jump twice"), so that how often a primitive
            occurs says nothing: primitives and words then count once a row.
    """

    def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
        del gazetteer
        rows = [(row.tokens, tuple(primitives_of(row))) for row in examples]
        names = {str(primitive): primitive for _, primitives in rows for primitive in primitives}
        pairs = [Pair(tokens, tuple(map(str, primitives))) for tokens, primitives in rows]
        if once:
            pairs = [Pair(_first_only(p.tokens), tuple(dict.fromkeys(p.targets))) for p in pairs]
        alignment = align(_informative(pairs))
        uses = alignment.uses()
        counts: Counter[tuple[Unit, Primitive]] = Counter()
        words: Counter[str] = Counter()
        for (unit, target), count in alignment.counts.items():
            if unit == (BLANK,) or count < max(MIN_COUNT, MIN_SHARE * uses[unit]):
                continue
            if target != NOTHING:
                counts[unit, names[target]] += max(1, round(count))
            elif len(unit) == 1:
                words[unit[0]] += max(1, round(count))
        return Lexicon.from_counts(domain, counts, words)

    return induce


def _informative(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs without those that only show what many others show: alignment is slow."""
    kept: list[Pair] = []
    seen: Counter[str] = Counter()
    for pair in random.Random(1).sample(pairs, len(pairs)):
        shown = {*pair.tokens, *pair.targets}
        if any(seen[name] < ENOUGH for name in shown):
            seen.update(shown)
            kept.append(pair)
    return kept


def _first_only(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return each word once; BLANK in place of its other occurrences."""
    return tuple(word if word not in tokens[:at] else BLANK for at, word in enumerate(tokens))
