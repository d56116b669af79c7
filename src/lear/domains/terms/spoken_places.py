"""Where sentences say the symbols of their forms, as far as that is beyond doubt."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence

from lear.domains.terms.evidence import Sentence, align_rows, target_of
from lear.domains.terms.tree import Tree, subtrees
from lear.lexicon.alignment import NOTHING
from lear.lexicon.lexicon import Unit

MIN_WORD_SHARE = 0.5
"""How often a word must stand for a symbol to say where the symbol is said."""

Places = Mapping[str, int]
"""Target -> the token that says it."""


def spoken_places(
    rows: Sequence[Sentence], tokens: Sequence[Unit], trees: Sequence[Tree], known: Container[str]
) -> list[Places]:
    """Where each row says its symbols; those that a form or a sentence repeats are left out.

    Args:
        rows: Sentences as read.
        tokens: Their words.
        trees: Their forms.
        known: The functions.
    """
    alignment = align_rows(rows)
    uses = alignment.uses()
    spoken: dict[str, str] = {
        unit[0]: target
        for (unit, target), count in alignment.counts.items()
        if len(unit) == 1 and target != NOTHING and count > MIN_WORD_SHARE * uses[unit]
    }
    found: list[Places] = []
    for row, words, tree in zip(rows, tokens, trees, strict=True):
        targets = Counter(target_of(inner, known) for inner in subtrees(tree))
        places: dict[str, list[int]] = {}
        for target, place in _mentions(row, words, spoken):
            places.setdefault(target, []).append(place)
        found.append(
            {t: where[0] for t, where in places.items() if targets[t] == 1 and len(where) == 1}
        )
    return found


def _mentions(row: Sentence, words: Unit, spoken: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for unit, primitive in row.found:
        for begin in range(len(words) - len(unit) + 1):
            if words[begin : begin + len(unit)] == unit:
                yield primitive.symbol, begin
    for place, word in enumerate(row.tokens):
        if word in spoken:
            yield spoken[word], place


def place_of(tree: Tree, places: Places, known: Container[str]) -> float | None:
    """About where a sentence says a term; None where that is not known."""
    targets = (target_of(inner, known) for inner in subtrees(tree))
    where = [places[target] for target in targets if target in places]
    return sum(where) / len(where) if where else None
