"""Joints only save time: what can be combined shares one."""

from lear.domains.geo.algebra import joints
from tests.support.shipped import SENTENCES, shipped

MAX_CATEGORIES = 250
"""Their pairs are tried one by one, which takes a while."""


def test_what_can_be_combined_shares_a_joint() -> None:
    for name in ("geo", "geo-query"):
        parser = shipped(name)
        parser.parse_batch(SENTENCES[name])
        negations = ["which state does not border var0", "what state has no rivers"]
        parser.parse_batch(negations)
        table = parser.reader.categories
        numbers = range(min(MAX_CATEGORIES, table.num_categories))
        bits = [joints(table.example(number)) for number in numbers]
        num_legal = 0
        for left in numbers:
            for right in numbers:
                if table.combinations((left, right)):
                    num_legal += 1
                    assert bits[left][0] & bits[right][1], (table.name(left), table.name(right))
        assert num_legal > 100
