"""A sentence as the lexicon reads it, and its skeleton: what a grammar sees of it.

A skeleton is a sentence without its content words: function words, and for each unit the category
that it has. Sentences with one skeleton have the same derivations, so work done for a skeleton is
done for all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from lear.core.lexicon import OVERLOOKED, Primitive

Span = tuple[int, int]
"""Half-open: the first token, and the one behind the last."""
Words = tuple[str | None, ...]
"""A word of a sentence as a function word; None where it cannot be one."""


MAX_SHARED = 5_000
"""How many different spans, or leaves, are kept to be shared."""
NO_CATEGORY = -3
"""In place of a category: the candidate that its unit stands for nothing."""


class CategoryLeaf(NamedTuple):
    """A unit of a sentence, by span and category."""

    begin: int
    end: int
    category: int


@lru_cache(maxsize=MAX_SHARED)
def shared_span(begin: int, end: int) -> Span:
    """One object for equal spans: what is remembered of many sentences takes less memory so."""
    return begin, end


@lru_cache(maxsize=MAX_SHARED)
def shared_leaf(begin: int, end: int, category: int) -> CategoryLeaf:
    """One object for equal leaves."""
    return CategoryLeaf(begin, end, category)


class Candidate(NamedTuple):
    """A leaf with one of the primitives behind it."""

    leaf: CategoryLeaf
    rank: int = 0
    """Which one, in the order of `Reading.primitives`."""


class Skeleton(NamedTuple):
    """What a grammar sees of a sentence; equal skeletons have equal charts."""

    words: Words
    leaves: tuple[CategoryLeaf, ...]

    @property
    def is_function_word(self) -> list[bool]:
        """For each token, whether it may be a function word."""
        return [word is not None for word in self.words]


@dataclass(frozen=True)
class Reading:
    """What the words of a sentence may stand for. Made by `SentenceReader`."""

    tokens: tuple[str, ...]
    skeleton: Skeleton
    primitives: dict[CategoryLeaf, tuple[Primitive, ...]]
    """The primitives behind each leaf, most frequent first. Where units may stand for nothing by
    choice, that is a leaf too, of `NO_CATEGORY`; the skeleton has none such."""
    has_choice: bool
    """Whether some span may stand for more than one primitive."""
    view: tuple[str, ...]
    """The tokens as a network sees them: names by their sorts, words never seen as unknown."""
    alike: Callable[[Primitive], Primitive]
    """Representative of a primitive's class, as in `Words.alike`."""

    @cached_property
    def units(self) -> dict[Span, tuple[Candidate, ...]]:
        """What each span may stand for."""
        groups: dict[Span, list[Candidate]] = {}
        for leaf, primitives in self.primitives.items():
            candidates = groups.setdefault((leaf.begin, leaf.end), [])
            candidates += (Candidate(leaf, rank) for rank in range(len(primitives)))
        return {span: tuple(group) for span, group in groups.items()}

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
    def overlooking(self) -> Skeleton:
        """The skeleton if every word may be overlooked, that is, be a function word; not names."""
        names = {
            position
            for leaf, primitives in self.primitives.items()
            if any(self.alike(primitive) != primitive for primitive in primitives)
            for position in range(leaf.begin, leaf.end)
        }
        words = tuple(
            OVERLOOKED if word is None and position not in names else word
            for position, word in enumerate(self.skeleton.words)
        )
        return Skeleton(words, self.skeleton.leaves)

    @property
    def meaningless_words(self) -> list[str]:
        """The words that are neither function words nor stand for anything."""
        covered = {p for leaf in self.skeleton.leaves for p in range(leaf.begin, leaf.end)}
        words = enumerate(self.skeleton.words)
        return [self.tokens[p] for p, word in words if word is None and p not in covered]

    def primitive(self, candidate: Candidate) -> Primitive:
        """What a candidate stands for."""
        return self.primitives[candidate.leaf][candidate.rank]
