"""Symbols that no word says, as far as alignment tells."""

from collections import Counter
from collections.abc import Iterator, Sequence

from lear.domains.terms.evidence import Sentence, align_rows
from lear.domains.terms.tree import Tree, subtrees
from lear.domains.terms.types import TypeTable
from lear.lexicon.lexicon import BLANK

MIN_SILENT_COUNT = 0.5
MIN_SILENT_SHARE = 0.05
"""How often a symbol must be unsaid, and in what share of its uses, for it to be expected so."""
MIN_SAYING_SHARE, MAX_SAID_SHARE = 0.8, 0.2
"""How often a word must stand for a function to say it beyond doubt, and in what share of its uses
a function may be said so and yet be expected unsaid."""
MIN_TELLING_COUNT, MIN_TELLING_SHARE = 2, 0.7
"""How many rows of a word must have a target, and in what share, for the word to tell of it."""
MIN_SAYER_SHARE = 0.2
"""How often a word must stand for a function to be one of its words."""
MIN_ELSEWHERE = 3
"""Rows that have a function outside of a place, to tell how it is said there."""
MIN_DOMINATED, MIN_DOMINATED_SHARE = 5, 0.95
"""Uses of a place that one function fills, and their share."""


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


def untold_share(sentences: Sequence[Sentence], target: str) -> float:
    """The share of the rows with a target in which no word tells of it.

    Alignment looks for a word in each row, and where few words are left it takes any: *show* for an
    `and` that many rows have. A word that tells of a target is seldom there without it.
    """
    having = [set(row.tokens) for row in sentences if target in row.targets]
    with_word = Counter(word for row in sentences for word in set(row.tokens))
    with_both = Counter(word for words in having for word in words)
    telling = {
        word
        for word, count in with_both.items()
        if word != BLANK and count >= max(MIN_TELLING_COUNT, MIN_TELLING_SHARE * with_word[word])
    }
    return sum(not words & telling for words in having) / max(1, len(having))


def implied_functions(sentences: Sequence[Sentence], trees: Sequence[Tree]) -> set[str]:
    """Functions that always fill a place of others, and are not said there as they are elsewhere.

    In *if savings drop below 50* two words share `less(balance(..), 50)`: alignment gives `balance`
    to one of them, though *is less than* has none to spare. What says `balance` elsewhere is not
    there: it is implied.
    """
    alignment = align_rows(sentences)
    uses = alignment.uses()
    sayers: dict[str, set[str]] = {}
    for (unit, target), count in alignment.counts.items():
        if len(unit) == 1 and count >= MIN_SAYER_SHARE * uses[unit]:
            sayers.setdefault(target, set()).add(unit[0])
    places: dict[str, set[str]] = {}
    for outer, inner in _dominated_places(trees):
        places.setdefault(f"{inner}(", set()).add(f"{outer}(")
    found = set()
    for target, outers in places.items():
        rows = [row for row in sentences if target in row.targets]
        inside = [set(row.tokens) for row in rows if outers & set(row.targets)]
        elsewhere = [set(row.tokens) for row in rows if not outers & set(row.targets)]
        own = sayers.get(target, set()) & {word for words in elsewhere for word in words}
        num_said = sum(bool(words & own) for words in inside)
        if len(elsewhere) >= MIN_ELSEWHERE and num_said <= MAX_SAID_SHARE * len(inside):
            found.add(target)
    return found


def _dominated_places(trees: Sequence[Tree]) -> Iterator[tuple[str, str]]:
    """Functions with others of one argument that fill one of their places nearly always."""
    places: dict[tuple[str, int], Counter[str]] = {}
    sizes: dict[str, set[int]] = {}
    for tree in trees:
        for outer in subtrees(tree):
            sizes.setdefault(outer.symbol, set()).add(len(outer.arguments))
            for index, inner in enumerate(outer.arguments):
                places.setdefault((outer.symbol, index), Counter())[inner.symbol] += 1
    for (symbol, _), seen in sorted(places.items()):
        usual = max(sorted(seen), key=lambda s: seen[s])
        is_nearly_all = seen[usual] >= max(MIN_DOMINATED, MIN_DOMINATED_SHARE * seen.total())
        if is_nearly_all and sizes[usual] == {1} and usual != symbol:
            yield symbol, usual
