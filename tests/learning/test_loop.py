"""The loop: stages, evaluations, rates, averages; broken off, it goes on as if it were not."""

import math
import os
import signal
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from lear.learning.checkpoint import Progress, TrainingState
from lear.learning.config import RunConfig, Stage
from lear.model.config import OptimConfig
from tests.support.small_loops import LENGTHS, TINY, SmallRun, Weights, weights_of

BATCH = 3
NUM_BATCHES = math.ceil(len(LENGTHS) / BATCH)
RATE = 0.05
RATES = [RATE, RATE * 0.5, RATE * 0.1]
"""Lexical, composer, algebraic."""


def settings(*stages: Stage, dev_every: float = 1, averaging: float = 0.0) -> RunConfig:
    values = OptimConfig(
        learning_rate=RATE,
        composer_ratio=0.5,
        algebraic_ratio=0.1,
        batch_size=BATCH,
        averaging=averaging,
    )
    return RunConfig("toy", dev_every=dev_every, model=TINY, optim=values, curriculum=stages)


def visited(run: SmallRun) -> list[int]:
    return [row for step in run.objective.steps for row in step.batch]


def epochs(run: SmallRun) -> list[float]:
    return [metrics.epoch for metrics in run.reports]


def same(first: Weights, second: Weights) -> bool:
    return all(torch.equal(weight, second[name]) for name, weight in first.items())


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        (1, [1, 2, 3]),
        (0.5, [0.5, 1, 1.5, 2, 2.5, 3]),
        (0.25, [0.25 * part for part in range(1, 13)]),
        (2, [2, 3]),
        (1.5, [2, 3]),
        (10, [3]),
        (0.01, [0.25 * part for part in range(1, 13)]),
    ],
)
def test_dev_is_evaluated_so_often_and_after_the_last_epoch(
    tmp_path: Path, every: float, expected: list[float]
) -> None:
    assert NUM_BATCHES == 4
    run = SmallRun(settings(Stage(epochs=3), dev_every=every), tmp_path).run()
    assert epochs(run) == expected
    assert run.loop.progress.rows == 0


def test_each_row_is_visited_once_an_epoch_and_short_ones_alone_in_their_stage(
    tmp_path: Path,
) -> None:
    run = SmallRun(settings(Stage(epochs=2, max_tokens=4), Stage(epochs=1)), tmp_path).run()
    rows, short = visited(run), [row for row, length in enumerate(LENGTHS) if length <= 4]
    first, second, rest = (
        rows[: len(short)],
        rows[len(short) : 2 * len(short)],
        rows[2 * len(short) :],
    )
    assert sorted(first) == sorted(second) == short
    assert sorted(rest) == list(range(len(LENGTHS)))
    assert first != second  # another order each time


def test_an_epoch_of_some_rows_is_a_new_sample_each_time(tmp_path: Path) -> None:
    rows = visited(SmallRun(settings(Stage(epochs=2, rows=5)), tmp_path).run())
    first, second = rows[:5], rows[5:]
    assert len(set(first)) == len(set(second)) == 5
    assert set(first) != set(second)
    longer = SmallRun(settings(Stage(epochs=1, rows=10**6)), tmp_path).run()
    assert sorted(visited(longer)) == list(range(len(LENGTHS)))


def test_a_stage_ends_as_soon_as_dev_is_enough_and_the_next_begins(tmp_path: Path) -> None:
    whole = SmallRun(settings(Stage(epochs=6, max_tokens=4), dev_every=0.5), tmp_path / "a").run()
    scores = [report.dev_exact_match for report in whole.reports]
    assert scores == sorted(scores)
    stages = Stage(epochs=6, max_tokens=4, enough=scores[4]), Stage(epochs=1)
    run = SmallRun(settings(*stages, dev_every=0.5), tmp_path / "b").run()
    # In the middle of the third epoch, whose rest is left out.
    assert epochs(run) == [0.5, 1, 1.5, 2, 2.5, 3.5, 4]
    assert [report.dev_exact_match for report in run.reports][:5] == scores[:5]
    is_short = [all(LENGTHS[row] <= 4 for row in step.batch) for step in run.objective.steps]
    assert is_short[:5] == [True] * 5
    assert run.loop.progress.total_steps == 5 + NUM_BATCHES


def test_a_stage_that_is_never_enough_takes_all_its_epochs(tmp_path: Path) -> None:
    run = SmallRun(settings(Stage(epochs=2, enough=1.0), Stage(epochs=1)), tmp_path / "a").run()
    assert run.loop.progress.total_steps == 3 * NUM_BATCHES
    run = SmallRun(settings(Stage(epochs=1), Stage(epochs=9, enough=0.01)), tmp_path / "b").run()
    assert epochs(run) == [1, 2]


