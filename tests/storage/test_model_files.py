"""A name that ships is the same everywhere; a path is what lies there."""

from pathlib import Path

import pytest

from lear.errors import DataError, UsageError
from lear.storage.datasets import MODEL_FILE, find_model, shipped_models


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_models_of_all_benchmarks_ship() -> None:
    models = shipped_models()
    assert set(models) >= {"cogs", "slog", "cfq", "geo", "geo-query"}
    assert all(path.is_file() for path in models.values())


@pytest.mark.parametrize("inner", ["", "model-best"])
def test_a_name_that_ships_wins_over_what_lies_here(here: Path, inner: str) -> None:
    folder = here / "cogs" / inner
    folder.mkdir(parents=True)
    (folder / MODEL_FILE).touch()
    assert find_model("cogs") == shipped_models()["cogs"]
    for path in ("./cogs", str(here / "cogs")):
        assert find_model(path).resolve() == folder / MODEL_FILE


def test_data_of_the_same_name_are_in_nobodys_way(here: Path) -> None:
    (here / "cogs").mkdir()
    (here / "geo").write_text("a file")
    for name in ("cogs", "geo"):
        assert find_model(name) == shipped_models()[name]
    with pytest.raises(DataError, match=rf"./cogs: holds no {MODEL_FILE}"):
        find_model("./cogs")


def test_a_run_a_model_folder_and_a_file_are_found(here: Path) -> None:
    for folder in ("run/model-best", "run/model-last"):
        (here / folder).mkdir(parents=True)
        (here / folder / MODEL_FILE).touch()
    best = Path("run/model-best") / MODEL_FILE
    assert find_model("run") == find_model("run/model-best") == find_model(str(best)) == best


def test_what_is_not_there_is_said(here: Path) -> None:
    with pytest.raises(UsageError, match="unknown model 'cog'; did you mean 'cogs'"):
        find_model("cog")
    with pytest.raises(UsageError, match="runs/cog: no such file or folder"):
        find_model("runs/cog")
