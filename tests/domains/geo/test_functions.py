"""FunQL is read and printed exactly, typed, and turned into chains and back."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.domains.geo.algebra import Predicate, conjuncts, primitives, without_brackets
from lear.domains.geo.domain import GEO
from lear.domains.geo.functions import (
    COMPOSED,
    FUNCTIONS,
    INVERSES,
    MAX_LEVELS,
    SINGLE,
    Chain,
    Fork,
    Status,
    chain_kinds,
    chain_of,
    check,
    fill_all,
    lower_most,
    open_all,
    raise_most,
    read_program,
    signature,
    text_of,
)
from lear.errors import FormError

functions = st.lists(st.sampled_from(sorted(FUNCTIONS)), max_size=5).map(tuple)
ends = st.sampled_from(["all", "var0", "stateid('texas')", "cityid('austin', _)", "0"])
chains = st.recursive(
    st.builds(Chain, functions, ends),
    lambda inner: st.builds(
        Chain,
        functions,
        st.builds(Fork, st.sampled_from(["intersection", "exclude", "union"]), inner, inner),
    ),
    max_leaves=4,
)


@given(chains)
def test_what_is_printed_is_read_again(chain: Chain) -> None:
    text = f"answer({text_of(chain)})"
    assert str(read_program(text)) == text
    assert chain_of(read_program(text)) == chain
    table = MeaningTable(GEO.language.algebra)
    assert GEO.language.render(GEO.language.read(text, (), table)) == text


@given(chains)
def test_spaces_do_not_matter(chain: Chain) -> None:
    text = f"answer({text_of(chain)})"
    assert read_program(re.sub(r"([(),])", r" \1 ", text)) == read_program(text)


@given(chains)
def test_open_ends_are_filled_and_opened_again(chain: Chain) -> None:
    assert fill_all(open_all(chain)) == chain


def all_programs(geo_folder: Path) -> list[str]:
    files = (*geo_folder.glob("query_split/*_funql.txt"), geo_folder / "funql_880/queries.funql")
    return [line for file in files for line in file.read_text().splitlines()]


@pytest.mark.data
def test_every_program_of_both_data_sets_is_read_printed_and_well_typed(geo_folder: Path) -> None:
    programs = all_programs(geo_folder)
    assert len(programs) == 1473
    for program in programs:
        chain = chain_of(read_program(program))
        assert f"answer({text_of(chain)})" == program
        assert check(chain)


@pytest.mark.data
def test_finishing_is_undone_exactly_on_every_program(geo_folder: Path) -> None:
    for program in all_programs(geo_folder):
        chain = chain_of(read_program(program))
        assert raise_most(fill_all(lower_most(open_all(chain)))) == chain


def test_finishing_steps_can_be_left_out() -> None:
    table = MeaningTable(GEO.language.algebra)
    meaning = GEO.words.ground(Primitive("Predicate", "river"), 0, table)
    finish, render = GEO.language.finish, GEO.language.render
    assert render(finish(meaning, ("rivers",), table)) == "answer(river(all))"
    assert render(finish(meaning, ("rivers",), table, skip=("fill_all",))) == "answer(river(?))"


def test_superlatives_of_number_move_over_predicate_and_relation() -> None:
    composed = Chain(("state", "loc_1", "most", "river"))
    assert text_of(raise_most(fill_all(composed))) == "most(state(loc_1(river(all))))"
    assert chain_kinds(composed)
    assert not GEO.language.algebra.is_complete(_predicate("most", "river"))
    assert not GEO.language.algebra.is_complete(_predicate("loc_1", "most", "river"))
    assert GEO.language.algebra.is_complete(_predicate("state", "loc_1", "most", "river"))


def _predicate(*names: str) -> Predicate:
    return Predicate(names)


@given(functions, functions)
def test_signatures_compose(outer: tuple[str, ...], inner: tuple[str, ...]) -> None:
    inside, around = dict(signature(inner).results), dict(signature(outer).results)
    for kind, results in signature(outer + inner).results:
        assert results == set().union(*(around.get(k, ()) for k in inside[kind]))


def test_inverses_are_inverse_and_composition_only_forbids() -> None:
    assert all(INVERSES[inverse] == name for name, inverse in INVERSES.items())
    plain = {f for f in FUNCTIONS if f not in ("most", "fewest")}
    for function in plain:
        for kind, results in FUNCTIONS[function].items():
            composed = COMPOSED[function].get(kind, results)
            # One thing is a set of one; a city is in no other.
            sets = {k._replace(status=Status.SET) if k.status in SINGLE else k for k in composed}
            assert sets <= results if function == "loc_2" else sets == results


@pytest.mark.parametrize(
    ("program", "cause"),
    [
        ("", "missing, at the end"),
        ("answer(", "missing, at the end"),
        ("answer(state(all)", "bracket of 'answer' is not closed"),
        ("answer(state(all)))", r"behind the end, at '\)'"),
        ("answer(state(all) city(all))", "bracket of 'answer' is not closed"),
        ("answer(state(,))", "missing, at ',"),
        ("state(all)", r"a program is answer\(...\)"),
        ("answer(stat(all))", "unknown function 'stat'; did you mean 'state'"),
        ("answer(exclude(state(all)))", "'exclude' takes two arguments, not 1"),
        ("answer(state(city(all), all))", "'state' takes one argument, not 2"),
        ("answer(stateid(state(all)))", "'stateid' takes a name"),
        ("answer(" * 3 + "all" + ")" * 3, "'answer' stands around a program"),
        ("answer(" + "state(" * MAX_LEVELS + "all" + ")" * (MAX_LEVELS + 1), "nested in more"),
    ],
)
def test_what_is_no_program_is_told(program: str, cause: str) -> None:
    with pytest.raises(FormError, match=cause):
        GEO.language.read(program, (), MeaningTable(GEO.language.algebra))


@pytest.mark.parametrize(
    ("program", "cause"),
    [
        ("answer(population_1(riverid('ohio')))", "'population_1' takes .*not a river"),
        ("answer(largest(loc_2(stateid('ohio'))))", "'largest' takes .*not whatever"),
        ("answer(longest(state(all)))", "'longest' takes a set of rivers, not a set of states"),
        ("answer(count(population_1(state(all))))", "'count' takes .*not numbers of states"),
        ("answer(exclude(state(all), river(all)))", "'exclude' takes two sets of one sort"),
    ],
)
def test_ill_typed_programs_are_refused(program: str, cause: str) -> None:
    with pytest.raises(FormError, match=cause):
        check(chain_of(read_program(program)))


def test_rewards_and_the_published_comparison_see_less_and_less() -> None:
    table = MeaningTable(GEO.language.algebra)

    def read(program: str) -> Meaning:
        return GEO.language.read(program, (), table)

    left = read("answer(exclude(state(all), next_to_2(stateid('texas'))))")
    right = read("answer(state(next_to_2(exclude(all, stateid('texas')))))")
    assert conjuncts(left) != conjuncts(right)
    assert primitives(left) == primitives(right)
    assert without_brackets(left) != without_brackets(right)
    one = read("answer(population_1(var0, var1))")
    assert without_brackets(one) == ("population_1", "var0", "var1")
