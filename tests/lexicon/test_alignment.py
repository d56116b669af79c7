"""Alignment: words get the targets that they stand for, by exact sums over all alignments."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.lexicon.alignment import (
    NOTHING,
    AlignmentSettings,
    Emission,
    Lattice,
    Pair,
    align,
    align_all,
    companions,
)
from lear.lexicon.lexicon import BLANK

ALIGNMENT_ROWS = [
    Pair(("the", "big", "house"), ("big", "house")),
    Pair(("the", "old", "house"), ("old", "house")),
    Pair(("the", "big", "dog"), ("big", "dog")),
    Pair(("an", "old", "dog"), ("old", "dog")),
    Pair(("united", "states"), ("usa",)),
    Pair(("the", "united", "states"), ("usa",)),
    *[Pair((word, "states"), (word, "state")) for word in ("big", "old") for _ in range(10)],
    *[Pair((word, "states"), ("state",)) for word in ("the", BLANK) for _ in range(5)],
]


ROOT = Path(__file__).parents[2]


def test_words_compete_for_targets_and_units_of_several_words_are_found() -> None:
    counts = align(ALIGNMENT_ROWS).counts
    best = {unit: max((c, t) for (u, t), c in counts.items() if u == unit)[1] for unit, _ in counts}
    assert best["house",] == "house"
    assert best["old",] == "old"
    assert best["the",] == NOTHING
    assert best["united", "states"] == "usa"
    assert best["states",] == "state"


def test_a_unit_of_several_words_is_one_in_all_alignments_or_in_none() -> None:
    lenient, strict = AlignmentSettings(), AlignmentSettings(extra_word=1e-9)
    assert ("united", "states") in {unit for unit, _ in align_all(ALIGNMENT_ROWS, [lenient]).counts}
    units = {unit for unit, _ in align_all(ALIGNMENT_ROWS, [lenient, strict]).counts}
    assert units == {unit for unit in units if len(unit) == 1}
    assert {("united",), ("states",)} <= units


def test_a_word_that_is_known_already_emits_nothing_and_is_in_no_unit() -> None:
    for unit, target in align([Pair((BLANK, "x", BLANK, "x"), ("a", "b"))] * 3).counts:
        assert target == NOTHING if BLANK in unit else len(unit) == 1


def test_nothing_to_align_is_no_alignment() -> None:
    assert align([]).counts == {}
    assert align([Pair(("a",), tuple("abcdefghijklm"))]).counts == {}


def test_companions_are_loyal_and_not_everywhere() -> None:
    rows = [
        *[Pair((verb, "through", "the"), ("cross",)) for verb in ("run", "flow", "go")],
        *[Pair(("the", noun), (noun,)) for noun in ("dog", "cat", "owl", "hen", "fox", "cow")],
    ]
    assert companions(rows) == [("through", "cross")]


def test_the_order_of_sets_plays_no_part() -> None:
    script = (
        "from tests.lexicon.test_alignment import ALIGNMENT_ROWS; "
        "from lear.lexicon.alignment import align; "
        "print(sorted(align(ALIGNMENT_ROWS).counts.items()))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().startswith("[(")


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
LATTICE_SETTINGS = AlignmentSettings(max_words=1, extra_word=1.0, unexplained=UNEXPLAINED)


def lattice_of(rows: list[Pair], **settings: float) -> Lattice:
    """All single words may emit everything."""
    plausible: set[Emission] = {((word,), target) for word in WORDS for target in TARGETS}
    lattice = Lattice(
        replace(LATTICE_SETTINGS, **settings),  # type: ignore[arg-type]
        plausible,
        units=set(),
        is_forced=False,
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
    found = lattice_of(rows, rounds=0, smoothing=0.0).run_em().counts
    assert {k: v for k, v in found.items() if v > 1e-12} == pytest.approx(enumerated(rows))


@given(pairs)
def test_every_word_emits_once_and_no_target_more_often_than_it_occurs(rows: list[Pair]) -> None:
    found = lattice_of(rows, rounds=3, smoothing=0.1).run_em().counts
    for word in WORDS:
        emitted = sum(count for (unit, _), count in found.items() if unit == (word,))
        assert emitted == pytest.approx(sum(row.tokens.count(word) for row in rows))
    for target in TARGETS:
        emitted = sum(count for (_, t), count in found.items() if t == target)
        assert emitted <= sum(row.targets.count(target) for row in rows) + 1e-9


def test_a_unit_may_be_forced_at_the_end_of_the_longest_sentence() -> None:
    unit = ("united", "states")
    settings = AlignmentSettings(max_words=2, unexplained=UNEXPLAINED, rounds=2, smoothing=0.1)
    lattice = Lattice(settings, {(unit, "usa")}, {unit}, is_forced=True)
    lattice.add(Pair(("big", "united", "states"), ("usa",)))
    assert lattice.run_em().counts[unit, "usa"] > 0.9
