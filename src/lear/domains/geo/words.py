"""Words of GEO: tokens of questions, the spelling of Geobase, names in FunQL, everyday words."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from lear.domain import EverydayWords
from lear.lexicon import plain_text
from lear.lexicon.lexicon import Lexicon
from lear.lexicon.plain_text import lower, plain, without_accents, words_and_marks

_MOUNTS = (
    "curwood", "davis", "elbert", "frissell", "greylock", "hood", "katahdin", "mansfield", "marcy",
    "mckinley", "mitchell", "rainier", "rogers", "sunflower", "vernon", "washington", "whitney",
)  # fmt: skip
_FORTS = ("collins", "lauderdale", "smith", "wayne", "worth")
_WITHOUT_APOSTROPHE = (
    "clingman 's dome",
    "humphrey 's peak",
    "king 's peak",
    "scott 's valley",
    "timm 's hill",
)
_SPELT = (
    {
        "u s": "us",
        "u s a": "usa",
        "d c": "dc",
        "winston salem": "winston-salem",
        "hawai'i": "hawaii",
        "saint": "st",
        "sq": "square",
        "n dakota": "north dakota",
        "s dakota": "south dakota",
        "n carolina": "north carolina",
        "s carolina": "south carolina",
        "w virginia": "west virginia",
    }
    # Alone, "mt" is Montana and "ft" may be feet.
    | {f"mt {name}": f"mount {name}" for name in _MOUNTS}
    | {f"ft {name}": f"fort {name}" for name in _FORTS}
    | {name: name.replace(" 's", "s") for name in _WITHOUT_APOSTROPHE}
)
_LONGEST_FIRST = sorted(_SPELT, key=len, reverse=True)
_OTHER_SPELLING = re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, _LONGEST_FIRST))})(?!\S)")


def as_geobase_spells(words: str) -> str:
    """Respell words in lower case, separated by spaces, as the data spells them."""
    return _OTHER_SPELLING.sub(lambda match: _SPELT[match[0]], words)


_STATES = (
    "ala", "ariz", "calif", "colo", "conn", "fla", "ga", "kan", "ky", "md", "mich", "minn", "mont",
    "neb", "nev", "okla", "penn", "tenn", "tex", "va", "vt", "wis", "wyo",
)  # fmt: skip
_ABBREVIATIONS = plain_text.ABBREVIATIONS.union(_STATES)


def second_sentence(text: str, lexicon: Lexicon) -> str:
    """Return what follows the first question; abbreviated states (Calif.) end none."""
    del lexicon
    return plain_text.second_sentence(text, abbreviations=_ABBREVIATIONS)


_INITIALS = re.compile(r"(?<!\w)[a-z](?:\.[a-z](?!\w))+")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_MOUNT = re.compile(r"(?<!\w)mt\.(?= ?[a-z])")
_NUMBER_OF = re.compile(r"(?<!\w)no\.(?= ?of(?!\w))")


def without_abbreviating_marks(text: str) -> str:
    """Write u.s.a., mt. mckinley and 150,000 as usa, mount mckinley and 150000, in lower case."""
    text = _INITIALS.sub(lambda match: match[0].replace(".", ""), text)
    text = _THOUSANDS.sub("", text)
    return _NUMBER_OF.sub("number", _MOUNT.sub("mount ", text))


def tokenize(text: str) -> tuple[str, ...]:
    """`What's the U.S. state's capital?` -> what is the us state 's capital."""
    question = lower(without_accents(plain(text))).replace("-", " ")
    words = words_and_marks(without_abbreviating_marks(question))
    return tuple(as_geobase_spells(" ".join(words)).split())


_ANONYMOUS = re.compile(r"var\d+")
_ANONYMOUS_NAME = re.compile(r"(?:[a-z]+_)*var\d+")
_NAME = re.compile(r"(\w+)id\('([^']*)'(?:, ('[^']*'|_))?\)")


def city_in_state(city: str, state: str, abbreviation: str) -> str | None:
    """Return the FunQL of a city in a state, from that of both; None if they are no such names."""
    if _ANONYMOUS.fullmatch(city) and _ANONYMOUS.fullmatch(state):
        return f"{city}, {state}"
    name = _NAME.fullmatch(city)
    if name and name[1] == "city" and name[3] == "_" and abbreviation:
        return f"cityid('{name[2]}', '{abbreviation}')"
    return None


def parts_of_name(text: str) -> tuple[str, ...]:
    """Return the names that `city_in_state` joins: the city alone, or `var0` and `var1`."""
    name = _NAME.fullmatch(text)
    if name and name[1] == "city":
        return (f"cityid('{name[2]}', _)",)
    return tuple(text.split(", "))


def sort_of_name(text: str) -> str:
    """Return the sort of a name; empty if it is no name."""
    name = _NAME.fullmatch(text)
    return name[1] if name else ""


def words_of_name(text: str) -> tuple[str, ...]:
    """Return the words of a name; none if it is no name."""
    name = _NAME.fullmatch(text)
    if name:
        return tokenize(name[2])
    return tuple(text.split("_")) if _ANONYMOUS_NAME.fullmatch(text) else ()


@cache
def everyday_words() -> EverydayWords:
    """Read `everyday_words.toml`."""
    path = files("lear.domains.geo") / "everyday_words.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    without_meaning, outside = frozenset(table["without_meaning"]), frozenset(table["outside"])
    return EverydayWords(table["synonyms"], without_meaning, outside)
