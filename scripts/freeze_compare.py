"""What differs between two records, row by row."""

import gzip
import json
import math
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from freeze_workshop import Row

SHOWN_PLACES, SHOWN_CHARACTERS = 3, 300
"""Of a row that differs, and of a value."""
NOTHING = "(nothing)"
"""Stands for what only the other record has."""


class Difference(NamedTuple):
    """Two values that are not the same."""

    place: str
    size: float
    """How far numbers are from each other, as a share of large ones; infinite for all else."""
    before: object
    after: object

    def __str__(self) -> str:
        """Tell where it is, and both values."""
        texts = [repr(self.before), repr(self.after)]
        pairs = enumerate(zip(*texts, strict=False))
        differing = next((place for place, (one, other) in pairs if one != other), 0)
        begin = max(0, differing - SHOWN_CHARACTERS // 2)
        cut = (f"{'...' * (begin > 0)}{text[begin:][:SHOWN_CHARACTERS]}" for text in texts)
        return "\n      ".join((self.place, *cut))


def compare(
    before: Path, after: Path, parts: Sequence[str], tolerance: float, num_shown: int
) -> bool:
    """Print for each part whether two records of it are the same; tell whether all are."""
    is_same = True
    for part in parts:
        files = [folder / f"{part}.jsonl.gz" for folder in (before, after)]
        if missing := [str(file) for file in files if not file.is_file()]:
            sys.stdout.write(f"{part}: not compared, there is no {' and no '.join(missing)}\n")
            is_same = False
            continue
        first, second = map(rows_of, files)
        largest, differing = 0.0, list[str]()
        for name in dict.fromkeys((*first, *second)):
            found = [*differences(first.get(name, NOTHING), second.get(name, NOTHING), name)]
            largest = max((largest, *(each.size for each in found if each.size < math.inf)))
            if found := [each for each in found if each.size > tolerance]:
                others = len(found) - SHOWN_PLACES
                more = [f"and {others} more in this row"] if others > 0 else []
                differing.append("\n    ".join((*map(str, found[:SHOWN_PLACES]), *more)))
        is_same = is_same and not differing
        verdict = f"{len(differing)} of {len(second)} rows differ" if differing else "same"
        sys.stdout.write(f"{part}: {verdict}; largest difference of numbers {largest:.1e}\n")
        sys.stdout.writelines(f"  {text}\n" for text in differing[:num_shown])
    return is_same


def rows_of(file: Path) -> dict[str, Row]:
    """Read the rows of a record by what was asked, which may be there more than once."""
    found: dict[str, Row] = {}
    with gzip.open(file, "rt") as stream:
        for row in map(json.loads, stream):
            asked = name = str(row.pop("id"))
            number = 1
            while name in found:
                number += 1
                name = f"{asked} (no. {number})"
            found[name] = row
    return found


def differences(before: Any, after: Any, place: str) -> Iterator[Difference]:
    """Give each difference of two values of JSON."""
    if before == after or (before != before and after != after):  # the second: both are no number
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            pair = before.get(name, NOTHING), after.get(name, NOTHING)
            yield from differences(*pair, f"{place} > {name}")
    elif isinstance(before, list) and isinstance(after, list):
        for number, pair in enumerate(zip_longest(before, after, fillvalue=NOTHING)):
            yield from differences(*pair, f"{place} > {number}")
    else:
        is_number = isinstance(before, float) and isinstance(after, int | float)
        size = abs(before - after) / max(1.0, abs(before)) if is_number else math.inf
        yield Difference(place, math.inf if math.isnan(size) else size, before, after)
