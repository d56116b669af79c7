"""What is remembered of probabilities changes none of them."""

import pytest

import lear
from lear.answering.probability import MAX_TOGETHER, Keys, Known, RememberedProbabilities

SENTENCES = {
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


@pytest.mark.parametrize("name", sorted(SENTENCES))
def test_a_probability_is_the_same_whatever_was_asked_before(name: str) -> None:
    parser = lear.Parser.from_pretrained(name)
    first = [parser(sentence).probability for sentence in SENTENCES[name]]
    again = [parser(sentence).probability for sentence in reversed(SENTENCES[name])][::-1]
    for sentence, then, now in zip(SENTENCES[name], first, again, strict=True):
        alone = lear.Parser(parser.model)(sentence).probability
        assert then == now == pytest.approx(alone)


def test_only_the_newest_are_remembered() -> None:
    remembered = RememberedProbabilities(10)
    for number in range(100):
        remembered.put(Keys(number, -number), Known(0.5, number), is_of_skeleton=True)
    known = [number for number in range(100) if remembered.get(Keys(number, -number))]
    assert 99 in known
    assert 5 <= len(known) <= 10


def test_what_holds_for_a_sentence_holds_for_no_other() -> None:
    remembered = RememberedProbabilities(10)
    remembered.put(Keys("skeleton", "sentence"), Known(0.5, 0), is_of_skeleton=False)
    assert remembered.get(Keys("skeleton", "sentence")) == Known(0.5, 0)
    assert remembered.get(Keys("skeleton", "other")) is None


@pytest.mark.parametrize("name", sorted(SENTENCES))
def test_a_probability_is_the_same_alone_and_among_others(name: str) -> None:
    """Answers of one batch are weighed together, at the first that is asked for."""
    parser = lear.Parser.from_pretrained(name)
    sentences = [*SENTENCES[name], "", *SENTENCES[name], "xyzzy", *SENTENCES[name]] * 9
    assert len(sentences) > MAX_TOGETHER
    together = lear.Parser(parser.model).parse_batch(sentences)
    for sentence, parse in zip(sentences, together, strict=True):
        assert parse.probability == pytest.approx(parser(sentence).probability)


def test_asking_for_one_weighs_a_bounded_number_of_others() -> None:
    parser = lear.Parser.from_pretrained("cogs")
    depths = range(2 * MAX_TOGETHER)
    parses = parser.parse_batch([f"Emma saw {'a dog on ' * n}the house ." for n in depths])
    weigher = parser._maker.weigher
    assert len(weigher._remembered) == 0
    assert parses[0].probability is not None
    assert 0 < len(weigher._remembered) <= MAX_TOGETHER


def test_with_nothing_to_remember_probabilities_are_the_same() -> None:
    parser = lear.Parser.from_pretrained("cfq")
    forgetful = lear.Parser(parser.model, max_remembered=1)
    sentences = SENTENCES["cfq"] * 2
    for one, other in zip(
        parser.parse_batch(sentences), forgetful.parse_batch(sentences), strict=True
    ):
        assert one.probability == pytest.approx(other.probability)
