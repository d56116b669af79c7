"""Names, frames and unsaid symbols stand where training shows them."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import product

import pytest

from lear.domain import Domain
from lear.domains.terms.fragments import Fragments
from lear.domains.terms.language import restore_language
from lear.domains.terms.tree import HOLE, Tree
from lear.forest.oracle import Oracle
from tests.support.congruence import check_congruence
from tests.support.pairs import inferred, rows_of

PEOPLE, PROJECTS = ("Ann", "Bob", "Eve", "Tim"), ("Apollo", "Titan", "Gemini", "Orion")
Pairs = Iterator[tuple[str, str]]


def staff() -> Pairs:
    """Records with conditions, and names of two classes that are of one type."""
    for person, project in product(PEOPLE, PROJECTS):
        led, uses = f"(led_by (person {person}))", f"(part_of (project {project}))"
        yield f"list tasks under {person}", f"(list (filter task {led}))"
        yield f"list tasks within {project}", f"(list (filter task {uses}))"
        yield f"count tasks within {project} under {person}", f"(count (filter task {uses} {led}))"
    yield "describe Ann", "(describe (person Ann))"
    yield "describe Titan", "(describe (project Titan))"
    yield "describe tasks", "(describe task)"
    yield "describe tasks under Bob", "(describe (filter task (led_by (person Bob))))"


def flat() -> Pairs:
    """Slots that are always there, in a frame that no word says."""
    for (verb, act), (noun, code), (where, floor) in product(
        (("start", "ACT_ON"), ("stop", "ACT_OFF"), ("reset", "ACT_ZERO")),
        (("radio", "R1"), ("heater", "H7"), ("lamp", "L3")),
        (("upstairs", "F2"), ("downstairs", "F1")),
    ):
        yield f"{verb} the {noun}", f"cmd(do({act}), device({code}))"
        yield f"{verb} the {noun} {where}", f"cmd(do({act}), device({code}), floor({floor}))"


def flat_json() -> Pairs:
    for words, form in flat():
        slots = re.findall(r"(\w+)\((\w+)\)", form)
        yield words, json.dumps(dict(slots))


def language(variant: str = "types") -> Domain:
    return inferred(rows_of(staff()), variant)


@pytest.mark.parametrize("pairs", [staff, flat, flat_json])
@pytest.mark.parametrize("variant", ["types", "mixed", "symbols"])
def test_every_row_is_in_reach_and_categories_hold(
    pairs: Callable[[], Pairs], variant: str
) -> None:
    rows = rows_of(pairs())
    domain = inferred(rows, variant)
    oracle = Oracle.of(domain, domain.words.induce(rows, ()))
    assert [row.sentence for row in rows if oracle.gold_forest(row) is None] == []
    check_congruence(oracle, sorted(rows, key=lambda row: len(row.tokens))[:8])


@pytest.mark.parametrize("variant", ["types", "mixed", "symbols"])
def test_a_new_name_stands_only_where_names_of_its_class_do(variant: str) -> None:
    domain = language(variant)
    fragments = Fragments(restore_language(domain.inferred))
    new = {p.symbol for p in domain.words.unknown("hugo")}
    assert new == {"(person Hugo)", "(project Hugo)"}
    for head, name in (("led_by", "(person Hugo)"), ("part_of", "(project Hugo)")):
        taken = {
            symbol
            for symbol in new
            for _ in fragments.direct(Tree(head, (HOLE,)), Tree(symbol), is_right=True)
        }
        assert taken == {name}


@pytest.mark.parametrize("variant", ["types", "mixed", "symbols"])
def test_what_is_unsaid_stands_around_nothing_that_it_never_did(variant: str) -> None:
    fragments = Fragments(restore_language(language(variant).inferred))
    condition = Tree("led_by", (Tree("(person Ann)"),))
    record = Tree("filter", (Tree("task"), condition))
    assert "filter" in [symbol for symbol, _ in fragments.lifts(Tree("task"))]
    assert "filter" not in [symbol for symbol, _ in fragments.lifts(record)]
    assert "filter" not in [symbol for symbol, _ in fragments.lifts(Tree("(project Titan)"))]


def test_names_that_are_never_new_have_no_others() -> None:
    rooms = ("kitchen", "office", "garden", "bedroom", "attic", "hall")
    rows = [(f"go to the {room}", f"go(room({room}))") for room in rooms * 3]
    rows += [(f"call {name}", f"call({name})") for name in ("Ann", "Bob", "Eve")]
    words = inferred(rows_of(iter(rows)), "types").words
    assert [p.symbol for p in words.unknown("zorgle")] == ["Zorgle"]


def test_a_new_name_has_the_case_of_its_class() -> None:
    rows = [(f"ask for {name}", f"ask({name})") for name in ("Ann", "Bob", "Eve")]
    foods = ("ham", "egg", "jam", "tea", "pie", "rice", "soup")
    rows += [(f"eat {food}", f"eat({food})") for food in foods]
    domain = inferred(rows_of(iter(rows)), "types")
    fragments = Fragments(restore_language(domain.inferred))
    for head, name in (("ask", "Leo"), ("eat", "leo")):
        taken = [
            primitive.symbol
            for primitive in domain.words.unknown("leo")
            for _ in fragments.direct(Tree(head, (HOLE,)), Tree(primitive.symbol), is_right=True)
        ]
        assert taken == [name]


def accounts() -> Pairs:
    """A balance is said by *have in*, but not where it is compared: *is more than* says `more`."""
    names = ("savings", "checking", "the joint account", "my card")
    symbols = ("savings", "checking", "joint", "card")
    for name, symbol in zip(names, symbols, strict=True):
        yield f"how much do i have in {name}", f"balance({symbol})"
        yield f"what do i have in {name}", f"balance({symbol})"
        yield f"block {name}", f"block({symbol})"
        for amount in (50, 100, 300):
            for words, more in (("is more than", "more"), ("drops below", "less")):
                form = f"alert({more}(balance({symbol}), {amount}))"
                yield f"alert me when {name} {words} {amount}", form


def test_a_function_that_others_imply_needs_no_word() -> None:
    domain = inferred(rows_of(accounts()), "types")
    assert "balance" in {lift.symbol for lift in restore_language(domain.inferred).lifts}
    oracle = Oracle.of(domain, domain.words.induce(rows_of(accounts()), ()))
    rows = rows_of(accounts())
    assert [row.sentence for row in rows if oracle.gold_forest(row) is None] == []


def test_a_number_word_that_never_says_a_number_says_none() -> None:
    topics = {"world war two": "ww2", "birds": "birds"}
    rows = [
        (f"books about {words} after {year}", f"after(about({topic}), {year})")
        for words, topic in topics.items()
        for year in (1950, 1984, 1990, 2001)
    ]
    words = inferred(rows_of(rows), "types").words
    lexicon = words.induce(rows_of(rows), ())
    says = {unit: [e.primitive.symbol for e in es] for unit, es in lexicon.units.items()}
    assert "2" not in says.get(("two",), [])
    assert says["three",] == ["3"]
