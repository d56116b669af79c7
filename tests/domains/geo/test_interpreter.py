"""Running FunQL on a small country: what functions mean, and what cannot be run."""

import pytest

from lear.domains.geo.functions import ALL, FUNCTIONS, MAX_LEVELS, Atom, Call, Program, read_program
from lear.domains.geo.interpreter import MAX_PARTS, Answer, Interpreter
from lear.errors import FormError
from tests.support.small_country import Run


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        ("state(all)", ["isle", "north", "south"]),
        ("city(all)", ["twin", "upton"]),
        ("count(city(all))", [3]),
        ("capital(loc_2(stateid('south')))", ["downton"]),
        # A capital without a population is no city.
        ("city(loc_2(stateid('isle')))", []),
        ("capital_2(cityid('port', _))", ["isle"]),
        ("major(all)", ["long", "twin"]),
        ("loc_1(major(city(all)))", ["land", "north"]),
        ("loc_1(cityid('twin', _))", ["land", "north", "south"]),
        ("state(loc_1(cityid('twin', 'so')))", ["south"]),
        ("cityid('upton', 'so')", []),
        ("river(traverse_2(countryid('land')))", ["long", "short"]),
        ("state(next_to_2(stateid('isle')))", []),
        ("density_1(stateid('north'))", [20]),
        ("density_1(stateid('south'))", [30005]),
        ("size(lake(all))", [7]),
        ("sum(len(river(all)))", [1501]),
        # The same number of two things is one number, but two when they are added.
        ("area_1(state(all))", [1, 100]),
        ("sum(area_1(state(all)))", [201]),
        ("smallest(population_1(state(all)))", [10]),
        ("smallest_one(population_1(state(all)))", ["isle"]),
        ("highest(mountain(all))", ["peak"]),
        ("mountain(loc_2(stateid('north')))", ["peak", "second"]),
        ("elevation_1(placeid('big peak'))", [300]),
        ("loc_1(placeid('sea'))", ["isle", "land", "north"]),
        ("high_point_1(countryid('land'))", ["peak"]),
        ("low_point_1(countryid('land'))", ["pit"]),
        ("place(elevation_2(0))", ["sea"]),
        ("state(low_point_2(elevation_2(0)))", ["isle", "north"]),
        ("place(lower_2(placeid('sea')))", ["pit"]),
        ("longer(riverid('short'))", ["long"]),
        ("shorter(riverid('short'))", []),
        ("most(river(traverse_2(state(all))))", ["long"]),
        ("most(state(traverse_1(river(all))))", ["south"]),
        # The isle borders nothing, so it is not among those that are compared.
        ("fewest(state(next_to_2(state(all))))", ["north"]),
        ("most(state(loc_1(lake(all))))", ["north"]),
        ("union(stateid('isle'), cityid('twin', _))", ["isle", "twin"]),
        ("union(count(state(all)), lake(all))", [3, "puddle"]),
        ("longest(river(loc_2(stateid('isle'))))", []),
        ("largest_one(population_1(lake(all)))", []),
    ],
)
def test_what_functions_mean(ask_small: Run, program: str, answer: Answer) -> None:
    assert ask_small(program) == answer


def test_whole_numbers_are_integers(ask_small: Run) -> None:
    for program in ("count(state(all))", "density_1(stateid('north'))", "len(river(all))"):
        assert {type(value) for value in ask_small(program)} == {int}


def test_of_equals_the_first_in_the_file_is_named(ask_small: Run) -> None:
    # north and south are equally large; both seas are equally low.
    assert ask_small("largest(state(all))") == ["north"]
    assert ask_small("largest(exclude(state(all), stateid('north')))") == ["south"]
    sea = "lowest(place(loc_2(exclude(state(all), stateid('south')))))"
    assert ask_small(f"state(loc_1({sea}))") == ["north"]


