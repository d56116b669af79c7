"""`lear new` writes a start that works at once, and overwrites nothing."""

import json
from pathlib import Path

import pytest

from lear.cli.commands.new import KINDS
from lear.domains.terms.corpus import HOME
from tests.support.cli import Capture, fails, lear


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_start_in_python_is_sound(capsys: Capture, folder: Path) -> None:
    assert lear(capsys, "new", "home", "--kind", "python")[:2] == (0, "home.py\n")
    code, out, _ = lear(capsys, "check", "home.py", "--json")
    assert code == 0
    report = json.loads(out)
    assert report["reached"] == report["searched"] == sum(report["rows"].values())
    text = (folder / "home.py").read_text()
    assert "NAME" not in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.slow
def test_the_start_in_python_trains(capsys: Capture, folder: Path) -> None:
    lear(capsys, "new", "rooms", "--kind", "python")
    assert lear(capsys, "train", "rooms.py", "--output", "run")[0] == 0
    assert lear(capsys, "evaluate", "run", "rooms.py", "--fail-under", "1")[0] == 0
    assert (folder / "run/model-best").is_dir()


def test_the_start_in_pairs_is_sound(capsys: Capture, folder: Path) -> None:
    assert lear(capsys, "new", "home")[:2] == (0, "home.csv\n")
    assert lear(capsys, "check", "home.csv")[0] == 0
    assert (folder / "home.csv").read_bytes() == HOME.read_bytes()


def test_nothing_is_overwritten(capsys: Capture, folder: Path) -> None:
    for start in KINDS.values():
        (folder / f"home{start.suffix}").write_text("mine")
    for kind, start in KINDS.items():
        assert "is left as it is" in fails(capsys, 1, "new", "home", "--kind", kind)
        assert (folder / f"home{start.suffix}").read_text() == "mine"


@pytest.mark.parametrize("name", ["toy", "my-home", "a/b", "", "Home", "1st", "x.py"])
def test_names_that_would_not_work_are_refused(capsys: Capture, folder: Path, name: str) -> None:
    assert "choose a name" in fails(capsys, 2, "new", name)
    assert not list(folder.iterdir())


def test_unknown_kinds_are_told(capsys: Capture, folder: Path) -> None:
    assert "unknown kind 'ruby'" in fails(capsys, 2, "new", "home", "--kind", "ruby")
    assert not list(folder.iterdir())
