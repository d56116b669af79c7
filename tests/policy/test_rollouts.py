"""Rollouts of whole batches do what the plain version does, one tree at a time."""

from dataclasses import replace

import numpy as np
import pytest

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import evaluate
from lear.domain import Shape
from lear.forest.oracle import Oracle
from lear.policy.rollouts import Policy, StateScorer
from lear.policy.steps import NONE
from tests.support.brute_force import complete_derivations
from tests.support.forward import forward_of
from tests.support.policies import (
    LATENT,
    STATES,
    Case,
    Outcome,
    free_cases,
    outcomes_of,
    settings_of,
    strict_cases,
    toy_cases,
    toys,
)
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.small_domains import SmallDomain
from tests.support.total_domains import total_domains

STRICT = toy_cases() | strict_cases()
CASES = STRICT | free_cases()


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    """A new one, so that what is enumerated lives as long as the tests of the case."""
    return replace(CASES[request.param])


def test_probabilities_of_all_trajectories_sum_to_one(case: Case) -> None:
    total = sum(tree.log_prob.exp().item() for tree in case.specified.values())
    assert total == pytest.approx(1.0)


def test_a_rollout_is_one_of_them_and_has_its_probability(case: Case) -> None:
    _, rollouts, outcomes = case.rolled(samples=30, seed=1)
    for row, outcome in enumerate(outcomes):
        expected = case.specified[outcome].log_prob.item()
        assert rollouts.log_probs[row] == pytest.approx(expected)


def test_greedy_decoding_takes_the_likeliest_step_each_time(case: Case) -> None:
    expected = case.greedy()
    draws = case.policy.draws([case.reading], 1, None)
    rollouts = case.policy.roll_out(draws, None)
    assert outcomes_of(case.policy, draws, rollouts) == [Outcome.of(expected)]
    assert rollouts.log_probs[0] == pytest.approx(expected.log_prob.item())


def test_actions_repeat_a_rollout(case: Case) -> None:
    draws, rollouts, outcomes = case.rolled(samples=20, seed=6)
    prescribed = {
        row: rollouts.sequence(row, draws) for row in range(20) if rollouts.final[row] != NONE
    }
    # Other tables and other draws: only the actions are the same.
    other, rng = replace(case), np.random.default_rng(9)
    again = other.policy.draws([other.reading], 20, rng)
    for row, actions in prescribed.items():
        again.picks_of(row)[:] = actions.picks
    repeated = other.policy.roll_out(again, rng, prescribed)
    for row, outcome in enumerate(outcomes_of(other.policy, again, repeated)):
        if row in prescribed:
            assert repeated.log_probs[row] == pytest.approx(rollouts.log_probs[row])
            assert outcome.derivation == outcomes[row].derivation


def test_all_derivations_of_brute_force_are_reached_and_no_others(case: Case) -> None:
    config = case.config
    if config.merging == "limited" and config.nothing == "composer":
        assert case.answers == set(complete_derivations(case.small.oracle, case.tokens))


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape_allows_what_it_allows_brute_force(toy_oracle: Oracle, shape: Shape) -> None:
    oracle = reshaped(toy_oracle, shape)
    small = SmallDomain(oracle.domain, oracle.lexicon, (), ())
    for tokens in SHAPED_SENTENCES:
        found = Case(small, LATENT, tokens).answers
        assert found == complete_derivations(oracle, tokens), tokens


def test_where_any_two_constituents_combine_no_trajectory_is_a_dead_end(case: Case) -> None:
    if (
        case.config.merging == "limited"
        or (case.config.encoder, case.config.abstraction) != STATES[0]
    ):
        return
    language = case.small.domain.language
    for outcome in case.specified:
        assert outcome.final != NONE
        if outcome.derivation is not None:
            table = MeaningTable(language.algebra)
            meaning = evaluate(outcome.derivation, table, case.small.domain.words.ground)
            assert case.is_answer(outcome) == language.algebra.is_complete(meaning)


@pytest.mark.parametrize("name", toys())
@pytest.mark.parametrize("encoder", ["tree", "contextual", "span"])
def test_rows_of_a_batch_do_not_disturb_each_other(name: str, encoder: str) -> None:
    cases = [case for key, case in toy_cases().items() if key.startswith(f"{name} {encoder} True")]

    def decoded(policy: Policy, some: list[Case]) -> list[Outcome]:
        read = policy.transitions.reader.read
        draws = policy.draws([read(case.tokens) for case in some], 1, None)
        rollouts = policy.roll_out(draws, None)
        log_probs.extend(rollouts.log_probs)
        return outcomes_of(policy, draws, rollouts)

    log_probs: list[float] = []
    together = decoded(replace(cases[0]).policy, cases)
    alone = [outcome for case in cases for outcome in decoded(replace(case).policy, [case])]
    assert [o.derivation for o in together] == [o.derivation for o in alone]
    assert log_probs[: len(cases)] == pytest.approx(log_probs[len(cases) :])


def test_samples_of_one_seed_are_the_same_samples() -> None:
    case = Case(toys()["toy"], LATENT, ("Mary", "is", "seen", "by", "Tom"), num_symbols=2)
    found = [replace(case).rolled(samples=20, seed=seed) for seed in (3, 3, 4)]
    first, same, other = (outcomes for _, _, outcomes in found)
    assert first == same != other
    np.testing.assert_array_equal(found[0][1].log_probs, found[1][1].log_probs)


@pytest.mark.parametrize(("encoder", "abstraction"), STATES)
@pytest.mark.parametrize("name", total_domains())
def test_a_forward_pass_has_the_logits_and_the_rollouts_of_torch(
    name: str, encoder: str, abstraction: bool
) -> None:
    small = total_domains()[name]
    config = settings_of("free")[f"found typed interpreter {encoder} {abstraction}"]
    case = Case(small, config, small.sentences[0])
    policy, rng, forward = case.policy, np.random.default_rng(1), forward_of(case.network)
    states = policy.transitions.states
    of_torch, piece_by_piece = StateScorer(case.network, states), StateScorer(forward, states)
    # One sentence after the other, short ones before long ones: states and sentences are added.
    for tokens in sorted(small.sentences, key=len):
        policy.roll_out(policy.draws([case.reader.read(tokens)], 5, rng), rng)
        for scorer in (piece_by_piece, StateScorer(forward, states)):
            for wanted, found in zip(of_torch.logits(), scorer.logits(), strict=True):
                np.testing.assert_allclose(found[0], wanted.detach(), rtol=1e-9, atol=1e-9)

    readings = [case.reader.read(tokens) for tokens in small.sentences]
    policies = policy, Policy(forward, case.reader, policy.transitions.categories)
    expected, found = (p.roll_out(p.draws(readings, 1, None), None) for p in policies)
    np.testing.assert_allclose(found.log_probs, expected.log_probs, rtol=1e-9)
    assert expected.answers(policies[0]).keys() == found.answers(policies[1]).keys()
