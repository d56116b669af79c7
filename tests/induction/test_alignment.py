"""Alignment: words get the targets that they stand for."""

import os
import subprocess
import sys
from pathlib import Path

from lear.lexicon.alignment import NOTHING, AlignmentSettings, Pair, align, align_all, companions
from lear.lexicon.lexicon import BLANK
from tests.support.alignment_rows import ALIGNMENT_ROWS

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
        "from tests.support.alignment_rows import ALIGNMENT_ROWS; "
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
