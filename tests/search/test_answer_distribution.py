"""Sums over charts are sums over derivations, enumerated by brute force."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytest
from numpy.typing import NDArray

from lear.algebra.algebra import Meaning, MeaningTable
from lear.algebra.derivations import Derivation, Leaf, evaluate, walk
from lear.forest.chart import Edge, Item
from lear.forest.legal_chart import complete_items, legal_chart
from lear.forest.oracle import Oracle
from lear.forest.sums import InsideOutside, ScoredChart, WeighedMeaning, log_sum, weighed_meanings
from lear.grammar.reading import Candidate, CategoryLeaf
from lear.grammar.rules import Grammar
from tests.support.brute_force import complete_derivations
from tests.support.enumeration import rules_of
from tests.support.random_scores import RandomScores
from tests.support.small_domains import SmallDomain, small_domains

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A sentence with random scores of rules and primitives by K members."""

    small: SmallDomain
    tokens: tuple[str, ...]
    members: int

    @cached_property
    def oracle(self) -> Oracle:
        return self.small.oracle

    @cached_property
    def scores(self) -> RandomScores:
        return RandomScores(len(self.tokens), self.members)

    @cached_property
    def leaf_scores(self) -> dict[CategoryLeaf, Floats]:
        """Of leaves with several primitives, and of some others."""
        rng = np.random.default_rng(3)
        primitives = self.oracle.reader.read(self.tokens).primitives
        return {
            leaf: rng.normal(size=(self.members, len(group)))
            for number, (leaf, group) in enumerate(primitives.items())
            if len(group) > 1 or number % 2
        }

    @cached_property
    def grammar(self) -> Grammar:
        return Grammar(self.oracle.reader.categories)

    @cached_property
    def roots(self) -> list[Item[int]]:
        skeleton = self.oracle.reader.read(self.tokens).skeleton
        return complete_items(self.grammar, legal_chart(self.grammar, skeleton))

    @cached_property
    def chart(self) -> ScoredChart:
        assert self.roots is not None  # by then the grammar knows its rules
        rules = self.grammar.rules
        operations = [rule.operation for rule in rules]
        return ScoredChart(operations, self.scores.of_members(rules), self.leaf_scores)

    @cached_property
    def derivations(self) -> dict[Derivation, Floats]:
        """All complete ones, by brute force, with the score that each member gives them."""
        reading = self.oracle.reader.read(self.tokens)
        scores = {}
        for derivation in complete_derivations(self.oracle, self.tokens):
            rules = rules_of(self.small.domain, derivation, reading.skeleton.words)
            total = self.scores.of_members(rules).sum(axis=1)
            for leaf, primitives in reading.primitives.items():
                for part in leaves_of(derivation):
                    is_here = (part.begin, part.end) == leaf[:2] and part.primitive in primitives
                    if is_here and leaf in self.leaf_scores:
                        total = total + self.leaf_scores[leaf][:, primitives.index(part.primitive)]
            scores[derivation] = total
        return scores

    @cached_property
    def table(self) -> MeaningTable:
        return MeaningTable(self.small.domain.language.algebra)

    def weighed(self, chart: ScoredChart, min_posterior: float = 0.0) -> list[WeighedMeaning]:
        """The meanings of the sentence."""
        reading = self.oracle.reader.read(self.tokens)
        domain = self.small.domain

        def ground(candidate: Candidate) -> Meaning:
            return domain.words.ground(
                reading.primitive(candidate), candidate.leaf.begin, self.table
            )

        def apply(operation: str, arguments: tuple[Meaning, ...]) -> Meaning | None:
            return self.table.apply(domain.language.algebra.by_name[operation], arguments)

        if not self.roots:
            return []
        likely = InsideOutside(chart, self.roots).likely(min_posterior)
        return weighed_meanings(chart, likely, ground, apply)

    def meaning_of(self, derivation: Derivation) -> Meaning:
        return evaluate(derivation, self.table, self.small.domain.words.ground)


def leaves_of(derivation: Derivation) -> Iterable[Leaf]:
    return [part for _, part in walk(derivation) if isinstance(part, Leaf)]


