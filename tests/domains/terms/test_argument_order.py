"""The order of further arguments is that of the sentence, unless forms show another one."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lear.domains.terms.argument_order import Argument, Use, argument_order

KEYS = "abcdefg"
SAID = st.permutations(KEYS).flatmap(
    lambda keys: st.integers(1, 4).map(lambda size: "".join(keys[:size]))
)


def use(form: str, said: str) -> Use:
    """Arguments as a form has them, and as a sentence says them."""
    return [Argument(key, float(said.index(key))) for key in form]


def order_of(uses: list[Use], others: list[Use] | None = None) -> dict[str, tuple[str, ...]]:
    return argument_order(uses, others or uses)


@given(st.lists(SAID, max_size=8))
def test_forms_as_they_are_said_fix_no_order(said: list[str]) -> None:
    assert order_of([use(text, text) for text in said]) == {}


@given(st.lists(SAID, max_size=8))
def test_what_stands_in_one_order_however_it_is_said_keeps_it(said: list[str]) -> None:
    backwards = use("abc", "cba")
    uses = [use("".join(sorted(text)), text) for text in said]
    order = order_of([*uses, backwards, backwards])
    for arguments in uses:
        for first, second in pairwise(arguments):
            assert second.key in order[first.key]


def test_one_row_against_the_sentence_is_not_enough() -> None:
    assert order_of([use("ab", "ba")]) == {}
    assert order_of([use("ab", "ba"), use("ab", "ba")]) == {"a": ("b",)}


def test_a_row_that_says_otherwise_undoes_an_order() -> None:
    assert order_of([use("ab", "ba"), use("ab", "ba"), use("ba", "ba")]) == {}


def test_what_own_uses_do_not_tell_others_do() -> None:
    backwards = use("ba", "ab")
    assert order_of([use("a", "a"), use("b", "b")], [backwards, backwards]) == {"b": ("a",)}
    assert order_of([use("ab", "ab")], [backwards, backwards]) == {}


def test_where_nothing_is_known_of_the_sentence_nothing_is_fixed() -> None:
    unplaced = [Argument("a", None), Argument("b", None)]
    assert order_of([unplaced, unplaced, unplaced]) == {}
