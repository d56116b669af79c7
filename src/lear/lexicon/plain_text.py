"""What people type, made plain: one way to write each mark, words cut off from marks, sentences.

Tokenizers of domains are made of these. All of it takes any text, in time linear in its length.
"""

import re
import unicodedata
from collections.abc import Container, Iterator
from functools import lru_cache

_APOSTROPHES = "`\u00b4\u02b9\u02bb\u02bc\u02bd\u2018\u2019\u201a\u201b\u2032\u2035"
_QUOTES = "\u00ab\u00bb\u201c\u201d\u201e\u201f\u2033\u2036\u2039\u203a\u301d\u301e\u301f"
_SPELT = (
    dict.fromkeys(_APOSTROPHES, "'")
    | dict.fromkeys(_QUOTES, '"')
    | dict.fromkeys("\u2043\u2212", "-")  # a bullet and a minus; other dashes have a category
    | dict.fromkeys("\u060c\u3001\uff64", ",")
    | dict.fromkeys("\u3002\uff61\u06d4", ".")
    | {"\u061f": "?", "\u203d": "?!", "&": " and ", "\u200b": " "}
)
_SYMBOLS = frozenset("#$%+<=>@^|~")
_VARIATION_SELECTORS = range(0xFE00, 0xFE10)
_MAX_ACCENTS = 4
"""Accents on one letter; text in a human language has fewer. Normalising sorts them slowly."""


def plain(text: str) -> str:
    """Return text in NFKC with plain quotes, dashes and spaces, without what cannot be seen.

    Symbols stand apart, an ampersand is *and*, and all punctuation that is left is ASCII.
    """
    plainer = unicodedata.normalize("NFKC", _few_accents(_plain_characters(text)))
    return " ".join(_few_accents(_plain_characters(plainer)).split())


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    if character in _SPELT:
        return _SPELT[character]
    category = unicodedata.category(character)
    if category == "Cf" or ord(character) in _VARIATION_SELECTORS:
        return ""
    if category == "Pd":
        return "-"
    if category in ("Cc", "Cs") or category[0] == "Z":
        return " "
    if character in _SYMBOLS or (category[0] == "S" and not character.isascii()):
        return f" {character} "
    if category[0] == "P":
        mark = unicodedata.normalize("NFKC", character)
        return mark if mark.isascii() else " "
    return character


_PLAIN_ASCII = {code: _plain_character(chr(code)) for code in range(128)}
# Underscores join the parts of one word (`city_var0`), or they are emphasis.
_LOOSE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")


def _plain_characters(text: str) -> str:
    is_ascii = text.isascii()
    text = text.translate(_PLAIN_ASCII) if is_ascii else "".join(map(_plain_character, text))
    return _LOOSE_UNDERSCORE.sub(" ", text) if "_" in text else text


def _few_accents(text: str) -> str:
    if text.isascii():
        return text
    kept, num_accents = [], 0
    for character in text:
        num_accents = num_accents + 1 if unicodedata.combining(character) else 0
        if num_accents <= _MAX_ACCENTS:
            kept.append(character)
    return "".join(kept)


