"""Alignment: sums over all alignments are exact, and words get the symbols they stand for."""

import subprocess
import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.induction.alignment import align, companions
from lear.induction.alignment_lattice import BLANK, NOTHING, Emission, Lattice, Pair

WORDS = ("the", "big", "old", "house")
SYMBOLS = ("B", "H", "O")
pairs = st.lists(
    st.builds(
        Pair,
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple),
        st.lists(st.sampled_from(SYMBOLS), max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=4,
)
UNEXPLAINED = 0.01


def lattice_of(rows: list[Pair]) -> Lattice:
    """All single words may emit everything."""
    plausible: set[Emission] = {((word,), symbol) for word in WORDS for symbol in SYMBOLS}
    lattice = Lattice(
        plausible, set(), longest=1, is_forced=False, extra_word=1.0, unexplained=UNEXPLAINED
    )
    for row in rows:
        lattice.add(row)
    return lattice


def enumerated(rows: list[Pair]) -> dict[Emission, float]:
    """Expected emissions if all alignments are equally likely, one by one."""
    expected: dict[Emission, float] = {}
    for tokens, symbols in rows:
        weighed = []
        for choice in product(sorted({NOTHING, *symbols}), repeat=len(tokens)):
            emitted = [symbol for symbol in choice if symbol != NOTHING]
            if all(emitted.count(s) <= symbols.count(s) for s in emitted):
                weighed.append((UNEXPLAINED ** (len(symbols) - len(emitted)), choice))
        total = sum(weight for weight, _ in weighed)
        for weight, choice in weighed:
            for token, symbol in zip(tokens, choice, strict=True):
                key = ((token,), symbol)
                expected[key] = expected.get(key, 0.0) + weight / total
    return expected


@given(pairs)
def test_expected_emissions_are_those_of_all_alignments_one_by_one(rows: list[Pair]) -> None:
    found = lattice_of(rows).run_em(rounds=0, smoothing=0.0)
    assert {k: v for k, v in found.items() if v > 1e-12} == pytest.approx(enumerated(rows))


@given(pairs)
def test_every_word_emits_once_and_no_symbol_more_often_than_it_occurs(rows: list[Pair]) -> None:
    found = lattice_of(rows).run_em(rounds=3, smoothing=0.1)
    for word in WORDS:
        emitted = sum(count for (unit, _), count in found.items() if unit == (word,))
        assert emitted == pytest.approx(sum(row.tokens.count(word) for row in rows))
    for symbol in SYMBOLS:
        emitted = sum(count for (_, s), count in found.items() if s == symbol)
        assert emitted <= sum(row.symbols.count(symbol) for row in rows) + 1e-9


CORPUS = [
    Pair(("the", "big", "house"), ("big", "house")),
    Pair(("the", "old", "house"), ("old", "house")),
    Pair(("the", "big", "dog"), ("big", "dog")),
    Pair(("an", "old", "dog"), ("old", "dog")),
    Pair(("united", "states"), ("usa",)),
    Pair(("the", "united", "states"), ("usa",)),
    *[Pair((word, "states"), (word, "state")) for word in ("big", "old") for _ in range(10)],
    *[Pair((word, "states"), ("state",)) for word in ("the", BLANK) for _ in range(5)],
]


def test_words_compete_for_symbols_and_units_of_several_words_are_found() -> None:
    counts = align(CORPUS).counts
    best = {unit: max((c, s) for (u, s), c in counts.items() if u == unit)[1] for unit, _ in counts}
    assert best["house",] == "house"
    assert best["old",] == "old"
    assert best["the",] == NOTHING
    assert best["united", "states"] == "usa"
    assert best["states",] == "state"


def test_a_word_that_is_known_already_emits_nothing_and_is_in_no_unit() -> None:
    for unit, symbol in align([Pair((BLANK, "x", BLANK, "x"), ("a", "b"))] * 3).counts:
        assert symbol == NOTHING if BLANK in unit else len(unit) == 1


def test_nothing_to_align_is_no_alignment() -> None:
    assert align([]).counts == {}
    assert align([Pair(("a",), tuple("abcdefghijklm"))]).counts == {}


def test_a_unit_may_be_forced_at_the_end_of_the_longest_sentence() -> None:
    unit = ("united", "states")
    lattice = Lattice({(unit, "usa")}, {unit}, 2, True, 0.1, UNEXPLAINED)
    lattice.add(Pair(("big", "united", "states"), ("usa",)))
    assert lattice.run_em(rounds=2, smoothing=0.1)[unit, "usa"] > 0.9


def test_companions_are_loyal_and_not_everywhere() -> None:
    rows = [
        *[Pair((verb, "through", "the"), ("cross",)) for verb in ("run", "flow", "go")],
        *[Pair(("the", noun), (noun,)) for noun in ("dog", "cat", "owl", "hen", "fox", "cow")],
    ]
    assert companions(rows) == [("through", "cross")]


def test_the_order_of_sets_plays_no_part() -> None:
    script = (
        "from tests.test_alignment import CORPUS; from lear.induction.alignment import align; "
        "print(sorted(align(CORPUS).counts.items()))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
