"""The algebra of GEO: word order and number decide where types of programs do not."""

import pytest

from lear.domains.geo.algebra import (
    Entity,
    Predicate,
    Proposition,
    argument_symbol,
    category,
    concat,
    concat_inverse,
    fill_in,
    fill_in_inverse,
    fill_in_place,
    intersection,
    is_complete,
    joints,
)
from lear.domains.geo.functions import (
    EITHER_WAY,
    FUNCTIONS,
    INVERSES,
    OF_SEVERAL,
    SUPERLATIVES_OF_SIZE,
    Chain,
)
from tests.support.shipped import SENTENCES, shipped

TEXAS = Entity("stateid('texas')", "tx", is_unit=True)
LARGEST_STATE = Predicate(("largest", "state"), "forward")


def unit(function: str) -> Predicate:
    return Predicate((function,))


@pytest.mark.parametrize("function", OF_SEVERAL)
def test_nothing_is_counted_or_compared_of_one_thing(function: str) -> None:
    for superlative, noun in (("largest", "city"), ("longest", "river"), ("highest", "place")):
        one = Predicate((superlative, noun), "forward")
        assert concat(unit(function), one) is None
        assert concat_inverse(one, unit(function)) is None


def test_one_thing_is_as_good_as_a_set_for_all_else() -> None:
    assert is_complete(LARGEST_STATE)
    for function in ("population_1", "next_to_2", "loc_2", "traverse_2"):
        assert concat(unit(function), LARGEST_STATE) is not None
    state = concat(unit("state"), Predicate(("next_to_2", "state"), "forward"))
    assert isinstance(state, Predicate)
    larger = Predicate(("largest", *state.functions), "forward")
    assert category(larger) != category(state)  # they combine in different ways
    assert argument_symbol(larger) == argument_symbol(state)  # but networks see no difference


@pytest.mark.parametrize("adjective", [*SUPERLATIVES_OF_SIZE, "major", "most", "fewest"])
def test_an_adjective_takes_its_noun_before_anything_takes_it(adjective: str) -> None:
    for function in FUNCTIONS:
        assert concat(unit(function), unit(adjective)) is None
        assert concat_inverse(unit(adjective), unit(function)) is None


def test_a_property_takes_its_noun_before_a_superlative_that_follows() -> None:
    population, largest = unit("population_1"), unit("largest_one")
    assert concat_inverse(population, largest) is None
    of_states = concat_inverse(unit("state"), population)
    assert isinstance(of_states, Predicate)
    assert concat_inverse(of_states, largest) is not None
    assert concat(largest, population) is not None


@pytest.mark.parametrize("relation", sorted(EITHER_WAY))
def test_the_subject_comes_first(relation: str) -> None:
    sort = "state" if relation.startswith("next_to") else "place"
    thing = Proposition(Chain((sort,), "all"))
    left, right = fill_in_inverse(thing, unit(relation)), fill_in(unit(relation), thing)
    assert (left is None) != (right is None)
    assert (right is None) == relation.endswith("_1")
    assert category(unit(relation)) != category(unit(INVERSES[relation]))
    assert argument_symbol(unit(relation)) == argument_symbol(unit(INVERSES[relation]))


def test_a_subject_without_a_name_is_one_thing() -> None:
    assert concat_inverse(LARGEST_STATE, unit("next_to_1")) is not None
    assert concat_inverse(unit("state"), unit("next_to_1")) is None


def test_where_states_are_is_not_asked_but_by_name() -> None:
    assert fill_in(unit("loc_1"), TEXAS) is not None
    assert concat(unit("loc_1"), unit("state")) is None
    assert concat(unit("loc_1"), LARGEST_STATE) is None
    assert concat(unit("loc_1"), unit("city")) is not None


def test_no_city_is_in_a_city_and_no_name_is_restricted() -> None:
    in_austin = fill_in(unit("loc_2"), Entity("cityid('austin', _)", is_unit=True))
    assert in_austin is not None
    assert fill_in(unit("city"), in_austin) is None
    assert fill_in(unit("river"), in_austin) is not None
    in_texas = fill_in(unit("loc_2"), TEXAS)
    assert in_texas is not None
    rivers, longest = Chain(("river",), "all"), Chain(("longest", "river"), "all")
    assert intersection(Proposition(rivers), in_texas) is not None
    assert intersection(Proposition(longest), in_texas) is None


def test_a_clause_follows_its_noun() -> None:
    state_with = concat_inverse(unit("state"), unit("loc_2"))
    assert isinstance(state_with, Predicate)
    lowest_point = concat(unit("lowest"), unit("place"))
    assert isinstance(lowest_point, Predicate)
    assert concat_inverse(state_with, lowest_point) is None
    assert concat(unit("place"), state_with) is not None
    # But a question may begin with its clause: "through which states ...".
    assert concat_inverse(unit("traverse_1"), unit("state")) is not None


