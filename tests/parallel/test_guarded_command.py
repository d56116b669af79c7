"""A guarded command ends as itself, or with the pipe to it."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow
GUARD = (sys.executable, "-m", "lear.parallel.guarded_command", "-c")
WAITS = "import sys, time\nprint('began', flush=True)\ntime.sleep(600)"


@pytest.mark.parametrize("code", [0, 3])
def test_its_exit_code_is_passed_on(code: int) -> None:
    command = [*GUARD, f"raise SystemExit({code})"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.wait() == code


def test_it_is_interrupted_when_the_pipe_is_closed() -> None:
    with subprocess.Popen(
        [*GUARD, WAITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"began\n"
        _, err = process.communicate()
    assert b"KeyboardInterrupt" in err
    assert process.returncode not in (0, None)
