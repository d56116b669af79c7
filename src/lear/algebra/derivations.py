"""Derivations: small immutable trees of operations over primitives, folded, and as JSON.

The meaning of a derivation is the fold of its operations over its leaves. Spans are half-open. The
tokens of a node's span that no child covers are its function words. Here is also the one post-order
and the one fold of trees, whatever their nodes look like: search and rollouts have their own. No
function recurses, so trees may have any depth. Only comparing derivations and reading them from
JSON recurse, and refuse trees of more than some hundred levels.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

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
        """Return nothing: a leaf has no children."""
        return ()


class Node(msgspec.Struct, frozen=True, tag="node", tag_field="kind"):
    """An algebraic node: an operation applied to its children, left to right."""

    begin: int
    end: int
    operation: str
    children: tuple["Leaf | Node", ...]

    @property
    def word_positions(self) -> list[int]:
        """Return where the function words stand that belong to this node."""
        covered = {i for child in self.children for i in range(child.begin, child.end)}
        return [i for i in range(self.begin, self.end) if i not in covered]

    def words(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """Return the function words that belong to this node."""
        return tuple(tokens[i] for i in self.word_positions)


Derivation = Leaf | Node
N = TypeVar("N")
T = TypeVar("T")


def walk(derivation: Derivation) -> Iterator[tuple[int, Derivation]]:
    """Give depth and node for each node, parents before children, left to right."""
    stack: list[tuple[int, Derivation]] = [(0, derivation)]
    while stack:
        depth, node = stack.pop()
        yield depth, node
        stack.extend((depth + 1, child) for child in reversed(node.children))


def post_order(root: N, children: Callable[[N], Iterable[N]]) -> list[N]:
    """Return the nodes of any tree, children before their parents, left to right."""
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
    """Return the value of a tree in post-order: leaves have values, nodes replace their arguments.

    Args:
        nodes: The tree in post-order.
        arity: Node -> how many children it has; 0 at a leaf.
        leaf: Leaf -> its value.
        node: Node and the values of its children -> its value.
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
    """Return a `node` for `fold` that applies operations: the homomorphism of the paper's Eq. 1.

    It raises `AlgebraError` where an operation is not defined on its arguments.

    Args:
        apply: Applies the operation of a node to meanings.
        operation: Node -> its operation, for the error.
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
    """Return the meaning of a derivation; raise `AlgebraError` if an operation is not defined."""

    def leaf(node: Leaf) -> Meaning:
        return ground(node.primitive, node.begin, table)

    def operation(node: Node) -> Operation:
        return table.algebra.operation(node.operation)

    def apply(node: Node, arguments: tuple[Meaning, ...]) -> Meaning | None:
        return table.apply(operation(node), arguments)

    return fold_derivation(derivation, leaf, applying(apply, operation))


def _json(derivation: Derivation, extra: Callable[[Derivation], dict[str, object]]) -> bytes:
    """Return a derivation as one JSON object, with more fields in each node before its children."""

    def leaf(part: Leaf) -> bytes:
        return msgspec.json.encode({**msgspec.to_builtins(part), **extra(part)})

    def node(part: Node, children: tuple[bytes, ...]) -> bytes:
        own = {"kind": "node", "begin": part.begin, "end": part.end, "operation": part.operation}
        inner = {"children": tuple(map(msgspec.Raw, children))}
        return msgspec.json.encode({**own, **extra(part), **inner})

    return fold_derivation(derivation, leaf, node)


def to_json(derivation: Derivation) -> bytes:
    """Return one JSON object: `kind`, `begin`, `end`, `primitive` or `operation`, `children`."""
    return _json(derivation, lambda _: {})


def from_json(text: bytes) -> Derivation:
    """Read what `to_json` wrote."""
    try:
        return msgspec.json.decode(text, type=Leaf | Node)
    except NOT_JSON as error:
        raise DataError(f"not a derivation: {error}") from None


class NodeNote(NamedTuple):
    """What explains a node."""

    symbol: str
    """What a rule above it shows of it: its category, or less."""
    meaning: str
    """The meaning of its part of the sentence."""
    score: float | None
    """What its own operation or primitive adds to the score of the derivation; None where steps
    have no scores of their own."""
    order: int
    """When it was built, counted from 0: children come before their parents."""


def explained_json(
    derivation: Derivation, tokens: tuple[str, ...], notes: Sequence[NodeNote]
) -> bytes:
    """Return what `to_json` gives, with more fields in each node.

    These are a note on the node, its `span`, all its `words`, and the `function_words` that belong
    to the node itself.
    """
    remaining = iter(notes)  # the fold goes in post-order, too

    def extra(part: Derivation) -> dict[str, object]:
        return {
            "span": (part.begin, part.end),
            "words": tokens[part.begin : part.end],
            "function_words": () if isinstance(part, Leaf) else part.words(tokens),
            **next(remaining)._asdict(),
            "children": (),
        }

    return _json(derivation, extra)