def test_every_function_of_the_type_table_can_be_run(small: Interpreter) -> None:
    assert set(FUNCTIONS) <= small.functions
    for function in FUNCTIONS:
        argument = "state(loc_1(river(all)))" if function in ("most", "fewest") else "all"
        small.run(read_program(f"answer({function}({argument}))"))


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("answer(stateid('nort'))", "there is no state 'nort'; did you mean 'north'?"),
        ("answer(riverid('qqq'))", "there is no river 'qqq'"),
        ("answer(cityid('uptown', _))", "there is no city 'uptown'; did you mean 'upton'?"),
        ("answer(cityid('upton', 'noo'))", "there is no state 'noo'; did you mean 'no'?"),
        ("answer(cityid('upton'))", "cityid takes 2 arguments, not 1"),
        ("answer(stateid(state(all)))", "stateid takes a name, not state(...)"),
        ("answer(stait(all))", "unknown function 'stait'; did you mean 'state'?"),
        ("answer(state(all, all))", "state takes 1 argument, not 2"),
        ("answer(exclude(state(all)))", "exclude takes 2 arguments, not 1"),
        ("answer(state(answer(all)))", "answer inside of a program"),
        ("state(all)", "a program has the form answer(...)"),
        ("all", "a program has the form answer(...)"),
        ("answer(state(all), city(all))", "answer takes 1 argument, not 2"),
        ("answer(city(var0))", "var0 stands for a name that was taken out: put the name back"),
        ("answer(stateid(var1))", "var1 stands for a name that was taken out: put the name back"),
        ("answer(elevation_1(mount_var0))", "mount_var0 stands for a name that was taken out"),
        ("answer(state(loc_2(land)))", "land is no set; did you mean countryid('land')?"),
        ("answer(city('upton'))", "'upton' is no set; did you mean cityid('upton', _)?"),
        ("answer(state(everything))", "everything is no set; the set of all things is all"),
        ("answer(most(state(all)))", "most needs a relation to count by, as in most("),
        ("answer(fewest(all))", "fewest needs a relation to count by, as in fewest("),
    ],
)
def test_what_cannot_be_run_fails_and_says_why(small: Interpreter, text: str, cause: str) -> None:
    with pytest.raises(FormError) as caught:
        small.run(read_program(text))
    assert str(caught.value).startswith(cause)


def test_an_empty_answer_is_no_failure(ask_small: Run) -> None:
    assert ask_small("state(next_to_2(stateid('isle')))") == []
    assert ask_small("population_1(cityid('upton', 'so'))") == []
    assert ask_small("count(lake(loc_2(stateid('south'))))") == [0]


def nest(function: str, levels: int) -> Program:
    program: Program = ALL
    for _ in range(levels):
        program = Call(function, (program,))
    return program


def test_the_deepest_program_that_can_be_read_can_be_run(small: Interpreter) -> None:
    deepest = Call("answer", (nest("state", MAX_LEVELS - 1),))
    assert len(small.run(read_program(str(deepest)))) == 3
    with pytest.raises(FormError, match="nested in more than 100 levels"):
        small.run(Call("answer", (nest("state", MAX_LEVELS),)))


def test_a_long_text_is_not_read() -> None:
    with pytest.raises(FormError, match="a program of 20,001 characters, more than 20,000"):
        read_program("a" * 20_001)


def test_programs_that_contain_themselves_or_explode_are_refused(small: Interpreter) -> None:
    cyclic = Call("state", ())
    object.__setattr__(cyclic, "arguments", (cyclic,))
    with pytest.raises(FormError, match="nested in more than"):
        small.run(Call("answer", (cyclic,)))
    doubled: Program = Call("state", (ALL,))
    for _ in range(50):  # 2 ** 50 parts, in 51 objects
        doubled = Call("union", (doubled, doubled))
    with pytest.raises(FormError, match=f"more than {MAX_PARTS} calls"):
        small.run(Call("answer", (doubled,)))
    with pytest.raises(FormError, match="str is no part of a program"):
        small.run(Call("answer", ("state",)))  # type: ignore[arg-type]
    assert small.run(Call("answer", (Atom("0"),))) == [0]
