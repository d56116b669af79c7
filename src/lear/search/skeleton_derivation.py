"""A program: a derivation of a skeleton, which any sentence with that skeleton can run."""

from dataclasses import dataclass
from typing import NamedTuple

from lear.core.algebra import Meaning, MeaningTable, Operation
from lear.core.derivation import Derivation, Leaf, Node, applying, fold
from lear.domain.domain import Domain
from lear.grammar.sentence_reading import Candidate, Reading


class Instruction(NamedTuple):
    """A node of a derivation."""

    label: Candidate | str
    """What stands at a leaf, or the name of an operation."""
    arity: int
    """0 at a leaf."""
    begin: int
    end: int

    @classmethod
    def leaf(cls, candidate: Candidate) -> "Instruction":
        """A leaf."""
        return cls(candidate, 0, candidate.leaf.begin, candidate.leaf.end)


@dataclass(frozen=True, slots=True)
class Program:
    """A derivation without its words, in post-order, and its score."""

    score: float
    instructions: tuple[Instruction, ...]

    def derivation(self, reading: Reading) -> Derivation:
        """The derivation of a sentence with this skeleton."""

        def leaf(at: Instruction) -> Derivation:
            return Leaf(at.begin, at.end, reading.primitive(_candidate(at)))

        def node(at: Instruction, children: tuple[Derivation, ...]) -> Derivation:
            return Node(at.begin, at.end, str(at.label), children)

        return fold(self.instructions, arity=_arity, leaf=leaf, node=node)

    def meaning(self, reading: Reading, domain: Domain) -> Meaning:
        """The meaning of a sentence with this skeleton; no derivation is built.

        Nothing is compared on the way, so the meanings of inner nodes are not interned.
        """
        table = MeaningTable(domain.language.algebra)
        by_name = domain.language.algebra.by_name
        ground = domain.words.ground

        def leaf(at: Instruction) -> Meaning:
            return ground(reading.primitive(_candidate(at)), at.begin, table)

        def operation(at: Instruction) -> Operation:
            return by_name[str(at.label)]

        node = applying(operation, lambda chosen, arguments: chosen.function(*arguments))
        return fold(self.instructions, arity=_arity, leaf=leaf, node=node)


def _arity(at: Instruction) -> int:
    return at.arity


def _candidate(at: Instruction) -> Candidate:
    assert isinstance(at.label, Candidate)  # only leaves have no arguments
    return at.label


class Decoded(NamedTuple):
    """What a decoder found for a sentence."""

    program: Program | None
    reason: str = ""
    """Why there is no program."""


NO_DERIVATION = Decoded(None, "no derivation")
