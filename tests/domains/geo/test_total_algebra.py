"""The total algebra of GEO: chains in both orders, sets and exceptions; types advise."""

from itertools import product
from math import comb

import pytest

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.domains.geo.algebra import Entity, Negated, Negation, Predicate, Proposition
from lear.domains.geo.domain import GEO, TOTAL_GEO
from lear.domains.geo.functions import FUNCTIONS, Chain
from lear.domains.geo.total import is_well_typed
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import SentenceReader
from tests.support.bracketings import folds, forms_of, gold_form, sample_by_size
from tests.support.total_domains import total_domains
from tests.support.total_meanings import primitives_of, random_meanings

LANGUAGE = TOTAL_GEO.language
BY_NAME = LANGUAGE.algebra.by_name
MIN_IN_REACH = 0.97
TEXAS = Entity("stateid('texas')", "tx")
AUSTIN = Entity("cityid('austin', _)")
RIVER, LOCATED, LONGEST = (Predicate((name,)) for name in ("river", "loc_2", "longest"))
NOT = Negation("exclude")


def catalan(n: int) -> int:
    return comb(2 * n, n) // (n + 1)


@pytest.fixture
def table() -> MeaningTable:
    return MeaningTable(LANGUAGE.algebra)


def apply(name: str, left: Meaning, right: Meaning, table: MeaningTable) -> Meaning | None:
    return table.apply(BY_NAME[name], (table.intern(left), table.intern(right)))


def program(meaning: Meaning | None, table: MeaningTable) -> str:
    assert meaning is not None
    return LANGUAGE.render(LANGUAGE.finish(meaning, (), table))


def test_predicates_are_nested_in_both_orders(table: MeaningTable) -> None:
    for first, second in product((RIVER, LOCATED, LONGEST), repeat=2):
        nested = apply("concat", first, second, table)
        assert nested is table.intern(Predicate(first.functions + second.functions))
        assert apply("concat_inverse", second, first, table) is nested


def test_a_predicate_is_filled_from_both_sides(table: MeaningTable) -> None:
    whole = apply("fill_in", LOCATED, TEXAS, table)
    assert whole is table.intern(Proposition(Chain(("loc_2",), "stateid('texas')")))
    assert apply("fill_in", TEXAS, LOCATED, table) is whole
    outer = apply("fill_in", RIVER, whole, table)
    assert apply("fill_in", whole, RIVER, table) is outer
    assert program(outer, table) == "answer(river(loc_2(stateid('texas'))))"


@pytest.mark.parametrize("is_forward", [True, False])
def test_any_bracketing_of_a_chain_is_the_same_program(
    table: MeaningTable, is_forward: bool
) -> None:
    leaves = [table.intern(leaf) for leaf in (LONGEST, RIVER, LOCATED, TEXAS)]
    concat = "concat" if is_forward else "concat_inverse"
    found = folds(leaves if is_forward else leaves[::-1], [f"{concat} fill_in"] * 3, table)
    assert len(found) == catalan(3)
    (whole,) = set(found)
    assert program(whole, table) == "answer(longest(river(loc_2(stateid('texas')))))"


def test_a_city_takes_its_state_and_nothing_else_does(table: MeaningTable) -> None:
    assert apply("union", AUSTIN, TEXAS, table) is table.intern(Entity("cityid('austin', 'tx')"))
    assert apply("union", TEXAS, AUSTIN, table) is None
    assert apply("union", TEXAS, TEXAS, table) is None
    anonymous = apply("union", Entity("var0"), Entity("var1"), table)
    assert anonymous is table.intern(Entity("var0, var1"))


