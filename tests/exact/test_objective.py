"""The loss of exact training, against enumeration of every derivation."""

import math
from collections import Counter
from dataclasses import replace

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domain import Domain
from lear.domains.toy import TOY, Kind, Person, Predicate
from lear.forest.oracle import Oracle
from lear.grammar.rules import Rule
from lear.learning import exact as objective
from lear.learning.exact import ExactData, ExactObjective, exact_loss, make_problems
from lear.lexicon.lexicon import Lexicon
from lear.model.config import ModelConfig
from lear.model.rule_scores import rule_scores
from tests.support.ambiguity import AMBIGUOUS
from tests.support.enumeration import enumerated, log_sum, rules_of, tiny_network
from tests.support.toy_rows import SHORT, TRAIN

UNITS = ModelConfig(hidden=8, lexical="units", search="legal")


@pytest.fixture(scope="module")
def data(toy_oracle: Oracle) -> ExactData:
    return make_problems(toy_oracle.reader, TRAIN)


@pytest.mark.parametrize("index", range(0, 60, 10))
def test_the_loss_is_minus_the_log_probability_of_the_gold_meaning(
    toy_oracle: Oracle, data: ExactData, index: int
) -> None:
    example = SHORT[index]
    network = tiny_network(toy_oracle, data, seed=index)
    one = make_problems(toy_oracle.reader, [example])
    scores, right = enumerated(toy_oracle, network, example)
    expected = log_sum(list(scores.values())) - log_sum([scores[d] for d in right])
    assert expected > 0
    loss = exact_loss(network, one.grammar.rules, one.problems)
    assert loss.item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("config", [ModelConfig(hidden=8), UNITS], ids=["choices", "units"])
@pytest.mark.parametrize("example", AMBIGUOUS, ids=lambda example: str(example.sentence))
def test_lexical_choices_are_part_of_the_marginal_likelihood(
    ambiguous_oracle: Oracle, data: ExactData, example: Example, config: ModelConfig
) -> None:
    reader = ambiguous_oracle.reader
    network = tiny_network(ambiguous_oracle, data, seed=3, config=config)
    one = make_problems(reader, [example], config=config)
    scores, right = enumerated(ambiguous_oracle, network, example)
    assert 0 < len(right) < len(scores)
    loss = exact_loss(network, one.grammar.rules, one.problems)
    expected = log_sum(list(scores.values())) - log_sum([scores[d] for d in right])
    assert loss.item() == pytest.approx(expected, abs=1e-9)
    together = make_problems(reader, AMBIGUOUS, config=config)
    alone = [exact_loss(network, together.grammar.rules, [p]).item() for p in together.problems]
    batch = exact_loss(network, together.grammar.rules, together.problems).item()
    assert batch == pytest.approx(sum(alone) / len(alone))
    loss.backward()  # type: ignore[no-untyped-call]
    assert network.lexical.primitive.weight.grad is not None


def either_answer() -> Domain:
    """A language in which both "friend of Mary" and "to see Mary" are answers."""
    algebra = replace(TOY.language.algebra, is_complete=lambda m: isinstance(m, Kind | Predicate))
    language = replace(
        TOY.language,
        algebra=algebra,
        read=lambda _, __, table: table.intern(Kind("friend", table.intern(Person("mary")))),
        guide=lambda _: lambda _: True,
    )
    return replace(TOY, language=language)


def test_answers_of_several_categories_share_the_probability() -> None:
    lexicon = Lexicon.from_counts(
        "toy",
        {
            (("sees",), Primitive("Relation", "friend")): 1,
            (("sees",), Primitive("Action", "see")): 1,
            (("Mary",), Primitive("Person", "mary")): 1,
        },
        {},
    )
    oracle = Oracle.of(either_answer(), lexicon)
    data = make_problems(oracle.reader, [Example(("sees", "Mary"), "", "", "test")])
    (problem,) = data.problems
    network = tiny_network(oracle, data, seed=5)
    # Which of the two "sees" is, the grammar sees: no choice is left to the Bi-LSTM.
    assert problem.reading.choices
    assert not problem.reading.hidden_choices
    rules = {rule.operation: rule for rule in data.grammar.rules}
    scores = dict(zip(rules, rule_scores(network, list(rules.values())).tolist(), strict=True))
    right, wrong, agent = (scores[name] for name in ("relate", "take_object", "take_agent"))
    expected = log_sum([right, wrong, agent]) - right
    loss = exact_loss(network, data.grammar.rules, data.problems)
    assert loss.item() == pytest.approx(expected)


@pytest.mark.parametrize("least", [0.5, 3.0])
def test_rules_in_use_are_those_that_gold_is_expected_to_use(
    toy_oracle: Oracle, monkeypatch: pytest.MonkeyPatch, least: float
) -> None:
    monkeypatch.setattr(objective, "MIN_EXPECTED_USES", least)
    rows = SHORT[:60]
    data = make_problems(toy_oracle.reader, rows, contrast="attested")
    network = tiny_network(toy_oracle, data, seed=4)
    scores = dict(
        zip(data.grammar.rules, rule_scores(network, data.grammar.rules).tolist(), strict=True)
    )
    expected: Counter[Rule] = Counter()
    for problem in data.problems:
        row = next(r for r in rows if r.tokens == problem.reading.tokens)
        forest = toy_oracle.gold_forest(row)
        assert forest is not None
        used = [rules_of(TOY, d, row.tokens) for d in forest.derivations(10_000)]
        weights = [sum(scores[rule] for rule in rules) for rules in used]
        total = log_sum(weights)
        for rules, weight in zip(used, weights, strict=True):
            for rule in rules:
                expected[rule] += problem.count * math.exp(weight - total)  # type: ignore[assignment]
    found = set(ExactObjective(network, data).rules())
    assert found == {rule for rule, count in expected.items() if count > least}
    assert found
    assert (len(found) < len(data.grammar.rules)) == (least == 3.0)
