"""The doubtful points, worked out a second time: a few clauses of Prolog over the same file."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lear.domains.geo.facts import Facts
from tests.support.small_country import Run

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        shutil.which("swipl") is None, reason="needs SWI-Prolog: apt-get install swi-prolog-nox"
    ),
]

CLAUSES = r"""
state(S) :- state(S,_,_,_,_,_,_,_,_,_).
area(S, A) :- state(S,_,_,_,A,_,_,_,_,_).
people(S, N) :- state(S,_,_,N,_,_,_,_,_,_).
river(R) :- river(R,_,_).
city(S, C, N) :- city(S,_,C,N), N > 0.
runs(R, S) :- river(R,_,Ss), member(S, Ss).
beside(S, T) :- border(S,_,Ts), member(T, Ts).

% Of Value-Thing pairs, the first of those with the extreme value.
most(Pairs, Thing) :- pairs_keys(Pairs, Ns), max_list(Ns, N), first(N, Pairs, Thing).
least(Pairs, Thing) :- pairs_keys(Pairs, Ns), min_list(Ns, N), first(N, Pairs, Thing).
first(N, Pairs, Thing) :- member(M-Thing, Pairs), M =:= N, !.

% Each X with the number of different Y that go with it, where there are any.
counts(X, All, Y, Goal, Pairs) :-
    findall(N-X, (All, findall(Y, Goal, Ys), sort(Ys, Set), length(Set, N), N > 0), Pairs).

question(most_rivers, X, (counts(S, state(S), R, runs(R, S), Ps), most(Ps, X))).
question(fewest_rivers, X, (counts(S, state(S), R, runs(R, S), Ps), least(Ps, X))).
question(most_states, X, (counts(R, river(R), S, runs(R, S), Ps), most(Ps, X))).
question(fewest_states, X, (counts(R, river(R), S, runs(R, S), Ps), least(Ps, X))).
question(most_neighbours, X, (counts(S, state(S), T, beside(S, T), Ps), most(Ps, X))).
question(fewest_neighbours, X, (counts(S, state(S), T, beside(S, T), Ps), least(Ps, X))).
question(most_cities, X, (counts(S, state(S), C, city(S, C, _), Ps), most(Ps, X))).
question(fewest_cities, X, (counts(S, state(S), C, city(S, C, _), Ps), least(Ps, X))).
question(smallest_city, X, (findall(N-C, city(_, C, N), Ps), least(Ps, X))).
question(num_cities, X, (findall(C, city(_, C, _), Cs), length(Cs, X))).
question(islands, X, (state(X), \+ beside(X, _))).
question(largest_city/S, X, (findall(N-C, city(S, C, N), Ps), most(Ps, X))).
question(longest_river/S, X, (findall(L-R, (runs(R, S), river(R, L, _)), Ps), most(Ps, X))).
question(shortest_river/S, X, (findall(L-R, (runs(R, S), river(R, L, _)), Ps), least(Ps, X))).
question(largest_neighbour/S, X, (findall(A-T, (area(T, A), beside(S, T)), Ps), most(Ps, X))).
question(least_neighbour/S, X, (findall(N-T, (people(T, N), beside(S, T)), Ps), least(Ps, X))).
question(shared_river/S, X, (counts(R, river(R), T, (beside(S, T), runs(R, T)), Ps), most(Ps, X))).
question(rare_river/S, X, (counts(R, river(R), T, (beside(S, T), runs(R, T)), Ps), least(Ps, X))).
question(major_cities/S, X, (city(S, X, N), N > 150000)).
question(two_away/S, X, (beside(S, T), beside(T, X), X \= S)).

main :-
    forall((state(S), question(Q/S, X, Goal)), tell_answer(Q/S, X, Goal)),
    forall((question(Q, X, Goal), atom(Q)), tell_answer(Q, X, Goal)).
tell_answer(Q, X, Goal) :-
    findall(X, Goal, Xs), sort(Xs, Set), atomic_list_concat(Set, '|', Text),
    format("~w\t~w~n", [Q, Text]).
"""
ONCE = {
    "most_rivers": "most(state(loc_1(river(all))))",
    "fewest_rivers": "fewest(state(traverse_1(river(all))))",
    "most_states": "most(river(traverse_2(state(all))))",
    "fewest_states": "fewest(river(traverse_2(state(all))))",
    "most_neighbours": "most(state(next_to_1(state(all))))",
    "fewest_neighbours": "fewest(state(next_to_2(state(all))))",
    "most_cities": "most(state(loc_1(city(all))))",
    "fewest_cities": "fewest(state(loc_1(city(all))))",
    "smallest_city": "smallest(city(all))",
    "num_cities": "count(city(all))",
    "islands": "exclude(state(all), next_to_2(state(all)))",
}
BY_STATE = {
    "largest_city": "largest(city(loc_2({})))",
    "longest_river": "longest(river(loc_2({})))",
    "shortest_river": "shortest(river(traverse_2({})))",
    "largest_neighbour": "largest(state(next_to_2({})))",
    "least_neighbour": "smallest_one(population_1(state(next_to_2({}))))",
    "shared_river": "most(river(traverse_2(state(next_to_2({})))))",
    "rare_river": "fewest(river(loc_2(next_to_2({}))))",
    "major_cities": "major(city(loc_2({})))",
    "two_away": "exclude(state(next_to_2(next_to_2({0}))), {0})",
}


def run_prolog(geobase: Path, folder: Path) -> dict[str, list[str]]:
    """The answer to each question, by SWI-Prolog's own reading of the facts."""
    lines = geobase.read_text().splitlines()
    source = folder / "geobase.pl"
    source.write_text(
        "\n".join(line for line in lines if not line.startswith("#")) + f"\n{CLAUSES}"
    )
    done = subprocess.run(
        ["swipl", "-q", "-g", "main", "-t", "halt", str(source)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    pairs = (line.split("\t") for line in done.stdout.splitlines())
    return {question: answer.split("|") if answer else [] for question, answer in pairs}


def test_prolog_gives_the_same_answers(
    ask: Run, original_facts: Facts, geo_folder: Path, tmp_path: Path
) -> None:
    programs = dict(ONCE)
    for question, program in BY_STATE.items():
        for state in original_facts.states:
            programs[f"{question}/{state.name}"] = program.format(f"stateid('{state.name}')")
    expected = run_prolog(geo_folder / "geobase/geobase", tmp_path)
    assert expected.keys() == programs.keys()
    ours = {question: list(map(str, ask(program))) for question, program in programs.items()}
    assert ours == expected
