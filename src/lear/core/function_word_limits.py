"""Where the function words of a node may stand: the one rule that every search keeps to."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Shape:
    """Limits on the function words that a node may own; they bound the syntax that is searched."""

    beside: int = 1
    """At most this many words beside the one argument of a unary operation, and at least one."""
    between: int = 1
    """At most this many words between the two arguments of a binary operation."""
    after: bool = True
    """Whether words may follow the argument of a unary operation anywhere in a sentence.
    If not, only where nothing but function words follows."""

    def allows_unary(self, before: int, after: int, *, is_trailing: bool) -> bool:
        """Whether a unary node may own this many words before and after its argument.

        Args:
            before: Function words of the node before its argument.
            after: Function words of the node after its argument.
            is_trailing: Whether nothing but function words follows the argument in the sentence.
        """
        return 1 <= before + after <= self.beside and (after == 0 or self.after or is_trailing)

    def leaves_room(self, before: int, after: int, *, is_trailing: bool) -> bool:
        """Whether a unary node that has these words may still get more of them."""
        return before + after < self.beside and (after == 0 or self.after or is_trailing)

    @property
    def max_words(self) -> int:
        """At most this many words in a row belong to one node."""
        return max(self.beside, self.between)

    def allows_binary(self, between: int) -> bool:
        """Whether a binary node may own this many words between its arguments."""
        return between <= self.between

    def unary_gaps(
        self, before: int, after: int, *, is_trailing: bool
    ) -> tuple[tuple[int, int], ...]:
        """Every allowed pair (words before, words after), where so many stand there in a row."""
        return _unary_gaps(self, min(before, self.beside), min(after, self.beside), is_trailing)


@cache
def _unary_gaps(
    shape: Shape,
    before: int,
    after: int,
    is_trailing: bool,  # noqa: FBT001
) -> tuple[tuple[int, int], ...]:
    return tuple(
        (left, right)
        for left in range(before + 1)
        for right in range(after + 1)
        if shape.allows_unary(left, right, is_trailing=is_trailing)
    )


def trailing_begin(is_function_word: Sequence[bool]) -> int:
    """The first token from which on all tokens of a sentence are function words."""
    begin = len(is_function_word)
    while begin and is_function_word[begin - 1]:
        begin -= 1
    return begin
