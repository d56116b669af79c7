"""Where a second sentence begins in what people type: tokenizers leave out the marks between them.

A full stop ends no sentence within a number (1.5), after an initial (U.S.) or after an abbreviation
(St. Louis), unless a capital letter says that another one begins (in the U.S. What is ...).
"""

import re

from lear.core.plain_text import is_shouted, plain

_LONG_DASH = re.compile("[\u2014\u2015\u2e3a\u2e3b]|--+")
_MARKS = re.compile(r"([.?!;:]+|(?<=\s)-+(?=\s)|(?<=\w)-+(?=\s))([^\w.?!;:]*)(?=\w)")
_WORD = re.compile(r"\w+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_ABBREVIATIONS = frozenset(
    (
        "adm", "approx", "capt", "cf", "co", "col", "corp", "dr", "e.g", "etc", "ft", "gen", "gov",
        "hon", "i.e", "inc", "jr", "km", "lt", "ltd", "messrs", "mi", "mr", "mrs", "ms", "mt",
        "mtn", "mts", "pop", "pres", "prof", "rev", "sen", "sgt", "sq", "sr", "st", "ste", "viz",
        "vs", "ala", "ariz", "calif", "colo", "conn", "fla", "ga", "kan", "ky", "md", "mich",
        "minn", "mont", "neb", "nev", "okla", "penn", "tenn", "tex", "va", "vt", "wis", "wyo",
    )
)  # fmt: skip
_MAX_ABBREVIATION = 24
_BEGINNINGS = frozenset(
    (
        "A", "An", "And", "Are", "Did", "Do", "Does", "Give", "How", "Is", "List", "Name", "Show",
        "Tell", "The", "What", "When", "Where", "Which", "Who", "Whom", "Whose", "Why",
    )
)  # fmt: skip
"""Words that begin a sentence where they are capitalised, even after an abbreviation."""


def second_sentence(text: str, marks: str = ".?!;:-") -> str:
    """What follows the first sentence of a text; empty if there is no more than one.

    Args:
        text: As it was typed. Marks around the whole of it part nothing.
        marks: What parts sentences; a colon within a time does not, nor a hyphen within a word.
    """
    plainer = text if text.isascii() else plain(_LONG_DASH.sub(" - ", text))
    _, *rest = _parted(plainer, marks, most=2)
    return rest[0] if rest else ""


def sentences(text: str) -> list[str]:
    """Plain text in lower case, cut where a sentence ends; at least one."""
    return _parted(text, ".?!;")


def _parted(text: str, marks: str, most: int = 0) -> list[str]:
    text = _LONG_DASH.sub(" - ", text)
    parts: list[str] = []
    begin = 0
    first_word = _WORD.search(text)
    for found in _MARKS.finditer(text, first_word.end() if first_word else len(text)):
        if len(parts) + 1 == most:
            break
        if found[1][0] in marks and _is_end(text, found):
            parts.append(text[begin : found.start()].strip())
            begin = found.end()
    return [*parts, text[begin:].strip()]


def _is_end(text: str, found: re.Match[str]) -> bool:
    """Whether marks within a text end a sentence."""
    marks, gap = found.groups()
    before, after = text[found.start() - 1], text[found.end()]
    if marks == ":":
        return gap != "" or not (before.isdigit() and after.isdigit())  # 9:30 is a time
    if marks != ".":
        return True
    if gap == "" and after.isdigit() and not before.isalpha():  # 1.5
        return False
    if gap.startswith(","):  # as in "D.C., the"
        return False
    word = _word_before(text, found.start())
    following = _WORD.match(text, found.end())
    assert following is not None  # as the pattern says
    if word == "no":  # the number of something, or a refusal
        return not (after.isdigit() or following[0] == "of")
    if word in _ABBREVIATIONS or _INITIALS.fullmatch(word):
        return following[0] in _BEGINNINGS and gap != "" and not is_shouted(text)
    return True


def _word_before(text: str, end: int) -> str:
    """The word that ends somewhere, with the full stops in it, in lower case."""
    words = text[max(0, end - _MAX_ABBREVIATION) : end].lower().split()
    return words[-1].lstrip("\"'([{") if words else ""
