"""The paper's two post-processing rules, as finishing steps: from a composed chain to a program.

Chains are composed in the order of words: "the state with the most rivers" is state, loc_1, most,
river. The program is `most(state(loc_1(river(all))))`. So an open end becomes `all`, and `most` or
`fewest` moves outwards over the two functions that it counts by, a predicate and a relation.
"""

from lear.domains.geo.function_chain import Chain, Fork
from lear.domains.geo.function_types import SUPERLATIVES_OF_COUNT

DISTANCE = 2
"""The number of functions that `most` or `fewest` moves over."""


def fill_all(chain: Chain) -> Chain:
    """Put `all` at every open end."""
    match chain.end:
        case None:
            return Chain(chain.functions, "all")
        case Fork(operation, left, right):
            return Chain(chain.functions, Fork(operation, fill_all(left), fill_all(right)))
        case _:
            return chain


def raise_most(chain: Chain) -> Chain:
    """Move `most` and `fewest` outwards."""
    functions = list(chain.functions)
    for place, function in enumerate(chain.functions):
        if function in SUPERLATIVES_OF_COUNT and place >= DISTANCE:
            del functions[place]
            functions.insert(place - DISTANCE, function)
    end = chain.end
    if isinstance(end, Fork):
        end = Fork(end.operation, raise_most(end.left), raise_most(end.right))
    return Chain(tuple(functions), end)


def lower_most(chain: Chain) -> Chain:
    """The inverse of `raise_most`."""
    functions = list(chain.functions)
    for place in reversed(range(len(functions) - DISTANCE)):
        if functions[place] in SUPERLATIVES_OF_COUNT:
            functions.insert(place + DISTANCE, functions.pop(place))
    end = chain.end
    if isinstance(end, Fork):
        end = Fork(end.operation, lower_most(end.left), lower_most(end.right))
    return Chain(tuple(functions), end)


def open_all(chain: Chain) -> Chain:
    """The inverse of `fill_all`."""
    match chain.end:
        case "all":
            return Chain(chain.functions)
        case Fork(operation, left, right):
            return Chain(chain.functions, Fork(operation, open_all(left), open_all(right)))
        case _:
            return chain
