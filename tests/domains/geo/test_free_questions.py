"""Questions in other words than training has: most are answered, and nearly all others refused."""

import pytest

import lear
from tests.support.free_questions import count

# As in docs/confidence.md.
EXPECTED = {
    "tune": {"answerable": 60, "right": 50, "to_refuse": 40, "answered": 2},
    "check": {"answerable": 60, "right": 44, "to_refuse": 40, "answered": 2},
}


@pytest.mark.slow
@pytest.mark.parametrize("part", EXPECTED)
def test_free_questions_are_answered_as_the_documentation_says(part: str) -> None:
    counts = count(lear.Parser.from_pretrained("geo"), part)._asdict()
    assert {name: counts[name] for name in EXPECTED[part]} == EXPECTED[part]
