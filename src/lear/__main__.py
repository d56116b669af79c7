"""The `lear` command: one clear line for every failure, and the exit codes that scripts rely on.

0 done, 1 the work failed, 2 wrong usage, 130 interrupted.
"""

import os
import signal
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        # Imported here so that Ctrl-C during the imports is handled too.
        from lear.cli.commands import run
        from lear.errors import LearError, UsageError
    except KeyboardInterrupt:
        return _interrupted()
    try:
        run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        # The reader has gone (`| head`): nothing is wrong, and nothing more can be said there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except UsageError as error:
        return _fail(str(error), 2)
    except LearError as error:
        return _fail(str(error), 1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _fail(f"{error.filename or 'standard output'}: {error.strerror}", 1)
    return 0


def _interrupted() -> int:
    return _fail("interrupted", 130)


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"lear: {message}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
