"""The guide of a domain that has none: whatever a part of a derivation holds, the whole holds too.

Where operations only put things together, a meaning that is inside another one stays as it is, so
it must be a part of gold; and strings and numbers are never lost. Both are checked on one example
of each category before they are relied on. Where they do not hold, the guide keeps everything.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product

from lear.core.algebra import Meaning
from lear.core.meaning_parts import children, own_values, parts
from lear.domain.domain import Guide
from lear.grammar.sentence_reader import SentenceReader

MAX_CHECKS = 50_000
"""How many combinations of categories are checked at most."""

Values = Counter[Hashable]


def guide_of(reader: SentenceReader) -> Guide:
    """The domain's own guide, or the best default that is right for it."""
    language = reader.domain.language
    if language.guide is not None:
        return language.guide
    # Finishing steps may drop anything, and no example tells.
    keeps_all = not language.finishing and operations_keep_arguments(reader)
    return within if keeps_all else anything


def anything(gold: Meaning) -> Callable[[Meaning], bool]:
    """Keep every meaning: never wrong, but slow on long sentences."""
    del gold
    return lambda _: True


def within(gold: Meaning) -> Callable[[Meaning], bool]:
    """Keep meanings that gold can hold: all that is inside them is inside gold."""
    inside = parts(gold)
    in_gold = _values(gold)

    def is_part(meaning: Meaning) -> bool:
        if meaning in inside:
            return True
        return inside.issuperset(children(meaning)) and _values(meaning) <= in_gold

    return is_part


def operations_keep_arguments(reader: SentenceReader) -> bool:
    """Whether operations lose nothing of their arguments, on one example of each category.

    Where there is too much to check, the answer is no.
    """
    categories = reader.categories
    algebra = reader.domain.language.algebra
    arities = sorted({operation.arity for operation in algebra.operations})
    pending = sorted(reader.leaf_categories())
    reached: list[int] = []
    num_checked = 0
    while pending:
        reached.append(pending.pop())
        for arguments in _with_last(reached, arities):
            num_checked += 1
            if num_checked > MAX_CHECKS:
                return False
            meanings = tuple(map(categories.example, arguments))
            for operation, result_category in categories.combinations(arguments):
                result = algebra.operation(operation).function(*meanings)
                if result is not None and _loses(meanings, result):
                    return False
                if result_category not in reached and result_category not in pending:
                    pending.append(result_category)
    return True


def _with_last(categories: list[int], arities: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """The arguments of each arity that have the last of these categories among them."""
    last, before = categories[-1], categories[:-1]
    for arity in arities:
        for position in range(arity):
            for left in product(before, repeat=position):
                for right in product(categories, repeat=arity - position - 1):
                    yield (*left, last, *right)


def _loses(arguments: tuple[Meaning, ...], result: Meaning) -> bool:
    """Whether something inside an argument is not inside the result of an operation."""
    inside, values = parts(result), _values(result)
    return any(
        not inside.issuperset(children(argument)) or not _values(argument) <= values
        for argument in arguments
    )


def _values(meaning: Meaning) -> Values:
    """How often each string and number occurs inside a meaning."""
    values: Values = Counter()
    stack = [meaning]
    while stack:
        part = stack.pop()
        values.update(own_values(part))
        stack.extend(children(part))
    return values
