"""What words say of symbols: literals and names that a sentence spells out, the rest by alignment.

Symbols that no word says, such as `person` around a name, are learned to be there unsaid.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from lear.algebra.algebra import Primitive
from lear.domains.terms.literals import MAX_WORDS, LiteralKind, literal_kind, readings
from lear.domains.terms.names import find_unit, unquoted, words_in
from lear.domains.terms.tree import Tree, subtrees
from lear.lexicon.alignment import (
    Alignment,
    AlignmentSettings,
    Emission,
    Pair,
    align,
    num_target_sets,
)
from lear.lexicon.lexicon import BLANK, Unit
from lear.lexicon.stems import stem

FUNCTION, CONSTANT, NAME, LITERAL = "Function", "Constant", "Name", "Literal"
"""The types of primitives."""
SETTINGS = AlignmentSettings(
    unexplained=0.5, learns_silence=True, max_target_sets=4096, max_spread=0.9
)
SIMILAR_BONUS = 1.0
"""Pseudo-counts for a word that a symbol spells: *cancel* and `cancel`."""
MAX_ROWS = 2_000
"""Rows that are aligned; more tell little more."""


class Sentence(NamedTuple):
    """A training row, as far as words spell out what its form has."""

    tokens: Unit
    """BLANK in place of words that are spelt out."""
    found: tuple[tuple[Unit, Primitive], ...]
    targets: tuple[str, ...]
    """What else the form has: a function has a bracket behind it."""


def target_of(tree: Tree, functions: Container[str]) -> str:
    """What stands for a node of a form in alignments; a function may be without arguments, too."""
    return f"{tree.symbol}(" if tree.symbol in functions else tree.symbol


def primitive_of(target: str) -> Primitive:
    """What a unit stands for that emits a target."""
    is_function = target.endswith("(")
    return Primitive(FUNCTION if is_function else CONSTANT, target.removesuffix("("))


def read_sentence(
    tokens: Unit,
    tree: Tree,
    functions: Container[str],
    class_of: Callable[[str], str],
    name_of: Callable[[str], str],
) -> Sentence:
    """Find the literals and the names of a form in its sentence.

    Args:
        tokens: The sentence.
        tree: The form.
        functions: The symbols that have arguments anywhere.
        class_of: Constant -> what it is a name of.
        name_of: Constant -> the part of it that spells its name.
    """
    rest = list(tokens)
    found: list[tuple[Unit, Primitive]] = []
    targets: list[str] = []
    # Long names first: "new york" before "york".
    nodes = sorted(subtrees(tree), key=lambda node: -len(words_in(name_of(node.symbol))))
    for node in nodes:
        match = None
        if node.symbol not in functions:
            match = _spelt_out(tuple(rest), node.symbol, class_of, name_of)
        if match is None:
            targets.append(target_of(node, functions))
            continue
        begin, end, primitive = match
        found.append((tokens[begin:end], primitive))
        rest[begin:end] = [BLANK] * (end - begin)
    return Sentence(tuple(rest), tuple(found), tuple(targets))


def _spelt_out(
    tokens: Unit,
    symbol: str,
    class_of: Callable[[str], str],
    name_of: Callable[[str], str],
) -> tuple[int, int, Primitive] | None:
    """Where a constant is spelt out in a sentence, and as what."""
    kind = literal_kind(unquoted(symbol))
    if kind is not None:
        return _literal_in(tokens, symbol, kind)
    words = words_in(name_of(symbol))
    begin = find_unit(tokens, words)
    if begin is None:
        return None
    return begin, begin + len(words), Primitive(NAME, symbol, class_of(symbol))


def _literal_in(tokens: Unit, symbol: str, kind: LiteralKind) -> tuple[int, int, Primitive] | None:
    value = unquoted(symbol)
    for size in range(min(MAX_WORDS, len(tokens)), 0, -1):
        for begin in range(len(tokens) - size + 1):
            for reading in readings(kind, tokens[begin : begin + size]):
                if _same_value(kind, reading.value, value):
                    return begin, begin + size, Primitive(LITERAL, symbol, reading.feature)
    return None


def _same_value(kind: LiteralKind, one: str, other: str) -> bool:
    return one.lstrip("0") == other.lstrip("0") if kind == "time" else one == other


def align_rows(rows: Sequence[Sentence]) -> Alignment:
    """Which units emit which symbols, and which symbols are unsaid how often."""
    return _align(tuple(Pair(row.tokens, row.targets) for row in rows))


@lru_cache(maxsize=4)
def _align(pairs: Sequence[Pair]) -> Alignment:
    pairs = [p for p in pairs if num_target_sets(p.targets) <= SETTINGS.max_target_sets]
    stride = max(1, -(-len(pairs) // MAX_ROWS))
    sample = pairs[::stride]
    return align(sample, SETTINGS, _bonus(sample))


def _bonus(pairs: Sequence[Pair]) -> Mapping[Emission, float]:
    """Words that a symbol spells, by their stems."""
    words = {word for pair in pairs for word in pair.tokens if word != BLANK}
    by_stem: dict[str, list[str]] = {}
    for word in sorted(words):
        by_stem.setdefault(stem(word), []).append(word)
    targets = {target for pair in pairs for target in pair.targets}
    return {
        ((word,), target): SIMILAR_BONUS
        for target in sorted(targets)
        for part in words_in(target)
        for word in by_stem.get(stem(part), ())
    }


def constants_in(trees: Sequence[Tree]) -> Iterator[str]:
    """The constants of forms, with repetitions."""
    return (inner.symbol for tree in trees for inner in subtrees(tree) if not inner.arguments)
