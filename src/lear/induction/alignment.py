"""Which words stand for which symbols of a meaning: EM over alignments of training pairs.

The symbols of a meaning are the targets. A sentence is cut into units; each unit emits one target
or nothing, and each target is emitted once. That "once" is what makes words compete: in "the
capital of the state", "state" leaves the target `capital` to "capital". A unit of several words
pays for its length, so it is used only where its words by themselves would have to be read
unusually, as in "united states". The sum over all alignments is exact (`lear.induction.alignment_lattice`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lear.core.lexicon import BLANK, Unit
from lear.induction.alignment_lattice import Emission, Lattice, Pair


@dataclass(frozen=True, slots=True)
class AlignmentSettings:
    """How alignments are weighed, and what is worth a look."""

    longest: int = 3
    """Most words of a unit."""
    max_targets: int = 10
    """Pairs with more targets are left out: their alignments are too many to sum over."""
    min_rows: int = 2
    """How often a unit of several words must occur."""
    company: float = 0.5
    """Which part of its occurrences the rarest word of a unit must spend in it."""
    extra_word: float = 0.1
    """What each further word of a unit costs, as a factor."""
    unexplained: float = 1e-4
    """What a target costs that no unit emits."""
    smoothing: float = 0.3
    """How many imagined emissions of each unit follow the overall frequencies."""
    rounds: int = 20
    """Of EM."""
    rough_rounds: int = 3
    """Of the rough model that decides what is worth a look; with more it becomes too sure."""
    few: int = 5
    """Units that occur so seldom may emit whatever is in their rows."""
    min_share: float = 0.002
    """The others must be likely to emit a target so often that it is considered at all."""
    min_company: int = 3
    """How many sentences must have both a word and a target for them to be companions,"""
    min_loyalty: float = 0.8
    """in which part of the word's sentences the target must be,"""
    min_lift: float = 3.0
    """and how much more often than in all sentences."""


DEFAULT = AlignmentSettings()


class Alignment(NamedTuple):
    """What EM found: expected numbers of emissions."""

    counts: Mapping[Emission, float]
    occurrences: Mapping[Unit, int]
    """How often each unit occurs, whether it is read as one or not."""

    def uses(self) -> dict[Unit, float]:
        """How often each unit is expected to be read as one."""
        found: dict[Unit, float] = {}
        for (unit, _), count in self.counts.items():
            found[unit] = found.get(unit, 0.0) + count
        return found


def align(pairs: Sequence[Pair], settings: AlignmentSettings = DEFAULT) -> Alignment:
    """Expected emissions: first units of several words are found, then only these are used."""
    pairs = [pair for pair in pairs if len(pair.targets) <= settings.max_targets]
    if not pairs:
        return Alignment({}, {})
    free = _align(pairs, _collocations(pairs, settings), settings, is_forced=False)
    units = {
        unit
        for unit, use in free.uses().items()
        if len(unit) > 1 and use > 0.5 * free.occurrences[unit]
    }
    return _align(pairs, units, settings, is_forced=True)


def align_often(pairs: Sequence[Pair], shares: Sequence[float]) -> Alignment:
    """What several alignments find, each with another idea of what is worth a look.

    EM ends in local optima: with a wider look rare uses of frequent words are found, with a
    narrower one rare words are kept from strange ones. Of each emission the largest count is kept.
    """
    found = [align(pairs, replace(DEFAULT, min_share=share)) for share in shares]
    counts: dict[Emission, float] = {}
    occurrences: dict[Unit, int] = {}
    for alignment in found:
        occurrences.update(alignment.occurrences)
        for emission, count in alignment.counts.items():
            counts[emission] = max(count, counts.get(emission, 0.0))
    return Alignment(counts, occurrences)


def _align(
    pairs: Sequence[Pair], units: set[Unit], settings: AlignmentSettings, *, is_forced: bool
) -> Alignment:
    """Expected emissions with these units of several words, which may or must be read as one."""
    lattice = Lattice(
        plausible=_plausible(pairs, units, settings),
        units=units,
        longest=settings.longest,
        is_forced=is_forced,
        extra_word=settings.extra_word,
        unexplained=settings.unexplained,
    )
    for pair in pairs:
        lattice.add(pair)
    counts = lattice.run_em(settings.rounds, settings.smoothing)
    return Alignment(counts, lattice.occurrences)


def _collocations(pairs: Sequence[Pair], settings: AlignmentSettings) -> set[Unit]:
    """The units of several words that the rarest of their words is seldom without."""
    runs = Counter(
        pair.tokens[begin : begin + size]
        for pair in pairs
        for size in range(1, settings.longest + 1)
        for begin in range(len(pair.tokens) - size + 1)
    )
    return {
        run
        for run, count in runs.items()
        if len(run) > 1
        and BLANK not in run
        and count >= settings.min_rows
        and count >= settings.company * min(runs[word,] for word in run)
    }


def _plausible(
    pairs: Sequence[Pair], units: set[Unit], settings: AlignmentSettings
) -> set[Emission]:
    """The emissions worth a look: what a model without the "once" gives some probability.

    There every target chooses its unit by itself (IBM model 1), which is cheap. Units that are
    seldom seen keep all targets beside them: that model says nothing of use about them.
    """
    rows = [
        (
            [
                pair.tokens[begin : begin + size]
                for begin in range(len(pair.tokens))
                for size in range(1, settings.longest + 1)
                if size == 1 or pair.tokens[begin : begin + size] in units
            ],
            pair.targets,
        )
        for pair in pairs
    ]
    occurrences = Counter(unit for found, _ in rows for unit in found)
    weights: dict[Emission, float] = {}
    for _ in range(settings.rough_rounds):
        weights = _rough_round(rows, weights)
    return {
        (unit, target)
        for (unit, target), weight in weights.items()
        if occurrences[unit] <= settings.few or weight >= settings.min_share * occurrences[unit]
    }


def _rough_round(
    rows: Sequence[tuple[Sequence[Unit], Sequence[str]]], weights: Mapping[Emission, float]
) -> dict[Emission, float]:
    """One round of EM of IBM model 1; from no weights, everything is equally likely."""
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
    """Words that are hardly ever without some target, which is much rarer elsewhere.

    Of two words that always stand together ("run through") only one is aligned with their target;
    but the other one may come with a word never seen ("meanders through").
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
        if count >= settings.min_company
        and count >= settings.min_loyalty * with_word[word]
        and count * len(pairs) >= settings.min_lift * with_word[word] * with_target[target]
    )
