"""Derivations with notes on their nodes, as JSON: what a reader wants to see of each step."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from lear.core.derivation import Derivation, Leaf, Node, fold_derivation


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
