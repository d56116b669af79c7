"""Any weights of nodes will do for laws of sums."""

import math

from lear.algebra.derivations import Derivation, walk


def weight(name: str, begin: int, end: int, seed: int) -> float:
    return math.sin(hash((len(name), begin, end, seed)))


def total(derivation: Derivation, seed: int) -> float:
    """The sum of the weights of a derivation's nodes."""
    return sum(
        weight(getattr(node, "operation", ""), node.begin, node.end, seed)
        for _, node in walk(derivation)
    )
