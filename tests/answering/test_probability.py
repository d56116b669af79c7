"""The probability of an answer is that of all its derivations, enumerated by brute force.

What is remembered of probabilities, and what is asked together, changes none of them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
import torch

import lear
from lear.algebra.algebra import Meaning, MeaningTable
from lear.algebra.derivations import evaluate
from lear.answering.answers import Answer
from lear.answering.decoders import ChartDecoder
from lear.answering.probability import MAX_TOGETHER, LikelyAnswer, Probabilities
from lear.answering.request import Request
from lear.answering.words import WordCheck
from lear.forest.chart import legal_chart
from lear.forest.oracle import Oracle
from lear.forest.programs import Decoded
from lear.grammar.reading import Reading
from lear.grammar.rules import Grammar
from lear.model.config import Calibration, ModelConfig, Vocabulary
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
        calibration = Calibration(temperature=temperature)
        probabilities = Probabilities(self.oracle.reader, self.decoder, calibration)
        assert self.decoded.program is not None
        request = Request("", WordCheck(self.tokens), self.reading)
        meaning = self.decoded.program.meaning(self.reading, self.oracle.domain)
        form = self.oracle.domain.language.render(self.finish(meaning, self.reading))
        answer = Answer(request, self.decoded, self.decoded.program, form, meaning, probabilities)
        likely = probabilities.likely(answer, count)
        if count == EVERYTHING:  # parts that are not likely are left out of this one
            one = probabilities.at_temperatures(answer)(temperature)
            assert one == pytest.approx(answer.probability([answer]))
            (same,) = (found for found in likely if found.form == form)
            assert one == pytest.approx(same.probability, abs=0.1)
        return likely

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


SHIPPED = {
    "cogs": ("Emma saw a dog .", "Noah saw a cat .", "A cat saw the dog .", "Emma saw a zorp ."),
    "cfq": (
        "Which film director and editor of M0 married a writer of M1",
        "Which film editor and writer of M0 married a director of M1",
        "Who influenced M0 's writer 's spouse and M1",
    ),
    "geo": (
        "what is the biggest river in the state with the most people",
        "what is the capital of texas",
        "what is the capital of utah",
    ),
}


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_a_probability_is_the_same_whatever_was_asked_before(name: str) -> None:
    parser = lear.Parser.from_pretrained(name)
    first = [parser(sentence).probability for sentence in SHIPPED[name]]
    again = [parser(sentence).probability for sentence in reversed(SHIPPED[name])][::-1]
    for sentence, then, now in zip(SHIPPED[name], first, again, strict=True):
        alone = lear.Parser(parser.model)(sentence).probability
        assert then == now == pytest.approx(alone)


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_a_probability_is_the_same_alone_and_among_others(name: str) -> None:
    """Answers of one batch are weighed together, at the first that is asked for."""
    parser = lear.Parser.from_pretrained(name)
    sentences = [*SHIPPED[name], "", *SHIPPED[name], "xyzzy", *SHIPPED[name]] * 9
    assert len(sentences) > MAX_TOGETHER
    together = lear.Parser(parser.model).parse_batch(sentences)
    for sentence, parse in zip(sentences, together, strict=True):
        assert parse.probability == pytest.approx(parser(sentence).probability)


def test_asking_for_one_weighs_a_bounded_number_of_others() -> None:
    parser = lear.Parser.from_pretrained("cogs")
    depths = [divmod(number, 16) for number in range(2 * MAX_TOGETHER)]
    parses = parser.parse_batch(
        [f"Emma saw {'a dog on ' * n}{'a dog in ' * m}the house ." for n, m in depths]
    )
    remembered = parser._maker.probabilities._remembered
    assert len(remembered) == 0
    assert parses[0].probability is not None
    assert 0 < len(remembered) <= MAX_TOGETHER


def test_with_nothing_to_remember_probabilities_are_the_same() -> None:
    parser = lear.Parser.from_pretrained("cfq")
    forgetful = lear.Parser(parser.model, max_remembered=1)
    sentences = SHIPPED["cfq"] * 2
    for one, other in zip(
        parser.parse_batch(sentences), forgetful.parse_batch(sentences), strict=True
    ):
        assert one.probability == pytest.approx(other.probability)


def test_who_cannot_afford_another_search_gets_nothing_for_it() -> None:
    """The search of a lone sentence serves its probability, but only if it could be repeated."""
    parser = lear.Parser.from_pretrained("geo")
    text, other = SHIPPED["geo"][:2]
    reading = parser.reader.read(parser.domain.words.tokenize(text))
    (decoded,) = parser._decode([reading])
    for share, is_known in ((1.5, False), (30.0, True)):
        limits = lear.Limits(combinations=int(share * decoded.spent))
        alone, among = (lear.Parser(parser.model, limits=limits) for _ in range(2))
        found = [alone(text), among.parse_batch([text, other])[0]]
        assert all(parse.form is not None for parse in found)
        assert [parse.probability is not None for parse in found] == [is_known, is_known]
