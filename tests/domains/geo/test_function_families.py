"""Families of functions: one idea for several sorts of things."""

from lear.benchmark import Example
from lear.domains.geo.domain import GEO
from lear.domains.geo.functions import FUNCTIONS, INVERSES
from lear.domains.geo.lexicon import FAMILIES, SUPERLATIVES, family_name

ROWS = (
    ("largest city", "largest(city(all))"),
    ("largest state", "largest(state(all))"),
    ("largest river", "longest(river(all))"),
    ("smallest river", "shortest(river(all))"),
    ("smallest river", "shortest(river(all))"),
    ("city", "city(all)"),
    ("state", "state(all)"),
    ("river", "river(all)"),
)


def test_families_are_of_functions_and_do_not_overlap() -> None:
    assert FAMILIES.keys() <= FUNCTIONS.keys()
    for function, family in FAMILIES.items():
        assert function in family
        assert all(FAMILIES[member] == family for member in family)
    assert all(member in FUNCTIONS for family in SUPERLATIVES for member in family)


def test_inverse_relations_are_one_family_but_for_place() -> None:
    for name, inverse in INVERSES.items():
        is_one = family_name(name) == family_name(inverse)
        assert is_one == (name not in ("loc_1", "loc_2"))


def test_a_superlative_stands_for_all_of_its_family_and_no_other() -> None:
    rows = [Example(tuple(q.split()), f"answer({form})", "", "here") for q, form in ROWS]
    units = GEO.words.induce(rows, ()).units
    largest = {entry.primitive.symbol for entry in units["largest",]}
    assert largest == {"largest", "largest_one", "longest", "highest"}
    assert units["largest",][0].primitive.symbol == "largest"  # what rows show most comes first
    smallest = {entry.primitive.symbol for entry in units["smallest",]}
    assert smallest == {"smallest", "smallest_one", "shortest", "lowest"}
    assert [entry.primitive.symbol for entry in units["river",]] == ["river"]


def test_a_rare_form_is_aligned_as_other_forms_of_its_word() -> None:
    rows = [
        *[("rivers in texas", "river(loc_2(stateid('texas')))")] * 3,
        *[("name the cities", "city(all)")] * 3,
        *[("cities with rivers", "city(loc_1(river(all)))")] * 3,
        ("named cities with a river", "city(loc_1(river(all)))"),
    ]
    examples = [Example(tuple(q.split()), f"answer({form})", "", "here") for q, form in rows]
    lexicon = GEO.words.induce(examples, ())
    assert [entry.primitive.symbol for entry in lexicon.units["river",]] == ["river"]
    assert ("named",) not in lexicon.units  # as "name" stands for nothing
