"""Folders and files with names that are not UTF-8, or that would write to the terminal."""

import json
import os
from pathlib import Path

import pytest

from tests.support.cli import Capture, fails, lear
from tests.support.crafted_files import craft, in_json
from tests.support.toy_model import train_toy

NAME = os.fsdecode(b"b\xff.txt")
SHOWN = "b\\xff.txt"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    train_toy(tmp_path_factory.mktemp("strange") / "run")
    return tmp_path_factory.getbasetemp() / "strange0/run/model-last/model.safetensors"


def strange_folder(tmp_path: Path) -> Path:
    folder = tmp_path / NAME
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    return folder


def test_a_folder_of_data_is_shown(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAR_DATA", str(strange_folder(tmp_path)))
    code, out, _ = lear(capsys, "data", "list", "--json")
    assert code == 0
    assert json.loads(out)["folder"] == f"{tmp_path}/{SHOWN}"


def test_files_and_the_current_folder_may_be_named_so(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Path
) -> None:
    folder = strange_folder(tmp_path)
    monkeypatch.chdir(folder)
    (folder / "in").mkdir()
    (folder / "in" / NAME).write_bytes(b"Tom teaches John\n\xff\n")
    arguments = ("predict", str(model), "--input", "in", "--output-folder", "out")
    for _ in range(2):  # the second one reads what the first one wrote
        code, _, err = lear(capsys, *arguments)
        assert code == 1  # as one line is no text
        assert err.splitlines()[-1].endswith(f"{SHOWN}/in/{SHOWN}:2: not UTF-8 text")
    job = json.loads((folder / "out/_job/job.json").read_text())
    assert job["inputs"][0]["path"].endswith(f"/{SHOWN}/in/{SHOWN}")
    answers = list((folder / "out").glob("part-*.jsonl"))
    assert [len(path.read_text().splitlines()) for path in answers] == [2]


def test_a_model_that_names_its_domain_strangely_is_one_line(
    capsys: Capture, tmp_path: Path, model: Path
) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(model.read_bytes())
    craft(path, in_json("header", domain="x\x1b[31m\nlear: second line"))
    said = fails(capsys, 1, "parse", str(path), "Tom teaches John")
    assert said.rstrip("\n").isprintable()
    assert str(path) in said
