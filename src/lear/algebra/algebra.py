"""Typed operations over interned meanings: the semantic algebra <M, G> of the paper's section 2.

A semantic type is a subclass of `Meaning`. An operation is a pure, partial function whose
signature says which types it takes and gives: `def modify(a: Entity, b: Place) -> Entity | None`.
Within one `MeaningTable` equal meanings are the same object, so they compare by identity.
"""

import inspect
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, TypeVar

import msgspec
from msgspec.structs import astuple

from lear.errors import AlgebraError


class Meaning(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An immutable value; its fields are plain values or meanings of the same table.

    Equality is identity: two meanings are equal when a `MeaningTable` gave the same object for
    both. Hashing is therefore constant in the size of the meaning.
    """


class Primitive(msgspec.Struct, frozen=True, order=True):
    """A 0-ary semantic operation: its type, its symbol, and what else the lexicon knows of it."""

    type: str
    symbol: str
    feature: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.symbol}" + (f" [{self.feature}]" if self.feature else "")


M = TypeVar("M", bound=Meaning)
MeaningType = type[Meaning]


def unhashable_field(meaning: Meaning) -> AlgebraError:
    """Return what is wrong with a meaning that cannot be interned."""
    for name in meaning.__struct_fields__:
        value = getattr(meaning, name)
        try:
            hash(value)
        except TypeError:
            kind, owner = type(value).__name__, type(meaning).__name__
            return AlgebraError(f"{owner}.{name} is a {kind}; fields are plain values or tuples")
    return AlgebraError(f"a {type(meaning).__name__} with a field that cannot be hashed")


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """A typed k-ary function on meanings; None from the function means: not defined here."""

    name: str
    arguments: tuple[tuple[MeaningType, ...], ...]
    """For each argument the types that it accepts."""
    results: tuple[MeaningType, ...]
    function: Callable[..., Meaning | None]
    example: str
    """What it does to a phrase, such as `the dog => * dog ( x _ 1 )`."""

    @classmethod
    def of(cls, function: Callable[..., Meaning | None]) -> "Operation":
        """Read name, signature and example off an annotated function."""
        hints = typing.get_type_hints(function)
        names = list(inspect.signature(function).parameters)
        if any(name not in hints for name in (*names, "return")):
            raise AlgebraError(f"operation {function.__name__} lacks an annotation")
        if len(names) not in (1, 2):
            raise AlgebraError(
                f"operation {function.__name__} takes {len(names)} arguments: operations take one "
                "or two; more are taken one after the other"
            )
        example = inspect.getdoc(function)
        if not example:
            raise AlgebraError(f"operation {function.__name__} needs an example as its docstring")
        return cls(
            name=function.__name__,
            arguments=tuple(_meaning_types(function, hints[name]) for name in names),
            results=_meaning_types(function, hints["return"]),
            function=function,
            example=example.splitlines()[0].strip("`. "),
        )

    @property
    def arity(self) -> int:
        """Return how many arguments it takes."""
        return len(self.arguments)

    @property
    def signature(self) -> str:
        """Return types in and out, such as `Noun -> Entity` or `Entity + Entity|Name -> Entity`."""
        return " -> ".join((" + ".join(map(_names, self.arguments)), _names(self.results)))


def _names(alternatives: Iterable[MeaningType]) -> str:
    return "|".join(kind.__name__ for kind in alternatives)


def _meaning_types(function: Callable[..., object], hint: Any) -> tuple[MeaningType, ...]:
    is_union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    alternatives = typing.get_args(hint) if is_union else (hint,)
    kinds = tuple(kind for kind in alternatives if kind is not type(None))
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Meaning)):
            raise AlgebraError(f"operation {function.__name__}: {kind!r} is not a type of meaning")
    return kinds


@dataclass(frozen=True)
class Algebra:
    """A set of operations, and the meanings that can stand for a whole utterance."""

    name: str
    operations: tuple[Operation, ...]
    is_complete: Callable[[Meaning], bool]

    @classmethod
    def of(
        cls,
        name: str,
        functions: Iterable[Callable[..., Meaning | None]],
        is_complete: Callable[[Meaning], bool],
    ) -> "Algebra":
        """Return an algebra of annotated functions; models index them in this order."""
        operations = tuple(map(Operation.of, functions))
        repeated = {op.name for op in operations if [o.name for o in operations].count(op.name) > 1}
        if repeated:
            raise AlgebraError(f"algebra {name}: operation {min(repeated)} is defined twice")
        return cls(name, operations, is_complete)

    @cached_property
    def by_name(self) -> dict[str, Operation]:
        """Return operations by their names, as derivations store them."""
        return {operation.name: operation for operation in self.operations}

    def operation(self, name: str) -> Operation:
        """Return the operation of this name; raise `AlgebraError` if there is none."""
        try:
            return self.by_name[name]
        except KeyError:
            raise AlgebraError(f"algebra {self.name} has no operation {name!r}") from None

    @cached_property
    def by_types(self) -> dict[tuple[MeaningType, ...], tuple[Operation, ...]]:
        """Return argument types -> the operations whose signature accepts them."""
        table: dict[tuple[MeaningType, ...], tuple[Operation, ...]] = {}
        for operation in self.operations:
            for kinds in product(*operation.arguments):
                table[kinds] = (*table.get(kinds, ()), operation)
        return table

    def candidates(self, *arguments: Meaning) -> tuple[Operation, ...]:
        """Return the operations whose signature accepts these arguments."""
        return self.by_types.get(tuple(map(type, arguments)), ())


class MeaningTable:
    """One object for each distinct meaning, numbered from 0, and a memo of every application."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self._canonical: dict[tuple[Any, ...], Meaning] = {}
        self._numbers: dict[Meaning, int] = {}
        self._applied: dict[tuple[Any, ...], Meaning | None] = {}

    def __len__(self) -> int:
        return len(self._canonical)

    def intern(self, meaning: M) -> M:
        """Return the one object equal to this meaning, whose own parts must be interned already."""
        key = (type(meaning), *astuple(meaning))
        try:
            canonical = self._canonical.get(key)
        except TypeError:
            raise unhashable_field(meaning) from None
        if canonical is not None:
            return typing.cast(M, canonical)
        self._numbers[meaning] = len(self._canonical)
        self._canonical[key] = meaning
        return meaning

    def __contains__(self, meaning: Meaning) -> bool:
        return meaning in self._numbers

    def number(self, meaning: Meaning) -> int:
        """Return the number of an interned meaning: its place in the order of interning."""
        return self._numbers[meaning]

    def apply(self, operation: Operation, arguments: tuple[Meaning, ...]) -> Meaning | None:
        """Return the meaning of `operation(*arguments)`; None where types or values rule it out."""
        key = (operation.name, *arguments)
        try:
            return self._applied[key]
        except KeyError:
            pass
        is_typed = operation in self.algebra.candidates(*arguments)
        value = operation.function(*arguments) if is_typed else None
        try:
            result = None if value is None else self.intern(value)
        except AlgebraError as error:
            raise AlgebraError(f"operation {operation.name}: {error}") from None
        self._applied[key] = result
        return result

    def legal(self, *arguments: Meaning) -> tuple[Operation, ...]:
        """Return the operations that are defined on these arguments, in their order."""
        candidates = self.algebra.candidates(*arguments)
        return tuple(op for op in candidates if self.apply(op, arguments) is not None)
