"""The specification of search: every derivation of a short sentence, by trying everything."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Derivation, Leaf, Node, evaluate
from lear.benchmark import Example
from lear.domain import Shape
from lear.errors import AlgebraError
from lear.forest.oracle import Oracle
from lear.grammar.reading import Skeleton, Span


def all_derivations(
    oracle: Oracle, tokens: tuple[str, ...], *, overlook: bool = False
) -> list[Derivation]:
    """Every derivation over the whole sentence, whatever it means; only for a few tokens."""
    domain = oracle.domain
    table = MeaningTable(domain.language.algebra)
    reading = oracle.reader.read(tokens)
    skeleton = reading.overlooking if overlook else reading.skeleton

    def is_defined(derivation: Derivation) -> bool:
        try:
            evaluate(derivation, table, domain.words.ground)
        except AlgebraError:
            return False
        return True

    @cache
    def over(begin: int, end: int) -> list[Derivation]:
        leaves = [
            Leaf(begin, end, primitive)
            for leaf, primitives in reading.primitives.items()
            if (leaf.begin, leaf.end) == (begin, end)
            for primitive in primitives
        ]
        nodes = [
            Node(begin, end, operation.name, children)
            for operation in domain.language.algebra.operations
            for spans in child_spans(domain.syntax.shape, skeleton, begin, end, operation.arity)
            for children in product(*(over(*span) for span in spans))
        ]
        return [*leaves, *filter(is_defined, nodes)]

    return over(0, len(tokens))


def child_spans(
    shape: Shape, skeleton: Skeleton, begin: int, end: int, arity: int
) -> Iterator[tuple[Span, ...]]:
    """The spans that the children of a node over [begin, end) may have."""
    is_word = skeleton.is_function_word
    # Where children begin and end, from left to right.
    for cut in combinations_with_replacement(range(begin, end + 1), 2 * arity):
        spans = tuple((cut[2 * i], cut[2 * i + 1]) for i in range(arity))
        if any(first == last for first, last in spans):
            continue
        before, after = range(begin, cut[0]), range(cut[-1], end)
        between = range(cut[1], cut[2]) if arity == 2 else range(0)
        if not all(is_word[place] for place in (*before, *between, *after)):
            continue
        if arity == 1:
            is_trailing = all(is_word[cut[1] :])
            is_allowed = shape.allows_unary(len(before), len(after), is_trailing=is_trailing)
        else:
            is_outside = bool(before or after)
            is_allowed = not is_outside and shape.allows_binary(len(between))
        if is_allowed:
            yield spans


def complete_derivations(
    oracle: Oracle, tokens: tuple[str, ...], *, overlook: bool = False
) -> set[Derivation]:
    """The derivations whose meanings can be answers."""
    language = oracle.domain.language
    table = MeaningTable(language.algebra)
    found = all_derivations(oracle, tokens, overlook=overlook)
    assert len(found) == len(set(found))
    return {
        derivation
        for derivation in found
        if language.algebra.is_complete(evaluate(derivation, table, oracle.domain.words.ground))
    }


def gold_derivations(
    oracle: Oracle, example: Example, *, overlook: bool = False
) -> set[Derivation]:
    """The derivations whose meaning, once it is finished, is that of the row's form."""
    language = oracle.domain.language
    table = MeaningTable(language.algebra)
    gold = language.read_gold(example, table)
    return {
        derivation
        for derivation in complete_derivations(oracle, example.tokens, overlook=overlook)
        if language.finish(
            evaluate(derivation, table, oracle.domain.words.ground), example.tokens, table
        )
        is gold
    }