def test_a_noun_with_a_relation_behind_it_is_no_answer_about_what_came_before() -> None:
    river_cross = concat(unit("river"), unit("traverse_2"))
    assert isinstance(river_cross, Predicate)
    assert concat_inverse(unit("state"), river_cross) is None
    assert fill_in_inverse(TEXAS, river_cross) is None
    assert category(river_cross) != category(Predicate(("river", "traverse_2"), "backward"))


def test_a_state_by_name_is_one_thing_but_several_cities_may_have_one_name() -> None:
    in_usa = fill_in(unit("loc_2"), Entity("countryid('usa')", is_unit=True))
    assert in_usa is not None
    state = fill_in(unit("state"), TEXAS)
    city = fill_in(unit("city"), Entity("cityid('austin', _)", is_unit=True))
    assert isinstance(state, Proposition)
    assert isinstance(city, Proposition)
    assert fill_in(unit("count"), state) is None
    assert intersection(state, in_usa) is None
    assert fill_in(unit("population_1"), state) is not None
    assert fill_in(unit("count"), city) is not None
    assert intersection(city, in_usa) is not None


@pytest.mark.parametrize("noun", ["state", "place"])
def test_nobody_asks_for_what_they_name(noun: str) -> None:
    named = fill_in(unit(noun), Entity(f"{noun}id('x')", is_unit=True))
    assert named is not None
    assert not is_complete(named)
    assert argument_symbol(named) == argument_symbol(unit_of_all(noun))
    # But rivers and cities may be asked for by a name that several have.
    for other in ("river", "city"):
        form = f"{other}id('x'{', _' if other == 'city' else ''})"
        several = fill_in(unit(other), Entity(form, is_unit=True))
        assert several is not None
        assert is_complete(several)


def unit_of_all(noun: str) -> Proposition:
    return Proposition(Chain((noun,), "all"))


def test_a_country_before_a_noun_says_nothing_and_behind_it_does() -> None:
    usa = Entity("countryid('usa')", is_unit=True)
    cities = unit("city")
    assert fill_in_place(usa, cities) == cities
    of_texas = fill_in_place(TEXAS, cities)
    assert isinstance(of_texas, Proposition)
    assert of_texas.chain == Chain(("city", "loc_2"), TEXAS.text)
    in_usa = fill_in(unit("loc_2"), usa)
    assert isinstance(in_usa, Proposition)
    behind = fill_in(cities, in_usa)
    assert isinstance(behind, Proposition)
    assert behind.chain == Chain(("city", "loc_2"), usa.text)
    # Where names are anonymous, nobody knows which one is a country.
    anonymous = Entity("var0", is_unit=True)
    assert isinstance(fill_in_place(anonymous, cities), Proposition)


@pytest.mark.parametrize("relation", ["loc_2", "next_to_2", "traverse_2"])
def test_what_has_its_argument_behind_it_has_its_noun_before_it(relation: str) -> None:
    behind = fill_in(unit(relation), unit_of_all("state"))
    assert isinstance(behind, Proposition)
    assert behind.is_behind
    for noun, kinds in FUNCTIONS.items():
        assert fill_in_inverse(behind, unit(noun)) is None, kinds
    # But it restricts a noun before it, and can be asked about.
    nouns = [noun for noun in ("city", "state", "river") if fill_in(unit(noun), behind) is not None]
    assert nouns
    before = Proposition(behind.chain)
    assert all(fill_in_inverse(before, unit(noun)) is not None for noun in nouns)
    assert category(before) != category(behind)
    assert argument_symbol(before) == argument_symbol(behind)


@pytest.mark.parametrize(("superlative", "noun"), [("highest", "place"), ("lowest", "mountain")])
def test_where_a_place_is_asks_for_the_place(superlative: str, noun: str) -> None:
    place = fill_in(unit(superlative), Proposition(Chain((noun,), "all")))
    assert place is not None
    where = fill_in(unit("loc_1"), place)
    assert where is not None
    assert not is_complete(where)
    assert fill_in(unit("state"), where) is not None
    city = Proposition(Chain(("largest", "city"), "all"))
    where = fill_in(unit("loc_1"), city)
    assert where is not None
    assert is_complete(where)


MAX_CATEGORIES = 250
"""Their pairs are tried one by one, which takes a while."""


def test_what_can_be_combined_shares_a_joint() -> None:
    for name in ("geo", "geo-query"):
        parser = shipped(name)
        parser.parse_batch(SENTENCES[name])
        negations = ["which state does not border var0", "what state has no rivers"]
        parser.parse_batch(negations)
        table = parser.reader.categories
        numbers = range(min(MAX_CATEGORIES, table.num_categories))
        bits = [joints(table.example(number)) for number in numbers]
        num_legal = 0
        for left in numbers:
            for right in numbers:
                if table.combinations((left, right)):
                    num_legal += 1
                    assert bits[left][0] & bits[right][1], (table.name(left), table.name(right))
        assert num_legal > 100
