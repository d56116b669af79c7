"""Exact training: its loss against enumeration of every derivation; problems and sample."""

import math
from collections import Counter
from dataclasses import replace

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domain import Domain
from lear.domains.toy import TOY, Kind, Person, Predicate
from lear.errors import FormError
from lear.forest.oracle import Attestation, Oracle, rules_in
from lear.grammar.reading import CategoryLeaf, Skeleton
from lear.grammar.rules import Rule
from lear.learning import exact as objective
from lear.learning.exact import (
    MIN_SENTENCES,
    ExactData,
    ExactObjective,
    choose,
    exact_loss,
    make_problems,
)
from lear.lexicon.lexicon import Lexicon
from lear.model.config import ModelConfig
from lear.model.rule_scores import rule_scores
from tests.support.ambiguity import AMBIGUOUS
from tests.support.enumeration import enumerated, log_sum, rules_of, tiny_network
from tests.support.small_domains import SmallDomain, small_domains
from tests.support.toy_rows import SHORT, TRAIN

UNITS = ModelConfig(hidden=8, lexical="units", search="legal")


@pytest.fixture(scope="module")
def data(toy_oracle: Oracle) -> ExactData:
    return make_problems(toy_oracle.reader, TRAIN)


ROWS = [
    pytest.param(small, index, id=f"{name}: {row.sentence}")
    for name, small in small_domains().items()
    for index, row in enumerate(small.rows)
]


@pytest.mark.parametrize(("small", "index"), ROWS)
@pytest.mark.parametrize("lexical", ["choices", "units"])
def test_the_loss_is_minus_the_log_probability_of_the_gold_meaning(
    small: SmallDomain, index: int, lexical: str
) -> None:
    config = ModelConfig(hidden=8, lexical="units" if lexical == "units" else "choices")
    row = small.rows[index]
    oracle = small.oracle
    data = make_problems(oracle.reader, [row], config=config)
    network = tiny_network(oracle, data, seed=index, config=config)
    scores, right = enumerated(oracle, network, row)
    expected = log_sum(list(scores.values())) - log_sum([scores[d] for d in right])
    loss = exact_loss(network, data.grammar.rules, data.problems)
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


def test_rows_with_one_skeleton_and_one_gold_are_one_problem(toy_oracle: Oracle) -> None:
    data = make_problems(toy_oracle.reader, TRAIN)
    assert sum(problem.count for problem in data.problems) == data.num_rows == len(TRAIN)
    assert len(data.problems) < 0.6 * len(TRAIN)
    assert data.num_unreached == 0
    assert data.attested is None
    keys = [(p.reading.skeleton, *(c.tobytes() for c in p.gold.edges)) for p in data.problems]
    assert len(keys) == len(set(keys))


def test_contrast_with_attested_rules_is_a_smaller_sum(toy_oracle: Oracle) -> None:
    rows = SHORT[:60]
    wide = make_problems(toy_oracle.reader, rows)
    narrow = make_problems(toy_oracle.reader, rows, contrast="attested")
    network = tiny_network(toy_oracle, wide, seed=3)
    attested = {
        rule
        for row in rows
        if (forest := toy_oracle.gold_forest(row))
        for rule in rules_in(TOY, forest, row.tokens)
    }
    assert set(narrow.grammar.rules) == attested < set(wide.grammar.rules)
    assert len(narrow.problems) == len(wide.problems)
    for few, many in zip(narrow.problems, wide.problems, strict=True):
        losses = [
            exact_loss(network, data.grammar.rules, [problem]).item()
            for data, problem in ((narrow, few), (wide, many))
        ]
        assert -1e-9 <= losses[0] <= losses[1] + 1e-9


def test_only_attested_operations_are_legal_where_the_settings_say_so(toy_oracle: Oracle) -> None:
    rows = [min(SHORT, key=lambda row: len(row.tokens))]
    attestation = Attestation.of(toy_oracle, rows)
    assert attestation.num_unreached == 0
    config = ModelConfig(legality="attested")
    narrow = make_problems(toy_oracle.reader, rows, config=config)
    wide = make_problems(toy_oracle.reader, rows)
    allowed = attestation.operations
    assert narrow.attested == tuple(sorted(allowed))
    assert {(rule.operation, rule.symbols) for rule in narrow.grammar.rules} <= allowed
    assert {(rule.operation, rule.symbols) for rule in wide.grammar.rules} - allowed
    assert narrow.num_unreached == 0


def test_rows_out_of_reach_teach_nothing_and_are_counted(toy_oracle: Oracle) -> None:
    lost = Example(("Tom", "teaches", "Mary"), "help ( tom , mary )", "", "test")
    data = make_problems(toy_oracle.reader, [*SHORT[:5], lost, lost])
    assert (data.num_rows, data.num_unreached) == (7, 2)
    assert sum(problem.count for problem in data.problems) == 5


def test_a_lone_word_without_a_choice_teaches_nothing(
    toy_oracle: Oracle, ambiguous_oracle: Oracle
) -> None:
    rows = [*SHORT[:5], Example(("sees",), "see", "", "test")]
    assert make_problems(toy_oracle.reader, rows).num_rows == 5
    # With a choice it does; whether its form can be read is another matter.
    with pytest.raises(FormError, match="test: not a proposition"):
        make_problems(ambiguous_oracle.reader, rows)


def test_rows_that_are_not_learned_from_attest_as_well(toy_oracle: Oracle) -> None:
    config = ModelConfig(legality="attested")
    every = make_problems(toy_oracle.reader, TRAIN, config=config)
    few = make_problems(toy_oracle.reader, TRAIN, config=config, limit=3)
    assert len(few.problems) == 3
    assert few.attested == every.attested


COMMON = [Skeleton(("did", None, "x"), (CategoryLeaf(1, 2, 0),))] * 500
RARE = [Skeleton(("did", None, "y"), (CategoryLeaf(1, 2, 0),))] * 3


def test_what_is_rare_is_never_left_out() -> None:
    for seed in range(20):
        chosen = choose([*COMMON, *RARE], MIN_SENTENCES + 30, seed)
        assert {500, 501, 502} <= set(chosen)
        assert len(chosen) == len(set(chosen)) == MIN_SENTENCES + 30


def test_all_are_taken_where_there_are_few() -> None:
    assert choose(RARE, 3, seed=1) == [0, 1, 2]


def test_the_seed_decides_between_equals() -> None:
    assert choose(COMMON, 50, seed=1) == choose(COMMON, 50, seed=1) != choose(COMMON, 50, seed=2)


def test_a_limit_means_so_many_skeletons_with_one_row_each(toy_oracle: Oracle) -> None:
    skeletons = Counter(toy_oracle.reader.read(row.tokens).skeleton for row in TRAIN)
    limit = len(skeletons) // 2
    data = make_problems(toy_oracle.reader, TRAIN, limit=limit, seed=1)
    assert data.num_rows == len(data.problems) == limit
    assert len({problem.reading.skeleton for problem in data.problems}) == limit
    assert all(problem.count == 1 for problem in data.problems)
