"""Runs on a cluster: as on one machine, also when a worker is killed or the command is stopped."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs distributed: pip install 'lear[dask]'")

from lear.reproduce.report import ReportRow
from lear.reproduce.reproduce import Request, reproduce
from tests.support.killed_workers import kill_worker, local_cluster
from tests.support.toy_table import EPOCHS, TABLE

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with local_cluster(workers=1) as cluster:  # so that it is this one that is killed
        yield cluster.scheduler_address


def small(asked: Request, must_stop: Callable[[], bool] | None = None) -> ReportRow:
    (report,) = reproduce(asked, must_stop).reports
    return next(row for row in report.rows if row.name == "small")


def request(folder: Path, dask: str | None = None) -> Request:
    data = str(folder / "data")
    return Request(
        [TABLE], folder / "runs", folder / "results", only=["small"], dask=dask, data=data
    )


def epochs(folder: Path) -> int:
    return sum(len(p.read_text().splitlines()) for p in folder.rglob("metrics.jsonl"))


def test_a_run_goes_on_when_its_worker_is_killed_and_when_it_is_interrupted(
    address: str, tmp_path: Path
) -> None:
    whole = small(request(tmp_path / "here"))
    asked = request(tmp_path / "there", address)

    def interrupt() -> bool:
        if epochs(asked.runs):
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        small(asked, interrupt)
    stopped = epochs(asked.runs)
    assert 0 < stopped < EPOCHS
    is_killed = False

    def kill() -> bool:
        nonlocal is_killed
        if not is_killed and epochs(asked.runs) > stopped:
            kill_worker(address)
            is_killed = True
        return False

    row = small(asked, kill)
    assert is_killed
    assert row.runs[0].state == "finished"
    for key in ("strict", "short"):
        assert row.cells[key] == whole.cells[key]


def test_a_run_that_fails_there_is_one_line(address: str, tmp_path: Path) -> None:
    os.makedirs(tmp_path / "data")
    outcome = reproduce(replace(request(tmp_path, address), only=["hopeless"]))
    assert any("unknown benchmark 'nowhere'" in failure for failure in outcome.failures)
