"""The names of the GEO lexicon: those of the gazetteer, and those of training rows."""

from collections import Counter
from collections.abc import Iterator, Sequence

from lear.core.lexicon import Primitive, Unit, segment
from lear.domain.example import Example, Gazetteer
from lear.domains.geo.finishing import lower_most, open_all
from lear.domains.geo.function_chain import Chain, Fork, chain_of
from lear.domains.geo.names import parts_of_name, sort_of_name, words_of_name
from lear.domains.geo.program import read_program
from lear.errors import FormError

ENGLISH_WORDS: frozenset[Unit] = frozenset({("in",), ("or",), ("me",)})
"""Abbreviations that are mostly words; they are states only where training shows them to be."""
MIN_NAME_SHARE = 0.5
"""Share of the occurrences of a gazetteer name in questions where the program has the name."""


def targets_of(example: Example) -> tuple[str, ...]:
    """The functions, set operations and names of a row's program before its finishing steps."""
    try:
        chain = chain_of(read_program(example.form))
    except FormError as error:
        raise FormError(f"{example.source}: {error}") from None
    return tuple(_targets(lower_most(open_all(chain))))


def _targets(chain: Chain) -> Iterator[str]:
    yield from chain.functions
    match chain.end:
        case str():
            yield from parts_of_name(chain.end)
        case Fork(operation, left, right):
            yield operation
            yield from _targets(left)
            yield from _targets(right)


def stands_in(example: Example, target: str) -> bool:
    """Whether a target is a name whose words are in the question."""
    name = words_of_name(target)
    starts = range(len(example.tokens) - len(name) + 1)
    return bool(name) and any(example.tokens[b : b + len(name)] == name for b in starts)


def find_names(
    rows: Sequence[Example], targets: Sequence[Sequence[str]], gazetteer: Gazetteer
) -> Counter[tuple[Unit, Primitive]]:
    """Entries of names with their counts; a state has its abbreviation as feature.

    Args:
        rows: The training rows.
        targets: The targets of each row.
        gazetteer: The listed names.
    """
    abbreviations = {
        thing.form: thing.tokens[0]
        for thing in gazetteer
        if thing.form.startswith("stateid") and len(" ".join(thing.tokens)) == 2
    }
    listed: dict[Unit, set[str]] = {}
    for thing in gazetteer:
        listed.setdefault(thing.tokens, set()).add(thing.form)
    counts: Counter[tuple[Unit, str]] = Counter(
        (words_of_name(target), target)
        for example, targets_in_row in zip(rows, targets, strict=True)
        for target in targets_in_row
        if stands_in(example, target)
    )
    for unit, forms in _listed_names_in_use(rows, targets, listed, abbreviations).items():
        counts.update((unit, form) for form in forms)
    return Counter(
        {
            (unit, Primitive("Entity", form, abbreviations.get(form, ""))): count
            for (unit, form), count in counts.items()
        }
    )


def _listed_names_in_use(
    rows: Sequence[Example],
    targets: Sequence[Sequence[str]],
    listed: dict[Unit, set[str]],
    abbreviations: dict[str, str],
) -> dict[Unit, list[str]]:
    """The listed names without those that are mostly other words ("in" is not Indiana)."""
    longest = max(map(len, listed), default=1)
    occurrences: Counter[Unit] = Counter()
    uses: Counter[Unit] = Counter()
    for example, targets_in_row in zip(rows, targets, strict=True):
        states = {form for form, code in abbreviations.items() if f", '{code}')" in example.form}
        for unit in segment(example.tokens, listed, longest):
            if unit in listed:
                occurrences[unit] += 1
                uses[unit] += not listed[unit].isdisjoint({*targets_in_row, *states})
    return {
        unit: sorted(forms)
        for unit, forms in listed.items()
        if uses[unit] >= MIN_NAME_SHARE * max(occurrences[unit], unit in ENGLISH_WORDS)
        and not _has_sort_word(unit, listed)
    }


def _has_sort_word(unit: Unit, listed: dict[Unit, set[str]]) -> bool:
    """Whether a name is a listed name followed by its sort: "red river" is the river "red".

    Geobase also lists such names as places, where the river leaves a state.
    """
    return any(sort_of_name(form) == unit[-1] for form in listed.get(unit[:-1], ()))
