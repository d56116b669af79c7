"""The `lear` command: one clear line for every failure, and the exit codes that scripts rely on.

0 done, 1 the work failed, 2 wrong usage, 130 interrupted (143 by SIGTERM), 141 the reader of stdout
went away.
"""

import io
import os
import sys
from contextlib import suppress

READER_WENT_AWAY = 141
"""128 and the number of SIGPIPE, which not every system has a name for."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if sys.stdout is None:
        return _fail("standard output is closed", 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Trees are drawn with box characters, whatever the locale says.
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        # Imported here so that Ctrl-C during the imports is handled too.
        from lear.cli.dispatch import run
        from lear.errors import LearError, UsageError
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    try:
        code = run(given)
        sys.stdout.flush()
    except KeyboardInterrupt as error:
        return _fail("interrupted", getattr(error, "exit_code", 130))
    except BrokenPipeError:
        # The reader has gone (`| head`): nothing is wrong, and nothing more can be said there.
        _drop_stdout()
        return READER_WENT_AWAY
    except UsageError as error:
        return _fail(str(error), 2)
    except LearError as error:
        return _fail(str(error), 1)
    except OSError as error:
        _drop_stdout()
        return _fail(f"{error.filename or 'standard output'}: {error.strerror}", 1)
    return code


def _drop_stdout() -> None:
    """Keep the interpreter from trying again to flush what cannot be written."""
    with suppress(io.UnsupportedOperation):  # a program may have put something else there
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    from lear.messages import note

    note(message)
    return code


if __name__ == "__main__":
    sys.exit(main())
