"""Intervals are those of tables of Student's t."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.reproduce.report import half_width, mean, t_quantile


# Abramowitz & Stegun, table 26.10.
@pytest.mark.parametrize(
    ("freedom", "confidence", "expected"),
    [
        (1, 0.95, 12.706),
        (2, 0.95, 4.303),
        (3, 0.95, 3.182),
        (4, 0.95, 2.776),
        (9, 0.95, 2.262),
        (10, 0.95, 2.228),
        (30, 0.95, 2.042),
        (4, 0.99, 4.604),
        (7, 0.50, 0.711),
    ],
)
def test_quantiles_are_those_of_the_table(freedom: int, confidence: float, expected: float) -> None:
    assert t_quantile(freedom, confidence) == pytest.approx(expected, abs=5e-4)


def test_an_interval_worked_out_by_hand() -> None:
    # Deviation 1 from the mean each way: standard deviation 1, half width 4.3027 / sqrt(3).
    assert half_width([9.0, 10.0, 11.0]) == pytest.approx(2.4841, abs=1e-4)


def test_few_seeds_have_no_interval() -> None:
    assert mean([]) is None
    assert half_width([97.0]) is None
    assert half_width([97.0, 97.0, 97.0]) == 0.0


@given(st.lists(st.floats(0, 100), min_size=2, max_size=8), st.floats(-50, 50))
def test_an_interval_moves_with_its_scores(scores: list[float], shift: float) -> None:
    moved = [score + shift for score in scores]
    assert half_width(moved) == pytest.approx(half_width(scores), abs=1e-6)
