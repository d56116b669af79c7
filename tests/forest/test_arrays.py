"""Arrays that grow hold what was written to them, and 0 elsewhere."""

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lear.forest.arrays import MIN_MAPPED, GrowingArray, GrowingGrid

chunks = st.lists(st.lists(st.integers(-5, 5), max_size=90), max_size=5)


@given(chunks)
def test_an_array_holds_all_rows_that_were_added(some: list[list[int]]) -> None:
    numbers, pairs = GrowingArray(np.int64), GrowingArray(np.int64, (2,))
    for chunk in some:
        numbers.extend(chunk)
        pairs.extend(np.array([(n, -n) for n in chunk]).reshape(-1, 2))
    every = [number for chunk in some for number in chunk]
    assert numbers.values.tolist() == every
    assert pairs.values.tolist() == [[n, -n] for n in every]
    numbers.reach(len(every) + 70)
    assert numbers.values.tolist() == every + [0] * 70


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), unique=True, max_size=20))
def test_a_grid_holds_what_was_written_and_zeros(places: list[tuple[int, int]]) -> None:
    grid = GrowingGrid()
    for number, (row, column) in enumerate(places, 1):
        grid.reach(row + 1, column + 1)
        grid.put(row, column, number)
    assert [grid.cells[place] for place in places] == list(range(1, len(places) + 1))
    assert np.count_nonzero(grid.cells) == len(places)


def test_cells_become_wider_for_large_numbers() -> None:
    grid = GrowingGrid()
    small, large = 65_535, 65_536
    grid.put(np.array([1]), np.array([2]), [small])
    grid.put(np.array([3]), np.array([4]), [large])
    assert (int(grid.cells[1, 2]), int(grid.cells[3, 4])) == (small, large)
    grid.reach(1_000, 1_000)
    assert (int(grid.cells[1, 2]), int(grid.cells[3, 4])) == (small, large)
    assert np.count_nonzero(grid.cells) == 2


def test_large_tables_hold_what_small_ones_do() -> None:
    array = GrowingArray(np.int64)
    rows = np.arange(MIN_MAPPED // 4)  # twice as many bytes as are needed for a table of pages
    for begin in range(0, len(rows), 10_000):
        array.extend(rows[begin : begin + 10_000])
    assert np.array_equal(array.values, rows)
    array.reach(2 * len(rows))
    assert not array.values[len(rows) :].any()
    array.clear()
    array.reach(len(rows))
    assert not array.values.any()


FORK = """
import os
from lear.forest.arrays import MIN_MAPPED, GrowingArray
numbers = GrowingArray("int64")
numbers.extend(range(MIN_MAPPED))
child = os.fork()
if child == 0:
    numbers.values[:] = -1
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert numbers.values[5] == 5, "the fork has written into it"
"""


def test_a_fork_has_tables_of_its_own() -> None:
    # In a process of its own: those with threads should not fork.
    result = subprocess.run([sys.executable, "-c", FORK], capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
