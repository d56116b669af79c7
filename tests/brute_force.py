"""The specification of search: every derivation of a short sentence, by trying everything."""

from collections.abc import Iterator
from functools import cache
from itertools import product

from lear.core.algebra import MeaningTable
from lear.core.derivation import Derivation, Leaf, Node, evaluate
from lear.errors import AlgebraError
from lear.search.oracle import Oracle


def all_derivations(oracle: Oracle, tokens: tuple[str, ...]) -> list[Derivation]:
    """Every derivation over the whole sentence, whatever it means; only for a few tokens."""
    table = MeaningTable(oracle.domain.language.algebra)

    def is_defined(derivation: Derivation) -> bool:
        try:
            evaluate(derivation, table, oracle.domain.words.ground)
        except AlgebraError:
            return False
        return True

    @cache
    def over(begin: int, end: int) -> list[Derivation]:
        leaves = [
            Leaf(begin, end, mention.primitive)
            for mention in oracle.lexicon.mentions(tokens, oracle.domain.words.unknown)
            if (mention.begin, mention.end) == (begin, end)
        ]
        nodes = [
            Node(begin, end, operation.name, children)
            for operation in oracle.domain.language.algebra.operations
            for spans in child_spans(oracle, tokens, begin, end, operation.arity)
            for children in product(*(over(*span) for span in spans))
        ]
        return [*leaves, *filter(is_defined, nodes)]

    return over(0, len(tokens))


def child_spans(
    oracle: Oracle, tokens: tuple[str, ...], begin: int, end: int, arity: int
) -> Iterator[list[tuple[int, int]]]:
    """The spans that the children of a node over [begin, end) may have."""
    shape = oracle.domain.syntax.shape
    for cut in product(range(begin, end + 1), repeat=2 * arity):
        spans = [(cut[2 * i], cut[2 * i + 1]) for i in range(arity)]
        if list(cut) != sorted(cut) or any(first == last for first, last in spans):
            continue
        outside = [*range(begin, cut[0]), *range(cut[-1], end)]
        between = list(range(cut[1], cut[2])) if arity == 2 else []
        if not all(tokens[i] in oracle.lexicon.function_words for i in outside + between):
            continue
        if arity == 1 and 1 <= len(outside) <= shape.beside:
            yield spans
        if arity == 2 and not outside and len(between) <= shape.between:
            yield spans
