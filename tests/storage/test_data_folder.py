"""Data files: where they are looked for, and whether they are the published ones."""

from pathlib import Path

import pytest

from lear.errors import DataError
from lear.storage.datasets import DataFolder
from tests.support.published_file import CONTENT, FILE


def test_the_option_comes_before_the_variable_and_that_before_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAR_DATA", str(tmp_path / "variable"))
    assert DataFolder.choose(str(tmp_path)).root == tmp_path
    assert DataFolder.choose(None).root == tmp_path / "variable"
    monkeypatch.delenv("LEAR_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert DataFolder.choose(None).root == tmp_path / "cache/lear"


def test_a_missing_file_says_where_it_was_looked_for_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="lear data get cogs") as caught:
        DataFolder(tmp_path, "--data").find(FILE)
    assert str(tmp_path / "cogs/train.tsv") in str(caught.value)


def test_a_changed_file_is_seen(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path, "--data")
    assert folder.state(FILE) == "missing"
    path = tmp_path / FILE.path
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    assert folder.state(FILE) == "ok"
    path.write_bytes(CONTENT[:-1] + b"x")  # same size
    assert folder.state(FILE) == "differs"
