"""Lines from outside: what is no text has a reason, and keeps nothing else from being read."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.storage import files as module
from lear.storage.files import MAX_BYTES, TextLine, first_bad_line, text_lines


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
