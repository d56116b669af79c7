"""Running commands in this process, and the sentences that several tests use."""

import json
from pathlib import Path
from typing import Any

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


def in_json(capsys: Capture, *arguments: str) -> list[dict[str, Any]]:
    """The JSON objects that a command prints, one a line."""
    out = lear(capsys, *arguments)[1]
    return [json.loads(line) for line in out.split("\n")[:-1]]


def predict(
    capsys: Capture, model: str, path: Path, content: str | bytes, *options: str
) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, answers and stderr of `lear predict` on a file with this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    code, out, err = lear(capsys, "predict", model, "--input", str(path), *options)
    return code, [json.loads(line) for line in out.split("\n")[:-1]], err


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
