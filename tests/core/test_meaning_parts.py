"""What a meaning consists of, whatever its type."""

from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import MeaningTable
from lear.algebra.meanings import children, parts, plain_values, structure, substructures
from lear.benchmark import Example
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY, Person
from tests.support.toy_rows import TEST

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


def test_meanings_inside_of_tuples_are_parts_too() -> None:
    table = MeaningTable(COGS.language.algebra)
    form = (
        "* cake ( x _ 1 ) ; sleep . agent ( x _ 5 , x _ 1 ) AND cake . nmod . in ( x _ 1 , Emma )"
    )
    meaning = COGS.language.read(form, ["The", "cake", "in", "Emma", "-", "slept", "."], table)
    assert {"sleep", "cake", "in", "Emma"} <= plain_values(meaning)


def test_depth_is_not_bounded_by_the_interpreter() -> None:
    table = MeaningTable(TOY.language.algebra)
    person = table.intern(Person("john"))
    for _ in range(2_000):
        person = table.intern(Person("daughter", person))
    assert len(parts(person)) == 2_001
    assert plain_values(person) == {"john", "daughter"}
