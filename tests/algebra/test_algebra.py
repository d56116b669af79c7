"""Types decide legality; equal meanings are one object; any meaning has parts and a text."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Operation
from lear.algebra.derivations import evaluate, walk
from lear.algebra.meanings import (
    MAX_CHARACTERS,
    children,
    meaning_text,
    parts,
    plain_values,
    structure,
    substructures,
)
from lear.benchmark import Example
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY, Kind, Person, Relation, possess
from lear.errors import AlgebraError
from lear.forest.oracle import Oracle
from tests.support.brute_force import all_derivations
from tests.support.toy_rows import TEST


def test_equal_meanings_are_the_same_object_with_one_number() -> None:
    table = MeaningTable(TOY.language.algebra)
    john, also_john = table.intern(Person("john")), table.intern(Person("john"))
    daughter = table.intern(Person("daughter", john))
    assert john is also_john
    assert daughter is table.intern(Person("daughter", also_john))
    assert [table.number(john), table.number(daughter)] == [0, 1]
    assert len(table) == 2


def test_types_keep_meanings_apart_that_look_alike() -> None:
    table = MeaningTable(TOY.language.algebra)
    meanings: list[Meaning] = [Person("girl"), Kind("girl")]
    assert len({table.intern(meaning) for meaning in meanings}) == 2


def test_application_outside_the_signature_is_undefined() -> None:
    table = MeaningTable(TOY.language.algebra)
    relation = table.intern(Relation("son"))
    operation = TOY.language.algebra.by_name["possess"]
    assert table.apply(operation, (relation, relation)) is None
    assert table.apply(operation, (relation,)) is None
    assert table.legal(relation, relation) == ()


@pytest.mark.parametrize("sentence", ["Tom teaches the girl", "Mary is taught by John 's son"])
def test_legal_is_exactly_where_application_succeeds(toy_oracle: Oracle, sentence: str) -> None:
    table = MeaningTable(TOY.language.algebra)
    meanings = {
        evaluate(part, table, TOY.words.ground)
        for derivation in all_derivations(toy_oracle, tuple(sentence.split()))
        for _, part in walk(derivation)
    }
    assert len(meanings) > 3
    for operation in TOY.language.algebra.operations:
        for arguments in product(meanings, repeat=operation.arity):
            result = table.apply(operation, arguments)
            assert (operation in table.legal(*arguments)) == (result is not None)
            if result is not None:
                assert type(result) in operation.results


@pytest.mark.parametrize(
    ("operation", "signature"),
    [
        (Operation.of(possess), "Person + Relation -> Person"),
        (COGS.language.algebra.by_name["take_theme"], "Verb + Entity|Name -> Verb"),
    ],
)
def test_a_signature_is_read_off_the_annotations(operation: Operation, signature: str) -> None:
    assert (operation.arity, operation.signature) == (2, signature)
    assert Operation.of(possess).example == "John 's daughter  =>  daughter ( john )"


def test_an_operation_without_annotation_example_or_meaning_is_refused() -> None:
    def untyped(person):  # type: ignore[no-untyped-def]
        """`x`."""

    def undocumented(person: Person) -> Person:
        return person

    def numeric(person: int) -> Person:
        """`x`."""
        return Person(str(person))

    for function, cause in ((untyped, "annotation"), (undocumented, "example"), (numeric, "type")):
        with pytest.raises(AlgebraError, match=cause):
            Operation.of(function)


def test_two_operations_of_one_name_are_refused() -> None:
    with pytest.raises(AlgebraError, match="possess is defined twice"):
        Algebra.of("double", (possess, possess), lambda _: True)


rows = st.sampled_from(TEST)


@given(rows, rows)
def test_structures_are_equal_exactly_for_equal_meanings(one: Example, other: Example) -> None:
    table = MeaningTable(TOY.language.algebra)
    a, b = TOY.language.read_gold(one, table), TOY.language.read_gold(other, table)
    apart = TOY.language.read_gold(one, MeaningTable(TOY.language.algebra))
    assert (structure(a) == structure(b)) == (a is b)
    assert apart is not a
    assert structure(apart) == structure(a)


@given(rows)
def test_parts_are_closed_and_one_substructure_each(row: Example) -> None:
    meaning = TOY.language.read_gold(row, MeaningTable(TOY.language.algebra))
    inside = parts(meaning)
    assert meaning in inside
    assert all(child in inside for part in inside for child in children(part))
    assert substructures(meaning) == {structure(part) for part in inside}
    assert len(substructures(meaning)) == len(inside)
    assert plain_values(meaning) == set(row.form.split()) - {"(", ",", ")"}


def test_depth_is_not_bounded_by_the_interpreter() -> None:
    table = MeaningTable(TOY.language.algebra)
    person = table.intern(Person("john"))
    for _ in range(2_000):
        person = table.intern(Person("daughter", person))
    assert len(parts(person)) == 2_001
    assert plain_values(person) == {"john", "daughter"}


class Thing(Meaning, frozen=True):
    name: str
    parts: "tuple[Thing, ...]" = ()
    size: int = 0


def test_fields_that_say_something_are_shown() -> None:
    assert meaning_text(Thing("box")) == "Thing(name=box)"
    box = Thing("box", (Thing("lid", size=2), Thing("key")))
    assert meaning_text(box) == "Thing(name=box, parts=(Thing(name=lid, size=2), Thing(name=key)))"


def test_however_deep_it_is_the_text_is_short() -> None:
    deep = Thing("core")
    for _ in range(10_000):
        deep = Thing("shell", (deep,))
    text = meaning_text(deep)
    assert len(text) == MAX_CHARACTERS
    assert text.endswith("…")
