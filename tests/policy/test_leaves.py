"""What a row begins with: tokens or found units, and what each of them can become."""

from itertools import pairwise

import pytest

from lear.algebra.algebra import Primitive
from lear.algebra.derivations import Derivation, Leaf, walk
from lear.domains.geo.domain import TOTAL_GEO
from lear.grammar.reading import NO_CATEGORY
from lear.lexicon.lexicon import UNKNOWN
from lear.model.config import ModelConfig
from lear.policy.steps import NONE, ChoicePoint
from tests.support.brute_force import complete_derivations
from tests.support.policies import rolled, specified
from tests.support.policy import Policy
from tests.support.settings import policy_under, settings_of
from tests.support.small_domains import SmallDomain, make_lexicon, small_domains
from tests.support.total_domains import total_domains

FOUND = ModelConfig(hidden=4, symbols="latent", units="found")
STRICT = [
    pytest.param(small, tokens, id=f"{name}: {' '.join(tokens)}")
    for name, small in small_domains().items()
    for tokens in small.sentences
]


@pytest.mark.parametrize(("small", "tokens"), STRICT)
def test_with_found_units_the_policy_reaches_exactly_the_derivations_of_brute_force(
    small: SmallDomain, tokens: tuple[str, ...]
) -> None:
    policy = policy_under(small, FOUND, num_symbols=1)
    reached = {
        outcome.derivation
        for outcome in specified(policy, tokens)
        if outcome.final != NONE and policy.transitions.is_answer(outcome.final)
    }
    assert reached == set(complete_derivations(small.oracle, tokens))


@pytest.mark.parametrize("said", [name for name in settings_of("free") if "composed" in name])
def test_words_of_a_unit_become_that_unit_and_no_shorter_one(said: str) -> None:
    count, people = (Primitive("Predicate", name) for name in ("count", "population_1"))
    texas = Primitive("Entity", "stateid('texas')", "tx")
    units = {"how many": [count, people], "how many people": [people, count], "texas": [texas]}
    tokens = ("how", "many", "people", "texas")
    small = SmallDomain(TOTAL_GEO, make_lexicon("geo", units, []), (), (tokens,))
    policy = policy_under(small, settings_of("free")[said])
    draws, _, outcomes = rolled(policy, tokens, samples=20, seed=1)
    assert draws.num_rows == 20
    for outcome in outcomes:
        assert outcome.derivation is not None
        assert spans_of_leaves(outcome.derivation) == [(0, 3), (3, 4)]


def spans_of_leaves(derivation: Derivation) -> list[tuple[int, int]]:
    """From left to right."""
    parts = (part for _, part in walk(derivation) if isinstance(part, Leaf))
    return sorted((part.begin, part.end) for part in parts)


def points_of(policy: Policy, tokens: tuple[str, ...]) -> list[ChoicePoint]:
    """The choice points that a row begins with."""
    return [
        policy.transitions.points[number] for number in policy.transitions.leaves(tokens).points
    ]


@pytest.mark.parametrize("name", total_domains())
def test_found_units_are_the_segments_of_a_sentence(name: str) -> None:
    small = total_domains()[name]
    transitions = policy_under(small, FOUND).transitions
    for tokens in small.sentences:
        points, begins = transitions.leaves(tokens)
        units = [tokens[begin:end] for begin, end in pairwise(begins)]
        assert units == list(transitions.reader.segment(tokens))
        assert len(points) == len(units)


@pytest.mark.parametrize("name", total_domains())
@pytest.mark.parametrize("said", [said for said in settings_of("free") if "found" in said])
def test_a_leaf_has_an_option_for_each_category_and_symbol_that_it_may_have(
    name: str, said: str
) -> None:
    small = total_domains()[name]
    policy = policy_under(small, settings_of("free")[said])
    config = policy.network.config
    for tokens in small.sentences:
        units = policy.transitions.reader.segment(tokens)
        for unit, point in zip(units, points_of(policy, tokens), strict=True):
            reading = policy.transitions.reader.unit(unit)
            categories = {category for category, _ in reading.primitives}
            is_word = reading.word is not None or NO_CATEGORY in categories
            each = 1 if config.leaf_symbols == "typed" else config.nonterminals
            is_open = [option.is_open for option in point.options]
            assert sum(is_open) == is_word
            assert len(is_open) == is_word + each * len(categories - {NO_CATEGORY})


def test_a_word_that_may_stand_for_nothing_has_one_option_that_is_open() -> None:
    for name, small in total_domains().items():
        policy = policy_under(small, settings_of("free")["found typed interpreter tree True"])
        tokens = {"cogs": ("was",), "cfq": ("editor",), "geo": ("in",)}[name]
        (point,) = points_of(policy, tokens)
        assert [option.is_open for option in point.options] == [True, False]
        (only,) = points_of(policy, {"cogs": (".",), "cfq": ("Who",), "geo": (UNKNOWN,)}[name])
        assert [option.is_open for option in only.options] == [True]
