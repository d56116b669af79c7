"""The plain versions that `lear bench` measures against are right, only slow."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from lear.__main__ import main
from lear.domains.toy.corpus import generate
from lear.domains.toy.domain import TOY
from lear.policy.objective import ReinforceObjective
from lear.policy.reference_objective import ReferenceReinforce
from lear.training.config import load_config
from lear.training.learner import make_learner
from lear.training.speed import RECIPE, PlainParser, quick_parser

ROWS = {part: generate(part, seed=1) for part in ("train", "dev", "test")}


def test_plain_parsing_gives_the_same_forms() -> None:
    parser = quick_parser(TOY, TOY.corpus.benchmarks[0], ROWS)
    plain = PlainParser(parser)
    for row in ROWS["test"][::20]:
        assert plain(row.tokens) == pytest.approx(parser(row.sentence).score, abs=1e-4)


def test_the_recipe_is_that_of_the_config() -> None:
    config = load_config(Path(__file__).parent.parent / "configs/cogs-reinforce.toml", {})
    assert config.model == RECIPE.model
    assert msgspec.structs.replace(config.optim, replay=0.0) == RECIPE.optim


def test_plain_training_has_the_same_expectation() -> None:
    """Means over many samples agree, of rewards and of gradients."""
    torch.manual_seed(2)
    rows = [row for row in ROWS["train"] if len(row.tokens) <= 4][:2]
    learner = make_learner(RECIPE, TOY, TOY.words.induce(ROWS["train"]), ROWS["train"])
    fast = learner.objective
    assert isinstance(fast, ReinforceObjective)
    units = [fast.examples.index(row) for row in rows]
    found = []
    for objective in (fast, ReferenceReinforce(fast)):
        learner.network.zero_grad()
        total = 0.0
        for seed in range(20):
            total += objective.backward(units, np.random.default_rng(seed)).loss
        gradients = [p.grad for p in learner.network.parameters() if p.grad is not None]
        found.append((total / 20, torch.cat([g.flatten() for g in gradients if g.abs().sum() > 0])))
    (fast_loss, fast_gradient), (plain_loss, plain_gradient) = found
    assert plain_loss == pytest.approx(fast_loss, abs=0.05)
    likeness = torch.cosine_similarity(fast_gradient, plain_gradient, dim=0).item()
    assert likeness > 0.7


def test_bench_prints_rates_and_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "toy", "--seconds", "1", "--threads", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for what in ("train", "parse"):
        items = "examples" if what == "train" else "sentences"
        fast, plain = (found[f"{what}_{items}_per_second{kind}"] for kind in ("", "_plain"))
        assert found[f"{what}_speedup_over_plain"] == pytest.approx(fast / plain, rel=0.05)
        assert fast > plain
