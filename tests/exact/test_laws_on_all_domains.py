"""Laws of the exact objective on every domain, held against enumeration of all derivations."""

import pytest

from lear.learning.exact import exact_loss, make_problems
from lear.model.config import ModelConfig
from tests.support.enumeration import enumerated, log_sum, tiny_network
from tests.support.small_domains import SmallDomain, small_domains

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
