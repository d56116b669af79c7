"""TOML from outside is refused before it takes long."""

from pathlib import Path

import pytest

from lear.errors import DataError
from lear.storage.files import MAX_DOTS, decode_toml, read_toml

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
