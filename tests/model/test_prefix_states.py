"""States of prefixes: each is asked for with all that it begins with, and there are never many."""

import numpy as np

from lear.forest.arrays import Ints
from lear.forest.scored_grammar import RuleNumbers
from lear.model.rule_scores import PrefixStates

HIDDEN, MEMBERS = 2, 3
LIKE = np.zeros((MEMBERS, 1), dtype=np.float32)
ROW_BYTES = (6 * HIDDEN + 1) * MEMBERS * 4


def add(states: PrefixStates, prefixes: Ints) -> None:
    """Add states that say whose they are."""
    shape = (len(prefixes), MEMBERS)
    opened = np.broadcast_to(prefixes[:, None].astype(np.float32), shape)
    states.add(
        prefixes, np.zeros((*shape, HIDDEN)), np.zeros((len(prefixes), 5, MEMBERS, HIDDEN)), opened
    )


def test_what_is_missing_is_a_prefix_and_what_it_begins_with() -> None:
    numbers = RuleNumbers()
    states = PrefixStates(numbers, LIKE, HIDDEN, 100 * ROW_BYTES)
    one, two = numbers.prefix(("a",)), numbers.prefix(("a", "b"))
    three, other = numbers.prefix(("a", "b", "c")), numbers.prefix(("x",))
    assert states.missing(np.array([0])).tolist() == []
    assert states.missing(np.array([two, two])).tolist() == [one, two]
    add(states, np.array([one, two]))
    assert states.missing(np.array([0, two])).tolist() == []
    assert states.missing(np.array([three, other])).tolist() == [three, other]
    shorter, last, sizes = states.parts(np.array([three]))
    assert (shorter.item(), numbers.parts[last.item()], sizes.item()) == (two, "c", 3)


def test_rows_are_those_of_the_prefixes_until_there_are_too_many() -> None:
    numbers = RuleNumbers()
    max_rows = 8
    states = PrefixStates(numbers, LIKE, HIDDEN, max_rows * ROW_BYTES)
    for begin in range(0, 60, 3):
        prefixes = np.array([numbers.prefix((str(n),)) for n in range(begin, begin + 3)])
        add(states, states.missing(prefixes))
        assert states.size < max_rows
        assert states.opened[states.rows(prefixes)][:, 0].tolist() == prefixes.tolist()
        assert not states.opened[states.rows(np.array([0]))].any()


def test_what_is_asked_for_at_once_is_there_at_once_whatever_the_bound() -> None:
    numbers = RuleNumbers()
    states = PrefixStates(numbers, LIKE, HIDDEN, 0)
    prefixes = np.array([numbers.prefix((str(n),)) for n in range(20)])
    add(states, states.missing(prefixes))
    assert states.opened[states.rows(prefixes)][:, 0].tolist() == prefixes.tolist()
