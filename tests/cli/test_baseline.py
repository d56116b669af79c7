"""`lear baseline`: what it prints and keeps, and how it fails."""

import json
from pathlib import Path

from lear.storage.files import locked_folder
from tests.support.cli import Capture, fails, lear

SMALL = ("baseline", "toy", "--hidden", "8", "--heads", "2", "--steps", "2", "--dev_rows", "4")


def test_the_result_is_printed_and_kept_and_a_run_is_resumed(
    capsys: Capture, tmp_path: Path
) -> None:
    folder = str(tmp_path / "run")
    arguments = (*SMALL, "--architecture", "lstm", "--seed", "5", "--output", folder, "--json")
    code, out, _ = lear(capsys, *arguments)
    assert code == 0
    result = json.loads(out)
    assert result == json.loads((tmp_path / "run/result.json").read_bytes())
    assert result["benchmark"] == "toy/deep"
    assert (result["architecture"], result["seed"], result["steps"]) == ("lstm", 5, 2)
    assert result["settings"]["hidden"] == 8
    assert result["dev_exact_match"] == result["history"][-1]["dev_exact_match"]
    assert result["dev_rows"] == 4
    scores = result["scores"]["toy/deep"]
    assert scores["exact_match"] == 0
    assert len(scores["by_group"]) == 10

    assert "not empty" in fails(capsys, 1, *arguments)
    code, out, _ = lear(capsys, *arguments, "--resume")
    assert (code, json.loads(out)["scores"]["toy/deep"]["by_group"]) == (0, scores["by_group"])
    assert "other settings" in fails(capsys, 1, *arguments, "--resume", "--dropout", "0.2")


def test_without_a_folder_a_table_is_printed(capsys: Capture) -> None:
    code, out, err = lear(capsys, *SMALL, "--evaluate", "toy/deep")
    assert code == 0
    assert "transformer toy/deep" in out
    assert out.splitlines()[-1] == "best on dev: 0.00 % exact of 4 rows"
    assert "step 2, " in err


def test_wrong_usage_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    assert "did you mean '--hidden'" in fails(capsys, 2, "baseline", "toy", "--hiden", "8")
    assert "not a benchmark of toy" in fails(capsys, 2, *SMALL, "--evaluate", "cogs/gen")
    assert "--resume needs --output" in fails(capsys, 2, *SMALL, "--resume")
    nothing = str(tmp_path / "nothing")
    assert "no checkpoint" in fails(capsys, 1, *SMALL, "--resume", "--output", nothing)
    assert not (tmp_path / "nothing").exists()
    (tmp_path / "file").write_text("")
    assert "not a folder" in fails(capsys, 1, *SMALL, "--output", str(tmp_path / "file"))


def test_two_baselines_do_not_share_a_folder(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with locked_folder(folder):
        said = fails(capsys, 1, *SMALL, "--output", str(folder))
    assert said.endswith("another process is at work there\n")
    # What is left of a process that was killed at once is in nobody's way.
    assert lear(capsys, *SMALL, "--output", str(folder))[0] == 0
