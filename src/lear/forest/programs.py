"""A program: a derivation of a skeleton, which any sentence with that skeleton can run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from lear.algebra.algebra import Meaning, MeaningTable, Operation
from lear.algebra.derivations import Derivation, Leaf, Node, applying, fold
from lear.domain import Domain
from lear.grammar.reading import MAX_SHARED, Candidate, Reading, Span, shared_leaf
from lear.grammar.rules import Rule, make_rule, scored_as
from lear.lexicon.lexicon import OVERLOOKED


class Instruction(NamedTuple):
    """A node of a derivation."""

    label: Any
    """The candidate at a leaf, or the name of an operation."""
    arity: int
    """0 at a leaf."""
    begin: int
    end: int

    @classmethod
    def leaf(cls, candidate: Candidate) -> "Instruction":
        """Return a leaf."""
        return cls(candidate, 0, candidate.leaf.begin, candidate.leaf.end)


@lru_cache(maxsize=MAX_SHARED)
def shared_node(operation: str, arity: int, begin: int, end: int) -> Instruction:
    """Return one object for equal nodes: so what is remembered takes less memory."""
    return Instruction(operation, arity, begin, end)


@lru_cache(maxsize=MAX_SHARED)
def shared_unit(begin: int, end: int, category: int, rank: int) -> Instruction:
    """Return one object for equal leaves."""
    return Instruction.leaf(Candidate(shared_leaf(begin, end, category), rank))


Visit = Callable[[Instruction, tuple[Meaning, ...], Meaning], None]
"""Is shown a node with the meanings of its arguments, and its own."""


@dataclass(frozen=True, slots=True)
class Program:
    """A derivation without its words, in post-order, and its score."""

    score: float
    instructions: tuple[Instruction, ...]

    def derivation(self, reading: Reading) -> Derivation:
        """Return the derivation of a sentence with this skeleton."""

        def leaf(at: Instruction) -> Derivation:
            return Leaf(at.begin, at.end, reading.primitive(at.label))

        def node(at: Instruction, children: tuple[Derivation, ...]) -> Derivation:
            return Node(at.begin, at.end, at.label, children)

        return fold(self.instructions, arity=_arity, leaf=leaf, node=node)

    def meaning(self, reading: Reading, domain: Domain, visit: Visit | None = None) -> Meaning:
        """Return the meaning of a sentence with this skeleton; no derivation is built.

        Nothing is compared on the way, so the meanings of inner nodes are not interned.

        Args:
            reading: The sentence.
            domain: Its operations and primitives.
            visit: Is shown every node, children first.
        """
        table = MeaningTable(domain.language.algebra)
        by_name = domain.language.algebra.by_name
        ground = domain.words.ground

        def operation(at: Instruction) -> Operation:
            return by_name[at.label]

        def apply(at: Instruction, arguments: tuple[Meaning, ...]) -> Meaning | None:
            try:
                return operation(at).function(*arguments)
            except (AttributeError, TypeError):
                # Somebody's model says that an operation takes what it does not.
                if operation(at) in domain.language.algebra.candidates(*arguments):
                    raise
                return None

        def leaf(at: Instruction) -> Meaning:
            return ground(reading.primitive(at.label), at.begin, table)

        node = applying(apply, operation)
        if visit is None:
            return fold(self.instructions, arity=_arity, leaf=leaf, node=node)

        def shown(at: Instruction, arguments: tuple[Meaning, ...]) -> Meaning:
            meaning = node(at, arguments) if at.arity else leaf(at)
            visit(at, arguments, meaning)
            return meaning

        return fold(self.instructions, arity=_arity, leaf=lambda at: shown(at, ()), node=shown)


_arity = attrgetter("arity")


class Decoded(NamedTuple):
    """What a decoder found for a sentence."""

    program: Program | None
    reason: str = ""
    """Why there is no program."""
    search: int = 0
    """Which of the decoder's searches found it: 0 is the one that it prefers."""
    is_overlooking: bool = False
    """Whether words that have a meaning may have been overlooked."""
    is_beyond_limits: bool = False
    """Whether the search was given up."""
    is_exhaustive: bool = False
    """Whether only a search that drops nothing found it."""
    spent: int = 0
    """Combinations that were taken from the budget of its sentence."""
    pieces: tuple[Span, ...] = ()
    """Where there is no derivation: the fewest phrases that the sentence falls into, if known."""

    @property
    def is_dead_end(self) -> bool:
        """True if everything was tried, and there is no derivation."""
        return self.program is None and not self.is_beyond_limits


NO_DERIVATION = Decoded(None, "no derivation")


def rules_of_program(program: Program, reading: Reading, domain: Domain) -> list[Rule]:
    """Return what each operation's rule is scored as, children first; a word may be overlooked."""
    words = tuple(OVERLOOKED if word is None else word for word in reading.skeleton.words)
    symbols: list[tuple[str, ...]] = []

    def visit(at: Instruction, arguments: tuple[Meaning, ...], meaning: Meaning) -> None:
        del meaning
        if at.arity:
            symbols.append(domain.syntax.rule_symbols(at.label, arguments))

    program.meaning(reading, domain, visit)
    rules: list[Rule] = []

    def node(at: Instruction, children: tuple[Span, ...]) -> Span:
        borders = (at.begin, *(border for child in children for border in child), at.end)
        gaps = [words[a:b] for a, b in zip(borders[::2], borders[1::2], strict=True)]
        rule = make_rule(at.label, symbols[len(rules)], gaps)
        rules.append(scored_as(domain.syntax, rule))
        return at.begin, at.end

    span = attrgetter("begin", "end")
    fold(program.instructions, arity=_arity, leaf=span, node=node)
    return rules
