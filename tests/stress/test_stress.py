"""A short version of each stage of the stress test, and that broken promises are told."""

import os
import signal
import time
from pathlib import Path

import msgspec
import pytest

from lear.errors import DataError
from tests.stress.__main__ import MODELS, STAGES, main, run_stage
from tests.stress.forks import in_child
from tests.stress.results import Sizes, StageResult
from tests.support.shipped import NAMES

SHORT = Sizes(
    kills=6,
    command_kills=4,
    full_disks=4,
    sentences=200,
    inputs=3,
    files=30,
    queries=9,
    rows=60,
)


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_short_version_breaks_no_promise(stage: str) -> None:
    if stage == "queries":
        pytest.importorskip("pyoxigraph", reason="needs pyoxigraph: pip install lear[sparql]")
    result = run_stage(stage, SHORT)
    assert result.broken == []
    if result.skipped:
        pytest.skip(result.skipped)
    assert max(result.figures.values()) >= 3


@pytest.mark.slow
def test_results_are_written_with_where_they_come_from(tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    assert main(["rows", "--rows", "5", "--output", str(output)]) == 0
    content = msgspec.json.decode(output.read_bytes())
    assert content["sizes"]["rows"] == 5
    assert content["machine"]["cores"] >= 1
    assert content["stages"][0]["figures"]["changed files"] == 5
    # What is done is not done again: otherwise the date would be another one.
    written = output.read_bytes()
    assert main(["rows", "--rows", "5", "--output", str(output)]) == 0
    assert output.read_bytes() == written


def test_all_models_that_ship_are_tried() -> None:
    assert set(NAMES) < set(MODELS)


def test_a_figure_above_its_limit_is_a_broken_promise() -> None:
    result = StageResult("x")
    result.at_most("seconds", 4.0, 5.0)
    assert result.num_broken == 0
    result.at_most("seconds", 6.0, 5.0)
    assert result.broken == ["seconds: 6, more than 5"]


def _fail() -> None:
    raise DataError("no")


def test_work_in_a_child_is_told_however_it_ends() -> None:
    assert in_child(lambda: [1], 60).value == [1]
    ours, theirs = in_child(_fail, 60), in_child(lambda: 1 // 0, 60)
    assert (ours.is_ours, theirs.is_ours) == (True, False)
    assert theirs.error.startswith("ZeroDivisionError")
    crashed = in_child(lambda: os.kill(os.getpid(), signal.SIGKILL), 60)
    assert crashed.exit_code == -signal.SIGKILL
    assert in_child(lambda: time.sleep(600), 0.2).is_late
    killed = in_child(lambda: time.sleep(600), 60, (0.0, signal.SIGTERM))
    assert killed.exit_code == -signal.SIGTERM
