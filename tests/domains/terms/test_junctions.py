"""What is said apart and stands in one place is joined by a symbol that nobody says."""

from collections.abc import Iterator
from itertools import product

import pytest

from lear.domain import Domain
from lear.domains.terms.algebra import Part
from lear.domains.terms.junctions import Junction
from lear.domains.terms.language import restore_language
from lear.domains.terms.tree import HOLE, Tree
from lear.evaluation.check import ReachCheck
from lear.forest.oracle import Oracle
from tests.support.congruence import check_congruence
from tests.support.pairs import inferred, rows_of

A, B, C = Tree("a"), Tree("b"), Tree("c")
COLOURS, THINGS = ("red", "blue", "black"), ("shoes", "shirts", "hats")
LIMITS = {"under": "<", "below": "<", "over": ">"}


def shop() -> Iterator[tuple[str, str]]:
    """*red shoes under 50* has an `and` that no word says, *under 90 and over 10* one that is."""
    for colour, thing in product(COLOURS, THINGS):
        yield f"show {colour} {thing}", f"(select {thing} (where (is {colour})))"
    for (word, symbol), thing in product(LIMITS.items(), THINGS):
        yield f"show {thing} {word} 50", f"(select {thing} (where ({symbol} price 50)))"
        yield f"count {thing} {word} 20", f"(count (select {thing} (where ({symbol} price 20))))"
    for (word, symbol), (colour, thing) in product(
        LIMITS.items(), zip(COLOURS, THINGS, strict=True)
    ):
        both = f"(and (is {colour}) ({symbol} price 30))"
        yield f"show {colour} {thing} {word} 30", f"(select {thing} (where {both}))"
    for thing in THINGS:
        both = "(and (< price 90) (> price 10))"
        yield f"show {thing} under 90 and over 10", f"(select {thing} (where {both}))"


NEW = [
    (
        "count black shoes over 70",
        "(count (select shoes (where (and (is black) (> price 70)))))",
    ),
    (
        "show blue shoes under 90 and over 10",
        "(select shoes (where (and (is blue) (< price 90) (> price 10))))",
    ),
]


@pytest.fixture(scope="module", params=["types", "mixed"])
def domain(request: pytest.FixtureRequest) -> Domain:
    return inferred(rows_of(shop()), request.param)


def test_the_symbol_and_its_place_are_found(domain: Domain) -> None:
    junction = restore_language(domain.inferred).junction
    assert junction is not None
    assert junction.symbol == "and"
    assert junction.places == (("where", 0),)


def test_what_is_said_on_both_sides_of_a_noun_is_in_reach(domain: Domain) -> None:
    lexicon = domain.words.induce(rows_of(shop()), ())
    oracle = Oracle.of(domain, lexicon)
    rows = rows_of([*shop(), *NEW])
    assert [row.sentence for row in rows if oracle.gold_forest(row) is None] == []
    assert check_congruence(oracle, rows[:12]).num_categories > 3


def tracker() -> Iterator[tuple[str, str]]:
    """Conditions of *open bugs of anna* stand in `find`, which no word says, nor `show` around it.

    What *close* and *count* are around is the same.
    """
    people, states = ("anna", "bob", "eve"), ("open", "closed", "blocked")
    kinds = {"bugs": "bug", "tasks": "task"}
    for (words, kind), person, state in product(kinds.items(), people, states):
        of, is_state = f"of({person})", f"status({state})"
        yield f"list {words} of {person}", f"show(find({kind}, {of}))"
        yield f"list {state} {words}", f"show(find({kind}, {is_state}))"
        yield f"close {words} of {person}", f"close(find({kind}, {of}))"
        yield f"count {state} {words}", f"show(count(find({kind}, {is_state})))"
        yield (
            f"list {state} {words} of {person}",
            f"show(find({kind}, and({is_state}, {of})))",
        )


