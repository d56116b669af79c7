"""Names in questions: those of the gazetteer, and those that training rows show beside programs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from lear.core.lexicon import Primitive, Unit, segment
from lear.domain.example import Example, Gazetteer
from lear.domains.geo.finishing import lower_most, open_all
from lear.domains.geo.function_chain import Chain, Fork, chain_of
from lear.domains.geo.names import parts_of_name, sort_of_name, words_of_name
from lear.domains.geo.program import read_program
from lear.errors import FormError

MIN_NAME_SHARE = 0.5
"""How often a listed name must be meant where its words stand in questions."""


def symbols_of(example: Example) -> tuple[str, ...]:
    """The functions and entities of a row's program, as words compose to them."""
    try:
        chain = chain_of(read_program(example.form))
    except FormError as error:
        raise FormError(f"{example.source}: {error}") from None
    return tuple(_in_chain(lower_most(open_all(chain))))


def _in_chain(chain: Chain) -> Iterator[str]:
    yield from chain.functions
    match chain.end:
        case str():
            yield from parts_of_name(chain.end)
        case Fork(operation, left, right):
            yield operation
            yield from _in_chain(left)
            yield from _in_chain(right)


def stands_in(example: Example, symbol: str) -> bool:
    """Whether the words of a name stand in a question."""
    name = words_of_name(symbol)
    starts = range(len(example.tokens) - len(name) + 1)
    return bool(name) and any(example.tokens[b : b + len(name)] == name for b in starts)


def find_names(
    rows: Sequence[Example], symbols: Sequence[Sequence[str]], gazetteer: Gazetteer
) -> Counter[tuple[Unit, Primitive]]:
    """Names with what they name, counted; a state comes with its abbreviation."""
    abbreviations = {
        thing.form: thing.tokens[0]
        for thing in gazetteer
        if thing.form.startswith("stateid") and len(" ".join(thing.tokens)) == 2
    }
    listed: dict[Unit, set[str]] = {}
    for thing in gazetteer:
        listed.setdefault(thing.tokens, set()).add(thing.form)
    counts: Counter[tuple[Unit, str]] = Counter(
        (words_of_name(symbol), symbol)
        for example, found in zip(rows, symbols, strict=True)
        for symbol in found
        if stands_in(example, symbol)
    )
    for unit, forms in _meant(rows, symbols, listed, abbreviations).items():
        counts.update((unit, form) for form in forms)
    return Counter(
        {
            (unit, Primitive("Entity", symbol, abbreviations.get(symbol, ""))): count
            for (unit, symbol), count in counts.items()
        }
    )


def _meant(
    rows: Sequence[Example],
    symbols: Sequence[Sequence[str]],
    listed: dict[Unit, set[str]],
    abbreviations: dict[str, str],
) -> dict[Unit, list[str]]:
    """Listed names but for those that mean something else in questions, as "in" is not Indiana."""
    longest = max(map(len, listed), default=1)
    occurrences: Counter[Unit] = Counter()
    uses: Counter[Unit] = Counter()
    for example, found in zip(rows, symbols, strict=True):
        states = {form for form, code in abbreviations.items() if f", '{code}')" in example.form}
        for unit in segment(example.tokens, listed, longest):
            if unit in listed:
                occurrences[unit] += 1
                uses[unit] += not listed[unit].isdisjoint({*found, *states})
    return {
        unit: sorted(forms)
        for unit, forms in listed.items()
        if uses[unit] >= MIN_NAME_SHARE * occurrences[unit] and not _is_explained(unit, listed)
    }


def _is_explained(unit: Unit, listed: dict[Unit, set[str]]) -> bool:
    """Whether a name is another one with the word for its sort: "red river" is the river Red.

    Geobase lists such names again, as points where rivers leave a state.
    """
    return any(sort_of_name(form) == unit[-1] for form in listed.get(unit[:-1], ()))
