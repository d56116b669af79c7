"""`lear predict`: many sentences, answered in order."""

import io
import json
from pathlib import Path

import pytest

from lear.__main__ import main
from tests.support.cli import Capture, lear
from tests.support.toy_rows import TEST

ROWS = TEST[:5]


@pytest.mark.parametrize("form", ["lines", "tsv", "jsonl"])
def test_predict_answers_in_order_and_keeps_other_fields(
    capsys: Capture, run_folder: str, tmp_path: Path, form: str
) -> None:
    lines = {
        "lines": [row.sentence for row in ROWS],
        "tsv": [f"{row.sentence}\t{row.form}\tx" for row in ROWS],
        "jsonl": [json.dumps({"id": i, "sentence": row.sentence}) for i, row in enumerate(ROWS)],
    }[form]
    path = tmp_path / "in"
    path.write_text("\n".join(lines) + "\n")
    _, out, _ = lear(capsys, "predict", run_folder, "--input", str(path), "--format", form)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["form"] for answer in answers] == [row.form for row in ROWS]
    if form == "jsonl":
        assert [answer["id"] for answer in answers] == list(range(5))


def test_predict_reads_standard_input_and_an_empty_line_is_an_answer_without_form(
    capsys: Capture, run_folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Standard:
        buffer = io.BytesIO(f"{ROWS[0].sentence}\n\n{ROWS[1].sentence}\n".encode())

    monkeypatch.setattr("sys.stdin", Standard)
    _, out, _ = lear(capsys, "predict", run_folder)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [a["form"] for a in answers] == [ROWS[0].form, None, ROWS[1].form]
    assert answers[1]["reason"] == "the sentence is empty"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"sentence": "Tom"}\n{"text": "Tom"}\n', ":2: no field `sentence`"),
        ('{"sentence": 3}\n', ":1: `sentence` is not text"),
        ("Tom\n", ":1: not a JSON object"),
    ],
)
def test_predict_names_a_broken_line(
    capsys: Capture, run_folder: str, tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(content)
    code, _, err = lear(capsys, "predict", run_folder, "--input", str(path), "--format", "jsonl")
    assert code == 1
    assert said in err


def test_predict_writes_derivations_of_any_depth(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    lines = tmp_path / "deep.txt"
    deep = "Tom knows that " * 250 + "Tom teaches John"
    lines.write_text(f"Tom teaches John\n{deep}\nTom teaches John\n")
    assert main(["predict", run_folder, "--input", str(lines)]) == 0
    first, middle, last = capsys.readouterr().out.splitlines()
    assert first == last
    assert middle.count('"kind"') > 1000
