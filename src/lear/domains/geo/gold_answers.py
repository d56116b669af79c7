"""The gold answers of GeoQuery, and whether an answer agrees with them.

One JSON object per line: `query` is the question, `funql` its program and `answer` a list of names
and numbers, or NaN if there is no gold answer.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lear.domains.geo.interpreter import Answer
from lear.domains.geo.program import Program, read_program
from lear.errors import DataError, FormError
from lear.storage.data_file import numbered_lines

TOLERANCE = 1e-6
"""Relative difference of equal numbers: gold answers are rounded to ten places."""
_MAX_NUMBER = 1e15


@dataclass(frozen=True, slots=True)
class Gold:
    """A question with its program and its answer, None where there is no gold answer."""

    name: str
    question: str
    program: Program
    answer: tuple[str | float, ...] | None


@dataclass(frozen=True, slots=True)
class Miss:
    """A gold answer that its program does not give."""

    gold: Gold
    answer: Answer | None
    """None if the program could not be executed."""
    cause: str = ""
    """Why it could not be executed."""


def read_gold(path: Path) -> list[Gold]:
    """The questions of a file; an error names the line."""
    rows = []
    for number, line in numbered_lines(path):
        try:
            rows.append(_read_line(line, f"line {number}"))
        except (ValueError, FormError) as error:
            raise DataError(f"{path}:{number}: {error}") from None
        except RecursionError:
            raise DataError(f"{path}:{number}: nested too deeply") from None
    if not rows:
        raise DataError(f"{path}: no gold answers")
    return rows


def agree(answer: Iterable[str | float], gold: Iterable[str | float]) -> bool:
    """Whether two answers are the same set, up to case of names and rounding of numbers."""
    names, numbers = _parts(answer)
    gold_names, gold_numbers = _parts(gold)
    return (
        names == gold_names
        and all(_contains(gold_numbers, number) for number in numbers)
        and all(_contains(numbers, number) for number in gold_numbers)
    )


def find_misses(run: Callable[[Program], Answer], rows: Iterable[Gold]) -> list[Miss]:
    """The rows whose program does not give the gold answer; those without one are misses too."""
    misses = []
    for gold in rows:
        try:
            answer = run(gold.program)
        except FormError as error:
            misses.append(Miss(gold, None, str(error)))
        else:
            if gold.answer is None or not agree(answer, gold.answer):
                misses.append(Miss(gold, answer))
    return misses


def _read_line(line: str, name: str) -> Gold:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    texts = []
    for field in ("query", "funql"):
        if not isinstance(row.get(field), str):
            raise ValueError(f"{field!r} is missing or no text")
        texts.append(row[field])
    name = row.get("qid", name)
    if not isinstance(name, str):
        raise ValueError("'qid' is no text")
    if "answer" not in row:
        raise ValueError("'answer' is missing")
    return Gold(name, texts[0], read_program(texts[1]), _read_answer(row["answer"]))


def _read_answer(value: object) -> tuple[str | float, ...] | None:
    if isinstance(value, float) and math.isnan(value):
        return None
    if not isinstance(value, list):
        raise ValueError("'answer' is neither a list nor NaN")
    for part in value:
        is_number = isinstance(part, int | float) and not isinstance(part, bool)
        if not isinstance(part, str) and not (is_number and abs(part) < _MAX_NUMBER):
            raise ValueError("'answer' has a part that is neither a name nor a number")
    return tuple(value)


def _parts(answer: Iterable[str | float]) -> tuple[set[str], list[float]]:
    parts = list(answer)
    names = {part.lower() for part in parts if isinstance(part, str)}
    return names, [part for part in parts if not isinstance(part, str)]


def _contains(numbers: Sequence[float], number: float) -> bool:
    return any(math.isclose(number, other, rel_tol=TOLERANCE) for other in numbers)
