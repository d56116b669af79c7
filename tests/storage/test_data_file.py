"""Lines of files, numbered and paired; what is wrong with them is one line."""

from pathlib import Path

import pytest

from lear.errors import DataError
from lear.storage.datasets import numbered_lines, paired_lines


def test_a_folder_in_place_of_a_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        list(numbered_lines(tmp_path))


def test_line_ends_and_the_mark_at_the_beginning_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n\nfour")
    assert list(numbered_lines(path)) == [(1, "one"), (2, "two"), (3, ""), (4, "four")]


def test_lines_of_two_files_belong_together(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("a\nb\n")
    second.write_text("c\nd\n")
    assert list(paired_lines(first, second)) == [(1, "a", "c"), (2, "b", "d")]
    second.write_text("c\n")
    for one, other in ((first, second), (second, first)):
        with pytest.raises(DataError, match=r"second: has fewer lines than .*first"):
            list(paired_lines(one, other))
    first.write_text("")
    second.write_text("")
    with pytest.raises(DataError, match="first: the file is empty"):
        list(paired_lines(first, second))
