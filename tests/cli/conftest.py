"""A data folder of one's own, and a run on the toy language."""

from pathlib import Path

import pytest

from lear.__main__ import main


@pytest.fixture
def small_cogs(tmp_path: Path) -> Path:
    """A data folder with a few rows of our own in the format of COGS."""
    rows = [
        ("Emma slept .", "sleep . agent ( x _ 1 , Emma )", "in_distribution"),
        (
            "Liam saw a dog .",
            "see . agent ( x _ 1 , Liam ) AND see . theme ( x _ 1 , x _ 3 ) AND dog ( x _ 3 )",
            "in_distribution",
        ),
        ("dog", "LAMBDA a . dog ( a )", "primitive"),
    ]
    folder = tmp_path / "cogs"
    folder.mkdir()
    for name in ("train", "dev", "test", "gen", "gen_original"):
        (folder / f"{name}.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    return tmp_path


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run on the toy language, made with the command."""
    folder = tmp_path_factory.mktemp("runs") / "toy"
    settings = ("--model.hidden", "16", "--optim.batch_size=32", "--curriculum", "[{epochs = 8}]")
    assert main(["train", "toy", "--output", str(folder), "--seed", "3", *settings]) == 0
    return str(folder)
