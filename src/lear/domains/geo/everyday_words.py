"""Words of everyday English that the training questions of GEO happen not to have."""

import tomllib
from functools import cache
from importlib.resources import files

from lear.domain.domain import EverydayWords


@cache
def everyday_words() -> EverydayWords:
    """What `everyday_words.toml` says."""
    path = files("lear.domains.geo") / "everyday_words.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    without_meaning, outside = frozenset(table["without_meaning"]), frozenset(table["outside"])
    return EverydayWords(table["synonyms"], without_meaning, outside)
