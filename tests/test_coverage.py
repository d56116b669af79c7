"""Tallies of coverage, and files that are written whole."""

import os
from pathlib import Path

import pytest

from lear.domain.example import Example
from lear.evaluation.coverage import Reached, Tally, Unreached
from lear.storage.atomic_file import whole_file

ROW = Example(("x",), "x", "", "here:1")
LOST = Unreached("here:2", "", "x", "x", "no derivation", None, 0.0)


def tally_of(*counts: int, lost: int = 0) -> Tally:
    tally = Tally()
    for count in counts:
        tally.add(Reached(ROW, count))
    for _ in range(lost):
        tally.add(LOST)
    return tally


def test_a_tally_counts_rows_and_their_derivations() -> None:
    tally = tally_of(1, 1, 7, 2, 9, lost=5)
    assert (tally.n, tally.covered, tally.coverage) == (10, 5, 0.5)
    assert (tally.median_derivations, tally.most_derivations) == (2, 9)


def test_an_empty_tally_is_zero() -> None:
    tally = Tally()
    assert (tally.coverage, tally.median_derivations, tally.most_derivations) == (0, 0, 0)


def test_the_total_is_as_if_all_rows_had_been_counted_together() -> None:
    assert Tally.total([tally_of(1, 2), tally_of(5, lost=3)]) == tally_of(1, 2, 5, lost=3)


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")

    def write_half() -> None:
        with whole_file(path) as stream:
            stream.write(b"half")
            stream.flush()
            assert path.read_text() == "before"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "before"
    with whole_file(path) as stream:
        stream.write(b"after")
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    path, link, pipe = (tmp_path / name for name in ("file", "link", "pipe"))
    path.write_text("before")
    link.symlink_to(path)
    with whole_file(link) as stream:
        stream.write(b"after")
    assert link.is_symlink()
    assert path.read_text() == "after"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(pipe) as stream:
        stream.write(b"data")
    assert os.read(reader, 10) == b"data"
    os.close(reader)
    assert pipe.is_fifo()


def test_the_mode_of_a_new_file_is_the_users(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        with whole_file(tmp_path / "file") as stream:
            stream.write(b"x")
    finally:
        os.umask(old)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
