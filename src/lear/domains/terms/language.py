"""A language of terms as data: all that was inferred from training rows, as a model keeps it."""

from typing import Any, Literal

import msgspec

from lear.domains.terms.form_text import Notation
from lear.domains.terms.junctions import Junction
from lear.domains.terms.literals import LiteralKind
from lear.domains.terms.names import NamePattern
from lear.domains.terms.tree import Tree
from lear.domains.terms.types import TypeTable, key_of
from lear.errors import DataError
from lear.lexicon.lexicon import Unit

Fineness = Literal["types", "mixed", "symbols"]
"""What is told apart. `types`: kinds of terms are their types, and rules see no more. `mixed`: the
same, but rules see symbols. `symbols`: kinds are symbols, so that a place takes only what training
shows there."""
ANY_KIND = ""
"""The kind of what has none yet: a transparent symbol without arguments."""


class TermSymbol(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a function takes and gives, as kinds."""

    kind: str
    places: tuple[tuple[str, ...], ...] = ()
    """The kinds that each place takes; a transparent symbol's take any."""
    extras: dict[str, bool] = {}
    """The kinds of further arguments, and whether there may be several of a kind."""
    order: dict[str, tuple[str, ...]] = {}
    """Further argument -> those that it must stand before; the rest stand as they are said."""
    is_transparent: bool = False
    defaults: dict[int, str] = {}
    """Place -> the constant that stands there when no word says what does."""


class Lift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A symbol that may be there unsaid, around a term of some kind."""

    kind: str
    """Of what is inside."""
    symbol: str
    place: int
    """Where it is inside; -1 among the extras."""


class OpenClass(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of which there are more than training shows."""

    name: str
    """The function that makes names of them, or their type."""
    kind: str
    pattern: NamePattern
    long_pattern: NamePattern | None = None
    """Of names of several words, which may have quotes that others have not; None without any."""

    def write(self, words: Unit) -> str | None:
        """The constant of a name; None where the class has no names of so many words."""
        pattern = self.pattern if len(words) == 1 else self.long_pattern
        return None if pattern is None else pattern.write(words)

    def fits(self, symbol: str) -> bool:
        """Whether a constant is written as the names of this class are."""
        patterns = (self.pattern, self.long_pattern)
        return any(pattern is not None and pattern.fits(symbol) for pattern in patterns)


class TermLanguage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A language of terms."""

    notation: Notation
    types: TypeTable
    fineness: Fineness
    symbols: dict[str, TermSymbol]
    root_kinds: tuple[str, ...]
    lifts: tuple[Lift, ...] = ()
    """The likelier ones first."""
    junction: Junction | None = None
    open_classes: tuple[OpenClass, ...] = ()
    name_types: dict[str, str] = {}
    """Kind of names that is only a part of a type -> the type."""
    name_kinds: dict[str, str] = {}
    """The names of training that are of such kinds -> their kinds."""
    order_keys: dict[str, str] = {}
    """The names of training -> what stands for all of their class where order is concerned."""
    never_around: dict[str, tuple[str, ...]] = {}
    """Function -> symbols that are never there unsaid around it."""
    literal_kinds: tuple[LiteralKind, ...] = ()
    pads_hours: bool = True
    """Whether forms write 09:00, not 9:00."""
    literal_quotes: dict[LiteralKind, str] = {}
    """Kind of literal -> what forms write around it, if anything."""

    def read(self, form: str) -> Tree:
        """The tree of a form, names as constants."""
        return self.notation.with_names(self.notation.read(form), self.types.names)

    def constant_kind(self, symbol: str) -> str | None:
        """The kind of a constant; None for one that nothing is known of."""
        known = self.name_kinds.get(symbol) or self.types.constant_type(symbol)
        if known is not None:
            return known
        new = self._open_class(symbol)
        return new.kind if new else None

    def order_key(self, tree: Tree) -> str:
        """What stands for an argument where order is concerned."""
        if tree.arguments or tree.symbol in self.symbols:
            return tree.symbol
        known = self.order_keys.get(tree.symbol)
        if known is not None or tree.symbol in self.types.constants:
            return known or tree.symbol
        new = self._open_class(tree.symbol)
        return order_key_of(new.name) if new else key_of(tree)

    def _open_class(self, symbol: str) -> OpenClass | None:
        """The class of a name that training never showed."""
        return next((c for c in self.open_classes if c.fits(symbol)), None)


def order_key_of(name_class: str) -> str:
    """What stands for all names of a class where order is concerned."""
    return f"<{name_class}>"


def restore_language(values: Any) -> TermLanguage:
    """The language that a model keeps; whatever no inference can have written is a `DataError`."""
    try:
        language = msgspec.convert(values, TermLanguage, str_keys=True)
    except msgspec.ValidationError as error:
        raise DataError(f"not a language of terms: {error}") from None
    functions = language.symbols
    for symbol, entry in functions.items():
        if not all(0 <= place < len(entry.places) for place in entry.defaults):
            raise DataError(f"not a language of terms: {symbol!r} has no such place")
    for lift in language.lifts:
        lifting = functions.get(lift.symbol)
        if lifting is None or not -1 <= lift.place < len(lifting.places):
            raise DataError(f"not a language of terms: {lift.symbol!r} has no such place")
    junction = language.junction
    if junction is not None and junction.symbol not in functions:
        raise DataError(f"not a language of terms: {junction.symbol!r} is no function")
    for symbol, place in junction.places if junction else ():
        if symbol not in functions or not 0 <= place < len(functions[symbol].places):
            raise DataError(f"not a language of terms: {symbol!r} has no such place")
    if any(place < 0 for place in language.types.names.values()):
        raise DataError("not a language of terms: names without an argument")
    return language