@pytest.mark.parametrize("variant", ["types", "mixed", "symbols"])
def test_what_is_around_a_joint_keeps_what_its_category_promises(variant: str) -> None:
    rows = rows_of(dict(tracker()).items())
    domain = inferred(rows, variant)
    assert restore_language(domain.inferred).junction is not None
    oracle = Oracle.of(domain, domain.words.induce(rows, ()))
    assert [row.sentence for row in rows if oracle.gold_forest(row) is None] == []
    check = ReachCheck(oracle)
    assert list(check.check(rows)) == []
    assert [f.message for f in check.in_sum() if f.kind == "promise"] == []


def test_where_two_are_joined_at_most_three_stand_side_by_side() -> None:
    rows = rows_of(dict(tracker()).items())
    junction = restore_language(inferred(rows, "types").inferred).junction
    assert junction is not None
    assert junction.is_list


def test_three_are_nested_as_training_nests_them() -> None:
    right, left = Junction("and", ()), Junction("and", (), nests_right=False)
    both = Tree("and", (A, B))
    assert right.joined(both, C, is_right=True) == Tree("and", (A, Tree("and", (B, C))))
    assert right.joined(both, C, is_right=False) == Tree("and", (C, both))
    assert left.joined(both, C, is_right=True) == Tree("and", (both, C))
    assert left.joined(both, C, is_right=False) == Tree("and", (Tree("and", (C, A)), B))
    flat = Junction("and", (), is_list=True)
    assert flat.joined(both, C, is_right=True) == Tree("and", (A, B, C))


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("junction", [Junction("and", ()), Junction("and", (), is_list=True)])
def test_a_part_can_become_what_it_is_joined_to(*, junction: Junction, is_right: bool) -> None:
    whole = junction.joined(junction.joined(A, B, is_right=is_right), C, is_right=is_right)
    assert junction.can_become(A, whole)
    assert junction.can_become(junction.joined(A, B, is_right=is_right), whole)
    assert not junction.can_become(Tree("d"), whole)


def test_a_word_for_a_number_and_its_function_joins_nothing() -> None:
    rows = [(f"double {n}", f"times(2, {n})") for n in range(3, 9)]
    rows += [(f"{n} times {m}", f"times({n}, {m})") for n in range(3, 6) for m in range(3, 6)]
    rows += [(f"{n} plus double 4", f"plus({n}, times(2, 4))") for n in range(3, 9)]
    domain = inferred(rows_of(rows), "types")
    assert restore_language(domain.inferred).junction is None


def test_a_call_with_a_literal_is_no_name() -> None:
    """Though other calls of its function are: `is(color, red)` is written for *red*."""
    rows = [(f"find {c} hats", f"find(hat, is(color, {c}))") for c in COLOURS * 3]
    rows += [("find hats of size 5", "find(hat, is(size, 5))")]
    language = restore_language(inferred(rows_of(rows), "types").inferred)
    assert language.types.names == {"is": 1}
    _, named = language.read("find(hat, is(color, red))").arguments
    assert named == Tree("is(color, red)")
    _, built = language.read("find(hat, is(size, 5))").arguments
    assert built == Tree("is", (Tree("size"), Tree("5")))


def test_a_part_that_has_an_argument_is_not_composed() -> None:
    """*if hot, stir and then wash* is not `seq(stir, if(hot, wash))`."""
    rows = [
        (f"{one} then {two}", f"seq({one}, {two})")
        for one, two in product(("stir", "wash", "cut"), repeat=2)
    ]
    rows += [
        (f"if {when} {what}", f"if({when}, {what})")
        for when, what in product(("hot", "cold"), ("stir", "wash", "cut"))
    ]
    algebra = inferred(rows_of(rows), "types").language.algebra
    condition = Part(Tree("if", (Tree("hot"), HOLE)), "right")
    sequence = Part(Tree("seq", (Tree("stir"), HOLE)), "left")
    operations = {operation.name: operation for operation in algebra.operations}
    assert operations["compose_inverse"].function(condition, sequence) is None
