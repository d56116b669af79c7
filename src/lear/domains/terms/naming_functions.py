"""Functions that make names: `person(ann)` is written for *ann*, and no word says `person`.

Such a call is one constant, so that what is known of a name need not be put together each time.
"""

from collections import Counter
from collections.abc import Sequence

from lear.domains.terms.evidence import Sentence, align_rows, read_sentence
from lear.domains.terms.form_text import Notation
from lear.domains.terms.literals import literal_kind
from lear.domains.terms.names import find_unit, unquoted, words_in
from lear.domains.terms.tree import Tree, subtrees
from lear.domains.terms.types import TypeTable
from lear.lexicon.alignment import NOTHING
from lear.lexicon.lexicon import BLANK, Unit

MIN_NAME_SHARE = 0.8
"""In how many uses of a function its argument must be spelt out for that to be a name."""
MIN_IDLE_SHARE = 0.5
"""How often a word must emit nothing to be idle: free to say something."""
MIN_TELLING_COUNT, MIN_TELLING_SHARE = 2, 0.9
"""How many of an idle word's rows must have a function for the word to speak for it."""
MIN_SAID_SHARE = 0.6
"""How many rows of a function must have such a word for it to be said."""


def naming_functions(sentences: Sequence[Unit], trees: Sequence[Tree]) -> dict[str, int]:
    """Functions that no word says, around a name that is spelt out -> which argument that is."""
    pairs = list(zip(sentences, trees, strict=True))
    uses: dict[str, list[tuple[Unit, Tree]]] = {}
    for tokens, tree in pairs:
        for inner in subtrees(tree):
            if inner.arguments:
                uses.setdefault(inner.symbol, []).append((tokens, inner))
    places = {symbol: _name_place(seen) for symbol, seen in uses.items()}
    candidates = {f"{symbol}(" for symbol, place in places.items() if place is not None}
    read = [read_sentence(tokens, tree, uses, lambda _: "", unquoted) for tokens, tree in pairs]
    said = _said_by_idle_words(read, candidates)
    return {
        symbol: place
        for symbol, place in places.items()
        if place is not None and f"{symbol}(" not in said
    }


def _said_by_idle_words(sentences: Sequence[Sentence], candidates: set[str]) -> set[str]:
    """The targets that are said by words which nothing else explains."""
    if not candidates:
        return set()
    others = [
        row._replace(targets=tuple(t for t in row.targets if t not in candidates))
        for row in sentences
    ]
    alignment = align_rows(others)
    uses = alignment.uses()
    idle = {
        unit[0]
        for (unit, target), count in alignment.counts.items()
        if target == NOTHING and len(unit) == 1 and count >= MIN_IDLE_SHARE * uses[unit]
    } - {BLANK}
    with_word: Counter[str] = Counter()
    with_both: Counter[tuple[str, str]] = Counter()
    for row in sentences:
        words = idle.intersection(row.tokens)
        with_word.update(words)
        with_both.update((w, t) for w in words for t in candidates.intersection(row.targets))
    telling = {
        (word, target)
        for (word, target), count in with_both.items()
        if count >= max(MIN_TELLING_COUNT, MIN_TELLING_SHARE * with_word[word])
    }
    has_target: Counter[str] = Counter()
    has_word: Counter[str] = Counter()
    for row in sentences:
        for target in candidates.intersection(row.targets):
            has_target[target] += 1
            has_word[target] += any((word, target) in telling for word in row.tokens)
    return {t for t in candidates if has_word[t] >= MIN_SAID_SHARE * has_target[t]}


def _name_place(uses: Sequence[tuple[Unit, Tree]]) -> int | None:
    """Which argument of a function is a name that is spelt out, where it is the only one."""
    if len({len(tree.arguments) for _, tree in uses}) > 1:
        return None
    if any(inner.arguments for _, tree in uses for inner in tree.arguments):
        return None
    spelt: Counter[int] = Counter()
    quoted: Counter[int] = Counter()
    for tokens, tree in uses:
        for place, inner in enumerate(tree.arguments):
            name = unquoted(inner.symbol)
            quoted[place] += name != inner.symbol
            is_name = literal_kind(name) is None
            spelt[place] += is_name and find_unit(tokens, words_in(name)) is not None
    places = [
        place
        for place, count in spelt.items()
        if count >= MIN_NAME_SHARE * len(uses) or (count and quoted[place] == len(uses))
    ]
    return places[0] if len(places) == 1 else None


def name_class(notation: Notation, types: TypeTable, constant: str) -> str:
    """What a constant is a name of: the function that makes it one, or its type."""
    tree = _name_tree(notation, types, constant)
    return tree.symbol if tree else types.constant_type(constant) or ""


def name_part(notation: Notation, types: TypeTable, constant: str) -> str:
    """The part of a constant that spells its name: of `person('ann')`, ann."""
    tree = _name_tree(notation, types, constant)
    return unquoted(tree.arguments[types.names[tree.symbol]].symbol if tree else constant)


def _name_tree(notation: Notation, types: TypeTable, constant: str) -> Tree | None:
    """A constant as the call that it is, where a function makes it a name."""
    if any(constant.startswith((function, f"({function}")) for function in types.names):
        tree = notation.read_constant(constant)
        if tree.arguments and tree.symbol in types.names:
            return tree
    return None
