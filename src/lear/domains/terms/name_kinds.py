"""Kinds of names: `person(ann)` and `project(apollo)` may be of one type, and yet stand apart."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from lear.domains.terms.tree import Tree, subtrees
from lear.domains.terms.types import TypeTable

MIN_EXPECTED = 4
"""A place that has no names of a kind, where so many would be there by chance, takes none."""
MIN_CHANCES = 20
"""Uses of a function after which what was never unsaid around it is not expected there."""


class NameKinds(NamedTuple):
    """Names whose kind is finer than their type."""

    types: dict[str, str]
    """Kind -> the type that it is a part of."""
    kinds: dict[str, str]
    """Constant -> its kind."""

    shares: dict[str, float]
    """Kind -> its share among the names of its type."""

    def accepted(self, type_name: str, arguments: Sequence[Tree]) -> tuple[str, ...]:
        """The kinds of a type that a place takes, by all arguments that training shows there."""
        shown = [self.kinds[tree.symbol] for tree in arguments if tree.symbol in self.kinds]
        parts = sorted(kind for kind, of in self.types.items() if of == type_name)
        expected = {kind: len(shown) * self.shares[kind] for kind in parts}
        return (type_name, *(k for k in parts if k in shown or expected[k] < MIN_EXPECTED))


def find_name_kinds(
    types: TypeTable, trees: Sequence[Tree], class_of: Callable[[str], str]
) -> NameKinds:
    """A kind for the names that a function makes, where other terms are of the same type."""
    constants = Counter(t.symbol for tree in trees for t in subtrees(tree) if not t.arguments)
    classes: dict[str, dict[str, list[str]]] = {}
    for constant in sorted(constants):
        type_name = types.constants.get(constant)
        if type_name is not None:
            name_class = class_of(constant)
            function = name_class if name_class in types.names else ""
            classes.setdefault(type_name, {}).setdefault(function, []).append(constant)
    results = {entry.result for entry in types.symbols.values()}
    found = NameKinds({}, {}, {})
    for type_name, members in classes.items():
        if len(members) == 1 and type_name not in results:
            continue
        functions = sorted(members.keys() - {""})
        counts = {f: sum(constants[name] for name in members[f]) for f in functions}
        for function in functions:
            kind = f"{type_name}/{function}"
            found.types[kind] = type_name
            found.shares[kind] = counts[function] / sum(counts.values())
            found.kinds.update(dict.fromkeys(members[function], kind))
    return found


def never_around(
    uses: dict[str, list[Tree]], lifts: Iterable[str], types: TypeTable
) -> dict[str, tuple[str, ...]]:
    """Function -> the unsaid symbols that training never shows around it, often as it is used."""
    lifts = sorted(set(lifts))
    inside: dict[str, set[str]] = {
        lift: {core(argument, types).symbol for use in uses[lift] for argument in use.arguments}
        for lift in lifts
    }
    found = {
        symbol: tuple(lift for lift in lifts if symbol not in inside[lift])
        for symbol, seen in sorted(uses.items())
        if len(seen) >= MIN_CHANCES
    }
    return {symbol: never for symbol, never in found.items() if never}


def core(tree: Tree, types: TypeTable) -> Tree:
    """A term, or the first that is inside of what is transparent."""
    while tree.arguments and types.symbols[tree.symbol].is_transparent:
        tree = tree.arguments[0]
    return tree
