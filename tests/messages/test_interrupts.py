"""Signals wait until they are asked for; what was ignored stays ignored."""

import os
import signal

import pytest

from lear.messages import Interrupted, deferred_signals, interrupting_signals

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("is_ignored", [False, True])
def test_a_signal_waits_or_stays_ignored(number: signal.Signals, *, is_ignored: bool) -> None:
    before = signal.getsignal(number)
    outside = signal.SIG_IGN if is_ignored else signal.default_int_handler
    signal.signal(number, outside)
    interrupted = None
    try:
        try:
            with deferred_signals() as is_interrupted:
                assert not is_interrupted()
                # A process that is started here must not ignore it.
                assert signal.getsignal(number) is not signal.SIG_IGN
                os.kill(os.getpid(), number)
                assert is_interrupted() != is_ignored
        except Interrupted as error:
            interrupted = error
        assert signal.getsignal(number) is outside
    finally:
        signal.signal(number, before)
    assert (interrupted is None) == is_ignored
    if interrupted is not None:
        assert interrupted.exit_code == 128 + number
        assert isinstance(interrupted, KeyboardInterrupt)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("is_ignored", [False, True])
def test_every_signal_interrupts_or_stays_ignored(
    number: signal.Signals, *, is_ignored: bool
) -> None:
    before = signal.getsignal(number)
    default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    outside = signal.SIG_IGN if is_ignored else default
    signal.signal(number, outside)
    code = None
    try:
        try:
            with interrupting_signals():
                os.kill(os.getpid(), number)
        except KeyboardInterrupt as error:
            code = getattr(error, "exit_code", 128 + signal.SIGINT)
        assert signal.getsignal(number) is outside
    finally:
        signal.signal(number, before)
    assert code == (None if is_ignored else 128 + number)
