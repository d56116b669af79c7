"""Training rows as problems: what is one problem, and what gold is contrasted with."""

import pytest

from lear.benchmark import Example
from lear.domains.toy import TOY
from lear.errors import FormError
from lear.forest.oracle import Attestation, Oracle, rules_in
from lear.learning.exact import exact_loss, make_problems
from lear.model.config import ModelConfig
from tests.support.enumeration import tiny_network
from tests.support.toy_rows import SHORT, TRAIN


def test_rows_with_one_skeleton_and_one_gold_are_one_problem(toy_oracle: Oracle) -> None:
    data = make_problems(toy_oracle.reader, TRAIN)
    assert sum(problem.count for problem in data.problems) == data.num_rows == len(TRAIN)
    assert len(data.problems) < 0.6 * len(TRAIN)
    assert data.num_unreached == 0
    assert data.attested is None
    keys = [(p.reading.skeleton, p.gold.edges.tobytes()) for p in data.problems]
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
