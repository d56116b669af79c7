"""A symbol such as `and` that nobody says: *red shoes under 50* has two conditions in one place."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from lear.domains.terms.evidence import Sentence
from lear.domains.terms.literals import literal_kind
from lear.domains.terms.names import unquoted
from lear.domains.terms.tree import Tree, has_hole, subtrees
from lear.domains.terms.types import SymbolType, TypeTable
from lear.domains.terms.unsaid_symbols import untold_share

MIN_UNSAID_SHARE, MIN_USES, MIN_USE_SHARE = 0.15, 5, 0.05
"""In what share of its uses a symbol must be unsaid for further arguments to be joined by it; how
many uses it takes to tell, also as a share of the rows: a rare one is not worth a longer search."""
NUM_JOINED = 2


class Junction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A symbol that joins what is said apart, and where."""

    symbol: str
    places: tuple[tuple[str, int], ...]
    """Functions with their places, in which training shows it."""
    is_list: bool = False
    """Whether it takes any number of arguments, `and(a, b, c)`; else there are always two."""
    nests_right: bool = True
    """Whether three are `and(a, and(b, c))`."""

    def joined(self, old: Tree, new: Tree, *, is_right: bool) -> Tree:
        """Two terms in one place, the new one said on the right of the other or on its left."""
        if self.is_list:
            inside = old.arguments if old.symbol == self.symbol else (old,)
            return Tree(self.symbol, (*inside, new) if is_right else (new, *inside))
        is_inner = old.symbol == self.symbol and len(old.arguments) == NUM_JOINED
        if is_inner and is_right and self.nests_right:
            first, last = old.arguments
            return Tree(self.symbol, (first, self.joined(last, new, is_right=True)))
        if is_inner and not is_right and not self.nests_right:
            first, last = old.arguments
            return Tree(self.symbol, (self.joined(first, new, is_right=False), last))
        return Tree(self.symbol, (old, new) if is_right else (new, old))

    def members(self, tree: Tree) -> Iterator[Tree]:
        """What is joined in a term, as far as it is whole: itself, where nothing is joined."""
        if tree.symbol != self.symbol:
            yield tree
            return
        for argument in tree.arguments:
            if not has_hole(argument):
                yield from self.members(argument)

    def can_become(self, part: Tree, gold: Tree) -> bool:
        """Whether a term is another one once more is joined to it."""
        if gold.symbol != self.symbol:
            return False
        return Counter(self.members(part)) <= Counter(self.members(gold))


def find_junction(
    types: TypeTable,
    trees: Sequence[Tree],
    sentences: Sequence[Sentence],
    shares: Mapping[str, float],
) -> Junction | None:
    """The symbol that most often joins arguments of one place unsaid; None where none does.

    Args:
        types: Of the language.
        trees: The forms of training.
        sentences: Of the same rows.
        shares: Target -> the share of its uses in which no word says it.
    """
    places: dict[str, Counter[tuple[str, int]]] = {}
    nested: Counter[tuple[str, bool]] = Counter()
    of_literals: set[str] = set()
    for tree in trees:
        for outer in subtrees(tree):
            for index, inner in enumerate(outer.arguments):
                if literal_kind(unquoted(inner.symbol)):
                    of_literals.add(outer.symbol)
                if inner.symbol == outer.symbol:
                    nested[inner.symbol, index > 0] += 1
                elif inner.arguments:
                    places.setdefault(inner.symbol, Counter())[outer.symbol, index] += 1
    candidates = {
        symbol: max(shares.get(f"{symbol}(", 0.0), untold_share(sentences, f"{symbol}("))
        for symbol, seen in places.items()
        if seen.total() >= max(MIN_USES, MIN_USE_SHARE * len(trees))
        and symbol not in of_literals  # *double four* is `multiply(2, 4)`: nothing is joined
        and _joins(types.symbols[symbol])
    }
    candidates = {
        symbol: share * places[symbol].total()
        for symbol, share in candidates.items()
        if share >= MIN_UNSAID_SHARE
    }
    if not candidates:
        return None
    best = max(sorted(candidates), key=lambda symbol: candidates[symbol])
    owners = sorted(
        (symbol, index)
        for symbol, index in places[best]
        if index < len(types.symbols[symbol].places) and not types.symbols[symbol].is_transparent
    )
    is_nested = bool(nested[best, True] or nested[best, False])
    return Junction(
        best,
        tuple(owners),
        # Where training joins two at most, more of them are taken to stand side by side.
        is_list=bool(types.symbols[best].extras) or not is_nested,
        nests_right=nested[best, True] >= nested[best, False],
    )


def _joins(entry: SymbolType) -> bool:
    """Whether a function makes one term of several, all of the type that it gives."""
    if entry.is_transparent:
        return len(entry.places) == NUM_JOINED
    taken = (*entry.places, *entry.extras)
    num_fit = bool(entry.extras) or len(entry.places) == NUM_JOINED
    return num_fit and all(name == entry.result for name in taken)
