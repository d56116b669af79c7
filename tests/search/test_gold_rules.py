"""The rules that derivations of gold use: read off, counted, attested."""

import math

from lear.benchmark import Example
from lear.domains.toy import TOY
from lear.forest.oracle import Attestation, Oracle, RuleCounts, rule_of, rules_in
from lear.grammar.rules import Rule
from tests.support.enumeration import rules_of
from tests.support.toy_rows import SHORT

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
