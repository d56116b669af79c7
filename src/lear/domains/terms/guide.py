"""The guide of the search: which parts can occur in a derivation of a given form."""

from collections import Counter
from collections.abc import Callable

from lear.core.algebra import Meaning
from lear.domains.terms.algebra import Part, Whole
from lear.domains.terms.language import TermLanguage
from lear.domains.terms.tree import HOLE, Tree, has_hole, subtrees


def guide_of(language: TermLanguage) -> Callable[[Meaning], Callable[[Meaning], bool]]:
    """The guide of a language."""

    def num_places(symbol: str) -> int:
        entry = language.symbols.get(symbol)
        return len(entry.places) if entry else 0

    def fits(part: Tree, gold: Tree) -> bool:
        """Whether a part, filled in, can be a given term."""
        if part.symbol != gold.symbol:
            return False
        first = num_places(part.symbol)
        if part.arguments[:first] and len(gold.arguments) < first:
            return False
        pairs = zip(part.arguments[:first], gold.arguments[:first], strict=False)
        if not all(
            inner in (HOLE, whole) or (has_hole(inner) and fits(inner, whole))
            for inner, whole in pairs
        ):
            return False
        return Counter(part.arguments[first:]) <= Counter(gold.arguments[first:])

    def guide(gold: Meaning) -> Callable[[Meaning], bool]:
        """A test that every part in every derivation of `gold` passes."""
        assert isinstance(gold, Whole)
        inside: dict[str, list[Tree]] = {}
        for tree in subtrees(gold.tree):
            inside.setdefault(tree.symbol, []).append(tree)

        def is_part(meaning: Meaning) -> bool:
            if not isinstance(meaning, Part):
                return meaning is gold
            tree = meaning.tree
            return any(fits(tree, whole) for whole in inside.get(tree.symbol, ()))

        return is_part

    return guide
