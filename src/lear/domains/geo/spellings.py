"""Words and names as GeoQuery and Geobase spell them."""

import re

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
    """Words in lower case, separated by spaces -> the same in the spelling of the data."""
    return _OTHER_SPELLING.sub(lambda match: _SPELT[match[0]], words)


_INITIALS = re.compile(r"(?<!\w)[a-z](?:\.[a-z](?!\w))+")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_MOUNT = re.compile(r"(?<!\w)mt\.(?= ?[a-z])")
_NUMBER_OF = re.compile(r"(?<!\w)no\.(?= ?of(?!\w))")


def without_abbreviating_marks(text: str) -> str:
    """Text in lower case with u.s.a., mt. mckinley and 150,000 as usa, mount mckinley, 150000."""
    text = _INITIALS.sub(lambda match: match[0].replace(".", ""), text)
    text = _THOUSANDS.sub("", text)
    return _NUMBER_OF.sub("number", _MOUNT.sub("mount ", text))
