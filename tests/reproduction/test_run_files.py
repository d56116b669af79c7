"""The files of a run: what is damaged or made up is missing or one line, never a traceback."""

import json
from pathlib import Path

import pytest

from lear.errors import DataError
from lear.reproduce.report_files import read_report
from lear.reproduce.runs import Record, RunFiles
from lear.reproduce.table import are_faults_missing, percent, share_of_faults

DEEP = b"[" * 100_000
NOT_JSON = [b"", b"\xff", b"[]", DEEP, b'{"x": ' + DEEP, b'{"files": {"\xff": "x"}, "result": {}}']


@pytest.mark.parametrize("content", NOT_JSON, ids=lambda content: repr(content[:12]))
def test_what_is_no_result_is_not_there(tmp_path: Path, content: bytes) -> None:
    files = RunFiles(tmp_path)
    files.keep_result("toy/deep", {}, {"exact_match": 0.5})
    assert files.result("toy/deep", {}) == {"exact_match": 0.5}
    files.result_file("toy/deep").write_bytes(content)
    assert files.result("toy/deep", {}) is None


@pytest.mark.parametrize(
    "result",
    [{"exact_match": "x"}, {"faults": 3}, {"faults": {"Composer": -1}}, {"faults": {"a": "b"}}],
    ids=str,
)
def test_a_result_with_other_figures_is_not_there(tmp_path: Path, result: object) -> None:
    files = RunFiles(tmp_path)
    files.keep_result("toy/deep", {}, {})
    files.result_file("toy/deep").write_text(json.dumps({"files": {}, "result": result}))
    assert files.result("toy/deep", {}) is None


@pytest.mark.parametrize("value", ["x", [1], {"a": 1}, None])
def test_a_figure_that_is_no_number_is_no_figure(value: object) -> None:
    assert percent("scores", "x")({"scores": {"x": value}}) is None
    assert percent("scores", "x")({"scores": value}) is None
    assert share_of_faults("Composer")({}) is None
    assert not are_faults_missing({})


@pytest.mark.parametrize("content", [*NOT_JSON[:5], b'{"seconds": -1}', b'{"seconds": 1e999}'])
def test_a_record_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    files = RunFiles(tmp_path)
    assert files.record() == Record()
    files.record_file.write_bytes(content)
    with pytest.raises(DataError, match=r"record.json: not the record of a run; delete") as caught:
        files.record()
    assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="not a report of `lear reproduce`"):
        read_report(files.record_file)
