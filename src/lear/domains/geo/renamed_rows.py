"""Training rows once more, with names that things of several sorts have.

A row about Texas says what people ask about states, and so what Mississippi is where they ask it.
But most names in training rows are of one sort, and show no choice between sorts.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lear.core.lexicon import Lexicon, Unit
from lear.domain.example import Example
from lear.domains.geo.names import sort_of_name


class Name(NamedTuple):
    """What a row has a name for."""

    begin: int
    unit: Unit
    form: str
    """In FunQL."""


def renamed_rows(
    examples: Sequence[Example], lexicon: Lexicon, rng: random.Random
) -> Iterator[Example]:
    """For each name in a row, and each choice of sorts that it could be one of: a row with such."""
    ambiguous = _ambiguous_names(lexicon)
    for example in examples:
        for name in _names(example, lexicon):
            for sorts, units in ambiguous.items():
                if sort_of_name(name.form) not in sorts:
                    continue
                unit = rng.choice(units)
                form = _names_by_sort(lexicon, unit)[sort_of_name(name.form)]
                if unit != name.unit and form not in example.form:
                    end = name.begin + len(name.unit)
                    tokens = (*example.tokens[: name.begin], *unit, *example.tokens[end:])
                    yield replace(
                        example, tokens=tokens, form=example.form.replace(name.form, form)
                    )


def _ambiguous_names(lexicon: Lexicon) -> dict[tuple[str, ...], list[Unit]]:
    """Sorts -> the names that things of all these sorts have, and of no others."""
    by_sorts: dict[tuple[str, ...], list[Unit]] = {}
    for unit in lexicon.units:
        sorts = tuple(sorted(_names_by_sort(lexicon, unit)))
        if len(sorts) > 1:
            by_sorts.setdefault(sorts, []).append(unit)
    return by_sorts


def _names_by_sort(lexicon: Lexicon, unit: Unit) -> dict[str, str]:
    """Sort -> what a unit is the name of, in FunQL."""
    forms = (entry.primitive.symbol for entry in lexicon.units[unit])
    return {sort: form for form in forms if (sort := sort_of_name(form))}


def _names(example: Example, lexicon: Lexicon) -> Iterator[Name]:
    """The names in a sentence that its form has, each once in both."""
    begin = 0
    units = list(lexicon.segment(example.tokens))
    for unit in units:
        if unit in lexicon.units and units.count(unit) == 1:
            for form in _names_by_sort(lexicon, unit).values():
                if example.form.count(form) == 1:
                    yield Name(begin, unit, form)
        begin += len(unit)
