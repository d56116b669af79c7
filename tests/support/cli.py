"""Running commands in this process, and the sentences that several tests use."""

import pytest

from lear.__main__ import main

FIGURE_1 = "Tom teaches John 's daughter 's daughter"
FIGURE_1_FORM = "teach ( tom , daughter ( daughter ( john ) ) )"
Capture = pytest.CaptureFixture[str]


def lear(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def form_in(out: str) -> str:
    """The form that `lear parse` prints under a tree."""
    (form,) = (line for line in out.splitlines() if line.startswith("=> "))
    return form.removeprefix("=> ")


def fails(capsys: Capture, code: int, *arguments: str) -> str:
    """The one line of a command that must fail with this code."""
    got, out, err = lear(capsys, *arguments)
    assert (got, out) == (code, "")
    assert err.startswith("lear: ")
    assert err.count("\n") == 1, err
    return err
