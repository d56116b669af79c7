"""One process at a time in a folder; what is no lock is told apart from one that is held."""

import errno
import os
from pathlib import Path

import pytest

from lear.errors import DataError
from lear.storage.files import locked_folder

fcntl = pytest.importorskip("fcntl", reason="needs locks of POSIX")


def open_files() -> int:
    return len(os.listdir("/dev/fd"))


def test_a_folder_is_held_until_it_is_let_go(tmp_path: Path) -> None:
    with locked_folder(tmp_path):
        before = open_files()
        with pytest.raises(DataError, match="another process"), locked_folder(tmp_path):
            pass
        assert open_files() == before
    with locked_folder(tmp_path):
        pass


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_system_without_locks_is_one_line_that_names_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(descriptor: int, operation: int) -> None:
        del descriptor, operation
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", fail)
    before = open_files()
    said = f"{tmp_path}: cannot be locked: {os.strerror(number)}"
    with pytest.raises(DataError, match=said), locked_folder(tmp_path):
        pass
    assert open_files() == before
