"""Policies are tested with one meaning a word, and with several."""

import pytest

from lear.forest.oracle import Oracle


@pytest.fixture(params=["one meaning", "ambiguous"])
def oracle(request: pytest.FixtureRequest, toy_oracle: Oracle, ambiguous_oracle: Oracle) -> Oracle:
    return ambiguous_oracle if request.param == "ambiguous" else toy_oracle