def test_a_negation_negates_on_both_sides_and_what_is_negated_is_excluded(
    table: MeaningTable,
) -> None:
    bordering = apply("fill_in", Predicate(("next_to_2",)), TEXAS, table)
    assert bordering is not None
    negated = apply("negate", NOT, bordering, table)
    assert isinstance(negated, Negated)
    assert apply("negate", bordering, NOT, table) is negated
    state = Predicate(("state",))
    for left, right in ((state, negated), (negated, state)):
        assert program(apply("exclude", left, right, table), table) == (
            "answer(exclude(state(all), next_to_2(stateid('texas'))))"
        )
    outside = apply("negate_outside", state, negated, table)
    assert program(outside, table) == "answer(state(next_to_2(stateid('texas'))))"
    assert apply("negate", NOT, NOT, table) is not None
    assert apply("exclude", NOT, negated, table) is None


def test_an_intersection_keeps_the_order_of_words(table: MeaningTable) -> None:
    left, right = (
        apply("fill_in", Predicate((name,)), TEXAS, table) for name in ("loc_2", "next_to_2")
    )
    assert left is not None
    assert right is not None
    both = apply("intersection", left, right, table)
    assert program(both, table) == (
        "answer(intersection(loc_2(stateid('texas')), next_to_2(stateid('texas'))))"
    )


def test_a_negating_word_alone_is_no_answer() -> None:
    assert not LANGUAGE.algebra.is_complete(NOT)
    for meaning in (TEXAS, RIVER, Proposition(Chain((), "all")), Negated("exclude", Chain(()))):
        assert LANGUAGE.algebra.is_complete(meaning)


def test_what_the_strict_algebra_makes_is_well_typed(table: MeaningTable) -> None:
    strict = GEO.language.algebra.by_name["concat"].function
    predicates = [Predicate((name,)) for name in sorted(FUNCTIONS)]
    verdicts = set()
    for outer, inner in product(predicates, repeat=2):
        joined = apply("concat", outer, inner, table)
        assert joined is not None
        # Word order forbids more than types do.
        assert is_well_typed(joined) or strict(outer, inner) is None
        verdicts.add(is_well_typed(joined))
    assert verdicts == {True, False}


def test_meanings_of_a_category_are_alike_in_being_well_typed(table: MeaningTable) -> None:
    small = total_domains()["geo"]
    primitives = primitives_of(SentenceReader(TOTAL_GEO, small.lexicon), small.sentences)
    verdicts: dict[str, set[bool]] = {}
    for meaning in random_meanings(TOTAL_GEO, primitives, 400, table):
        category = TOTAL_GEO.syntax.category(meaning)
        verdicts.setdefault(category, set()).add(is_well_typed(meaning))
    assert all(len(verdict) == 1 for verdict in verdicts.values())
    assert set.union(*verdicts.values()) == {True, False}


def test_types_advise_and_forbid_nothing() -> None:
    categories = CategoryTable(TOTAL_GEO)
    every = categories.restricted(None, by_types=False)
    located = categories.number(Proposition(Chain(("loc_2",), "stateid('texas')")))
    river, texas = map(categories.number, (RIVER, TEXAS))

    def operations(table: CategoryTable, *pair: int) -> set[str]:
        return {combination.operation for combination in table.combinations(pair)}

    # A river can be in Texas, but it is not Texas: then all that there is is tried.
    assert operations(categories, river, located) == {"fill_in"}
    assert operations(categories, river, texas) == operations(every, river, texas) == {"fill_in"}
    longest = categories.number(LONGEST)
    assert operations(categories, longest, river) == {"concat"}
    assert operations(every, longest, river) == {"concat", "concat_inverse"}


@pytest.mark.data
def test_gold_of_training_rows_is_in_reach(query_train: list[Example]) -> None:
    assert TOTAL_GEO.words.by_hand is not None
    lexicon = TOTAL_GEO.words.by_hand(query_train, ())
    reader = SentenceReader(TOTAL_GEO, lexicon, may_be_nothing=True)
    rows = sample_by_size(reader, query_train, largest=5, most=60)
    assert len(rows) > 150
    reached = [gold_form(TOTAL_GEO, row) in forms_of(reader, row.tokens) for row in rows]
    assert sum(reached) >= MIN_IN_REACH * len(rows)