def test_rates_change_evenly_from_the_first_to_the_last_of_a_stage(tmp_path: Path) -> None:
    stages = Stage(epochs=2, rate=0.5), Stage(epochs=3, rate=1.0, final_rate=0.25)
    run = SmallRun(settings(*stages), tmp_path / "a").run()
    rates = [step.rates for step in run.objective.steps]
    first, second = rates[: 2 * NUM_BATCHES], rates[2 * NUM_BATCHES :]
    assert all(found == pytest.approx([0.5 * rate for rate in RATES]) for found in first)
    assert second[0] == pytest.approx(RATES)
    for group, rate in enumerate(RATES):
        shares = [found[group] / rate for found in second]
        (fall,) = {round(before - after, 9) for before, after in pairwise(shares)}
        assert shares[-1] - fall == pytest.approx(0.25)  # what a further step would have
    run = SmallRun(settings(Stage(epochs=2)), tmp_path / "b").run()
    assert all(step.rates == pytest.approx(RATES) for step in run.objective.steps)


def test_averaged_weights_are_evaluated_and_kept(tmp_path: Path) -> None:
    decay = 0.6
    run = SmallRun(settings(Stage(epochs=2), dev_every=0.5, averaging=decay), tmp_path).run()
    after = [step.weights for step in run.objective.steps[1:]] + [weights_of(run.network)]
    average, averages = after[0], [after[0]]
    for weights in after[1:]:
        average = {
            name: decay * average[name] + (1 - decay) * weight for name, weight in weights.items()
        }
        averages.append(average)
    for found, expected in zip(run.evaluated, averages[1::2], strict=True):
        for name, weight in expected.items():
            torch.testing.assert_close(found[name], weight)
    assert same(run.saved["last"], run.evaluated[-1])
    assert not same(run.saved["last"], weights_of(run.network))


def test_without_averaging_the_weights_themselves_are(tmp_path: Path) -> None:
    run = SmallRun(settings(Stage(epochs=1)), tmp_path).run()
    assert same(run.evaluated[-1], weights_of(run.network))
    assert same(run.saved["last"], weights_of(run.network))


def test_losses_are_means_over_all_rows_since_the_evaluation_before(tmp_path: Path) -> None:
    losses = []
    for every in (1, 2):
        config = settings(Stage(epochs=2), dev_every=every)
        run = SmallRun(config, tmp_path / str(every)).run()
        losses.append([metrics.loss for metrics in run.reports])
    assert losses[1] == [pytest.approx(sum(losses[0]) / 2)]


ENOUGH = {"in the middle of an epoch": 0.76, "at the end of an epoch": 0.768}
"""When the first stage ends."""


@pytest.fixture(scope="module", params=ENOUGH)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SmallRun:
    """The run that nothing breaks off; its first stage ends early."""
    config = RunConfig(
        "toy",
        dev_every=0.5,
        model=TINY,
        optim=OptimConfig(learning_rate=0.05, batch_size=3, averaging=0.7),
        curriculum=(
            Stage(epochs=6, max_tokens=7, rate=1.0, final_rate=0.2, enough=ENOUGH[request.param]),
            Stage(epochs=1, rate=0.5, final_rate=0.0),
        ),
    )
    run = SmallRun(config, tmp_path_factory.mktemp("whole")).run()
    is_enough = [report.dev_exact_match >= ENOUGH[request.param] for report in run.reports]
    end = is_enough.index(True)
    epoch, following = run.reports[end].epoch, run.reports[end + 1].epoch
    assert 1 < epoch < 6
    assert epoch.is_integer() == ("end" in request.param)
    assert following == math.ceil(epoch) + 0.5
    return run


def assert_goes_on(broken: SmallRun, whole: SmallRun) -> None:
    """Resumed, a run leaves all that an unbroken one leaves."""
    resumed = SmallRun(broken.config, broken.folder, saved=dict(broken.saved)).run(resume=True)
    assert same(weights_of(resumed.network), weights_of(whole.network))
    for which in ("best", "last"):
        assert same(resumed.saved[which], whole.saved[which])
    assert resumed.stand() == whole.stand()
    # A step is at least a twelfth of an epoch, and seven epochs are the most that is left.
    assert all(report.seconds_left <= 100 * report.seconds for report in resumed.reports)


@pytest.mark.slow
def test_a_run_that_is_interrupted_at_any_step_goes_on_as_if_it_were_not(
    tmp_path: Path, whole: SmallRun
) -> None:
    for step in range(whole.loop.progress.total_steps):

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
    save, written, last = TrainingState.save, 0, 0

    def count(state: TrainingState, path: Path, progress: Progress, settings: bytes) -> None:
        nonlocal written
        save(state, path, progress, settings)
        written += 1
        if written == last:
            raise Killed

    monkeypatch.setattr(TrainingState, "save", count)
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
    assert again.evaluated == []
