"""What rows consist of, and what their nodes can become, as plain values."""

from collections.abc import Sequence
from typing import NamedTuple

from lear.core.lexicon import Primitive, Unit
from lear.grammar.category_table import Combination

NONE = -1
OPEN = 0
"""The class of a node that is no nonterminal; nonterminals have the classes from 1 on."""


class Phrase(NamedTuple):
    """What a piece contains: a constituent or none, function words, or words of a unit to be."""

    category: int = NONE
    """Of the constituent inside; NONE for words alone."""
    before: int = 0
    """Function words before the constituent, or all of them where there is none."""
    after: int = 0
    is_trailing: bool = False
    """Whether its last function words are followed by nothing but function words in the sentence;
    only kept where `Shape.after` asks for it."""
    words: Unit = ()
    """Words of a unit that is not whole yet; empty where they are of none."""
    unit: Unit = ()
    """The whole of it."""

    @property
    def is_phrase(self) -> bool:
        """Whether it holds a constituent or function words."""
        return self.category != NONE or self.before > 0


class Piece(NamedTuple):
    """One element of a row."""

    state: int
    """What its upward message is computed from."""
    phrase: Phrase


class Plan(NamedTuple):
    """What a node could become, before it is made: most pairs cannot become anything."""

    open: Phrase | None = None
    """What it would contain, should the node stay open."""
    units: Sequence[tuple[int, tuple[Primitive, ...]]] = ()
    """Primitives by category, should it be lexical."""
    combinations: Sequence[Combination] = ()
    """Operations, should it be algebraic."""


NO_PLAN = Plan()


class Option(NamedTuple):
    """Something a node can become: stay open, or be a nonterminal with an operation."""

    node_class: int
    """The class to be drawn for it; NONE where the lexicon decides and nothing is drawn."""
    operation: int
    """Number of the operation of an algebraic node; NONE for open and for lexical nodes."""
    piece: int
    category: int = NONE
    """Of a leaf whose unit has several candidates: the category of those that it stands for,
    `NO_CATEGORY` where that is nothing."""
    is_open: bool = False


class Leaves(NamedTuple):
    """What the row of a sentence begins with: its tokens, or its units where they are found."""

    points: Sequence[int]
    """Choice points; NONE for what can be nothing."""
    begins: Sequence[int]
    """Where each one begins, and the number of tokens at the end."""


class ChoicePoint(NamedTuple):
    """A node and its options: legal ones only, so that illegal actions have probability zero."""

    state: int
    options: tuple[Option, ...]
