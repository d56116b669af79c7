"""Threads of torch: with a number of them a run repeats to the bit, with another one it does not.

Sums are added up in another order, and Adam makes whole steps of gradients that are only rounding.
"""

import json
from pathlib import Path

import pytest

from lear.learning.run_folder import RunFolder
from tests.support.runs import POLICY, config, losses, run, same, weights


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, POLICY], ids=["exact", "reinforce"])
def test_a_run_repeats_with_as_many_threads(tmp_path: Path, settings: dict[str, str]) -> None:
    one_epoch = {**settings, "curriculum": "[{epochs = 1}]"}
    for name, threads in (("one", "1"), ("two", "2"), ("two again", "2")):
        run(tmp_path / name, config(**one_epoch, threads=threads))
        noted = json.loads(RunFolder(tmp_path / name).environment.read_bytes())
        assert noted["threads"] == int(threads)
    assert same(weights(tmp_path / "two"), weights(tmp_path / "two again"))
    # No draw and no order depends on them.
    assert losses(tmp_path / "one") == pytest.approx(losses(tmp_path / "two"), rel=1e-2)
