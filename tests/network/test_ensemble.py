"""A committee: members learn as if alone."""

import numpy as np
import pytest
import torch

from lear.forest.oracle import Oracle
from lear.learning.exact import ExactData, ExactObjective, make_problems
from lear.model.config import ModelConfig
from lear.model.network import Network
from tests.support.enumeration import tiny_network
from tests.support.toy_rows import SHORT

CONFIG = ModelConfig(hidden=8, members=3)


@pytest.fixture
def data(ambiguous_oracle: Oracle) -> ExactData:
    return make_problems(ambiguous_oracle.reader, SHORT[:30])


@pytest.fixture
def network(ambiguous_oracle: Oracle, data: ExactData) -> Network:
    return tiny_network(ambiguous_oracle, data, seed=1, config=CONFIG)


def _alone(member: Network) -> Network:
    """A member without the others."""
    alone = Network(ModelConfig(hidden=8), member.vocabulary).double()
    weights = {k: v for k, v in member.state_dict().items() if not k.startswith("others.")}
    alone.load_state_dict(weights)
    return alone


def test_members_learn_as_if_alone(network: Network, data: ExactData) -> None:
    units = list(range(10))
    result = ExactObjective(network, data).backward(units, np.random.default_rng(0))
    losses = []
    for member in network.members:
        alone = _alone(member)
        losses.append(ExactObjective(alone, data).backward(units, np.random.default_rng(0)).loss)
        gradients = dict(member.named_parameters())
        for name, weight in alone.named_parameters():
            found = gradients[name].grad
            if weight.grad is None:
                assert found is None
            else:
                torch.testing.assert_close(found, weight.grad)
    assert result.loss == pytest.approx(sum(losses) / 3)
    assert len({round(loss, 6) for loss in losses}) == 3
