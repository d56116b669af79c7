"""What one sentence may cost: whatever is asked, time and memory are bounded."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lear.errors import UsageError


def check_count(name: str, value: object) -> None:
    """Raise `UsageError` unless a value is a whole number from 1 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UsageError(f"{name} is a whole number from 1 on, not {value!r}")


@dataclass(frozen=True)
class Limits:
    """Beyond one of these a sentence is refused, and the reason says which one it was."""

    characters: int = 20_000
    tokens: int = 500
    """Checked before any work is done; no sentence of a benchmark has more than 61."""
    combinations: int = 120_000
    """How often phrases may be put together by all searches for one answer, its probability
    included. Those of the benchmarks take up to 43,000, and as many again for the probability."""

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            check_count(f"limits.{name}", limit)

    def too_many_characters(self, text: str) -> str:
        """Why a text is too long; empty if it is not."""
        return _excess(len(text), "characters", self.characters)

    def too_many_tokens(self, tokens: Sequence[str]) -> str:
        """Why a sentence has too many words; empty if it has not."""
        return _excess(len(tokens), "tokens", self.tokens)


DEFAULT_LIMITS = Limits()
MAX_REMEMBERED = 10_000
"""Skeletons whose derivations a parser remembers."""


def _excess(size: int, unit: str, limit: int) -> str:
    return f"the sentence has {size:,} {unit}, more than {limit:,}" if size > limit else ""
