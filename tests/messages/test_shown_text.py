"""Whatever is in a name: one line that a terminal prints as it is, and JSON that can be written."""

import json
import os

from hypothesis import given
from hypothesis import strategies as st

from lear.messages import as_one_line, as_utf8, note
from lear.storage.files import encode_json
from tests.support.cli import Capture

ANY = st.text(st.characters(codec=None))  # also halves of surrogate pairs


@given(ANY)
def test_one_line_is_printable_and_what_is_printable_stays(text: str) -> None:
    shown = as_one_line(text)
    assert shown.isprintable()
    assert not text.isprintable() or shown == text


@given(st.binary())
def test_bytes_of_names_are_shown_as_bytes(name: bytes) -> None:
    shown = as_utf8(os.fsdecode(name))
    assert shown == name.decode("utf-8", "backslashreplace")


@given(st.dictionaries(ANY, st.lists(ANY)))
def test_what_is_shown_can_be_written(value: dict[str, list[str]]) -> None:
    shown = {as_utf8(key): list(map(as_utf8, texts)) for key, texts in value.items()}
    assert json.loads(encode_json(value)) == shown


def test_notes_hold_no_escape_sequences_and_no_second_line(capsys: Capture) -> None:
    note("a\x1b[31mred\nlear: second\r\u202eline \udcff.txt")
    expected = "lear: a\\x1b[31mred\\nlear: second\\r\\u202eline \\xff.txt\n"
    assert capsys.readouterr().err == expected
