"""Word classes of units, and the directions of their relations, from training rows.

Two units are alike if they occur in the same context: the rest of the sentence, with each unit in
it replaced by its type. A unit joins a class if it is alike with enough members. It can be in two
classes ("star": M0 's star, Did M0 star M1).

In one context, the relations of all units of a class have the same direction, from the outer
variable to the inner one or back. So the direction of one member gives those of all others. The
direction of the class as a whole is that of its uses with the fewest function words.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from lear.core.lexicon import Primitive, Unit

MIN_SHARE = 0.25
"""The share of a class that a unit must be alike with to belong to it."""

Sense = tuple[Unit, Primitive]
"""A unit with one of its primitives, regardless of direction."""


class Use(NamedTuple):
    """One occurrence of a unit in one of its senses."""

    unit: Sense
    context: Hashable
    num_words: int
    """Function words of the sentence."""
    direction: int
    """1 or -1 for the two directions of a relation; 0 if it has none."""


class WordClass(NamedTuple):
    """Units that can replace one another, with the direction of each."""

    name: str
    """Its most frequent unit."""
    directions: dict[Sense, int]


def word_classes(uses: Iterable[Use]) -> list[WordClass]:
    """The classes, most frequent first."""
    evidence = _Evidence(uses)
    classes: list[list[Sense]] = []
    for unit in evidence.units:
        own_class = next((members for members in classes if evidence.belongs(unit, members)), None)
        if own_class is None:
            classes.append([unit])
        else:
            own_class.append(unit)
    # Units whose own class is another one may belong to a class too.
    extended_classes = [
        [unit for unit in evidence.units if unit in members or evidence.belongs(unit, members)]
        for members in classes
    ]
    return [
        WordClass(" ".join(members[0][0]), evidence.directions(members, extended))
        for members, extended in zip(classes, extended_classes, strict=True)
    ]


class _Evidence:
    """Contexts with the directions of the units in them, and which units are alike."""

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

    def belongs(self, unit: Sense, members: list[Sense]) -> bool:
        """Whether a unit is alike with enough members of a class."""
        return len(self.alike[unit].intersection(members)) >= MIN_SHARE * len(members)

    def directions(self, members: list[Sense], extended: list[Sense]) -> dict[Sense, int]:
        """The direction of each unit of an extended class.

        Units are decided one by one, members first, and clear votes before unclear ones. Only
        members vote: units of other classes do not speak for this one.
        """
        directions: dict[Sense, int] = {}
        undecided = list(extended)
        while undecided:
            voters = [unit for unit in directions if unit in members]
            votes = {
                unit: sum(self.agreement[unit, other] * directions[other] for other in voters)
                for unit in undecided
            }
            unit = max(undecided, key=lambda u: (u in members, abs(votes[u]), -undecided.index(u)))
            directions[unit] = _sign(votes[unit]) or 1
            undecided.remove(unit)
        turn = self._base_direction({unit: directions[unit] for unit in members})
        return {unit: direction * turn for unit, direction in directions.items()}

    def _base_direction(self, directions: dict[Sense, int]) -> int:
        """1 if these directions agree with the uses with the fewest function words, else -1."""
        by_num_words: Counter[int] = Counter()
        for context, votes in self.contexts.items():
            for unit, vote in votes.items():
                if unit in directions and vote:
                    by_num_words[self.num_words[context]] += _sign(vote) * directions[unit]
        for _, total in sorted(by_num_words.items()):
            if total:
                return _sign(total)
        return 1


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
