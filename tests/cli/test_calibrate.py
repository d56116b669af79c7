"""`lear calibrate`: a report of probabilities, and models that carry a calibration."""

import json
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

import lear as package
from lear.model.config import TRAITS, Calibration
from lear.model.model_file import load_model
from lear.storage.datasets import MODEL_FILE
from tests.support.cli import Capture, fails, in_json, lear

ROWS = [
    ("what is the capital of texas", "answer(capital(loc_2(stateid('texas'))))"),
    ("what rivers are in ohio", "answer(river(loc_2(stateid('ohio'))))"),
    ("qqqqqq what is the longest river", "answer(longest(river(all)))"),
    ("what is the population of washington", "answer(population_1(cityid('washington', 'dc')))"),
    ("texas ohio", "answer(state(all))"),  # no answer
]
FIELDS = {
    "rows", "num_rows", "num_unanswered", "calibration", "n", "num_right", "auc", "ece",
    "log_loss", "least_sure_wrong", "bins", "risk_coverage",
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A data folder with the split `geo/mine`; one gold form of it is wrong."""
    folder = tmp_path / "data/geo/mine"
    folder.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        (folder / f"{part}_en.txt").write_text("".join(f"{text}\n" for text, _ in ROWS))
        (folder / f"{part}_funql.txt").write_text("".join(f"{form}\n" for _, form in ROWS))
    return str(tmp_path / "data")


def test_the_report_is_one_object_or_text(capsys: Capture, data: str) -> None:
    arguments = ("calibrate", "geo", "geo/mine", "--data", data)
    (report,) = in_json(capsys, *arguments, "--json")
    assert report.keys() == FIELDS
    assert report["rows"] == "geo/mine test"
    assert (report["num_rows"], report["num_unanswered"], report["n"]) == (5, 1, 4)
    assert report["num_right"] == 3
    own = package.Parser.from_pretrained("geo").calibration
    assert report["calibration"] == msgspec.to_builtins(own)
    assert 0 <= report["auc"] <= 1
    assert len(report["risk_coverage"]) == 4
    _, out, _ = lear(capsys, *arguments)
    assert "geo/mine test: 3 of 4 answers are right, 1 rows without one" in out
    assert "AUC" in out
    # Words that are refused are rows without an answer.
    (report,) = in_json(capsys, *arguments, "--json", "--unknown-words", "refuse")
    assert report["num_unanswered"] == 2


def test_a_fitted_calibration_is_saved_and_taken_over(
    capsys: Capture, data: str, tmp_path: Path
) -> None:
    arguments = ("calibrate", "geo", "geo/mine", "--json", "--data", data)
    saved = tmp_path / "calibrated"
    code, out, err = lear(capsys, *arguments, "--fit", "--save", str(saved))
    assert code == 0
    assert str(saved) in err
    fitted = json.loads(out)["calibration"]
    assert fitted["fitted_on"] == "geo/mine test, 4 answers"
    assert fitted.keys() == {"temperature", "fitted_on", *TRAITS}
    # What was saved is a model like any other, with this calibration and the same weights.
    model = load_model(saved / MODEL_FILE)
    assert msgspec.to_builtins(model.header.calibration) == fitted
    original = package.Parser.from_pretrained("geo").model
    assert all((model.weights[name] == original.weights[name]).all() for name in original.weights)
    parser = package.Parser.from_pretrained(saved)
    assert parser.calibration == msgspec.convert(fitted, Calibration)
    assert parser(ROWS[0][0]).form == ROWS[0][1]
    # By itself and taken over by another it reports the same.
    (own,) = in_json(capsys, "calibrate", str(saved), *arguments[2:])
    (taken,) = in_json(capsys, *arguments, "--take-from", str(saved))
    assert own["calibration"] == taken["calibration"] == fitted
    assert own["ece"] == pytest.approx(taken["ece"], abs=1e-4)


def test_pictures_and_report_are_written(capsys: Capture, data: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep/pictures"
    arguments = ("calibrate", "geo", "geo/mine", "--json", "--data", data)
    code, out, _ = lear(capsys, *arguments, "--output", str(folder))
    assert code == 0
    assert json.loads((folder / "report.json").read_bytes()) == json.loads(out)
    for name in ("reliability.svg", "risk-coverage.svg"):
        root = ElementTree.fromstring((folder / name).read_text())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root[0].text == "geo/mine test"


def test_what_cannot_be_done_is_one_line(capsys: Capture, data: str, tmp_path: Path) -> None:
    arguments = ("calibrate", "geo", "geo/mine", "--data", data)
    assert "give one of them" in fails(capsys, 2, *arguments, "--fit", "--take-from", "geo")
    assert "unknown part" in fails(capsys, 2, *arguments, "--part", "gen")
    assert "is a model of cogs" in fails(capsys, 2, "calibrate", "cogs", "geo/mine", "--data", data)
    (tmp_path / "file").write_text("")
    for option in ("--output", "--save"):
        folder = str(tmp_path / "file/folder")
        assert f"lear: {folder}: " in fails(capsys, 1, *arguments, option, folder)
    rows = tmp_path / "data/geo/mine"
    (rows / "test_en.txt").write_text("texas ohio\n")
    (rows / "test_funql.txt").write_text("answer(state(all))\n")
    assert "answers none of its 1 rows" in fails(capsys, 1, *arguments)
