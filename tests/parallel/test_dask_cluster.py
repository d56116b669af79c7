"""Jobs on a cluster: no row lost and none twice when workers are killed; errors in one line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli import Capture, fails, lear

pytest.importorskip("distributed", reason="needs distributed: pip install 'lear[dask]'")

from tests.support.killed_workers import differences, local_cluster, predict_with_kills

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'lear[dask]'")
pq = pytest.importorskip("pyarrow.parquet")

pytestmark = [
    pytest.mark.slow,
    # Of workers that were killed, and of sockets that Dask leaves to be collected.
    pytest.mark.filterwarnings("ignore"),
]
NAMES = ("Emma", "Liam", "Noah", "Olivia", "Ava", "Charlotte", "Benjamin")
SENTENCES = [f"{a} gave {b} the cake beside {c} ." for a in NAMES for b in NAMES for c in NAMES]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with local_cluster() as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("".join(f"{sentence}\n" for sentence in SENTENCES * 4))
    return path


def test_no_row_is_lost_and_none_is_twice_when_a_worker_is_killed(
    address: str, sentences: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    done = predict_with_kills(address, sentences, folder, kills=2, partition_rows=50)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    expected = {"rows": len(SENTENCES) * 4, "lost or moved": 0, "too many": 0}
    assert differences(sentences, folder) == expected
    assert not list(folder.glob(".*"))


def test_no_row_of_a_table_is_lost_or_twice_when_a_worker_is_killed(
    address: str, tmp_path: Path
) -> None:
    path, folder = tmp_path / "in.parquet", tmp_path / "out"
    numbers = list(range(len(SENTENCES) * 4))
    table = pa.table({"text": SENTENCES * 4, "number": numbers})
    pq.write_table(table, path, row_group_size=120)  # partitions end within groups as well
    done = predict_with_kills(
        address, path, folder, kills=2, partition_rows=50, more=("--output-format", "parquet")
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    parts = sorted(folder.glob("part-*"))
    assert {part.suffix for part in parts} == {".parquet"}
    answers = pa.concat_tables([pq.read_table(part) for part in parts])
    assert answers["number"].to_pylist() == numbers
    assert answers["text"].to_pylist() == SENTENCES * 4
    assert all(answers["form"].to_pylist())
    assert not list(folder.glob(".*"))


def test_what_a_worker_cannot_do_is_one_line_here(
    capsys: Capture, address: str, sentences: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    arguments = ("--input", str(sentences), "--output-folder", str(tmp_path / "out"))
    assert "no such file" in fails(capsys, 2, "predict", str(model), *arguments, "--dask", address)
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "part-00000-of-00001.jsonl").mkdir(parents=True)
    err = fails(capsys, 2, "predict", "cogs", *arguments, "--dask", address)
    assert "not empty" in err


def test_an_address_without_a_scheduler_is_one_line(
    capsys: Capture, sentences: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lear.parallel.dask_cluster.CONNECT_SECONDS", 1)
    folder = tmp_path / "out"
    arguments = ("predict", "cogs", "--input", str(sentences), "--output-folder", str(folder))
    for address in ("tcp://127.0.0.1:1", "nowhere", "http://127.0.0.1:1"):
        err = fails(capsys, 1, *arguments, "--dask", address)
        assert f"{address}: no Dask scheduler answers there" in err
    assert lear(capsys, *arguments, "--no-probability")[0] == 0  # nothing was begun there
