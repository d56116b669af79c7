"""Names: constants that sentences spell out, and how forms write what was never seen.

`person("Ann Lee")` is written for the words *ann lee*: something before, the words in some case
with something between them, and something behind. What holds for the names of training holds for
others of their kind.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

import msgspec

from lear.lexicon.lexicon import Unit

Case = Literal["lower", "title", "upper"]
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_ESCAPE = re.compile(r"\\(.)")
_QUOTES = ("'", '"')
_QUOTED = re.compile(r"(['\"])(.*)\1")


def unquoted(symbol: str) -> str:
    """A constant without its quotes."""
    match = _QUOTED.fullmatch(symbol)
    return match[2] if match else symbol


class NamePattern(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """How forms write a name."""

    before: str
    behind: str
    joiner: str
    """Between its words."""
    case: Case

    def write(self, words: Unit) -> str:
        """The constant of a name."""
        cased = {"lower": str.lower, "title": _capitalised, "upper": str.upper}[self.case]
        name = self.joiner.join(map(cased, words))
        if quote := next((q for q in _QUOTES if self.before.endswith(q)), None):
            name = name.replace("\\", "\\\\").replace(quote, f"\\{quote}")
        return f"{self.before}{name}{self.behind}"

    def fits(self, symbol: str) -> bool:
        """Whether a constant is a name that is written so."""
        begin, end = len(self.before), len(symbol) - len(self.behind)
        words = words_in(_ESCAPE.sub(r"\1", symbol[begin:end]))
        return bool(words) and self.write(words) == symbol


def _capitalised(word: str) -> str:
    """`o'brien` -> O'Brien, but `emma's` -> Emma's."""
    first, *others = word.split("'")
    cased = [part if len(part) == 1 else part[:1].upper() + part[1:] for part in others]
    return "'".join([first[:1].upper() + first[1:], *cased])


def words_in(symbol: str) -> Unit:
    """The words that a symbol spells: `"New_York"` -> new york."""
    return tuple(word.lower() for word in _WORD.findall(symbol))


def find_unit(tokens: Unit, unit: Unit) -> int | None:
    """Where words stand in a sentence for the first time; None where they do not."""
    size = len(unit)
    starts = range(len(tokens) - size + 1) if unit else ()
    return next((begin for begin in starts if tokens[begin : begin + size] == unit), None)


def pattern_of(symbol: str, inner: str) -> NamePattern:
    """How a constant writes its name, where `inner` is the part of it that spells the name."""
    begin = symbol.index(inner)
    matches = list(_WORD.finditer(inner))
    first, last = begin + matches[0].start(), begin + matches[-1].end()
    words = [match[0] for match in matches]
    between = [inner[a.end() : b.start()] for a, b in pairwise(matches)]
    case: Case = "lower"
    if all(word == word.upper() and word != word.lower() for word in words) and any(
        len(word) > 1 for word in words
    ):
        case = "upper"
    elif all(word == _capitalised(word.lower()) for word in words) and any(
        w != w.lower() for w in words
    ):
        case = "title"
    return NamePattern(symbol[:first], symbol[last:], between[0] if between else "", case)


def usual_pattern(patterns: Iterable[NamePattern]) -> NamePattern:
    """The pattern that most names have, with a joiner if any has one."""
    patterns = list(patterns)
    counts = Counter(msgspec.structs.replace(p, joiner="") for p in patterns)
    usual = max(sorted(counts), key=lambda pattern: counts[pattern])
    joiners = Counter(p.joiner for p in patterns if p.joiner)
    joiner = max(sorted(joiners), key=lambda j: joiners[j]) if joiners else " "
    if not joiners and not (usual.before or usual.behind):
        joiner = "_"
    return msgspec.structs.replace(usual, joiner=joiner)
