"""Any file of SLOG's layout is a benchmark; what is not there is named."""

from pathlib import Path

import pytest

from lear.domains.registry import find_benchmark
from tests.support.cli import Capture, lear
from tests.support.slog_kinds import sentences


def test_any_file_is_a_benchmark() -> None:
    domain, benchmark = find_benchmark("slog/mine")
    assert domain.name == "slog"
    paths = [benchmark.files[part][0].path for part in ("train", "dev", "test")]
    assert paths == ["slog/train.tsv", "slog/dev.tsv", "slog/mine.tsv"]
    assert find_benchmark("slog")[1] is find_benchmark("slog/test")[1]


@pytest.mark.parametrize("content", ["", "no tabs\n"])
def test_a_file_that_is_none_is_refused(capsys: Capture, tmp_path: Path, content: str) -> None:
    (tmp_path / "slog").mkdir()
    (tmp_path / "slog/mine.tsv").write_text(content)
    for name in ("mine", "missing"):
        code, out, err = lear(capsys, "evaluate", "slog", f"slog/{name}", "--data", str(tmp_path))
        assert (code, out) == (1, "")
        assert f"{name}.tsv" in err


def test_a_file_of_ones_own_is_evaluated(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "slog").mkdir()
    rows = sentences("who: recipient", 5)
    text = "".join(f"{row.sentence}\t{row.form}\t{row.group}\n" for row in rows)
    (tmp_path / "slog/mine.tsv").write_text(text)
    code, out, _ = lear(capsys, "evaluate", "slog", "slog/mine", "--data", str(tmp_path))
    assert code == 0
    assert "slog/mine test  5  100.00 %" in out
