"""Wherever a run is broken off, it goes on as if it were not: lessons, looks, rates, averages."""

import math
import os
import signal
from pathlib import Path

import pytest
import torch

import lear.learning.loop
from lear.learning.checkpoint import save_checkpoint
from lear.learning.config import RunConfig, Stage
from lear.model.config import OptimConfig
from tests.support.small_loops import TINY, SmallRun, Weights, weights_of

ENOUGH = {"in the middle of an epoch": 0.76, "at the end of an epoch": 0.768}
"""When the first lesson ends."""


def settings(enough: float) -> RunConfig:
    return RunConfig(
        "toy",
        dev_every=0.5,
        model=TINY,
        optim=OptimConfig(learning_rate=0.05, batch_size=3, averaging=0.7),
        curriculum=(
            Stage(epochs=6, max_tokens=7, rate=1.0, final_rate=0.2, enough=enough),
            Stage(epochs=1, rate=0.5, final_rate=0.0),
        ),
    )


@pytest.fixture(scope="module", params=ENOUGH)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SmallRun:
    """The run that nothing breaks off; its first lesson ends early."""
    run = SmallRun(settings(ENOUGH[request.param]), tmp_path_factory.mktemp("whole")).run()
    is_enough = [report.dev_exact_match >= ENOUGH[request.param] for report in run.reports]
    end = is_enough.index(True)
    epoch, following = run.reports[end].epoch, run.reports[end + 1].epoch
    assert 1 < epoch < 6
    assert epoch.is_integer() == ("end" in request.param)
    assert following == math.ceil(epoch) + 0.5
    return run


def same(first: Weights, second: Weights) -> bool:
    return all(torch.equal(weight, second[name]) for name, weight in first.items())


def assert_goes_on(broken: SmallRun, whole: SmallRun) -> None:
    """Resumed, a run leaves all that an unbroken one leaves."""
    resumed = SmallRun(broken.config, broken.folder, saved=dict(broken.saved)).run(resume=True)
    assert same(weights_of(resumed.network), weights_of(whole.network))
    for which in ("best", "last"):
        assert same(resumed.saved[which], whole.saved[which])
    assert resumed.loop.progress == whole.loop.progress
    # A step is at least a twelfth of an epoch, and seven epochs are the most that is left.
    assert all(report.seconds_left <= 100 * report.seconds for report in resumed.reports)
    # What was reported after the last checkpoint may be reported again, but nothing is left out.
    lines = {report.epoch: report for report in (*broken.reports, *resumed.reports)}
    assert [(r.epoch, r.loss, r.dev_exact_match) for r in lines.values()] == [
        (r.epoch, r.loss, r.dev_exact_match) for r in whole.reports
    ]


@pytest.mark.slow
def test_a_run_that_is_interrupted_at_any_step_goes_on_as_if_it_were_not(
    tmp_path: Path, whole: SmallRun
) -> None:
    total = whole.loop.progress.total_steps
    for step in range(total):

        def interrupt(number: int, step: int = step) -> None:
            if number == step:
                os.kill(os.getpid(), signal.SIGINT)

        broken = SmallRun(whole.config, tmp_path / f"{step}", before_step=interrupt)
        with pytest.raises(KeyboardInterrupt):
            broken.run()
        assert broken.loop.progress.total_steps == step + 1  # no step is left half done
        assert_goes_on(broken, whole)


class Killed(BaseException):
    """Nothing more is done."""


@pytest.mark.slow
def test_a_run_that_is_killed_after_any_checkpoint_goes_on_as_if_it_were_not(
    tmp_path: Path, whole: SmallRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = 0

    def count(*arguments: object) -> None:
        nonlocal written
        save_checkpoint(*arguments)  # type: ignore[arg-type]
        written += 1
        if written == last:
            raise Killed

    last = 0
    monkeypatch.setattr(lear.learning.loop, "save_checkpoint", count)
    SmallRun(whole.config, tmp_path / "whole").run()
    num_checkpoints = written
    assert num_checkpoints > len(whole.reports)
    for number in range(1, num_checkpoints + 1):
        written, last = 0, number
        broken = SmallRun(whole.config, tmp_path / f"{number}")
        with pytest.raises(Killed):
            broken.run()
        last = 0
        assert_goes_on(broken, whole)


def test_a_run_that_is_over_has_nothing_left_to_do(whole: SmallRun) -> None:
    again = SmallRun(whole.config, whole.folder).run(resume=True)
    assert same(weights_of(again.network), weights_of(whole.network))
    assert again.reports == []
