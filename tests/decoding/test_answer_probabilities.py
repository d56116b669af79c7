"""The probability of an answer is that of all its derivations, enumerated by brute force."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
import torch

from lear.algebra.algebra import Meaning, MeaningTable
from lear.algebra.derivations import evaluate
from lear.answering.decoders import ChartDecoder
from lear.answering.probability import AnswerProbabilities, LikelyAnswer
from lear.forest.legal_chart import legal_chart
from lear.forest.oracle import Oracle
from lear.forest.programs import Decoded
from lear.grammar.reading import Reading
from lear.grammar.rules import Grammar
from lear.model.config import ModelConfig, Vocabulary
from lear.model.network import Network
from tests.support.ambiguity import AMBIGUOUS
from tests.support.enumeration import Floats, member_scores
from tests.support.forward import forward_of
from tests.support.small_domains import small_domains

EVERYTHING = 1000
"""More answers than any of these sentences has."""


@dataclass
class Case:
    """A sentence, and a new network that scores all legal derivations of it."""

    oracle: Oracle
    tokens: tuple[str, ...]
    config: ModelConfig

    @cached_property
    def reading(self) -> Reading:
        return self.oracle.reader.read(self.tokens)

    @cached_property
    def network(self) -> Network:
        grammar = Grammar(self.oracle.reader.categories)
        legal_chart(grammar, self.reading.skeleton)
        symbols = {symbol for rule in grammar.rules for symbol in rule.symbols} or {"None"}
        torch.manual_seed(len(self.tokens))
        vocabulary = Vocabulary.of(self.oracle.reader, tuple(sorted(symbols)))
        return Network(self.config, vocabulary).double()

    @cached_property
    def decoder(self) -> ChartDecoder:
        reader = self.oracle.reader
        forward = forward_of(self.network)
        return ChartDecoder(forward, reader.categories, ())

    @cached_property
    def decoded(self) -> Decoded:
        return self.decoder.best_of_each([self.reading], overlook=False)[0]

    def answers(self, temperature: float = 1.0, count: int = EVERYTHING) -> list[LikelyAnswer]:
        """What is to be tested."""
        probabilities = AnswerProbabilities(self.oracle.domain, self.decoder, self.finish)
        return probabilities.answers(self.reading, self.decoded, temperature, count)

    def finish(self, meaning: Meaning, reading: Reading) -> Meaning:
        language = self.oracle.domain.language
        return language.finish(meaning, reading.tokens, MeaningTable(language.algebra))

    @cached_property
    def scores(self) -> dict[str, list[Floats]]:
        """By brute force: of each form, the scores of its derivations by each member."""
        domain = self.oracle.domain
        table = MeaningTable(domain.language.algebra)
        by_form: dict[str, list[Floats]] = {}
        for derivation, scores in member_scores(self.oracle, self.network, self.tokens).items():
            meaning = evaluate(derivation, table, domain.words.ground)
            form = domain.language.render(self.finish(meaning, self.reading))
            by_form.setdefault(form, []).append(scores)
        return by_form

    def probabilities(self, temperature: float = 1.0) -> dict[str, float]:
        """By brute force: the mean over members of what they give all derivations of a form."""
        weights = {
            form: np.exp(np.stack(group) / temperature).sum(axis=0)
            for form, group in self.scores.items()
        }
        total = sum(weights.values())
        return {form: float((weight / total).mean()) for form, weight in weights.items()}


CONFIGS = {
    f"{members} members, {lexical}": ModelConfig(
        hidden=8, search="legal", members=members, lexical=lexical
    )
    for members in (1, 3)
    for lexical in ("choices", "units")
}
SENTENCES = {
    f"{name}: {' '.join(tokens)}": (small.oracle, tokens)
    for name, small in small_domains().items()
    for tokens in small.sentences
}


@pytest.fixture(scope="module", params=CONFIGS)
def config(request: pytest.FixtureRequest) -> ModelConfig:
    return CONFIGS[request.param]


@pytest.fixture(
    scope="module", params=[*SENTENCES, *(f"ambiguous {n}" for n in range(len(AMBIGUOUS)))]
)
def case(request: pytest.FixtureRequest, ambiguous_oracle: Oracle, config: ModelConfig) -> Case:
    if request.param in SENTENCES:
        return Case(*SENTENCES[request.param], config)
    row = AMBIGUOUS[int(request.param.split()[-1])]
    return Case(ambiguous_oracle, row.tokens, config)


@pytest.mark.parametrize("temperature", [1.0, 0.3, 4.0])
def test_an_answer_has_the_probability_of_all_its_derivations(
    case: Case, temperature: float
) -> None:
    if case.decoded.program is None:
        assert not case.scores
        return
    found = {answer.form: answer for answer in case.answers(temperature)}
    expected = case.probabilities(temperature)
    assert {form: answer.probability for form, answer in found.items()} == pytest.approx(expected)
    assert sum(expected.values()) == pytest.approx(1.0)
    for form, answer in found.items():
        best = max(float(scores.mean()) for scores in case.scores[form])
        assert answer.program.score == pytest.approx(best)
        assert case.oracle.domain.language.render(answer.meaning) == form


def test_answers_are_different_and_the_likeliest_comes_first(case: Case) -> None:
    if case.decoded.program is None:
        return
    answers = case.answers()
    probabilities = [answer.probability for answer in answers]
    assert probabilities == sorted(probabilities, reverse=True)
    assert len({answer.form for answer in answers}) == len(answers)


def test_there_are_as_many_answers_as_are_asked_for_if_there_are_as_many(case: Case) -> None:
    if case.decoded.program is None:
        return
    for count in (1, 2, 3, len(case.scores), len(case.scores) + 5):
        found = case.answers(count=count)
        assert min(count, len(case.scores)) <= len(found) <= len(case.scores)
        # Asking for few leaves out what is unlikely, and with it a little probability at most.
        expected = case.probabilities()
        for answer in found:
            assert expected[answer.form] - 0.1 <= answer.probability <= expected[answer.form] + 1e-9