def without_accents(text: str) -> str:
    """Return plain text with every letter bare: San José -> San Jose."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return plain(bare)


def lower(text: str) -> str:
    """Return plain text in lower case, plain again."""
    return text.lower() if text.isascii() else plain(text.lower())


def is_shouted(text: str) -> bool:
    """Return whether all letters of a text are capitals, of which there are several."""
    return text.isupper() and sum(map(str.isupper, text)) > 1


_ASKED = ("what", "who", "where", "how", "when", "why", "which")
_NEGATED = (
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had",
    "could", "would", "should", "must", "might", "need",
)  # fmt: skip
_CONTRACTIONS = (
    {f"{word}n't": (word, "not") for word in _NEGATED}
    | {f"{word}nt": (word, "not") for word in _NEGATED}
    | {f"{word}s": (word, "is") for word in ("what", "who", "where", "how")}
    | {f"{word}'d": (word, "did") for word in _ASKED}
    | dict.fromkeys(("can't", "cant", "cannot"), ("can", "not"))
    | {"won't": ("will", "not")}
)
_ENDINGS = {"d": "would", "ll": "will", "m": "am", "re": "are", "ve": "have"}
_IS_OR_POSSESSIVE = re.compile(
    rf"(?<!\w)({'|'.join(_ASKED)}|there|here|that|it|he|she)'s(?!\w)|'s(?!\w)", re.IGNORECASE
)


def _words_within(chunk: str) -> Iterator[str]:
    """Give the words of what stands between spaces, with `'s` cut off or spelt *is*."""
    pieces = _IS_OR_POSSESSIVE.sub(lambda m: f"{m[1]} is " if m[1] else " 's ", chunk).split()
    for piece in pieces:
        word = piece if piece == "'s" else piece.strip("'-")
        if word:
            yield from _spelt_out(word)


def _spelt_out(word: str) -> tuple[str, ...]:
    """Return a word by itself, or the words that it is a contraction of."""
    lower_case = word.lower()
    if lower_case in _CONTRACTIONS:
        return _CONTRACTIONS[lower_case]
    stem, _, ending = lower_case.rpartition("'")
    if ending in _ENDINGS and stem.isalnum():
        return *_CONTRACTIONS.get(stem, (word[: len(stem)],)), _ENDINGS[ending]
    return (word,)


_MARKS = '!"(),/:;?[\\]{}*'
# `states' capitals`; where there are quotes, the apostrophe may be the closing one.
_POSSESSIVE_OF_PLURAL = re.compile(r"(?<=\ws)' (?=\w)")
_OPENING_QUOTE = re.compile(r"(?<!\S)'(?!s(?!\w))")
# A full stop between digits belongs to the number.
_FULL_STOP = re.compile(r"\.(?!\d)|(?<!\d)\.")


@lru_cache(maxsize=8)
def _marks_apart(marks: str) -> dict[int, str]:
    return {ord(mark): f" {mark} " if mark in marks else " " for mark in _MARKS}


def words_and_marks(text: str, marks: str = "") -> list[str]:
    """Return the words of plain text, contractions spelt out: what's -> what is, don't -> do not.

    After other words than *what* and the like, or alone (`what 's`), `'s` is a word of its own.

    Args:
        text: Plain text.
        marks: The punctuation marks that are kept, each by itself; others are left out.
    """
    text = _FULL_STOP.sub(" . " if "." in marks else " ", text).translate(_marks_apart(marks))
    if "s' " in text and not _OPENING_QUOTE.search(text):
        text = _POSSESSIVE_OF_PLURAL.sub(" 's ", text)
    words: list[str] = []
    for chunk in text.split():
        if "'" in chunk or "-" in chunk:
            words += _words_within(chunk)
        else:
            words += _CONTRACTIONS.get(chunk.lower(), (chunk,))
    return words


_LONG_DASH = re.compile("[\u2014\u2015\u2e3a\u2e3b]|--+")
_END_MARKS = re.compile(r"([.?!;:]+|(?<=\s)-+(?=\s)|(?<=\w)-+(?=\s))([^\w.?!;:]*)(?=\w)")
_WORD = re.compile(r"\w+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
ABBREVIATIONS = frozenset(
    (
        "adm", "approx", "capt", "cf", "co", "col", "corp", "dr", "e.g", "etc", "ft", "gen", "gov",
        "hon", "i.e", "inc", "jr", "km", "lt", "ltd", "messrs", "mi", "mr", "mrs", "ms", "mt",
        "mtn", "mts", "pop", "pres", "prof", "rev", "sen", "sgt", "sq", "sr", "st", "ste", "viz",
        "vs",
    )
)  # fmt: skip
"""Words that have a full stop of their own in any text."""
_MAX_ABBREVIATION = 24
_BEGINNINGS = frozenset(
    (
        "A", "An", "And", "Are", "Did", "Do", "Does", "Give", "How", "Is", "List", "Name", "Show",
        "Tell", "The", "What", "When", "Where", "Which", "Who", "Whom", "Whose", "Why",
    )
)  # fmt: skip
"""Words that begin a sentence where they are capitalised, even after an abbreviation."""


def second_sentence(
    text: str, marks: str = ".?!;:-", abbreviations: Container[str] = ABBREVIATIONS
) -> str:
    """Return what follows the first sentence of a text; empty if there is no more than one.

    A full stop ends no sentence within a number (1.5), after an initial (U.S.) or after an
    abbreviation (St. Louis), unless a capital letter says that another one begins (in the U.S. What
    is ...).

    Args:
        text: As it was typed. Marks around the whole of it part nothing.
        marks: What parts sentences; a colon within a time does not, nor a hyphen within a word.
        abbreviations: Words in lower case that may be followed by a full stop of their own.
    """
    plainer = text if text.isascii() else plain(_LONG_DASH.sub(" - ", text))
    _, *rest = _parted(plainer, marks, abbreviations, most=2)
    return rest[0] if rest else ""


def sentences(text: str) -> list[str]:
    """Return plain text in lower case, cut where a sentence ends; at least one."""
    return _parted(text, ".?!;", ABBREVIATIONS)


def _parted(text: str, marks: str, abbreviations: Container[str], most: int = 0) -> list[str]:
    text = _LONG_DASH.sub(" - ", text)
    parts: list[str] = []
    begin = 0
    first_word = _WORD.search(text)
    for found in _END_MARKS.finditer(text, first_word.end() if first_word else len(text)):
        if len(parts) + 1 == most:
            break
        if found[1][0] in marks and _is_end(text, found, abbreviations):
            parts.append(text[begin : found.start()].strip())
            begin = found.end()
    return [*parts, text[begin:].strip()]


def _is_end(text: str, found: re.Match[str], abbreviations: Container[str]) -> bool:
    """Return whether marks within a text end a sentence."""
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
    if word in abbreviations or _INITIALS.fullmatch(word):
        return following[0] in _BEGINNINGS and gap != "" and not is_shouted(text)
    return True


def _word_before(text: str, end: int) -> str:
    """Return the word that ends somewhere, with the full stops in it, in lower case."""
    words = text[max(0, end - _MAX_ABBREVIATION) : end].lower().split()
    return words[-1].lstrip("\"'([{") if words else ""
