"""Where function words may stand: one rule, and what follows from it."""

from hypothesis import given
from hypothesis import strategies as st

from lear.domain import Shape, trailing_begin

shapes = st.builds(Shape, st.integers(0, 3), st.integers(0, 3), st.booleans())
few = st.integers(0, 4)


@given(shapes, few, few, st.booleans())
def test_the_gaps_are_exactly_those_that_are_allowed(
    shape: Shape, before: int, after: int, is_trailing: bool
) -> None:
    found = shape.unary_gaps(before, after, is_trailing=is_trailing)
    assert len(found) == len(set(found))
    assert set(found) == {
        (left, right)
        for left in range(before + 1)
        for right in range(after + 1)
        if shape.allows_unary(left, right, is_trailing=is_trailing)
    }


@given(shapes, few, few)
def test_a_unary_node_owns_a_word_and_what_follows_its_argument_may_be_limited(
    shape: Shape, before: int, after: int
) -> None:
    anywhere = shape.allows_unary(before, after, is_trailing=False)
    at_the_end = shape.allows_unary(before, after, is_trailing=True)
    assert at_the_end == (1 <= before + after <= shape.beside)
    assert anywhere == (at_the_end and (shape.after or after == 0))


@given(st.lists(st.booleans()))
def test_nothing_but_function_words_trails(is_function_word: list[bool]) -> None:
    begin = trailing_begin(is_function_word)
    for place in range(len(is_function_word) + 1):
        assert (place >= begin) == all(is_function_word[place:])
