"""Parts of terms: what they lack, what they can take, and what is there unsaid."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lear.domains.terms.language import ANY_KIND, TermLanguage, TermSymbol
from lear.domains.terms.name_kinds import core
from lear.domains.terms.tree import HOLE, Tree, has_hole

Path = tuple[int, ...]
MAX_LIFTS = 3
"""How many unsaid symbols may stand around each other."""
REMEMBERED, REMEMBERED_OF_SENTENCES = 50_000, 2_000
"""Of so many parts is known what can be done with them: where rows are learned from, which come
again and again; and where sentences are parsed, which never end."""


class Joint(NamedTuple):
    """A place of a term that can take more arguments, as if they were joined by a word."""

    path: Path
    wanted: tuple[str, ...]
    """The kinds that it takes."""
    holes: tuple[int, ...]
    """Which of the term's missing arguments are missing there; it takes no more while any is."""


class Fragments:
    """What can be done with parts of terms of one language."""

    def __init__(self, language: TermLanguage, remembered: int = REMEMBERED) -> None:
        self.language = language
        self._lifts: dict[str, list[tuple[str, int]]] = {}
        for lift in language.lifts:
            self._lifts.setdefault(lift.kind, []).append((lift.symbol, lift.place))
        self._unsaid = {lift.symbol for lift in language.lifts}
        remember = lru_cache(maxsize=remembered)
        self.kind = remember(self._kind)
        self.closed = remember(self._closed)
        self.hole = remember(self._hole)
        self.joints = remember(self._joints)
        self.completed = remember(self._completed)

    def unit(self, symbol: str, *, is_function: bool) -> Tree:
        """A function without arguments, or a constant."""
        if not is_function:
            return Tree(symbol)
        return Tree(symbol, (HOLE,) * len(self._symbol(symbol).places))

    def _symbol(self, symbol: str) -> TermSymbol:
        return self.language.symbols[symbol]

    def _function(self, tree: Tree) -> TermSymbol | None:
        """What is known of a tree's symbol as a function."""
        entry = self.language.symbols.get(tree.symbol)
        is_bare = entry is not None and not tree.arguments and entry.places
        return None if is_bare else entry

    def _kind(self, tree: Tree) -> str:
        """The kind of a tree; of what is transparent, that of its first argument."""
        entry = self._function(tree)
        if entry is None:
            return self.language.constant_kind(tree.symbol) or ANY_KIND
        if not entry.is_transparent:
            return entry.kind
        return next((self.kind(a) for a in tree.arguments if a != HOLE), ANY_KIND)

    def _hole(self, tree: Tree) -> tuple[Path, ...]:
        """Where arguments are missing."""
        return tuple(self._holes(tree))

    def _holes(self, tree: Tree) -> Iterator[Path]:
        for index, argument in enumerate(tree.arguments):
            if argument == HOLE:
                yield (index,)
            elif has_hole(argument):
                yield from ((index, *path) for path in self._holes(argument))

    def wanted(self, tree: Tree, path: Path) -> tuple[str, ...] | None:
        """The kinds that are accepted where an argument is missing; None for any."""
        owner = tree
        for index in path[:-1]:
            owner = owner.arguments[index]
        entry = self._symbol(owner.symbol)
        if entry.is_transparent:
            kind = self.kind(owner)
            return None if kind == ANY_KIND else self._of_one_type(kind)
        return entry.places[path[-1]]

    def _of_one_type(self, kind: str) -> tuple[str, ...]:
        """The kinds of the type that a kind is of."""
        types = self.language.name_types
        type_name = types.get(kind, kind)
        return (type_name, *(part for part, of in types.items() if of == type_name))

    def _closed(self, tree: Tree) -> Tree | None:
        """A tree with what stands in its open places unsaid; None where nothing is known to."""
        for path in self.hole(tree):
            owner = tree
            for index in path[:-1]:
                owner = owner.arguments[index]
            default = self._symbol(owner.symbol).defaults.get(path[-1])
            if default is None:
                return None
            tree = filled(tree, path, Tree(default))
        return tree

    def takes_extras(self, tree: Tree) -> bool:
        """Whether a tree's symbol takes further arguments at all."""
        entry = self._function(tree)
        return entry is not None and bool(entry.extras)

    def free_extras(self, tree: Tree) -> tuple[str, ...]:
        """The kinds of further arguments that a tree can take."""
        entry = self._function(tree)
        if entry is None or not entry.extras:
            return ()
        present = {self.kind(a) for a in tree.arguments[len(entry.places) :]}
        return tuple(k for k, many in entry.extras.items() if many or k not in present)

    def direct(self, head: Tree, argument: Tree, *, is_right: bool) -> Iterator[Tree]:
        """The ways to put a whole term into a place of another one, or among its extras."""
        kind = self.kind(argument)
        for path in self.hole(head):
            wanted = self.wanted(head, path)
            if wanted is None or kind in wanted or kind == ANY_KIND:
                yield filled(head, path, argument)
        if kind in self.free_extras(head):
            yield self._with_extra(head, argument, is_right=is_right)
        for joint in self.joints(head):
            if kind in joint.wanted and not joint.holes:
                yield self._joined(head, joint.path, argument, is_right=is_right)

    def _joints(self, tree: Tree) -> tuple[Joint, ...]:
        """The places that can take more by an unsaid `and`, once they are filled."""
        holes = self.hole(tree)
        return tuple(
            Joint(path, wanted, tuple(n for n, h in enumerate(holes) if h[: len(path)] == path))
            for path, wanted in self._joint_places(tree)
        )

    def _joint_places(self, tree: Tree) -> Iterator[tuple[Path, tuple[str, ...]]]:
        """Places of a term itself, and of what is unsaid directly inside of what is unsaid."""
        entry, junction = self._function(tree), self.language.junction
        if entry is None or junction is None:
            return
        for index, argument in enumerate(tree.arguments):
            if (tree.symbol, index) in junction.places:
                yield (index,), entry.places[index]
            elif self.passes_joints(tree) and self.passes_joints(argument):
                inner = self._joint_places(argument)
                yield from (((index, *path), wanted) for path, wanted in inner)

    def passes_joints(self, tree: Tree) -> bool:
        """Whether what is around a term, if it is unsaid, can take more inside of the term."""
        junction = self.language.junction
        return junction is not None and tree.symbol in self._unsaid - {junction.symbol}

    def _joined(self, head: Tree, path: Path, argument: Tree, *, is_right: bool) -> Tree:
        assert self.language.junction is not None  # as there is a joint
        old = head
        for index in path:
            old = old.arguments[index]
        return filled(head, path, self.language.junction.joined(old, argument, is_right=is_right))

    def _with_extra(self, head: Tree, extra: Tree, *, is_right: bool) -> Tree:
        entry = self._symbol(head.symbol)
        first = len(entry.places)
        extras = head.arguments[first:]
        key = self.language.order_key(extra)
        keys = [self.language.order_key(other) for other in extras]
        behind = entry.order.get(key, ())
        first_behind = next((n for n, k in enumerate(keys) if k in behind), len(keys))
        before = [n + 1 for n, k in enumerate(keys) if key in entry.order.get(k, ())]
        place = first_behind if is_right else max(before, default=0)
        new = (*extras[:place], extra, *extras[place:])
        return Tree(head.symbol, head.arguments[:first] + new)

    def lifts(self, tree: Tree) -> list[tuple[str, int]]:
        """The symbols that may be unsaid around a term, each with the term's place."""
        never = self.language.never_around
        inner = core(tree, self.language.types)
        never_here = never.get(inner.symbol, ()) if inner.arguments else ()
        return [lift for lift in self._lifts.get(self.kind(tree), ()) if lift[0] not in never_here]

    def lifted(self, tree: Tree) -> Iterator[Tree]:
        """A whole term inside of one unsaid symbol."""
        for symbol, place in self.lifts(tree):
            places = self._symbol(symbol).places
            if place < 0:
                yield Tree(symbol, (*(HOLE,) * len(places), tree))
            else:
                yield Tree(symbol, tuple(tree if n == place else HOLE for n in range(len(places))))

    def lifted_whole(self, tree: Tree, depth: int) -> list[Tree]:
        """A whole term inside of so many unsaid symbols, nothing open."""
        terms = [tree]
        for _ in range(depth):
            lifted = (self.closed(outer) for term in terms for outer in self.lifted(term))
            terms = [term for term in lifted if term is not None]
        return terms

    def ways(
        self, head: Tree, argument: Tree, *, is_right: bool, min_above: int = 0
    ) -> Iterator[Tree]:
        """The ways to combine two parts, with as few unsaid symbols as it takes.

        Args:
            head: What takes the other one.
            argument: What is taken.
            is_right: Whether it stands on the right of the head.
            min_above: At least so many unsaid symbols around the head.
        """
        whole = self.closed(argument)
        if whole is None:
            return
        found = False
        for total in range(MAX_LIFTS + 1):
            for above in range(min_above, total + 1):  # unsaid symbols around the head
                for inner in self.lifted_whole(whole, total - above):
                    for outer in self._lifted_heads(head, above):
                        for result in self.direct(outer, inner, is_right=is_right):
                            found = True
                            yield result
            if found:
                return

    def _lifted_heads(self, head: Tree, above: int) -> Iterator[Tree]:
        if above == 0:
            yield head
            return
        whole = self.closed(head)
        if whole is not None:
            for inner in self.lifted_whole(whole, above - 1):
                yield from self.lifted(inner)

    def composed(self, outer: Tree, inner: Tree) -> Tree | None:
        """One open part in the only open place of another."""
        paths = self.hole(outer)
        if len(paths) != 1 or len(self.hole(inner)) != 1:
            return None
        wanted, kind = self.wanted(outer, paths[0]), self.kind(inner)
        is_fit = kind != ANY_KIND and (wanted is None or kind in wanted)
        return filled(outer, paths[0], inner) if is_fit else None

    def _completed(self, tree: Tree) -> Tree | None:
        """A whole form: a part with all that is unsaid; None where there is none."""
        whole = self.closed(tree)
        if whole is None:
            return None
        roots = self.language.root_kinds
        for depth in range(MAX_LIFTS + 1):
            for term in self.lifted_whole(whole, depth):
                if self.kind(term) in roots:
                    return term
        return None


def filled(tree: Tree, path: Path, argument: Tree) -> Tree:
    """A tree with an argument at a place."""
    index = path[0]
    inner = filled(tree.arguments[index], path[1:], argument) if len(path) > 1 else argument
    return Tree(tree.symbol, (*tree.arguments[:index], inner, *tree.arguments[index + 1 :]))
