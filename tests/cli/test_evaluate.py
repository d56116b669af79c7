"""`lear evaluate`: scores of a model, and the exit code that follows from them."""

import json
from collections import Counter
from pathlib import Path

from tests.support.cli import Capture, fails, lear


def test_evaluate_scores_and_writes_the_wrong_rows(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.jsonl"
    code, out, _ = lear(capsys, "evaluate", run_folder, "toy", "--json", "--wrong", str(wrong))
    result = json.loads(out)
    assert code == 0
    assert (result["benchmark"], result["n"]) == ("toy/deep", 400)
    assert result["exact_match"] == 1.0
    assert result["lenient"] >= result["exact_match"]
    assert result["sentences_per_second"] > 0
    assert sum(group["n"] for group in result["categories"].values()) == 400
    assert sum(group["n"] for group in result["lengths"].values()) == 400
    assert wrong.read_text() == ""


def test_faults_are_found_unless_they_are_skipped(capsys: Capture, tmp_path: Path) -> None:
    run, wrong = tmp_path / "untrained", tmp_path / "wrong.jsonl"
    nothing = ("--optim.learning_rate", "0", "--curriculum", "[{epochs = 1}]")
    lear(capsys, "train", "toy", "--recipe", "paper", "--output", str(run), *nothing)
    arguments = ("evaluate", str(run), "toy", "--limit", "50", "--json", "--wrong", str(wrong))
    _, out, _ = lear(capsys, *arguments)
    faults = [json.loads(line)["fault"] for line in wrong.read_text().splitlines()]
    assert len(faults) > 10
    assert json.loads(out)["faults"] == Counter(faults)
    _, out, _ = lear(capsys, *arguments, "--skip-faults")
    assert json.loads(out)["faults"] == {}
    rows = [json.loads(line) for line in wrong.read_text().splitlines()]
    assert len(rows) == len(faults)
    assert not any("fault" in row for row in rows)


def test_fail_under_decides_the_exit_code(capsys: Capture, run_folder: str) -> None:
    arguments = ("evaluate", run_folder, "toy", "--limit", "20", "--fail-under")
    assert lear(capsys, *arguments, "0.5")[0] == 0
    code, _, err = lear(capsys, *arguments, "1.1")
    assert code == 1
    assert "below 1.1" in err


def test_a_model_of_another_domain_is_refused(capsys: Capture, run_folder: str) -> None:
    assert "a model of toy" in fails(capsys, 2, "evaluate", run_folder, "cogs/gen")
