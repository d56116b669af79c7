"""Telling the user how far long work has come; who shows it, and how, is not known here."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

T = TypeVar("T")


class Tracker(Protocol):
    """What long work tells about itself."""

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        """The items, one by one; `total` is their number, None if it is not known."""
        ...

    def phase(self, label: str, *, is_long: bool = True) -> AbstractContextManager[None]:
        """A block of work that cannot be counted, or whose parts are tracked by themselves.

        A short one is worth a bar that comes and goes, but no line of a log.
        """
        ...


class SilentTracker:
    """Shows nothing."""

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        """The items."""
        del label, total
        return iter(items)

    def phase(self, label: str, *, is_long: bool = True) -> AbstractContextManager[None]:
        """Nothing."""
        del label, is_long
        return nullcontext()


SILENT = SilentTracker()
