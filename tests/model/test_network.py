"""The network in torch: initial weights, and members that learn as if alone."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lear.algebra.algebra import Primitive
from lear.forest.oracle import Oracle
from lear.learning.exact import ExactObjective, make_problems
from lear.lexicon.lexicon import UNKNOWN
from lear.model.config import ModelConfig, Vocabulary
from lear.model.network import Network, TreeLSTMCell
from tests.support.enumeration import tiny_network
from tests.support.toy_rows import SHORT

VOCABULARY = Vocabulary(
    (UNKNOWN, "a", "b"), ("N0", "N1"), ("join", "turn"), (Primitive("Name", "a"),)
)
HIDDEN = 6


def network(encoder: str, initialisation: str, members: int = 1) -> Network:
    torch.manual_seed(1)
    values = {"encoder": encoder, "initialisation": initialisation, "members": members}
    return Network(ModelConfig(hidden=HIDDEN, **values), VOCABULARY)  # type: ignore[arg-type]


def is_orthogonal(matrix: Tensor) -> bool:
    """Whether rows or columns, whichever are fewer, are of length one and at right angles."""
    if len(matrix) > matrix.shape[1]:
        matrix = matrix.T
    return torch.allclose(matrix @ matrix.T, torch.eye(len(matrix)), atol=1e-5)


def linears(found: nn.Module) -> list[nn.Linear]:
    return [module for module in found.modules() if isinstance(module, nn.Linear)]


@pytest.mark.parametrize("encoder", ["tree", "contextual", "span"])
@pytest.mark.parametrize("members", [1, 2])
def test_orthogonal_weights_are_orthogonal_and_biases_zero(encoder: str, members: int) -> None:
    found = network(encoder, "orthogonal", members)
    assert linears(found)
    cells = [module.gates for module in found.modules() if isinstance(module, TreeLSTMCell)]
    assert len(cells) == members
    for linear in linears(found):
        assert is_orthogonal(linear.weight)
        if linear not in cells:
            assert not linear.bias.any()
    for lstm in (module for module in found.modules() if isinstance(module, nn.LSTM)):
        for name, weight in lstm.named_parameters():
            if name.startswith("weight"):
                assert all(is_orthogonal(gate) for gate in weight.chunk(4))


@pytest.mark.parametrize("encoder", ["tree", "contextual"])
def test_forget_gates_begin_open_and_others_undecided(encoder: str) -> None:
    found = network(encoder, "orthogonal")
    i, left, right, o, u = found.composer.cell.gates.bias.chunk(5)
    assert torch.equal(torch.stack((left, right)), torch.ones(2, HIDDEN))
    assert not torch.cat((i, o, u)).any()
    for lstm in (module for module in found.modules() if isinstance(module, nn.LSTM)):
        for suffix in ("l0", "l0_reverse"):
            both = getattr(lstm, f"bias_ih_{suffix}") + getattr(lstm, f"bias_hh_{suffix}")
            i, forget, g, o = both.chunk(4)
            assert torch.equal(forget, torch.ones(HIDDEN))
            assert not torch.cat((i, g, o)).any()


def test_members_begin_with_different_weights() -> None:
    first, second = network("tree", "orthogonal", members=2).members
    assert not torch.equal(first.composer.merge.weight, second.composer.merge.weight)


def test_by_default_weights_are_those_of_torch() -> None:
    found = network("tree", "torch")
    torch.manual_seed(1)
    first = nn.Embedding(len(VOCABULARY.symbols), HIDDEN)  # the first layer that is made
    assert torch.equal(found.composer.symbols.embedding.weight, first.weight)
    assert not is_orthogonal(found.composer.cell.gates.weight)
    assert found.composer.merge.bias.any()


def alone(member: Network) -> Network:
    """A member without the others."""
    copy = Network(ModelConfig(hidden=8), member.vocabulary).double()
    weights = {k: v for k, v in member.state_dict().items() if not k.startswith("others.")}
    copy.load_state_dict(weights)
    return copy


def test_members_learn_as_if_alone(ambiguous_oracle: Oracle) -> None:
    data = make_problems(ambiguous_oracle.reader, SHORT[:30])
    config = ModelConfig(hidden=8, members=3)
    found = tiny_network(ambiguous_oracle, data, seed=1, config=config)
    units, losses = list(range(10)), []
    result = ExactObjective(found, data).backward(units, np.random.default_rng(0))
    for member in found.members:
        other = alone(member)
        losses.append(ExactObjective(other, data).backward(units, np.random.default_rng(0)).loss)
        gradients = dict(member.named_parameters())
        for name, weight in other.named_parameters():
            if weight.grad is None:
                assert gradients[name].grad is None
            else:
                torch.testing.assert_close(gradients[name].grad, weight.grad)
    assert result.loss == pytest.approx(sum(losses) / 3)
    assert len({round(loss, 6) for loss in losses}) == 3
