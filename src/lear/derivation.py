"""Derivations: small immutable trees of operations over primitives.

The meaning of a derivation is the fold of its operations over its leaves: the homomorphism of the
paper's Eq. 1. Spans are half-open. The tokens of a node's span that no child covers are its
function words. The functions here do not recurse, so they take trees of any depth; comparing and
reading JSON do, and refuse trees of more than some hundred levels.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from lear.algebra import Meaning, MeaningTable
from lear.errors import AlgebraError, DataError
from lear.lexicon import Primitive


class Leaf(msgspec.Struct, frozen=True, tag="leaf", tag_field="kind"):
    """A lexical node: a unit of the sentence read as a primitive."""

    begin: int
    end: int
    primitive: Primitive

    @property
    def children(self) -> tuple["Derivation", ...]:
        """A leaf has none."""
        return ()


class Node(msgspec.Struct, frozen=True, tag="node", tag_field="kind"):
    """An algebraic node: an operation applied to its children, left to right."""

    begin: int
    end: int
    operation: str
    children: tuple["Leaf | Node", ...]

    @property
    def word_positions(self) -> list[int]:
        """Where the function words stand that belong to this node."""
        covered = {i for child in self.children for i in range(child.begin, child.end)}
        return [i for i in range(self.begin, self.end) if i not in covered]

    def words(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """The function words that belong to this node."""
        return tuple(tokens[i] for i in self.word_positions)


Derivation = Leaf | Node
T = TypeVar("T")


def walk(derivation: Derivation) -> Iterator[tuple[int, Derivation]]:
    """Depth and node for each node, parents before children, left to right."""
    stack: list[tuple[int, Derivation]] = [(0, derivation)]
    while stack:
        depth, node = stack.pop()
        yield depth, node
        stack.extend((depth + 1, child) for child in reversed(node.children))


def fold(
    derivation: Derivation,
    leaf: Callable[[Leaf], T],
    node: Callable[[Node, tuple[T, ...]], T],
) -> T:
    """Replace each leaf and each node by a value, bottom up, and return the value of the root."""
    values: list[T] = []
    for _, part in reversed(list(walk(derivation))):
        if isinstance(part, Leaf):
            values.append(leaf(part))
        else:
            # Right-to-left pre-order leaves a node's children on top, the first one uppermost.
            arguments = tuple(values.pop() for _ in part.children)
            values.append(node(part, arguments))
    return values.pop()


def evaluate(
    derivation: Derivation,
    table: MeaningTable,
    ground: Callable[[Primitive, int, MeaningTable], Meaning],
) -> Meaning:
    """The meaning of a derivation; an operation that is not defined raises `AlgebraError`."""

    def apply(node: Node, arguments: tuple[Meaning, ...]) -> Meaning:
        operation = table.algebra.by_name.get(node.operation)
        if operation is None:
            raise AlgebraError(f"algebra {table.algebra.name} has no operation {node.operation!r}")
        meaning = table.apply(operation, arguments)
        if meaning is None:
            kinds = ", ".join(type(argument).__name__ for argument in arguments)
            raise AlgebraError(
                f"{operation.name} ({operation.signature}) is not defined on these {kinds} "
                f"at tokens {node.begin} to {node.end}"
            )
        return meaning

    return fold(derivation, lambda leaf: ground(leaf.primitive, leaf.begin, table), apply)


def to_json(derivation: Derivation) -> bytes:
    """One JSON object: `kind`, `begin`, `end`, and `primitive` or `operation` with `children`."""

    def node(part: Node, children: tuple[bytes, ...]) -> bytes:
        head = msgspec.json.encode(Node(part.begin, part.end, part.operation, ()))
        return head.removesuffix(b"]}") + b",".join(children) + b"]}"

    return fold(derivation, msgspec.json.encode, node)


def from_json(text: bytes) -> Derivation:
    """Read what `to_json` wrote."""
    try:
        return msgspec.json.decode(text, type=Leaf | Node)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DataError(f"not a derivation: {error}") from None
