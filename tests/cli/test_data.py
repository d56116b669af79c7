"""`lear data`: lists, fetches and checks files, and replaces none of the user's."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lear.domains import registry
from lear.domains.toy import TOY
from tests.support.cli import Capture, fails, lear


def test_data_check_fails_on_a_changed_file(capsys: Capture, small_cogs: Path) -> None:
    code, out, err = lear(capsys, "data", "check", "cogs", "--data", str(small_cogs))
    assert code == 1
    assert out.count("differs") == 5
    assert "5 of 5" in err
    assert "are not as published (cogs/train.tsv: differs" in err


def test_data_get_does_not_replace_a_file_of_ones_own(
    capsys: Capture, small_cogs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAR_MIRROR", "http://127.0.0.1:9")
    before = (small_cogs / "cogs/train.tsv").read_bytes()
    said = fails(capsys, 1, "data", "get", "cogs", "--data", str(small_cogs))
    assert "--force replaces it" in said
    assert "no answer" in fails(
        capsys, 1, "data", "get", "cogs", "--data", str(small_cogs), "--force"
    )
    assert (small_cogs / "cogs/train.tsv").read_bytes() == before


@pytest.mark.parametrize("mirror", ["nonsense", "http://["])
def test_a_mirror_that_is_no_address_is_wrong_usage(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mirror: str
) -> None:
    monkeypatch.setenv("LEAR_MIRROR", mirror)
    assert "LEAR_MIRROR" in fails(capsys, 2, "data", "get", "cogs", "--data", str(tmp_path))


def test_data_list_knows_every_file(capsys: Capture, small_cogs: Path) -> None:
    (small_cogs / "cogs/dev.tsv").unlink()
    _, out, _ = lear(capsys, "data", "list", "--json", "--data", str(small_cogs))
    states = {file["path"]: file["state"] for file in json.loads(out)["files"]}
    assert states["cogs/dev.tsv"] == "missing"
    assert states["cogs/train.tsv"] == "differs"
    assert sum(path.startswith("cogs/") for path in states) == 5
    assert states["cfq/mcd1/train/train_encode.txt"] == "missing"


def test_data_get_without_a_network_is_one_clear_line(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAR_MIRROR", "http://127.0.0.1:9")
    said = fails(capsys, 1, "data", "get", "cogs", "--data", str(tmp_path))
    assert "no answer" in said
    assert str(tmp_path / "cogs/train.tsv") in said
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("LEAR_MIRROR", (tmp_path / "no folder").as_uri())
    assert "no answer" in fails(capsys, 1, "data", "get", "cogs", "--data", str(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.data
@pytest.mark.slow
def test_data_check_passes_on_the_published_files(capsys: Capture, data_folder: Path) -> None:
    code, out, _ = lear(capsys, "data", "check", "cogs", "--data", str(data_folder), "--json")
    assert code == 0
    assert {row["name"]: (row["rows"], row["altered"]) for row in json.loads(out)["checked"]} == {
        "cogs/train.tsv": (24_155, 0),
        "cogs/dev.tsv": (3_000, 0),
        "cogs/test.tsv": (3_000, 0),
        "cogs/gen.tsv": (21_000, 0),
        "cogs/gen_original.tsv": (21_000, 0),
    }


def test_a_row_that_prints_with_another_meaning_is_bad(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    language = replace(TOY.language, render=lambda _: "see ( mary , tom )")
    monkeypatch.setattr(registry, "_registered", {"toy": replace(TOY, language=language)})
    code, out, err = lear(capsys, "data", "check", "toy", "--json")
    assert code == 1
    assert all(row["changed"] > 0 for row in json.loads(out)["checked"])
    assert "rows print with another meaning" in err
