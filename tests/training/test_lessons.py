"""Lessons: when they end, how often dev is looked at, what rates are, what is averaged."""

import math
from itertools import groupby, pairwise
from pathlib import Path

import pytest
import torch

from lear.learning.config import RunConfig, Stage
from lear.model.config import OptimConfig
from tests.support.small_loops import LENGTHS, TINY, SmallRun, Step, weights_of

BATCH = 3
NUM_BATCHES = math.ceil(len(LENGTHS) / BATCH)
RATE = 0.05


def settings(*lessons: Stage, dev_every: float = 1, **optim: float) -> RunConfig:
    values = OptimConfig(
        learning_rate=RATE,
        composer_ratio=0.5,
        algebraic_ratio=0.1,
        batch_size=BATCH,
        averaging=optim.pop("averaging", 0.0),
    )
    return RunConfig("toy", dev_every=dev_every, model=TINY, optim=values, curriculum=lessons)


def lengths(step: Step) -> list[int]:
    return [LENGTHS[row] for row in step.batch]


@pytest.mark.parametrize(
    ("every", "epochs"),
    [
        (1, [1, 2, 3]),
        (0.5, [0.5, 1, 1.5, 2, 2.5, 3]),
        (0.25, [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3]),
        (2, [2, 3]),
        (1.5, [2, 3]),
        (10, [3]),
        (0.01, [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3]),
    ],
)
def test_dev_is_looked_at_so_often_and_after_the_last_epoch(
    tmp_path: Path, every: float, epochs: list[float]
) -> None:
    assert NUM_BATCHES == 4
    run = SmallRun(settings(Stage(epochs=3), dev_every=every), tmp_path).run()
    assert [report.epoch for report in run.reports] == epochs


def test_each_row_is_visited_once_an_epoch_and_short_ones_alone_in_their_lesson(
    tmp_path: Path,
) -> None:
    run = SmallRun(settings(Stage(epochs=2, max_tokens=4), Stage(epochs=1)), tmp_path).run()
    rows = [row for step in run.objective.steps for row in step.batch]
    short = [row for row, length in enumerate(LENGTHS) if length <= 4]
    first, second, rest = (
        rows[: len(short)],
        rows[len(short) : 2 * len(short)],
        rows[2 * len(short) :],
    )
    assert sorted(first) == sorted(second) == short
    assert sorted(rest) == list(range(len(LENGTHS)))
    assert first != second  # another order each time


def test_an_epoch_of_some_rows_is_a_new_sample_each_time(tmp_path: Path) -> None:
    run = SmallRun(settings(Stage(epochs=2, rows=5)), tmp_path).run()
    rows = [row for step in run.objective.steps for row in step.batch]
    first, second = rows[:5], rows[5:]
    assert len(set(first)) == len(set(second)) == 5
    assert set(first) != set(second)
    longer = SmallRun(settings(Stage(epochs=1, rows=10**6)), tmp_path).run()
    visited = [row for step in longer.objective.steps for row in step.batch]
    assert sorted(visited) == list(range(len(LENGTHS)))


def test_a_lesson_ends_as_soon_as_dev_is_enough_and_the_next_begins(tmp_path: Path) -> None:
    whole = SmallRun(settings(Stage(epochs=6, max_tokens=4), dev_every=0.5), tmp_path / "a").run()
    scores = [report.dev_exact_match for report in whole.reports]
    assert scores == sorted(scores)
    # In the middle of the third epoch.
    enough = scores[4]
    run = SmallRun(
        settings(Stage(epochs=6, max_tokens=4, enough=enough), Stage(epochs=1), dev_every=0.5),
        tmp_path / "b",
    ).run()
    looks = [report.epoch for report in run.reports]
    assert looks[:5] == [report.epoch for report in whole.reports][:5] == [0.5, 1, 1.5, 2, 2.5]
    assert [report.dev_exact_match for report in run.reports][:5] == scores[:5]
    # The rest of that epoch is left out.
    assert looks[5:] == [3.5, 4]
    short = [max(lengths(step)) <= 4 for step in run.objective.steps]
    steps_of_lesson = run.objective.steps.index(
        next(step for step in run.objective.steps if max(lengths(step)) > 4)
    )
    assert all(short[:steps_of_lesson])
    assert run.loop.progress.total_steps == 5 + NUM_BATCHES


def test_a_lesson_that_is_never_enough_takes_all_its_epochs(tmp_path: Path) -> None:
    run = SmallRun(settings(Stage(epochs=2, enough=1.0), Stage(epochs=1)), tmp_path).run()
    assert run.loop.progress.total_steps == 3 * NUM_BATCHES


def test_the_last_lesson_ends_the_run_when_it_is_enough(tmp_path: Path) -> None:
    run = SmallRun(settings(Stage(epochs=1), Stage(epochs=9, enough=0.01)), tmp_path).run()
    assert [report.epoch for report in run.reports] == [1, 2]


def test_rates_change_evenly_from_the_first_to_the_last_of_a_lesson(tmp_path: Path) -> None:
    lessons = Stage(epochs=2, rate=0.5), Stage(epochs=3, rate=1.0, final_rate=0.25)
    run = SmallRun(settings(*lessons), tmp_path).run()
    rates = [step.rates for step in run.objective.steps]
    groups = [RATE, RATE * 0.5, RATE * 0.1]  # lexical, composer, algebraic
    first, second = rates[: 2 * NUM_BATCHES], rates[2 * NUM_BATCHES :]
    assert all(found == pytest.approx([0.5 * rate for rate in groups]) for found in first)
    assert second[0] == pytest.approx(groups)
    for group, rate in enumerate(groups):
        shares = [found[group] / rate for found in second]
        falls = {round(before - after, 9) for before, after in pairwise(shares)}
        assert len(falls) == 1
        (fall,) = falls
        assert shares[-1] - fall == pytest.approx(0.25)  # what a further step would have


def test_without_settings_rates_stay_what_they_are(tmp_path: Path) -> None:
    run = SmallRun(settings(Stage(epochs=2)), tmp_path).run()
    assert [list(k) for k, _ in groupby(tuple(step.rates) for step in run.objective.steps)] == [
        pytest.approx([RATE, RATE * 0.5, RATE * 0.1])
    ]


def test_averaged_weights_are_evaluated_and_saved(tmp_path: Path) -> None:
    decay = 0.6
    run = SmallRun(settings(Stage(epochs=2), dev_every=0.5, averaging=decay), tmp_path).run()
    after = [step.weights for step in run.objective.steps[1:]] + [weights_of(run.network)]
    average, averages = after[0], [after[0]]
    for weights in after[1:]:
        average = {
            name: decay * average[name] + (1 - decay) * weight for name, weight in weights.items()
        }
        averages.append(average)
    looked_at = averages[1::2]
    assert len(run.evaluated) == len(looked_at) == 4
    for found, expected in zip(run.evaluated, looked_at, strict=True):
        for name, weight in expected.items():
            torch.testing.assert_close(found[name], weight)
    assert same(run.saved["last"], run.evaluated[-1])
    assert not same(run.saved["last"], weights_of(run.network))


def test_without_averaging_the_weights_themselves_are(tmp_path: Path) -> None:
    run = SmallRun(settings(Stage(epochs=1)), tmp_path).run()
    assert same(run.evaluated[-1], weights_of(run.network))
    assert same(run.saved["last"], weights_of(run.network))


def same(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(weight, second[name]) for name, weight in first.items())
