"""Fixtures: the toy language always, the benchmarks where LEAR_DATA has them."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from lear.domain import Example
from lear.domains.cogs import data as cogs_data
from lear.domains.cogs.domain import COGS
from lear.domains.toy.data import generate
from lear.domains.toy.domain import TOY
from lear.oracle import Oracle

settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("ci")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The benchmark folder; without it the test is skipped, and says why."""
    named = os.environ.get("LEAR_DATA")
    if not named or not (Path(named) / "cogs/train.tsv").is_file():
        pytest.skip("needs the COGS files: set LEAR_DATA")
    return Path(named)


@pytest.fixture(scope="session")
def cogs_train(data_folder: Path) -> list[Example]:
    return cogs_data.read_rows(data_folder / "cogs/train.tsv")


@pytest.fixture(scope="session")
def cogs_oracle(cogs_train: list[Example]) -> Oracle:
    return Oracle(COGS, COGS.induce(cogs_train))


@pytest.fixture(scope="session")
def toy_oracle() -> Oracle:
    return Oracle(TOY, TOY.induce(generate("train", seed=1)))
