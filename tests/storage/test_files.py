"""Files are written whole or not at all; what is wrong with one from outside is one line."""

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.errors import DataError
from lear.storage import files as module
from lear.storage.files import (
    LOCK_FILE,
    MAX_BYTES,
    MAX_DOTS,
    TextLine,
    decode_toml,
    first_bad_line,
    locked_folder,
    partial_files,
    read_toml,
    text_lines,
    whole_file,
    write_whole,
)


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


def lines(content: bytes) -> list[TextLine]:
    return list(text_lines(io.BytesIO(content)))


def test_line_ends_and_byte_order_marks_are_no_text() -> None:
    mark = b"\xef\xbb\xbf"
    assert [line.text for line in lines(mark + b"one\r\ntwo\n" + mark + b"three\n\nfour")] == [
        *("one", "two", "three", "", "four")
    ]
    assert lines(b"") == []
    assert lines(mark) == [TextLine(1, "")]


@pytest.mark.parametrize(
    "broken",
    [
        b"\xff\xfe",
        b"Tom \xc3 teaches",
        b"\xed\xa0\x80 half a pair of surrogates",
        b"\xc0\xaf written too long",
        b"cut off \xf0\x9f",
    ],
)
def test_what_is_no_text_has_its_place(broken: bytes) -> None:
    before, there, behind = lines(b"one\n" + broken + b"\nthree\n")
    assert there == TextLine(2, broken.decode(errors="replace"), "not UTF-8 text")
    assert (before, behind) == (TextLine(1, "one"), TextLine(3, "three"))


@pytest.mark.parametrize("length", [MAX_BYTES + 1, 2 * MAX_BYTES, 3 * MAX_BYTES + 1])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_without_end_is_left_out(length: int, end: bytes) -> None:
    found = lines(b"one\n" + b"x" * length + end)
    assert [line.number for line in found] == [1, 2]
    assert found[1].error == "a line of more than 1,000,000 bytes"
    assert lines(b"x" * length + b"\ntwo")[1] == TextLine(2, "two")


def test_the_longest_line_is_read() -> None:
    assert lines(b"x" * (MAX_BYTES - 1) + b"\n") == [TextLine(1, "x" * (MAX_BYTES - 1))]


@given(
    st.lists(st.sampled_from([b"a", b"abcd", b"\n", b"\r\n", b"\xc3\xa9", b"\xe2\x82", b"\xff"]))
)
def test_the_first_bad_line_is_found_without_a_look_at_each(pieces: list[bytes]) -> None:
    content = b"".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_BYTES", 7)
        patch.setattr(module, "BLOCK", 5)
        bad = next((line for line in text_lines(io.BytesIO(content)) if line.error), None)
        found = first_bad_line(io.BytesIO(content))
    # One that is too long and no text either may be named for the one or the other.
    assert (found and found.number) == (bad and bad.number)


NO_LINE_ENDS = ("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c")
"""What ends a line of text, but none of TOML."""


@pytest.mark.parametrize("mark", NO_LINE_ENDS)
def test_dots_are_counted_by_the_lines_of_toml(mark: str) -> None:
    # Python's reader takes gigabytes for such a name, so it must not come to it.
    part = '"' + mark + '".' + "a." * (MAX_DOTS - 10)
    with pytest.raises(ValueError, match="more than 100 dots"):
        decode_toml(part * 2 + "a = 1")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_dots_of_several_lines_are_not_added_up(end: str, tmp_path: Path) -> None:
    lines = [f"x{number}.{'a.' * (MAX_DOTS - 10)}a = 1" for number in range(3)]
    assert len(decode_toml(end.join(lines))) == 3
    path = tmp_path / "a.toml"
    path.write_bytes(end.join(lines).encode())
    assert len(read_toml(path, "settings")) == 3


def test_a_return_alone_ends_no_line_but_in_files(tmp_path: Path) -> None:
    text = "a = 1\rb = 2"
    with pytest.raises(ValueError, match="at line 1"):
        decode_toml(text)
    path = tmp_path / "a.toml"
    path.write_bytes(text.encode())
    assert read_toml(path, "settings") == {"a": 1, "b": 2}
    path.write_bytes(("a." * MAX_DOTS + "\ra.a = 1").encode())
    with pytest.raises(DataError, match=r"a\.toml: not settings"):
        read_toml(path, "settings")
