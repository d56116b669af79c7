"""Sums over packed forests of a search are sums over derivations, enumerated by brute force."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from numpy.typing import NDArray

from lear.algebra.algebra import Meaning, MeaningTable
from lear.algebra.derivations import Derivation, Leaf, Node, evaluate, walk
from lear.forest.arrays import firsts
from lear.forest.chart import DEFAULT_BUDGET, Budget
from lear.forest.distribution import LikelyForest, SentenceForests, WeighedMeaning
from lear.forest.packed import Edges, PackedForest, posteriors
from lear.forest.scored_grammar import ScoredGrammar
from lear.forest.search import NO_CHOICE, SpanSearch
from lear.grammar.reading import Candidate, CategoryLeaf, Reading, SentenceReader
from lear.grammar.rules import Grammar
from tests.support.brute_force import complete_derivations
from tests.support.enumeration import rules_of
from tests.support.random_scores import RandomScores
from tests.support.small_domains import SmallDomain, small_domains

Floats = NDArray[np.float64]
Part = tuple[object, ...]
"""Span and label of an edge."""
MIN_POSTERIORS = (1e-9, 0.01, 0.2, 0.6)


@dataclass(frozen=True)
class Case:
    """A sentence with random scores of rules and primitives by K members."""

    small: SmallDomain
    tokens: tuple[str, ...]
    members: int

    @cached_property
    def reader(self) -> SentenceReader:
        return self.small.oracle.reader

    @cached_property
    def reading(self) -> Reading:
        return self.reader.read(self.tokens)

    @cached_property
    def scores(self) -> RandomScores:
        return RandomScores(len(self.tokens), self.members)

    @cached_property
    def leaf_scores(self) -> dict[CategoryLeaf, Floats]:
        """Of leaves with several primitives, and of some others."""
        rng = np.random.default_rng(3)
        return {
            leaf: rng.normal(size=(self.members, len(group)))
            for number, (leaf, group) in enumerate(self.reading.primitives.items())
            if len(group) > 1 or number % 2
        }

    @cached_property
    def derivations(self) -> dict[Derivation, Floats]:
        """All complete ones, by brute force, with the score that each member gives them."""
        scores = {}
        for derivation in complete_derivations(self.small.oracle, self.tokens):
            rules = rules_of(self.small.domain, derivation, self.reading.skeleton.words)
            total = self.scores.of_members(rules).sum(axis=1)
            for leaf, primitives in self.reading.primitives.items():
                for _, part in walk(derivation):
                    if (part.begin, part.end) != leaf[:2] or leaf not in self.leaf_scores:
                        continue
                    if isinstance(part, Leaf) and part.primitive in primitives:
                        rank = primitives.index(part.primitive)
                        total = total + self.leaf_scores[leaf][:, rank]
            scores[derivation] = total
        return scores

    @cached_property
    def table(self) -> MeaningTable:
        return MeaningTable(self.small.domain.language.algebra)

    def likely(self, temperature: float = 1.0, min_posterior: float = 0.0) -> LikelyForest:
        (found,) = forests_of([self]).likely(temperature, min_posterior)
        return found

    def meanings(self, forest: LikelyForest) -> list[WeighedMeaning]:
        domain = self.small.domain

        def ground(candidate: Candidate) -> Meaning:
            primitive = self.reading.primitive(candidate)
            return domain.words.ground(primitive, candidate.leaf.begin, self.table)

        def apply(operation: str, arguments: tuple[Meaning, ...]) -> Meaning | None:
            return self.table.apply(domain.language.algebra.by_name[operation], arguments)

        return forest.meanings(ground, apply)

    def meaning_of(self, derivation: Derivation) -> Meaning:
        return evaluate(derivation, self.table, self.small.domain.words.ground)


def forests_of(
    cases: Sequence[Case], budget: Budget = DEFAULT_BUDGET, spent: Sequence[int] | None = None
) -> SentenceForests:
    """The forests of sentences of one domain that are searched together."""
    grammar = ScoredGrammar(Grammar(cases[0].reader.categories), cases[0].scores)
    sentences = [(case.reading.skeleton, NO_CHOICE) for case in cases]
    search = SpanSearch(sentences, grammar, budget, spent=spent, keeps_edges=True)
    return SentenceForests(search, [case.leaf_scores for case in cases])


CASES = {
    f"{name}: {' '.join(tokens)}, {members} members": Case(small, tokens, members)
    for name, small in small_domains().items()
    for tokens in small.sentences
    for members in (1, 3)
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    case = CASES[request.param]
    return Case(case.small, case.tokens, case.members)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 3.0])
def test_a_meaning_has_the_probability_of_all_its_derivations(
    case: Case, temperature: float
) -> None:
    by_meaning: dict[Meaning, list[Derivation]] = {}
    for derivation in case.derivations:
        by_meaning.setdefault(case.meaning_of(derivation), []).append(derivation)
    forest = case.likely(temperature)
    found = case.meanings(forest)
    assert {way.meaning for way in found} == by_meaning.keys()
    assert len(found) == len(by_meaning)
    if not found:
        assert not forest.roots
        return
    total = sum(np.exp(scores / temperature) for scores in case.derivations.values())
    np.testing.assert_allclose(forest.log_z, np.log(total))
    np.testing.assert_allclose(sum(np.exp(way.log_p) for way in found), np.ones(case.members))
    for meaning, log_p, program in found:
        group = by_meaning[meaning]
        expected = sum(np.exp(case.derivations[d] / temperature) for d in group) / total
        np.testing.assert_allclose(np.exp(log_p), expected)
        # Its program is the best of its derivations, whatever the temperature.
        best = max(case.derivations[d].mean() for d in group)
        assert program.score == pytest.approx(best)
        assert case.derivations[program.derivation(case.reading)].mean() == pytest.approx(best)
        alone = forest.log_p_of_only(program)
        assert (alone is not None) <= (len(case.derivations) == 1)
        if alone is not None:
            np.testing.assert_allclose(alone, log_p, atol=1e-9)


def test_posteriors_are_the_expected_number_of_uses(case: Case) -> None:
    forests = forests_of([case])
    weights = forests._weights(1.0)
    packed, values = forests._forest, forests._inside(weights)
    found, is_kept = posteriors(packed, weights, values)
    assert is_kept.all()
    uses: Counter[Part] = Counter()
    total = sum(np.exp(scores) for scores in case.derivations.values())
    for derivation, scores in case.derivations.items():
        share = float((np.exp(scores) / total).mean())
        for _, node in walk(derivation):
            spans = [(c.begin, c.end) for c in node.children] if isinstance(node, Node) else []
            label = node.operation if isinstance(node, Node) else None
            uses[node.begin, node.end, label, *spans] += share  # type: ignore[assignment]
    sums: Counter[Part] = Counter()
    spans = [at[:2] for at in forests._search.leaves_at(np.arange(len(packed.lengths)))]
    rows = zip(*(column.tolist() for column in packed.edges), strict=True)
    for (parent, label, *children), share in zip(rows, found.mean(axis=1).tolist(), strict=True):
        operation = None if label < 0 else forests.rules.operations[label]
        parts = [spans[child] for child in children if child >= 0]
        sums[*spans[parent], operation, *parts] += share
    assert dict(sums) == pytest.approx(dict(uses))


@pytest.mark.parametrize("min_posterior", MIN_POSTERIORS)
def test_without_unlikely_parts_meanings_lose_no_more_than_these(
    case: Case, min_posterior: float
) -> None:
    every, likely = case.likely(), case.likely(min_posterior=min_posterior)
    whole = {way.meaning: way.log_p for way in case.meanings(every)}
    found = case.meanings(likely)
    for way in found:
        assert (way.log_p <= whole[way.meaning] + 1e-9).all()
    if whole:
        lost = 1 - sum(np.exp(way.log_p).mean() for way in found)
        assert lost <= min_posterior * (len(every.edges) - len(likely.edges)) + 1e-9
    # What a likely edge uses keeps its likeliest edge; parts come before their wholes.
    seen: set[int] = set()
    for item, _, *parts in likely.edges:
        assert seen.issuperset(part for part in parts if part >= 0)
        seen.add(item)
    assert seen.issuperset(likely.roots)


def test_rounding_does_not_choose_among_equally_likely_edges() -> None:
    edges = Edges(*np.array([[0, -1, -1, -1], [1, 0, 0, -1], [1, 1, 0, -1]]).T)
    forest = PackedForest(np.array([1, 2]), edges, np.array([1]), np.array([0]))
    assert firsts(edges.parent).tolist() == [0, 1]
    for difference in (0.0, 1e-7, -1e-7):
        weights = np.array([[0.0], [0.0], [difference]])
        values = np.array([[0.0], np.logaddexp(0.0, [difference]), [0.0]])
        _, is_kept = posteriors(forest, weights, values, 0.9)
        assert is_kept.all()


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("name", small_domains())
def test_many_sentences_at_once_have_the_forests_of_each_alone(name: str, members: int) -> None:
    cases = [Case(small_domains()[name], t, members) for t in small_domains()[name].sentences]
    for case in cases:  # they share categories, and scores of rules
        case.__dict__.update(scores=cases[0].scores, reader=cases[0].reader)
    for temperature, min_posterior in ((1.0, 0.0), (0.4, 0.2)):
        together = forests_of(cases).likely(temperature, min_posterior)
        for case, found in zip(cases, together, strict=True):
            alone = case.likely(temperature, min_posterior)
            np.testing.assert_allclose(found.log_z, alone.log_z)
            assert as_values(found) == as_values(alone)


def as_values(forest: LikelyForest) -> list[Part]:
    """All edges, in a way that does not depend on numbers."""
    return sorted(
        (
            *forest.items[item],
            "" if step < 0 else forest.rules.operations[step],
            *(forest.items[part] for part in parts if part >= 0),
        )
        for item, step, *parts in forest.edges
    )


def test_a_sentence_whose_budget_runs_out_takes_nothing_from_others() -> None:
    for small in small_domains().values():
        case = Case(small, max(small.sentences, key=len), 1)
        alone = forests_of([case], Budget(1000))
        both = forests_of([case, case], Budget(1000), spent=[1000, 0])
        assert both.num_edges == [0, *alone.num_edges]
        over, whole = both.likely(1.0, 0.0)
        assert over.roots == []
        assert as_values(whole) == as_values(alone.likely(1.0, 0.0)[0])
