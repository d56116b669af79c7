"""What can go wrong for a reason outside this code: each is one clear line for the user."""

from collections.abc import Iterator
from contextlib import contextmanager


class LearError(Exception):
    """A failure that the user can act on; `str(error)` is the one line to show."""


class AlgebraError(LearError):
    """An algebra or a derivation that breaks its own rules."""


class FormError(LearError):
    """A logical form that cannot be read."""


class DomainError(LearError):
    """A domain whose own code fails, or breaks what it promises."""


class DataError(LearError):
    """A file that is missing, damaged or malformed."""


class FileMissingError(DataError):
    """A file that is not where it was looked for."""


class SearchLimitError(LearError):
    """A chart search that reached its bound on time and memory."""


class UsageError(LearError):
    """A command that asks for something that does not exist; exit code 2."""


@contextmanager
def named_row(source: str) -> Iterator[None]:
    """Name the row in errors about its form and about the code of its domain."""
    try:
        yield
    except (FormError, AlgebraError, DomainError) as error:
        raise type(error)(f"{source}: {error}") from None
