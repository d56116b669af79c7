"""Comparing what parsers answer."""

from dataclasses import replace

import pytest

from lear.answering.parse import Parse


def assert_same_answers(found: list[Parse], expected: list[Parse]) -> None:
    """All that they say is the same; scores are rounded in another order in another process."""
    assert [_without_score(parse) for parse in found] == [_without_score(p) for p in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.score == pytest.approx(other.score, rel=1e-5)
        assert (one.probability is None) == (other.probability is None)
        assert (one.probability or 0.0) == pytest.approx(other.probability or 0.0, rel=1e-3)
        assert one.derivation == other.derivation


def _without_score(parse: Parse) -> Parse:
    return replace(parse, score=0.0, alternatives=tuple(map(_without_score, parse.alternatives)))
