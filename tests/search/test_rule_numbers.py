"""Numbers stand for rules: each has its own, and gives the rule back."""

from hypothesis import given
from hypothesis import strategies as st

from lear.forest.scored_grammar import RuleNumbers
from lear.grammar.rules import Rule

names = st.sampled_from(["keep", "join", "[A]", "[B]", "of", "the"])
rules = st.lists(st.builds(Rule, names, st.lists(names, min_size=1, max_size=4).map(tuple)))


@given(rules)
def test_rules_and_their_numbers_are_one_to_one(some: list[Rule]) -> None:
    numbers = RuleNumbers()
    found = [numbers.number(rule) for rule in some]
    assert [numbers.rule(*number) for number in found] == some
    assert len(set(found)) == len(set(some))
    columns = numbers.columns(some)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == found


@given(rules)
def test_a_prefix_is_a_shorter_one_with_a_part_more(some: list[Rule]) -> None:
    numbers = RuleNumbers()
    for rule in some:
        for size in range(1, len(rule.parts)):
            prefix = numbers.prefix(rule.parts[:size])
            assert numbers.shorter[prefix] == numbers.prefix(rule.parts[: size - 1])
            assert numbers.parts[numbers.last[prefix]] == rule.parts[size - 1]
            assert numbers.sizes[prefix] == size
