"""Several processes give what one would, in order; what goes wrong there is one line here."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path

import pytest

from lear.errors import DataError, UsageError
from lear.parallel.processes import ITEMS_PER_PROCESS, in_processes

pytestmark = pytest.mark.slow


def squares() -> Callable[[int], int]:
    return partial(pow, exp=2)


def nothing_to_work_with() -> Callable[[int], int]:
    raise UsageError("no such model")


def dies() -> Callable[[int], int]:
    return kill_this_process


def kill_this_process(item: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def test_results_come_in_order_and_few_items_are_taken_ahead() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in count():
            taken.append(number)
            yield number

    results = in_processes(squares, items(), 2)
    assert list(islice(results, 5)) == [0, 1, 4, 9, 16]
    assert len(taken) <= 5 + 2 * ITEMS_PER_PROCESS
    results.close()  # type: ignore[attr-defined]


def test_what_a_process_cannot_do_is_said_as_if_it_were_here() -> None:
    with pytest.raises(UsageError, match="no such model"):
        list(in_processes(nothing_to_work_with, iter([1]), 2))


def test_a_killed_process_is_one_line() -> None:
    with pytest.raises(DataError, match="was killed"):
        list(in_processes(dies, iter([1, 2, 3]), 2))


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_processes_end_with_the_one_that_began_them(tmp_path: Path) -> None:
    script = (
        "import os\n"
        "from itertools import repeat\n"
        "from lear.parallel.processes import in_processes\n"
        "def make(): return ask\n"
        "def ask(_): return os.getpid()\n"
        "if __name__ == '__main__':\n"
        "    for process in in_processes(make, repeat(0), 1): print(process, flush=True)\n"
    )
    path = tmp_path / "ask.py"
    path.write_text(script)
    with subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + 60
    while is_running(child):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().split(")")[-1].split()[0] != "Z"
    except FileNotFoundError:
        return False
