"""The grammar over categories: rules, skeletons of sentences, and charts of all legal derivations.

A skeleton is a sentence without its content words: function words, and for each unit the category
that it has. Sentences with one skeleton have the same derivations, so work done for a skeleton is
done for all of them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lear.algebra import MeaningTable
from lear.categories import CategoryTable
from lear.chart import DEFAULT_BUDGET, Budget, Chart, Item, LeafValue, search
from lear.domain import Domain
from lear.lexicon import UNKNOWN, Lexicon, Primitive, Unit
from lear.rules import Rule, make_rule


class CategoryLeaf(NamedTuple):
    """A unit of a sentence, by span and category."""

    begin: int
    end: int
    category: int


class Candidate(NamedTuple):
    """A leaf with one of the primitives behind it."""

    leaf: CategoryLeaf
    rank: int = 0
    """Which one, in the order of `Reading.candidates`."""


Span = tuple[int, int]
Words = tuple[str | None, ...]


class Skeleton(NamedTuple):
    """What a grammar sees of a sentence; equal skeletons have equal charts."""

    words: Words
    """Function words; None where a content word stands."""
    leaves: tuple[CategoryLeaf, ...]


@dataclass(frozen=True)
class Reading:
    """A sentence as the lexicon reads it."""

    tokens: tuple[str, ...]
    skeleton: Skeleton
    candidates: dict[CategoryLeaf, tuple[Primitive, ...]]
    """The primitives behind each leaf, most frequent first."""
    has_choice: bool
    """Whether some span may stand for more than one primitive."""
    view: tuple[str, ...]
    """The tokens as a model sees them: names by their sorts, words never seen as unknown."""
    alike: Callable[[Primitive], Primitive]
    """What a model takes a primitive for."""

    @cached_property
    def units(self) -> dict[Span, tuple[Candidate, ...]]:
        """What each span may stand for."""
        found: dict[Span, list[Candidate]] = {}
        for leaf, primitives in self.candidates.items():
            candidates = found.setdefault((leaf.begin, leaf.end), [])
            candidates += (Candidate(leaf, rank) for rank in range(len(primitives)))
        return {span: tuple(group) for span, group in found.items()}

    @cached_property
    def choices(self) -> dict[Span, tuple[Candidate, ...]]:
        """The spans that may stand for more than one primitive, and for which."""
        if not self.has_choice:
            return {}
        return {span: group for span, group in self.units.items() if len(group) > 1}

    @cached_property
    def hidden_choices(self) -> dict[Span, tuple[Candidate, ...]]:
        """The choices that a grammar cannot see: between primitives of one category."""
        return {
            span: group
            for span, group in self.choices.items()
            if any(candidate.rank for candidate in group)
        }

    @cached_property
    def relaxed(self) -> Skeleton:
        """The skeleton if every word may be a function word, but for names."""
        names = {
            place
            for leaf, primitives in self.candidates.items()
            if any(self.alike(primitive) != primitive for primitive in primitives)
            for place in range(leaf.begin, leaf.end)
        }
        words = tuple(
            UNKNOWN if word is None and place not in names else word
            for place, word in enumerate(self.skeleton.words)
        )
        return Skeleton(words, self.skeleton.leaves)

    def primitive(self, candidate: "Candidate") -> Primitive:
        """What a candidate stands for."""
        return self.candidates[candidate.leaf][candidate.rank]


class UnitReading(NamedTuple):
    """What a unit may be."""

    word: str | None
    """Itself, if it may be a function word."""
    view: tuple[str, ...]
    """Its tokens as a model sees them."""
    primitives: list[tuple[int, tuple[Primitive, ...]]]
    """By category."""


class Analyser:
    """Turns sentences into skeletons; remembers what it found out about each word."""

    def __init__(self, domain: Domain, lexicon: Lexicon, categories: CategoryTable) -> None:
        self.domain = domain
        self.lexicon = lexicon
        self.categories = categories
        self._table = MeaningTable(domain.algebra)
        self._units: dict[Unit, UnitReading] = {}

    def read(self, tokens: tuple[str, ...]) -> Reading:
        """The skeleton of a sentence, and which primitives are behind its leaves."""
        candidates: dict[CategoryLeaf, tuple[Primitive, ...]] = {}
        words: list[str | None] = []
        view: list[str] = []
        has_choice = False
        begin = 0
        for unit in self.lexicon.segment(tokens):
            word, shown, found = self.unit(unit)
            words += [word] * len(unit)
            view += shown
            end = begin + len(unit)
            has_choice |= len(found) > 1
            for category, primitives in found:
                candidates[CategoryLeaf(begin, end, category)] = primitives
                has_choice |= len(primitives) > 1
            begin = end
        skeleton = Skeleton(tuple(words), tuple(candidates))
        return Reading(tokens, skeleton, candidates, has_choice, tuple(view), self.domain.alike)

    def leaf_categories(self) -> set[int]:
        """The categories that units of the lexicon, and unknown words, can have."""
        known = (e.primitive for entries in self.lexicon.units.values() for e in entries)
        unknown = (p for word in ("word", "Word") for p in self.domain.unknown(word))
        return {category for category, _ in self.by_category((*known, *unknown))}

    def unit(self, unit: Unit) -> "UnitReading":
        """What a unit may be."""
        known = self._units.get(unit)
        if known is None:
            mentions = self.lexicon.mentions(unit, self.domain.guesses(self.lexicon))
            primitives = [mention.primitive for mention in mentions]
            word = self.lexicon.function_word(unit[0]) if len(unit) == 1 else None
            known = UnitReading(
                word, self.domain.view(self.lexicon, unit, primitives), self.by_category(primitives)
            )
            if self.lexicon.words.issuperset(unit):  # what is unknown is without end
                self._units[unit] = known
        return known

    def by_category(
        self, primitives: Iterable[Primitive]
    ) -> list[tuple[int, tuple[Primitive, ...]]]:
        """Primitives grouped by the category of their meanings."""
        groups: dict[int, list[Primitive]] = {}
        for primitive in primitives:
            # Where a unit stands does not change its category.
            meaning = self.domain.ground(primitive, 0, self._table)
            groups.setdefault(self.categories.number(meaning), []).append(primitive)
        return [(category, tuple(group)) for category, group in groups.items()]


class Grammar:
    """Numbered rules over categories: all that are legal, found as they are met, or only some."""

    def __init__(self, categories: CategoryTable, only: Iterable[Rule] | None = None) -> None:
        self.categories = categories
        self.rules: list[Rule] = []
        self._numbers: dict[Rule, int] = {}
        self._only = None if only is None else frozenset(only)
        self._applications: dict[tuple[object, ...], tuple[tuple[int, int], ...]] = {}

    def number(self, rule: Rule) -> int:
        """The number of a rule."""
        if rule not in self._numbers:
            self._numbers[rule] = len(self.rules)
            self.rules.append(rule)
        return self._numbers[rule]

    def chart(self, skeleton: Skeleton, budget: Budget = DEFAULT_BUDGET) -> Chart[int]:
        """All derivations of a skeleton: values are categories, labels are rules' numbers."""
        words = skeleton.words

        def combine(
            begin: int, end: int, children: tuple[Item[int], ...]
        ) -> tuple[tuple[int, int], ...]:
            first, last = children[0], children[-1]
            if first is last:
                before, after = words[begin : first.begin], words[first.end : end]
                return self.unary_applications(before, first.value, after)
            return self.binary_applications(first.value, words[first.end : last.begin], last.value)

        return search(
            (LeafValue(begin, end, None, value) for begin, end, value in skeleton.leaves),
            [word is not None for word in words],
            combine,
            shape=self.categories.domain.shape,
            budget=budget,
        )

    def unary_applications(
        self, before: Words, category: int, after: Words
    ) -> tuple[tuple[int, int], ...]:
        """The (rule, result) pairs of one constituent with words around it."""
        return self._apply((before, category, after), (category,), (before, after))

    def binary_applications(
        self, left: int, between: Words, right: int
    ) -> tuple[tuple[int, int], ...]:
        """The (rule, result) pairs of two constituents with words between them."""
        return self._apply((left, between, right), (left, right), ((), between, ()))

    def _apply(
        self, key: tuple[object, ...], categories: tuple[int, ...], gaps: tuple[Words, ...]
    ) -> tuple[tuple[int, int], ...]:
        known = self._applications.get(key)
        if known is None:
            found = []
            for step in self.categories.steps(categories):
                rule = make_rule(step.operation, step.symbols, gaps)
                if self._only is None or rule in self._only:
                    found.append((self.number(rule), step.result))
            known = self._applications[key] = tuple(found)
        return known

    def complete_items(self, chart: Chart[int]) -> list[Item[int]]:
        """The items over the whole sentence that can be answers."""
        items = chart.cell(0, chart.num_tokens)
        return [item for item in items if self.categories.is_complete(item.value)]
