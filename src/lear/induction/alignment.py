"""Which units emit which targets: EM over the alignments of sentences with their meanings.

The targets of a sentence are the functions and constants of its meaning. An alignment cuts the
sentence into units; each unit emits one target or nothing, and each target is emitted once. This
"once" makes words compete: in "the capital of the state", "state" leaves the target `capital` to
"capital". A multi-word unit pays for its length, so it is used only where its single words would
be unlikely to emit the target, as in "united states". The sum over all alignments is exact
(`lear.induction.alignment_lattice`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from lear.core.lexicon import BLANK, Unit
from lear.induction.alignment_lattice import Emission, Lattice, Pair


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
    """Whether it is learned how often each target is unsaid; `unexplained` is where that begins."""
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
        """Unit -> how often it is expected to be used as one."""
        totals: dict[Unit, float] = {}
        for (unit, _), count in self.counts.items():
            totals[unit] = totals.get(unit, 0.0) + count
        return totals


def align(
    pairs: Sequence[Pair],
    settings: AlignmentSettings = DEFAULT,
    bonus: Mapping[Emission, float] | None = None,
) -> Alignment:
    """Expected emissions, in two passes: select the multi-word units, then align with them.

    Args:
        pairs: Sentences and targets.
        settings: Of the alignment.
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
    """How many different sets, with repetitions, can be made of targets."""
    return prod(count + 1 for count in Counter(targets).values())


def align_all(
    pairs: Sequence[Pair],
    settings: Sequence[AlignmentSettings],
    bonus: Mapping[Emission, float] | None = None,
) -> Alignment:
    """Several alignments merged, one for each of the settings; the largest counts are kept.

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
    """Expected emissions with these multi-word units; if forced, every occurrence is one."""
    lattice = Lattice(
        plausible=_telling(_plausible(pairs, units, settings), pairs, settings, bonus),
        units=units,
        longest=settings.max_words,
        is_forced=is_forced,
        extra_word=settings.extra_word,
        unexplained=settings.unexplained,
        learns_silence=settings.learns_silence,
        bonus=bonus,
    )
    for pair in pairs:
        lattice.add(pair)
    counts = lattice.run_em(settings.rounds, settings.smoothing)
    return Alignment(counts, lattice.occurrences, lattice.silent_counts, len(pairs))


def _collocations(pairs: Sequence[Pair], settings: AlignmentSettings) -> set[Unit]:
    """The runs of words that make up most occurrences of their rarest word."""
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
    """The emissions that get some probability without the "once".

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
    """Without the emissions of targets that nearly all pairs have."""
    if settings.max_spread >= 1:
        return emissions
    spread = Counter(target for pair in pairs for target in set(pair.targets))
    everywhere = {t for t, count in spread.items() if count > settings.max_spread * len(pairs)}
    return {e for e in emissions if e[1] not in everywhere or e in bonus}


def _rough_round(
    rows: Sequence[tuple[Sequence[Unit], Sequence[str]]], weights: Mapping[Emission, float]
) -> dict[Emission, float]:
    """One round of EM of IBM model 1; without weights, all emissions are equally likely."""
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
    """Pairs of a word and a target that nearly all its rows have, and few other rows.

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