CASES = {
    f"{name}: {' '.join(tokens)}, {members} members": Case(small, tokens, members)
    for name, small in small_domains().items()
    for tokens in small.sentences
    for members in (1, 3)
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return replace(CASES[request.param])


def test_the_inside_sum_is_the_sum_over_all_derivations(case: Case) -> None:
    if not case.derivations:
        assert case.roots == []
        assert case.weighed(case.chart) == []
        return
    expected = log_sum(np.stack(list(case.derivations.values()), axis=-1))
    np.testing.assert_allclose(InsideOutside(case.chart, case.roots).log_z, expected)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 3.0])
def test_a_meaning_has_the_probability_of_all_its_derivations(
    case: Case, temperature: float
) -> None:
    by_meaning: dict[Meaning, list[Derivation]] = {}
    for derivation in case.derivations:
        by_meaning.setdefault(case.meaning_of(derivation), []).append(derivation)
    found = case.weighed(replace(case.chart, temperature=temperature))
    assert {way.meaning for way in found} == by_meaning.keys()
    assert len(found) == len(by_meaning)
    total = sum(np.exp(scores / temperature) for scores in case.derivations.values())
    for meaning, log_p, program, is_only in found:
        assert is_only <= (len(case.derivations) == 1)
        group = by_meaning[meaning]
        expected = sum(np.exp(case.derivations[d] / temperature) for d in group) / total
        np.testing.assert_allclose(np.exp(log_p), expected)
        # Its program is the best of its derivations, whatever the temperature.
        best = max(case.derivations[d].mean() for d in group)
        assert program.score == pytest.approx(best)
        derivation = program.derivation(case.oracle.reader.read(case.tokens))
        assert case.derivations[derivation].mean() == pytest.approx(best)


def test_probabilities_sum_to_one(case: Case) -> None:
    for temperature in (0.25, 1.0, 16.0):
        found = case.weighed(replace(case.chart, temperature=temperature))
        if case.derivations:
            total = sum(np.exp(way.log_p) for way in found)
            np.testing.assert_allclose(total, np.ones(case.members))


def test_a_temperature_divides_all_scores(case: Case) -> None:
    chart = case.chart
    divided = replace(
        chart,
        rule_scores=chart.rule_scores / 3.0,
        leaf_scores={leaf: scores / 3.0 for leaf, scores in chart.leaf_scores.items()},
    )
    expected = {way.meaning: way.log_p for way in case.weighed(divided)}
    for way in case.weighed(replace(chart, temperature=3.0)):
        np.testing.assert_allclose(way.log_p, expected.pop(way.meaning))
    assert not expected


@pytest.mark.parametrize("min_posterior", [1e-9, 0.01, 0.2, 0.6])
def test_without_unlikely_parts_probabilities_are_lower_at_most(
    case: Case, min_posterior: float
) -> None:
    whole = {way.meaning: way.log_p for way in case.weighed(case.chart)}
    for way in case.weighed(case.chart, min_posterior):
        assert (way.log_p <= whole[way.meaning] + 1e-9).all()


def test_parts_that_are_left_out_are_unlikely(case: Case) -> None:
    """A meaning loses no more than the derivations that have an unlikely part."""
    if not case.derivations:
        return
    sums = InsideOutside(case.chart, case.roots)
    for min_posterior in (0.01, 0.2):
        likely = sums.likely(min_posterior).edges
        num_edges = sum(len(item.edges) for item in sums.items)
        num_likely = sum(len(edges) for edges in likely.values())
        lost = 1 - sum(np.exp(way.log_p).mean() for way in case.weighed(case.chart, min_posterior))
        assert lost <= min_posterior * (num_edges - num_likely) + 1e-9


def test_an_item_that_a_likely_edge_uses_keeps_its_likeliest_edge() -> None:
    for case in CASES.values():
        for min_posterior in (0.01, 0.2, 0.6) if case.derivations else ():
            likely = InsideOutside(case.chart, case.roots).likely(min_posterior).edges
            used = {child for edges in likely.values() for edge in edges for child in edge.children}
            assert used <= likely.keys()


def test_rounding_does_not_choose_among_equally_likely_edges() -> None:
    leaf = Item(0, 1, 0, [Edge(None, ())])
    edges = [Edge(0, (leaf,)), Edge(1, (leaf,))]
    for difference in (0.0, 1e-7, -1e-7):
        scores = np.array([[0.0, difference]])
        chart = ScoredChart(["keep", "keep"], scores, {})
        (_, likely) = InsideOutside(chart, [Item(0, 2, 1, edges)]).likely(0.9).edges.values()
        assert likely == edges
