"""The guide of the search: which meanings can occur in a derivation of a given program."""

from collections.abc import Callable, Iterator

from lear.core.algebra import Meaning
from lear.domains.geo.algebra import (
    Entity,
    Negated,
    Negation,
    Predicate,
    Proposition,
    chain_of_meaning,
    is_country,
)
from lear.domains.geo.finishing import lower_most, open_all
from lear.domains.geo.function_chain import Chain, Fork


def guide(gold: Meaning) -> Callable[[Meaning], bool]:
    """A test that every meaning in every derivation of `gold` passes."""
    chains = list(_chains(lower_most(open_all(chain_of_meaning(gold)))))
    slices = {
        functions[begin:end]
        for functions, _ in chains
        for begin in range(len(functions))
        for end in range(begin + 1, len(functions) + 1)
    }
    tails = {
        Chain(functions[begin:], end)
        for functions, end in chains
        for begin in range(len(functions) + 1)
    }
    ends = {end for _, end in chains if isinstance(end, str)}
    names = ends | {part for end in ends for part in end.split(", ")}
    cities = tuple(end.partition(",")[0] for end in ends if end.startswith("cityid"))
    operations = {end.operation for _, end in chains if isinstance(end, Fork)}

    def is_part(meaning: Meaning) -> bool:
        match meaning:
            case Predicate():
                return meaning.functions in slices
            case Proposition():
                return meaning.chain in tails
            case Negation():
                return meaning.operation in operations
            case Negated():
                return meaning.operation in operations and meaning.chain in tails
            case Entity(text=text):
                is_part_of_city = bool(cities) and text.startswith(("stateid", *cities))
                return text in names or is_part_of_city or is_country(meaning)
        return False

    return is_part


def _chains(chain: Chain) -> Iterator[Chain]:
    """A chain and all chains in its forks."""
    yield chain
    if isinstance(chain.end, Fork):
        yield from _chains(chain.end.left)
        yield from _chains(chain.end.right)
