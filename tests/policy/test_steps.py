"""What a row begins with: tokens or found units, and what each of them can become."""

from itertools import pairwise

import pytest

from lear.algebra.algebra import Primitive
from lear.algebra.derivations import Leaf, walk
from lear.domains.geo.domain import TOTAL_GEO
from lear.grammar.reading import NO_CATEGORY
from lear.lexicon.lexicon import UNKNOWN
from lear.policy.steps import ChoicePoint
from tests.support.policies import PAPER, Case, settings_of
from tests.support.small_domains import SmallDomain, make_lexicon
from tests.support.total_domains import total_domains

FREE = settings_of("free")
FOUND = [said for said in FREE if "found" in said]


@pytest.mark.parametrize("said", [said for said in FREE if "composed" in said])
def test_words_of_a_unit_become_that_unit_and_no_shorter_one(said: str) -> None:
    count, people = (Primitive("Predicate", name) for name in ("count", "population_1"))
    texas = Primitive("Entity", "stateid('texas')", "tx")
    units = {"how many": [count, people], "how many people": [people, count], "texas": [texas]}
    tokens = ("how", "many", "people", "texas")
    small = SmallDomain(TOTAL_GEO, make_lexicon("geo", units, []), (), (tokens,))
    _, _, outcomes = Case(small, FREE[said], tokens, num_symbols=2).rolled(samples=20, seed=1)
    for outcome in outcomes:
        assert outcome.derivation is not None
        leaves = [part for _, part in walk(outcome.derivation) if isinstance(part, Leaf)]
        assert sorted((leaf.begin, leaf.end) for leaf in leaves) == [(0, 3), (3, 4)]


def points_of(case: Case) -> list[ChoicePoint]:
    """The choice points that a row begins with."""
    transitions = case.policy.transitions
    return [transitions.points[number] for number in transitions.leaves(case.tokens).points]


@pytest.mark.parametrize("name", total_domains())
@pytest.mark.parametrize("said", FOUND)
def test_a_leaf_has_an_option_for_each_category_and_symbol_that_it_may_have(
    name: str, said: str
) -> None:
    small = total_domains()[name]
    for tokens in small.sentences:
        case = Case(small, FREE[said], tokens, num_symbols=2)
        units = list(case.reader.segment(tokens))
        begins = case.policy.transitions.leaves(tokens).begins
        assert units == [tokens[begin:end] for begin, end in pairwise(begins)]
        config = case.network.config
        each = 1 if config.leaf_symbols == "typed" else config.nonterminals
        for unit, point in zip(units, points_of(case), strict=True):
            reading = case.reader.unit(unit)
            categories = {category for category, _ in reading.primitives}
            is_word = reading.word is not None or NO_CATEGORY in categories
            is_open = [option.is_open for option in point.options]
            assert sum(is_open) == is_word
            assert len(is_open) == is_word + each * len(categories - {NO_CATEGORY})


def test_a_word_that_may_stand_for_nothing_has_one_option_that_is_open() -> None:
    words = {"cogs": ("was", "."), "cfq": ("editor", "Who"), "geo": ("in", UNKNOWN)}
    for name, small in total_domains().items():
        either, only = (points_of(Case(small, PAPER, (word,))) for word in words[name])
        assert [[option.is_open for option in point.options] for point in either] == [[True, False]]
        assert [[option.is_open for option in point.options] for point in only] == [[True]]
