"""Which units can stand for one another, and which way each of them runs: from training pairs.

Two units are alike when they occur in one and the same context: the sentence around them with every
unit of their kind replaced by a blank. Units of one class are alike directly or through others; a
unit that is alike with much of two classes ("star": M0 's star, Did M0 star M1) is in both.
In one context all units of a class run the same way, from the outer variable to the inner one or
back, so comparing contexts tells the direction of each unit from that of any other. What is left
open is the direction of a class as a whole: it is that of its plainest uses.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from lear.core.lexicon import Primitive, Unit

LEAST_SHARE = 0.25
"""The share of a class that a unit must be alike with to belong to it."""


Sense = tuple[Unit, Primitive]
"""A unit in one of its meanings, directions apart."""


class Use(NamedTuple):
    """One occurrence of a unit in one of its meanings."""

    unit: Sense
    context: Hashable
    num_words: int
    """How many function words the sentence has: the fewer, the plainer the use."""
    direction: int
    """1 and -1 are the two directions of its relation; 0 where there is no telling."""


class WordClass(NamedTuple):
    """Units that can stand for one another, with the direction of each."""

    name: str
    """Its most frequent unit."""
    directions: dict[Sense, int]


def word_classes(uses: Iterable[Use]) -> list[WordClass]:
    """The classes, most frequent first."""
    evidence = _Evidence(uses)
    classes: list[list[Sense]] = []
    for unit in evidence.units:
        home = next((group for group in classes if evidence.belongs(unit, group)), None)
        if home is None:
            classes.append([unit])
        else:
            home.append(unit)
    members = [
        [unit for unit in evidence.units if unit in group or evidence.belongs(unit, group)]
        for group in classes
    ]
    return [
        WordClass(" ".join(group[0][0]), evidence.directions(group, extended))
        for group, extended in zip(classes, members, strict=True)
    ]


class _Evidence:
    """Contexts, and what happens to each unit in them."""

    def __init__(self, uses: Iterable[Use]) -> None:
        self.contexts: dict[Hashable, dict[Sense, int]] = defaultdict(dict)
        self.num_words: dict[Hashable, int] = {}
        counts: Counter[Sense] = Counter()
        for use in uses:
            counts[use.unit] += 1
            votes = self.contexts[use.context]
            votes[use.unit] = votes.get(use.unit, 0) + use.direction
            self.num_words[use.context] = use.num_words
        self.units = sorted(counts, key=lambda unit: (-counts[unit], unit))
        self.agreement: Counter[tuple[Sense, Sense]] = Counter()
        self.alike: dict[Sense, set[Sense]] = {unit: set() for unit in self.units}
        for votes in self.contexts.values():
            for first, one in votes.items():
                for second, other in votes.items():
                    if first != second:
                        self.alike[first].add(second)
                        self.agreement[first, second] += _sign(one * other)

    def belongs(self, unit: Sense, group: list[Sense]) -> bool:
        """Whether a unit is alike with enough of a class."""
        return len(self.alike[unit].intersection(group)) >= LEAST_SHARE * len(group)

    def directions(self, group: list[Sense], extended: list[Sense]) -> dict[Sense, int]:
        """The direction of each member, found from member to member, strongest links first."""
        found: dict[Sense, int] = {}
        left = list(extended)
        while left:
            # A unit is placed by those of the class proper; the first of a class has no one before.
            known = [unit for unit in found if unit in group]
            votes = {
                unit: sum(self.agreement[unit, other] * found[other] for other in known)
                for unit in left
            }
            unit = max(left, key=lambda u: (u in group, abs(votes[u]), -left.index(u)))
            found[unit] = _sign(votes[unit]) or 1
            left.remove(unit)
        # Members that are of other classes too do not speak for this one.
        turn = self._base_direction({unit: found[unit] for unit in group})
        return {unit: direction * turn for unit, direction in found.items()}

    def _base_direction(self, directions: dict[Sense, int]) -> int:
        by_words: Counter[int] = Counter()
        for context, votes in self.contexts.items():
            for unit, vote in votes.items():
                if unit in directions and vote:
                    by_words[self.num_words[context]] += _sign(vote) * directions[unit]
        for _, total in sorted(by_words.items()):
            if total:
                return _sign(total)
        return 1


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
