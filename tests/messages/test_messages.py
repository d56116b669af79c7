"""Signals wait until they are asked for; whatever is in a name is shown as one line."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.messages import (
    Interrupted,
    as_one_line,
    as_utf8,
    deferred_signals,
    interrupting_signals,
    note,
)
from lear.storage.files import encode_json
from tests.support.cli import Capture

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@contextmanager
def outside(number: signal.Signals, *, is_ignored: bool) -> Iterator[None]:
    """What handles a signal before lear does, and has to handle it afterwards."""
    default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    handler = signal.SIG_IGN if is_ignored else default
    before = signal.signal(number, handler)
    try:
        yield
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("is_ignored", [False, True])
def test_a_signal_waits_or_stays_ignored(number: signal.Signals, *, is_ignored: bool) -> None:
    interrupted = None
    with outside(number, is_ignored=is_ignored):
        try:
            with deferred_signals() as is_interrupted:
                assert not is_interrupted()
                # A process that is started here must not ignore it.
                assert signal.getsignal(number) is not signal.SIG_IGN
                os.kill(os.getpid(), number)
                assert is_interrupted() != is_ignored
        except Interrupted as error:
            interrupted = error
    assert (interrupted is None) == is_ignored
    if interrupted is not None:
        assert interrupted.exit_code == 128 + number
        assert isinstance(interrupted, KeyboardInterrupt)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("is_ignored", [False, True])
def test_every_signal_interrupts_or_stays_ignored(
    number: signal.Signals, *, is_ignored: bool
) -> None:
    code = None
    with outside(number, is_ignored=is_ignored):
        try:
            with interrupting_signals():
                os.kill(os.getpid(), number)
        except KeyboardInterrupt as error:
            code = getattr(error, "exit_code", 128 + signal.SIGINT)
    assert code == (None if is_ignored else 128 + number)


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
