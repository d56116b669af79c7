"""Stems of words, by Snowball.

They join the forms of a word (border, bordering) and keep degrees apart (high, higher, highest).
"""

import sys
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from typing import Any

PACKAGE = "snowballstemmer"
ALIAS = "lear_snowball"
MAX_LETTERS = 50
"""How long a word with a stem may be. What is longer is no word, and would fill the memory."""
REMEMBERED = 10_000


@cache
def _stemmer() -> Any:
    """Return the stemmer of English, loaded when it is needed, which is seldom.

    The package loads all its languages, which takes longer than parsing ten questions. Under
    another name its files are a package of which nothing is run but the module for English.
    """
    package = find_spec(PACKAGE)
    if package is None:
        raise ModuleNotFoundError(f"No module named {PACKAGE!r}", name=PACKAGE)
    folders = package.submodule_search_locations
    spec = spec_from_file_location(ALIAS, package.origin, submodule_search_locations=folders)
    assert spec is not None  # as it has a file
    sys.modules.setdefault(ALIAS, module_from_spec(spec))
    return import_module(f"{ALIAS}.english_stemmer").EnglishStemmer()


def stem(word: str) -> str:
    """Return the stem of a word; one of more than `MAX_LETTERS` is its own stem."""
    return word if len(word) > MAX_LETTERS else _remembered_stem(word)


@lru_cache(maxsize=REMEMBERED)
def _remembered_stem(word: str) -> str:
    return str(_stemmer().stemWord(word))
