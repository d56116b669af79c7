"""Files are written whole or not at all."""

import os
from pathlib import Path

import pytest

from lear.errors import DataError
from lear.storage.files import LOCK_FILE, locked_folder, partial_files, whole_file, write_whole


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


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o002])
def test_the_mode_of_a_new_file_is_the_users(tmp_path: Path, mask: int) -> None:
    folder = tmp_path / "folder"
    old = os.umask(mask)
    try:
        with locked_folder(folder):
            write_whole(folder / "file", b"x")
    finally:
        os.umask(old)
    assert folder.stat().st_mode & 0o777 == 0o777 & ~mask
    for name in ("file", LOCK_FILE):
        assert (folder / name).stat().st_mode & 0o777 == 0o666 & ~mask


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no/such: cannot be written: No such file or directory"):
        write_whole(tmp_path / "no/such", b"x")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_text("secret")
    path.chmod(mode)
    with whole_file(path) as stream:
        (partial,) = partial_files(tmp_path)
        assert partial.stat().st_mode & 0o777 == mode  # also before it is whole
        stream.write(b"secret, too")
    assert path.read_text() == "secret, too"
    assert path.stat().st_mode & 0o777 == mode
