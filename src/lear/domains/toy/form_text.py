"""Reading and printing terms: `teach ( tom , daughter ( john ) )`."""

from collections.abc import Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.domains.toy.algebra import (
    TYPE_OF_SYMBOL,
    Action,
    Attitude,
    Kind,
    Person,
    Predicate,
    Proposition,
    Relation,
)
from lear.errors import FormError


def render(meaning: Meaning) -> str:
    """The term of a meaning; a missing argument prints as `?`."""
    pieces: list[str] = []
    stack: list[Meaning | str] = [meaning]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, Proposition | Predicate):
            first, second = part.first or "?", part.second or "?"
            stack.extend((")", second, ",", first, "(", part.symbol))
        elif isinstance(part, Person | Kind) and part.of is not None:
            stack.extend((")", part.of, "(", part.symbol))
        elif isinstance(part, Person | Kind | Relation | Action | Attitude):
            pieces.append(part.symbol)
    return " ".join(pieces)


def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Meaning:
    """The proposition that a term denotes; the sentence is not needed."""
    del tokens
    # Shift-reduce: a closing bracket replaces everything from its symbol on by one meaning.
    stack: list[Meaning | str] = []
    for token in form.split():
        if token == ")":
            _reduce(stack, form, table)
        elif token in ("(", ","):
            stack.append(token)
        elif TYPE_OF_SYMBOL.get(token) in ("Person", "Kind"):
            stack.append(table.intern(Person(token)))
        elif token in TYPE_OF_SYMBOL:
            stack.append(token)
        else:
            raise FormError(f"unknown symbol {token!r}")
    match stack:
        case [Proposition() as proposition]:
            return proposition
    raise FormError(f"not a proposition: {form!r}")


def _reduce(stack: list[Meaning | str], form: str, table: MeaningTable) -> None:
    match stack:
        case [*_, str(symbol), "(", Person() as person] if TYPE_OF_SYMBOL.get(symbol) == "Relation":
            stack[-3:] = [table.intern(Person(symbol, person))]
        case [*_, str(symbol), "(", Person() as first, ",", (Person() | Proposition()) as second]:
            expected = "Action" if isinstance(second, Person) else "Attitude"
            if TYPE_OF_SYMBOL.get(symbol) != expected:
                raise FormError(f"{symbol!r} does not take these arguments in {form!r}")
            stack[-5:] = [table.intern(Proposition(symbol, first, second))]
        case _:
            raise FormError(f"brackets or arguments do not fit in {form!r}")
