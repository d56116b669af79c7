"""Every row of CFQ is in reach."""

import random
from pathlib import Path

import pytest

from lear.domains.cfq.domain import CFQ
from lear.evaluation.coverage import Reached, coverage
from lear.forest.oracle import Oracle


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_every_row_is_in_reach(cfq_oracle: Oracle, cfq_folder: Path, part: str) -> None:
    rows = CFQ.corpus.load(CFQ.corpus.benchmarks[0], part, lambda file: cfq_folder / file.path)
    sample = random.Random(part).sample(rows, 400)
    lost = [o for o in coverage(cfq_oracle, sample) if not isinstance(o, Reached)]
    assert lost == []
