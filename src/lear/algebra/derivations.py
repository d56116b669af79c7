"""Derivations: small immutable trees of operations over primitives.

The meaning of a derivation is the fold of its operations over its leaves. Spans are half-open. The
tokens of a node's span that no child covers are its function words. Here is also the one post-order
and the one evaluation of trees, whatever their nodes look like: search and rollouts have their own.
No function recurses, so trees may have any depth. Only comparing derivations and reading them from
JSON recurse, and refuse trees of more than some hundred levels.

Derivations with notes on their nodes, as JSON: what a reader wants to see of each step.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from lear.algebra.algebra import Meaning, MeaningTable, Operation, Primitive
from lear.errors import AlgebraError, DataError
from lear.storage.files import NOT_JSON


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
N = TypeVar("N")
T = TypeVar("T")


def walk(derivation: Derivation) -> Iterator[tuple[int, Derivation]]:
    """Depth and node for each node, parents before children, left to right."""
    stack: list[tuple[int, Derivation]] = [(0, derivation)]
    while stack:
        depth, node = stack.pop()
        yield depth, node
        stack.extend((depth + 1, child) for child in reversed(node.children))


def post_order(root: N, children: Callable[[N], Iterable[N]]) -> list[N]:
    """The nodes of any tree, children before their parents, left to right."""
    order: list[N] = []
    stack = [root]
    while stack:  # parents first, right to left; read backwards that is the post-order
        node = stack.pop()
        order.append(node)
        stack.extend(children(node))
    order.reverse()
    return order


def fold(
    nodes: Iterable[N],
    *,
    arity: Callable[[N], int],
    leaf: Callable[[N], T],
    node: Callable[[N, tuple[T, ...]], T],
) -> T:
    """The value of a tree given in post-order: leaves push a value, nodes replace their arguments.

    Args:
        nodes: The tree in post-order.
        arity: How many children a node has; 0 at a leaf.
        leaf: The value of a leaf.
        node: The value of a node, from the values of its children.
    """
    stack: list[T] = []
    for part in nodes:
        count = arity(part)
        if count == 0:
            stack.append(leaf(part))
        else:
            arguments = tuple(stack[-count:])
            del stack[-count:]
            stack.append(node(part, arguments))
    return stack.pop()


def applying(
    apply: Callable[[N, tuple[Meaning, ...]], Meaning | None],
    operation: Callable[[N], Operation],
) -> Callable[[N, tuple[Meaning, ...]], Meaning]:
    """For `fold`: the meaning of a node is its operation, applied to the meanings of its children.

    A fold with it is the homomorphism of the paper's Eq. 1. An operation that is not defined on
    its arguments raises `AlgebraError`.

    Args:
        apply: Applies the operation of a node.
        operation: The operation of a node, for the error.
    """

    def node(part: N, arguments: tuple[Meaning, ...]) -> Meaning:
        meaning = apply(part, arguments)
        if meaning is None:
            refused = operation(part)
            types = ", ".join(type(argument).__name__ for argument in arguments)
            raise AlgebraError(
                f"{refused.name} ({refused.signature}) is not defined on these {types} "
                "(if a model joined them, their category promises too much: `lear check`)"
            )
        return meaning

    return node


def fold_derivation(
    derivation: Derivation,
    leaf: Callable[[Leaf], T],
    node: Callable[[Node, tuple[T, ...]], T],
) -> T:
    """Replace each leaf and each node of a derivation by a value, bottom up.

    A node without children, which no algebra has, raises `AlgebraError`.
    """

    def leaf_value(part: Derivation) -> T:
        if isinstance(part, Node):
            raise AlgebraError(f"operation {part.operation!r} has no arguments")
        return leaf(part)

    def node_value(part: Derivation, children: tuple[T, ...]) -> T:
        assert isinstance(part, Node)  # a leaf has no children
        return node(part, children)

    return fold(
        post_order(derivation, lambda part: part.children),
        arity=lambda part: len(part.children),
        leaf=leaf_value,
        node=node_value,
    )


def evaluate(
    derivation: Derivation,
    table: MeaningTable,
    ground: Callable[[Primitive, int, MeaningTable], Meaning],
) -> Meaning:
    """The meaning of a derivation; an operation that is not defined raises `AlgebraError`."""

    def leaf(node: Leaf) -> Meaning:
        return ground(node.primitive, node.begin, table)

    def operation(node: Node) -> Operation:
        return table.algebra.operation(node.operation)

    def apply(node: Node, arguments: tuple[Meaning, ...]) -> Meaning | None:
        return table.apply(operation(node), arguments)

    return fold_derivation(derivation, leaf, applying(apply, operation))


def to_json(derivation: Derivation) -> bytes:
    """One JSON object: `kind`, `begin`, `end`, and `primitive` or `operation` with `children`."""

    def node(part: Node, children: tuple[bytes, ...]) -> bytes:
        head = msgspec.json.encode(Node(part.begin, part.end, part.operation, ()))
        return head.removesuffix(b"]}") + b",".join(children) + b"]}"

    return fold_derivation(derivation, msgspec.json.encode, node)


def from_json(text: bytes) -> Derivation:
    """Read what `to_json` wrote."""
    try:
        return msgspec.json.decode(text, type=Leaf | Node)
    except NOT_JSON as error:
        raise DataError(f"not a derivation: {error}") from None


class NodeNote(NamedTuple):
    """What there is to know of a node."""

    symbol: str
    """What a rule above it shows of it: its category, or less."""
    meaning: str
    """Of its part of the sentence."""
    score: float | None
    """What its own operation or primitive adds to the score of the derivation; None where steps
    have no scores of their own."""
    order: int
    """When it was built, counted from 0: children come before their parents."""


def explained_json(
    derivation: Derivation, tokens: tuple[str, ...], notes: Sequence[NodeNote]
) -> bytes:
    """A derivation as `to_json` writes it, with more fields in each node: what `explain` found.

    Beside those, `span` is its begin and end, `words` all words of it, and `function_words` those
    that belong to the node itself.
    """
    remaining = iter(notes)  # the fold goes in post-order, too

    def described(part: Derivation, fields: dict[str, Any]) -> bytes:
        note = next(remaining)
        words = tokens[part.begin : part.end]
        span = (part.begin, part.end)
        extra = {"span": span, "words": words, **fields, **note._asdict()}
        return msgspec.json.encode(extra)[1:-1]

    def leaf(part: Leaf) -> bytes:
        return (
            msgspec.json.encode(part)[:-1]
            + b","
            + described(part, {"function_words": ()})
            + b',"children":[]}'
        )

    def node(part: Node, children: tuple[bytes, ...]) -> bytes:
        head = msgspec.json.encode(Node(part.begin, part.end, part.operation, ()))
        more = described(part, {"function_words": part.words(tokens)})
        inner = b",".join(children)
        return head.removesuffix(b'"children":[]}') + more + b',"children":[' + inner + b"]}"

    return fold_derivation(derivation, leaf, node)
