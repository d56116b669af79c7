"""Types of symbols and argument places, worked out from forms.

What stands in one place has one type (union-find over argument places and results). A symbol with
always as many arguments has that many places. A symbol with more or fewer has the places that it
always has, and takes further arguments, its extras: the kinds that training shows, in an order that
training reveals. A symbol that fits anywhere, such as `and`, would make one type of all: it is
transparent if types are told apart by looking through it.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

import msgspec

from lear.domains.terms.literals import literal_kind
from lear.domains.terms.names import unquoted
from lear.domains.terms.tree import Tree, subtrees

MAX_TRANSPARENT = 5
"""How many symbols are found to be transparent at most."""


class SymbolType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a symbol takes and gives, as types."""

    result: str
    places: tuple[str, ...] = ()
    """The types of the arguments that it always has, which come first."""
    extras: tuple[str, ...] = ()
    """The types of further arguments."""
    is_transparent: bool = False
    """Whether it gives the type that its arguments have, whatever that is."""


class TypeTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The types of a language, which `lear types` prints."""

    root: str
    """The type of whole forms."""
    symbols: dict[str, SymbolType]
    """Functions, by symbol."""
    constants: dict[str, str]
    """Constants that are no literals -> their types."""
    literals: dict[str, str] = {}
    """Kind of literal -> its type."""
    names: dict[str, int] = {}
    """Function that makes one name of its arguments -> which of them spells it: `person(ann)` is a
    constant."""

    def constant_type(self, symbol: str) -> str | None:
        """The type of a constant; None for one that nothing is known of."""
        kind = literal_kind(unquoted(symbol))
        return self.literals.get(kind or "") or self.constants.get(symbol)


class Arity(NamedTuple):
    """How many arguments a symbol has."""

    num_places: int
    """How many it always has, each at its own place."""
    has_extras: bool


def key_of(tree: Tree) -> str:
    """What tells arguments apart before types are known: a symbol, or the kind of a literal."""
    if tree.arguments:
        return tree.symbol
    kind = literal_kind(unquoted(tree.symbol))
    return f"#{kind}" if kind else tree.symbol


def arities(trees: Iterable[Tree]) -> dict[str, Arity]:
    """Function symbol -> how many arguments it has.

    Where the number varies, an argument has a place of its own as far as what stands there stands
    nowhere behind it.
    """
    uses: dict[str, list[tuple[str, ...]]] = {}
    bare: set[str] = set()
    for tree in trees:
        for inner in subtrees(tree):
            if inner.arguments:
                uses.setdefault(inner.symbol, []).append(tuple(map(key_of, inner.arguments)))
            else:
                bare.add(inner.symbol)
    return {symbol: _arity(seen, symbol in bare) for symbol, seen in uses.items()}


def _arity(uses: Sequence[tuple[str, ...]], is_bare_too: bool) -> Arity:  # noqa: FBT001
    sizes = set(map(len, uses))
    if len(sizes) == 1 and not is_bare_too:
        return Arity(sizes.pop(), has_extras=False)
    num_places = 0
    while not is_bare_too and num_places < min(sizes):
        here = {use[num_places] for use in uses}
        behind = {key for use in uses for key in use[num_places + 1 :]}
        if here & behind:
            break
        num_places += 1
    return Arity(num_places, has_extras=True)


def infer_types(trees: Sequence[Tree]) -> TypeTable:
    """The types of a language, from the forms of its training rows."""
    sizes = arities(trees)
    transparent: frozenset[str] = frozenset()
    classes = _Classes(trees, sizes, transparent)
    for _ in range(MAX_TRANSPARENT):
        candidates = sorted(set(classes.recursive) - transparent)
        tried = {s: _Classes(trees, sizes, transparent | {s}) for s in candidates}
        best = max(candidates, key=lambda s: tried[s].num_types({s}), default=None)
        if best is None or tried[best].num_types({best}) <= classes.num_types({best}):
            break
        transparent |= {best}
        classes = tried[best]
    return classes.table()


class _Classes:
    """Union-find over results and places."""

    def __init__(
        self, trees: Sequence[Tree], sizes: Mapping[str, Arity], transparent: frozenset[str]
    ) -> None:
        self.sizes = sizes
        self.transparent = transparent
        self.parent: dict[Hashable, Hashable] = {}
        self.counts: Counter[str] = Counter()
        self.extras: dict[str, dict[Hashable, None]] = {}
        orders: Counter[tuple[str, str, str]] = Counter()
        for tree in trees:
            self._join(("root",), tree)
            for inner in subtrees(tree):
                self.counts[key_of(inner)] += 1
                self._add(inner, orders)
        for symbol, first, second in orders:
            if (symbol, second, first) in orders:  # in any order: alternatives of one type
                self._union(("result", first), ("result", second))

    def _add(self, tree: Tree, orders: Counter[tuple[str, str, str]]) -> None:
        if not tree.arguments or tree.symbol in self.transparent:
            return
        num_places = self.sizes[tree.symbol].num_places
        for index, argument in enumerate(tree.arguments[:num_places]):
            self._join(("place", tree.symbol, index), argument)
        extras = tree.arguments[num_places:]
        for argument in extras:
            for seen in self._seen_through(argument):
                node: Hashable = ("result", key_of(seen))
                if not seen.arguments and not key_of(seen).startswith("#"):
                    self._union(("constants", tree.symbol), node)
                self.extras.setdefault(tree.symbol, {})[node] = None
        keys = [key_of(argument) for argument in extras]
        orders.update(
            (tree.symbol, first, second)
            for place, first in enumerate(keys)
            for second in keys[place + 1 :]
            if first != second
        )

    def _seen_through(self, tree: Tree) -> list[Tree]:
        """A tree, or what a transparent one has inside."""
        if tree.symbol not in self.transparent or not tree.arguments:
            return [tree]
        return [seen for argument in tree.arguments for seen in self._seen_through(argument)]

    def _join(self, place: Hashable, tree: Tree) -> None:
        for seen in self._seen_through(tree):
            self._union(place, ("result", key_of(seen)))

    def _find(self, node: Hashable) -> Hashable:
        while self.parent.setdefault(node, node) != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def _union(self, one: Hashable, other: Hashable) -> None:
        self.parent[self._find(one)] = self._find(other)

    @property
    def recursive(self) -> list[str]:
        """Functions with several uses whose result may be one of their own arguments."""
        return [
            symbol
            for symbol, size in self.sizes.items()
            if size.num_places
            and not size.has_extras
            and all(
                self._find(("place", symbol, index)) == self._find(("result", symbol))
                for index in range(size.num_places)
            )
        ]

    def num_types(self, without: set[str]) -> int:
        """How many types there are, not counting the results of some symbols."""
        keys = (key for key in self.counts if key not in without)
        return len({self._find(("result", key)) for key in keys})

    def _namer(self) -> Callable[[Hashable], str]:
        names: dict[Hashable, str] = {}
        taken: set[str] = set()

        def name(node: Hashable, wish: str = "type") -> str:
            root = self._find(node)
            if root not in names:
                numbered = (f"{wish}_{number}" for number in count(2))
                names[root] = next(n for n in chain([wish], numbered) if n not in taken)
                taken.add(names[root])
            return names[root]

        for key, _ in sorted(self.counts.items(), key=lambda item: (-item[1], item[0])):
            if key not in self.transparent:
                name(("result", key), key.removeprefix("#"))
        return name

    def table(self) -> TypeTable:
        """The types, each named by its most frequent member."""
        name = self._namer()
        symbols = {}
        for symbol, size in sorted(self.sizes.items()):
            is_transparent = symbol in self.transparent
            symbols[symbol] = SymbolType(
                result="" if is_transparent else name(("result", symbol)),
                places=("",) * size.num_places
                if is_transparent
                else tuple(name(("place", symbol, i)) for i in range(size.num_places)),
                extras=tuple(dict.fromkeys(name(node) for node in self.extras.get(symbol, ()))),
                is_transparent=is_transparent,
            )
        keys = sorted(set(self.counts) - set(self.sizes))
        return TypeTable(
            root=name(("root",)),
            symbols=symbols,
            constants={k: name(("result", k)) for k in keys if not k.startswith("#")},
            literals={k[1:]: name(("result", k)) for k in keys if k.startswith("#")},
        )
