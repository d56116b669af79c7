"""Search for a known meaning equals brute force, is bounded, and finds the nearest meaning.

The guide of a domain that has none loses no derivation, and knows where it would. The rules that
derivations of gold use are read off, counted and attested.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Algebra, Meaning, MeaningTable
from lear.benchmark import Example
from lear.domain import Domain, Guide, Shape, Target, logic_reward
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY, Person
from lear.errors import SearchLimitError
from lear.forest import oracle as default_guide
from lear.forest.chart import Beam, Budget, Forest
from lear.forest.oracle import (
    NEAREST_BEAMS,
    Attestation,
    Oracle,
    RuleCounts,
    anything,
    guide_of,
    rule_of,
    rules_in,
    within,
)
from lear.grammar.rules import Rule
from lear.lexicon.lexicon import UNKNOWN, Lexicon
from tests.support.brute_force import complete_derivations, gold_derivations
from tests.support.enumeration import rules_of
from tests.support.lexicons import SMALL_COGS
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.small_domains import SmallDomain, small_domains
from tests.support.toy_rows import SHORT, TEST, TRAIN

SHORT_ROWS = [row for row in (*TRAIN, *TEST) if len(row.tokens) <= 9]


def forest_of(oracle: Oracle, example: Example) -> Forest[Meaning]:
    forest = oracle.gold_forest(example)
    assert forest is not None
    return forest


@pytest.mark.slow
@given(example=st.sampled_from(SHORT_ROWS))
def test_a_forest_holds_exactly_the_derivations_of_brute_force(
    toy_oracle: Oracle, example: Example
) -> None:
    forest = forest_of(toy_oracle, example)
    derivations = forest.derivations(limit=1000)
    assert len(derivations) == len(set(derivations)) == forest.count()
    assert set(derivations) == gold_derivations(toy_oracle, example)


COGS_ROWS = [
    # Two bare objects.
    (
        "Emma gave Liam a cake .",
        "give . agent ( x _ 1 , Emma ) AND give . recipient ( x _ 1 , Liam ) "
        "AND give . theme ( x _ 1 , x _ 4 ) AND cake ( x _ 4 )",
    ),
    # A modifier inside an object: function words can move from node to node.
    (
        "Emma gave the cake in a box .",
        "* cake ( x _ 3 ) ; give . agent ( x _ 1 , Emma ) AND give . theme ( x _ 1 , x _ 3 ) "
        "AND cake . nmod . in ( x _ 3 , x _ 6 ) AND box ( x _ 6 )",
    ),
    # An infinitive shares its agent.
    (
        "Emma wanted to sleep .",
        "want . agent ( x _ 1 , Emma ) AND want . xcomp ( x _ 1 , x _ 3 ) "
        "AND sleep . agent ( x _ 3 , Emma )",
    ),
    # Unknown words: one name, one noun.
    ("Zoe gave a zebra .", "give . agent ( x _ 1 , Zoe ) AND give . theme ( x _ 1 , x _ 3 ) "
     "AND zebra ( x _ 3 )"),
    ("cake", "LAMBDA a . cake ( a )"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "form"), COGS_ROWS)
def test_cogs_forests_equal_brute_force_too(sentence: str, form: str) -> None:
    oracle = Oracle.of(COGS, SMALL_COGS)
    example = Example(tuple(sentence.split()), form, "", "test")
    assert set(forest_of(oracle, example).derivations(1000)) == gold_derivations(oracle, example)


def test_some_cogs_row_leaves_a_choice_of_syntax() -> None:
    sentence, form = COGS_ROWS[1]
    example = Example(tuple(sentence.split()), form, "", "test")
    assert forest_of(Oracle.of(COGS, SMALL_COGS), example).count() > 1


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_charts_of_meanings_hold_what_every_shape_allows(toy_oracle: Oracle, shape: Shape) -> None:
    oracle = reshaped(toy_oracle, shape)
    for tokens in SHAPED_SENTENCES:
        chart = oracle.search(oracle.reader.read(tokens), MeaningTable(TOY.language.algebra))
        found = [
            derivation
            for item in chart.cell(0, len(tokens))
            if TOY.language.algebra.is_complete(item.value)
            for derivation in Forest(item).derivations(1000)
        ]
        assert len(found) == len(set(found))
        assert set(found) == complete_derivations(oracle, tokens)


def test_words_are_overlooked_only_where_there_is_no_other_way(toy_oracle: Oracle) -> None:
    words = {**toy_oracle.lexicon.function_words, UNKNOWN: 1}
    lexicon = Lexicon("toy", toy_oracle.lexicon.units, words)
    oracle = Oracle.of(TOY, lexicon)
    # There are two verbs, and only one of them is meant.
    lost = Example(("Tom", "sees", "helps", "Mary"), "see ( tom , mary )", "", "test")
    assert oracle.gold_forest(lost) is None
    overlooking = oracle.gold_forest(lost, overlook=True)
    assert overlooking is not None
    expected = gold_derivations(oracle, lost, overlook=True)
    assert set(overlooking.derivations(1000)) == expected != set()
    plain = Example(("Tom", "sees", "Mary"), "see ( tom , mary )", "", "test")
    both = [oracle.gold_forest(plain, overlook=overlook) for overlook in (False, True)]
    assert [f.derivations(9) if f else None for f in both] == [
        forest_of(toy_oracle, plain).derivations(9)
    ] * 2
    # A lexicon without words never seen lets nothing be overlooked.
    assert toy_oracle.gold_forest(lost, overlook=True) is None


def test_a_wrong_gold_has_no_forest_and_the_nearest_meaning_is_found(toy_oracle: Oracle) -> None:
    # The verb is wrong, so the best that can be reached shares both people.
    example = Example(("Tom", "teaches", "Mary"), "help ( tom , mary )", "", "test")
    table = MeaningTable(TOY.language.algebra)
    gold = TOY.language.read_gold(example, table)
    assert toy_oracle.forest(toy_oracle.reader.read(example.tokens), gold, table) is None
    nearest = toy_oracle.nearest(example.tokens, gold, table)
    assert nearest is not None
    assert TOY.metrics.primitives(nearest) == {"teach", "tom", "mary"}


def test_the_budget_bounds_any_sentence() -> None:
    # 500 words and marks: with 125 modifiers the number of attachments is astronomical.
    tokens = ("the", "cake", "in", "a", "box", "in") * 83 + ("Emma", ".")
    table = MeaningTable(COGS.language.algebra)
    gold = COGS.language.read("sleep . agent ( x _ 1 , Emma )", ("Emma", "slept"), table)
    oracle = Oracle.of(COGS, SMALL_COGS, Budget(combinations=5_000))
    with pytest.raises(SearchLimitError, match="500 words and marks"):
        oracle.nearest(tokens, gold, table)


@pytest.mark.parametrize("preferred", ["teach ( mary , ? )", "teach ( ? , mary )"])
def test_a_beam_keeps_the_best_meaning_of_a_span(toy_oracle: Oracle, preferred: str) -> None:
    # "teaches Mary" can be read either way without the word "by".
    reading = toy_oracle.reader.read(("Tom", "teaches", "Mary"))
    table = MeaningTable(TOY.language.algebra)
    beam: Beam[Meaning] = Beam(1, lambda meaning: float(TOY.language.render(meaning) == preferred))
    chart = toy_oracle.search(reading, table, beam=beam)
    assert [TOY.language.render(item.value) for item in chart.cell(1, 3)] == [preferred]


@pytest.mark.parametrize("budget", [20_000, 10_000])
def test_the_nearest_meaning_is_found_with_a_narrower_beam_where_the_budget_is_small(
    monkeypatch: pytest.MonkeyPatch, budget: int
) -> None:
    # Gold says "cake" where the sentence says "box"; the rest can be reached.
    sentence = "Emma gave a box" + " in a box" * 8 + " ."
    places = range(6, 6 + 3 * 8, 3)
    form = " AND ".join(
        (
            "give . agent ( x _ 1 , Emma ) AND give . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 )",
            "cake . nmod . in ( x _ 3 , x _ 6 )",
            *(f"box ( x _ {place} )" for place in places),
            *(f"box . nmod . in ( x _ {place} , x _ {place + 3} )" for place in places[:-1]),
        )
    )
    example = Example(tuple(sentence.split()), form, "", "test")
    table = MeaningTable(COGS.language.algebra)
    gold = COGS.language.read_gold(example, table)
    oracle = Oracle.of(COGS, SMALL_COGS, Budget(budget))
    nearest = oracle.nearest(example.tokens, gold, table)
    assert nearest is not None
    assert logic_reward(COGS.metrics, nearest, Target.of(COGS.metrics, gold)) > 0.8
    monkeypatch.setattr("lear.forest.oracle.NEAREST_BEAMS", NEAREST_BEAMS[:1])
    with pytest.raises(SearchLimitError):
        oracle.nearest(example.tokens, gold, table)


DOMAINS = [pytest.param(small, id=name) for name, small in small_domains().items()]


@pytest.mark.parametrize("small", DOMAINS)
def test_a_gold_forest_holds_the_derivations_of_brute_force(small: SmallDomain) -> None:
    for row in small.rows:
        forest = small.oracle.gold_forest(row)
        assert forest is not None
        assert set(forest.derivations(1000)) == gold_derivations(small.oracle, row)


@pytest.mark.parametrize("small", DOMAINS)
def test_the_default_guide_loses_no_derivation_in_any_domain(small: SmallDomain) -> None:
    language = replace(small.domain.language, guide=None)
    unguided = replace(small.domain.language, guide=anything)
    default, everything = (
        Oracle.of(replace(small.domain, language=chosen), small.lexicon)
        for chosen in (language, unguided)
    )
    for row in small.rows:
        forest, whole = default.gold_forest(row), everything.gold_forest(row)
        assert forest is not None
        assert whole is not None
        assert set(forest.derivations(1000)) == set(whole.derivations(1000))


def guided(domain: Domain, guide: Guide | None) -> Domain:
    """The same domain with another guide."""
    return replace(domain, language=replace(domain.language, guide=guide))


def test_the_default_guide_loses_no_derivation(toy_oracle: Oracle) -> None:
    oracle = Oracle.of(guided(TOY, None), toy_oracle.lexicon)
    unguided = Oracle.of(guided(TOY, anything), toy_oracle.lexicon)
    assert guide_of(oracle.reader) is within
    for row in [*TRAIN[::20], *TEST[::20]]:
        found, expected = oracle.gold_forest(row), unguided.gold_forest(row)
        assert found is not None
        assert expected is not None
        assert set(found.derivations(1000)) == set(expected.derivations(1000))
    for row in SHORT[:5]:
        found = oracle.gold_forest(row)
        assert found is not None
        assert set(found.derivations(1000)) == gold_derivations(oracle, row)


def test_the_default_guide_keeps_only_what_gold_can_hold() -> None:
    table = MeaningTable(TOY.language.algebra)
    gold = TOY.language.read("see ( tom , son ( mary ) )", (), table)
    keep = within(gold)
    mary, john = (table.intern(Person(name)) for name in ("mary", "john"))
    assert keep(gold)
    assert keep(table.intern(Person("son", mary)))
    assert not keep(john)
    assert not keep(table.intern(Person("mary", mary)))  # twice, but gold has it once


def test_a_guide_of_its_own_is_used_as_it_is() -> None:
    for domain, lexicon in ((COGS, SMALL_COGS), (guided(COGS, anything), SMALL_COGS)):
        assert guide_of(Oracle.of(domain, lexicon).reader) is domain.language.guide


def somebody(person: Person) -> Person:
    """`the girl  =>  somebody`."""
    del person
    return Person("somebody")


@pytest.mark.parametrize("what", ["forgets", "finishes"])
def test_nothing_is_left_out_where_values_may_be_lost(toy_oracle: Oracle, what: str) -> None:
    language = guided(TOY, None).language
    if what == "forgets":
        functions = (somebody, *(op.function for op in language.algebra.operations))
        algebra = Algebra.of("toy", functions, language.algebra.is_complete)
        language = replace(language, algebra=algebra)
    else:

        def itself(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
            del tokens
            return meaning

        language = replace(language, finishing={"itself": itself})
    reader = Oracle.of(replace(TOY, language=language), toy_oracle.lexicon).reader
    assert guide_of(reader) is anything


def test_nothing_is_left_out_where_there_is_too_much_to_check(
    toy_oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Oracle.of(guided(TOY, None), toy_oracle.lexicon).reader
    monkeypatch.setattr(default_guide, "MAX_CHECKS", 3)
    assert guide_of(reader) is anything


PASSIVE = Example(
    ("Mary", "is", "taught", "by", "the", "girl"), "teach ( girl , mary )", "", "test"
)
# Two derivations: "the" and "'s" can be shared out in two ways.
AMBIGUOUS = Example(
    ("Mary", "helps", "the", "girl", "'s", "sister"), "help ( mary , sister ( girl ) )", "", "test"
)


def test_rules_show_operations_with_the_words_around_their_places(toy_oracle: Oracle) -> None:
    forest = toy_oracle.gold_forest(PASSIVE)
    assert forest is not None
    rules = RuleCounts(TOY)
    rules.add(forest, PASSIVE.tokens)
    assert rules.counts == {
        Rule("take_subject", ("[Person]", "is", "[Passive]")): 1,
        Rule("take_agent", ("[Action]", "by", "[Person]")): 1,
        Rule("determine", ("the", "[Kind]")): 1,
    }
    (root,) = forest.root.edges
    assert str(rule_of(TOY, forest.root, root, PASSIVE.tokens)) == (
        "[Person] is [Passive]  =>  take_subject"
    )


def test_forests_that_leave_a_choice_are_not_counted(toy_oracle: Oracle) -> None:
    forest = toy_oracle.gold_forest(AMBIGUOUS)
    assert forest is not None
    rules = RuleCounts(TOY)
    rules.add(forest, AMBIGUOUS.tokens)
    assert forest.count() == 2
    assert not rules.counts


def test_the_best_derivation_has_the_most_frequent_rules(toy_oracle: Oracle) -> None:
    rules = RuleCounts(TOY)
    forests = [(row, toy_oracle.gold_forest(row)) for row in [*SHORT, AMBIGUOUS]]
    for row, forest in forests[: len(SHORT) // 2]:
        assert forest is not None
        rules.add(forest, row.tokens)

    num_open = 0
    for row, forest in forests:
        assert forest is not None
        totals = {
            derivation: sum(
                math.log1p(rules.counts[rule]) for rule in rules_of(TOY, derivation, row.tokens)
            )
            for derivation in forest.derivations(1000)
        }
        num_open += len(set(totals.values())) > 1
        assert totals[rules.best(forest, row.tokens)] == max(totals.values())
    assert num_open


def test_what_is_attested_is_what_derivations_of_gold_use(toy_oracle: Oracle) -> None:
    rows = [*SHORT[:40], AMBIGUOUS]
    used = {
        rule
        for row in rows
        if (forest := toy_oracle.gold_forest(row))
        for derivation in forest.derivations(1000)
        for rule in rules_of(TOY, derivation, row.tokens)
    }
    lost = Example(("Tom", "teaches", "Mary"), "help ( tom , mary )", "", "test")
    attestation = Attestation.of(toy_oracle, [*rows, lost])
    assert attestation.operations == {(rule.operation, rule.symbols) for rule in used}
    assert attestation.num_unreached == 1
    forest = toy_oracle.gold_forest(PASSIVE)
    assert forest is not None
    assert len(list(rules_in(TOY, forest, PASSIVE.tokens))) == 3
    alone = Attestation(TOY)
    alone.add(forest, PASSIVE.tokens)
    assert alone.symbols == {"Person", "Action", "Kind", "Passive", "Proposition"}
