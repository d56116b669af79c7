"""Whether a stored legal table still says what its domain says.

A table follows from the code of a domain. It is stored with a fingerprint of that code, which is
compared when a model is loaded. Where the code is another one the table may still be right, as
after a change of a comment: then all its categories are made again, and what is legal is compared
for each kind of pair that it has, and for some pairs that it has not.
"""

import sys
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from lear.domain import Domain
from lear.errors import DataError, LearError
from lear.forest.legal_table import NO_FINGERPRINT, NO_GROUP, LegalTable
from lear.grammar.categories import CategoryTable

OWN_DOMAINS = "lear.domains"
OWN_FILES = ("core/algebra.py", "grammar/category_table.py", "search/legal_*.py")
"""What works a table out, whatever the domain is."""
KINDS_OF_FILES = {".py", ".csv", ".toml"}
NUM_TRIED = 1_000
"""So many pairs at random are compared."""


def fingerprint_of_code(domain: Domain) -> str:
    """A short name of the code and data of a domain that ships; none of a domain of others."""
    (first, *_) = domain.language.algebra.operations
    package, _, name = first.function.__module__.rpartition(".")
    if not package.startswith(OWN_DOMAINS):
        return NO_FINGERPRINT
    file = Path(sys.modules[first.function.__module__].__file__ or name)
    own = [file] if package == OWN_DOMAINS else list(file.parent.rglob("*"))
    lear = Path(__file__).parent.parent
    files = {path for pattern in OWN_FILES for path in lear.glob(pattern)}
    files.update(path for path in own if path.suffix in KINDS_OF_FILES)
    if file not in files:  # as where the package is in an archive
        return NO_FINGERPRINT
    digest = blake2b(digest_size=16)
    try:
        for path in sorted(files):
            content = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{path.relative_to(lear)} {len(content)} ".encode() + content)
    except (OSError, ValueError):
        return NO_FINGERPRINT
    return digest.hexdigest()


def is_up_to_date(table: LegalTable, domain: Domain) -> bool:
    """Whether the code of a domain is what its table was worked out with."""
    return table.code != NO_FINGERPRINT and table.code == fingerprint_of_code(domain)


def still_holds(table: LegalTable, categories: CategoryTable, symbols: Sequence[str]) -> bool:
    """Whether a table says what a domain says, as far as that is found out in a short time.

    Args:
        table: Of a model.
        categories: New ones that began with it, and the categories of the lexicon's units met.
        symbols: Of the model's vocabulary, by which the table numbers them.
    """
    try:
        _check_categories(table, categories, symbols)
        _check_what_is_legal(table, categories)
    except LearError:  # one of them is that a category cannot be made any more
        return False
    return True


def _check_categories(table: LegalTable, categories: CategoryTable, symbols: Sequence[str]) -> None:
    domain = categories.domain
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    for place, name in enumerate(table.names):
        example = categories.example(place)
        is_complete = domain.language.algebra.is_complete(example)
        _require(domain.syntax.category(example) == name)
        _require(is_complete == table.is_complete[place])
        if place < table.num_open:
            for is_head, column in ((False, table.argument_symbol), (True, table.head_symbol)):
                symbol = domain.syntax.symbol(example, is_head=is_head)
                _require(numbers.get(symbol, len(symbols)) == column[place])


def _check_what_is_legal(table: LegalTable, categories: CategoryTable) -> None:
    """One pair of each group, and some pairs at random, most of which have no group."""
    names = tuple(categories.domain.language.algebra.by_name)
    rng = np.random.default_rng(0)
    pairs = table.examples_of_groups()
    if table.num_open:
        tried = rng.integers(table.num_open, size=(2, NUM_TRIED))
        found = table.find(tried[0], tried[1]).tolist()
        pairs |= zip(zip(*tried.tolist(), strict=True), found, strict=True)
    for pair, group in pairs.items():
        expected: list[tuple[str, int]] = []
        if group != NO_GROUP:
            _, operation, result = table.combinations(np.array([group]))
            expected = list(zip((names[n] for n in operation), result.tolist(), strict=True))
        _require(expected == [tuple(legal) for legal in categories.find_combinations(pair)])


def _require(condition: object) -> None:
    if not condition:
        raise DataError("the legal table does not fit")
