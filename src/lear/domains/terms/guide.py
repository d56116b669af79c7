"""The guide of the search: which parts can occur in a derivation of a given form."""

from collections import Counter
from collections.abc import Callable

from lear.algebra.algebra import Meaning
from lear.domains.terms.algebra import Part, Whole
from lear.domains.terms.language import TermLanguage
from lear.domains.terms.tree import HOLE, Tree, has_hole, subtrees


class _Fit:
    """Which parts can become which terms of one language."""

    def __init__(self, language: TermLanguage) -> None:
        self.symbols, self.junction = language.symbols, language.junction

    def fits(self, part: Tree, gold: Tree) -> bool:
        """Whether a part, filled in, can be a given term."""
        if part.symbol != gold.symbol:
            return False
        if self.junction is not None and self.junction.can_become(part, gold):
            return True
        entry = self.symbols.get(part.symbol)
        first = len(entry.places) if entry else 0
        if part.arguments[:first] and len(gold.arguments) < first:
            return False
        pairs = zip(part.arguments[:first], gold.arguments[:first], strict=False)
        if not all(self._fits_inside(inner, whole) for inner, whole in pairs):
            return False
        extras, wanted = part.arguments[first:], gold.arguments[first:]
        if self.junction is None:
            return Counter(extras) <= Counter(wanted)
        return all(any(self._fits_inside(inner, whole) for whole in wanted) for inner in extras)

    def _fits_inside(self, part: Tree, gold: Tree) -> bool:
        """The same for an argument, which stays as it is unless something is open or joined."""
        if part in (HOLE, gold):
            return True
        if self.junction is None:
            return has_hole(part) and self.fits(part, gold)
        return self.junction.can_become(part, gold) or self.fits(part, gold)


def guide_of(language: TermLanguage) -> Callable[[Meaning], Callable[[Meaning], bool]]:
    """The guide of a language."""
    fit = _Fit(language)

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
            return any(fit.fits(tree, whole) for whole in inside.get(tree.symbol, ()))

        return is_part

    return guide
