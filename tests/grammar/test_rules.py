"""Rules show words and symbols, and never mix them up."""

from hypothesis import given
from hypothesis import strategies as st

from lear.grammar.rules import make_rule

words = st.lists(st.text("ab[]\\", min_size=1, max_size=3), max_size=2).map(tuple)
symbols = st.sampled_from(["Person", "Kind of+", "a|b"])


def test_words_that_look_like_symbols_stay_words() -> None:
    rule = make_rule("group", ("Person",), (("[", "\\"), ("]", "[x]")))
    assert rule.symbols == ("Person",)
    assert rule.gaps == [("[", "\\"), ("]", "[x]")]


@given(st.lists(symbols, min_size=1, max_size=2), st.data())
def test_symbols_and_words_are_read_back_from_a_rule(shown: list[str], data: st.DataObject) -> None:
    gaps = [data.draw(words) for _ in range(len(shown) + 1)]
    rule = make_rule("group", shown, gaps)
    assert rule.symbols == tuple(shown)
    assert rule.gaps == gaps
    assert len(rule.parts) == len(rule.symbols) + sum(map(len, rule.gaps))


@given(st.lists(st.tuples(words, words, words), min_size=2, max_size=2))
def test_different_gaps_are_different_rules(gaps: list[tuple[tuple[str, ...], ...]]) -> None:
    first, second = (make_rule("group", ("A", "B"), gap) for gap in gaps)
    assert (first == second) == (gaps[0] == gaps[1])
