"""Symbols that no word says, as far as alignment tells."""

from collections import Counter
from collections.abc import Sequence

from lear.domains.terms.evidence import Sentence, align_rows
from lear.domains.terms.tree import Tree, subtrees
from lear.domains.terms.types import TypeTable

MIN_SILENT_COUNT = 0.5
MIN_SILENT_SHARE = 0.05
"""How often a symbol must be unsaid, and in what share of its uses, for it to be expected so."""
MIN_SAYING_SHARE, MAX_SAID_SHARE = 0.8, 0.2
"""How often a word must stand for a function to say it beyond doubt, and in what share of its uses
a function may be said so and yet be expected unsaid."""


def silent_shares(sentences: Sequence[Sentence]) -> dict[str, float]:
    """Target -> the share of its uses in which no word says it."""
    counts = Counter(t for row in sentences for t in row.targets)
    alignment = align_rows(sentences)
    total = alignment.num_rows / max(1, len(sentences))
    return {
        target: min(1.0, count / (total * counts[target]))
        for target, count in alignment.silent.items()
        if count >= MIN_SILENT_COUNT
    }


def doubtful_slots(
    sentences: Sequence[Sentence], types: TypeTable, trees: Sequence[Tree]
) -> set[str]:
    """Functions of one constant that only words seem to say which mostly stand for other things.

    A word of nearly all sentences, such as *the*, is the only one left to say `floor` where
    *upstairs* says what is inside.
    """
    alignment = align_rows(sentences)
    uses = alignment.uses()
    said: dict[str, float] = {}
    for (unit, target), count in alignment.counts.items():
        if count >= MIN_SAYING_SHARE * uses[unit]:
            said[target] = said.get(target, 0.0) + count
    counts = Counter(target for row in sentences for target in row.targets)
    inner = [use for tree in trees for use in subtrees(tree) if use.arguments]
    with_terms = {use.symbol for use in inner if any(a.arguments for a in use.arguments)}
    return {
        f"{symbol}("
        for symbol, entry in types.symbols.items()
        if len(entry.places) == 1
        and not entry.extras
        and symbol not in with_terms
        and entry.places[0] not in types.literals.values()
        and said.get(f"{symbol}(", 0.0) <= MAX_SAID_SHARE * counts[f"{symbol}("]
    }
