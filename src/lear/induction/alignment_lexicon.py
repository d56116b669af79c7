"""Inducing a lexicon by alignment: the default for a language of one's own.

Words compete for the primitives of their rows (`lear.induction.alignment`), so a primitive goes to
the word that explains it best, and words beside it are left as function words. Covers
(`lear.induction.cover_lexicon`) are quicker, but where two words always stand together they give
the primitive to both.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from lear.core.lexicon import BLANK, Lexicon, Primitive, Unit
from lear.domain.example import Example, Gazetteer
from lear.induction.alignment import align
from lear.induction.alignment_lattice import NOTHING, Pair

MIN_COUNT = 0.5
"""Expected emissions of a primitive for it to become a candidate of a unit."""
MIN_SHARE = 0.05
"""The same, as a share of the unit's uses."""
ENOUGH = 200
"""A row is left out where all its words and primitives are in so many others."""


def alignment_inducer(
    domain: str, primitives_of: Callable[[Example], Iterable[Primitive]], *, once: bool = False
) -> Callable[[Sequence[Example], Gazetteer], Lexicon]:
    """A ready `Words.induce`: all that it needs to know is which primitives a row's form has.

    Args:
        domain: The lexicon's domain.
        primitives_of: A row -> the primitives that its words stand for, as often as words do.
        once: Whether forms repeat what is said once ("jump twice"), so that how often a primitive
            occurs says nothing: primitives and words then count once a row.
    """

    def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
        del gazetteer
        rows = [(row.tokens, tuple(primitives_of(row))) for row in examples]
        return induce_by_alignment(domain, rows, once=once)

    return induce


def induce_by_alignment(
    domain: str,
    rows: Sequence[tuple[tuple[str, ...], tuple[Primitive, ...]]],
    *,
    once: bool = False,
) -> Lexicon:
    """The lexicon of sentences with their primitives; `once` as for `alignment_inducer`."""
    names = {str(primitive): primitive for _, primitives in rows for primitive in primitives}
    pairs = [Pair(tokens, tuple(map(str, primitives))) for tokens, primitives in rows]
    if once:
        pairs = [Pair(_first_only(p.tokens), tuple(dict.fromkeys(p.targets))) for p in pairs]
    alignment = align(_telling(pairs))
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


def _telling(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs without those that only show what many others show: alignment is slow."""
    kept: list[Pair] = []
    seen: Counter[str] = Counter()
    for pair in random.Random(1).sample(pairs, len(pairs)):
        shown = {*pair.tokens, *pair.targets}
        if any(seen[name] < ENOUGH for name in shown):
            seen.update(shown)
            kept.append(pair)
    return kept


def _first_only(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Each word once; BLANK in place of its other occurrences."""
    return tuple(word if word not in tokens[:at] else BLANK for at, word in enumerate(tokens))
