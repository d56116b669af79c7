"""Calibration by folds: every training row is answered once, by a model that never saw it."""

import msgspec
import pytest

from lear.benchmark import Example
from lear.domains.registry import find_benchmark
from lear.errors import DataError
from lear.learning.config import ANY_DOMAIN, find_recipe, load_config
from lear.learning.cross_fitting import cross_outcomes, folds
from tests.support.toy_rows import DEV, TRAIN


def row(number: int, form: str) -> Example:
    return Example((f"w{number}",), form, "", f"row {number}")


@pytest.mark.parametrize("seed", range(5))
def test_folds_are_a_partition_and_keep_forms_together(seed: int) -> None:
    rows = [row(number, f"form {number % 13}") for number in range(60)]
    parts = folds(rows, 4, seed)
    assert sorted(r.source for part in parts for r in part) == sorted(r.source for r in rows)
    forms = [{r.form for r in part} for part in parts]
    assert sum(map(len, forms)) == 13
    assert max(map(len, parts)) - min(map(len, parts)) <= 6


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_a_model_cannot_tell_apart_stay_together(seed: int) -> None:
    """Two of four are one sentence to it, and each of these has the form of another one."""
    rows = [row(number, f"form {number // 2}") for number in range(60)]

    def view(tokens: tuple[str, ...]) -> tuple[str, ...]:
        number = int(tokens[0][1:])
        return (f"name {number // 4}",) if number % 4 in (1, 2) else tokens

    parts = folds(rows, 4, seed, view)
    assert sorted(r.source for part in parts for r in part) == sorted(r.source for r in rows)
    fours = [{int(r.tokens[0][1:]) // 4 for r in part} for part in parts]
    assert sum(map(len, fours)) == 15


def test_rows_of_few_forms_cannot_be_cut() -> None:
    with pytest.raises(DataError, match="2 different forms cannot be cut into 3 folds"):
        folds([row(number, f"form {number % 2}") for number in range(9)], 3, 1)


@pytest.mark.slow
def test_every_row_is_answered_by_a_model_that_did_not_see_it() -> None:
    domain, benchmark = find_benchmark("toy")
    overrides = {"benchmark": f'"{benchmark.name}"', "curriculum": "[{epochs = 2}]"}
    config = load_config(find_recipe(ANY_DOMAIN), overrides)
    rows = {"train": list(TRAIN[:40]), "dev": list(DEV[:5])}
    outcomes = list(cross_outcomes(config, domain, rows, 2))
    assert 0 < len(outcomes) <= 40
    assert all(0 <= outcome.probability_at(1.0) <= 1 for outcome in outcomes)
    again = cross_outcomes(msgspec.structs.replace(config), domain, rows, 2)
    assert [o.is_right for o in again] == [o.is_right for o in outcomes]
