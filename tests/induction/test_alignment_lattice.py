"""Sums over all alignments are exact."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.lexicon.alignment import NOTHING, Emission, Lattice, Pair

WORDS = ("the", "big", "old", "house")
TARGETS = ("B", "H", "O")
pairs = st.lists(
    st.builds(
        Pair,
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple),
        st.lists(st.sampled_from(TARGETS), max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=4,
)
UNEXPLAINED = 0.01


def lattice_of(rows: list[Pair]) -> Lattice:
    """All single words may emit everything."""
    plausible: set[Emission] = {((word,), target) for word in WORDS for target in TARGETS}
    lattice = Lattice(
        plausible, set(), longest=1, is_forced=False, extra_word=1.0, unexplained=UNEXPLAINED
    )
    for row in rows:
        lattice.add(row)
    return lattice


def enumerated(rows: list[Pair]) -> dict[Emission, float]:
    """Expected emissions if all alignments are equally likely, one by one."""
    expected: dict[Emission, float] = {}
    for tokens, targets in rows:
        weighed = []
        for choice in product(sorted({NOTHING, *targets}), repeat=len(tokens)):
            emitted = [target for target in choice if target != NOTHING]
            if all(emitted.count(t) <= targets.count(t) for t in emitted):
                weighed.append((UNEXPLAINED ** (len(targets) - len(emitted)), choice))
        total = sum(weight for weight, _ in weighed)
        for weight, choice in weighed:
            for token, target in zip(tokens, choice, strict=True):
                key = ((token,), target)
                expected[key] = expected.get(key, 0.0) + weight / total
    return expected


@given(pairs)
def test_expected_emissions_are_those_of_all_alignments_one_by_one(rows: list[Pair]) -> None:
    found = lattice_of(rows).run_em(rounds=0, smoothing=0.0)
    assert {k: v for k, v in found.items() if v > 1e-12} == pytest.approx(enumerated(rows))


@given(pairs)
def test_every_word_emits_once_and_no_target_more_often_than_it_occurs(rows: list[Pair]) -> None:
    found = lattice_of(rows).run_em(rounds=3, smoothing=0.1)
    for word in WORDS:
        emitted = sum(count for (unit, _), count in found.items() if unit == (word,))
        assert emitted == pytest.approx(sum(row.tokens.count(word) for row in rows))
    for target in TARGETS:
        emitted = sum(count for (_, t), count in found.items() if t == target)
        assert emitted <= sum(row.targets.count(target) for row in rows) + 1e-9


def test_a_unit_may_be_forced_at_the_end_of_the_longest_sentence() -> None:
    unit = ("united", "states")
    lattice = Lattice(
        {(unit, "usa")}, {unit}, longest=2, is_forced=True, extra_word=0.1, unexplained=UNEXPLAINED
    )
    lattice.add(Pair(("big", "united", "states"), ("usa",)))
    assert lattice.run_em(rounds=2, smoothing=0.1)[unit, "usa"] > 0.9
