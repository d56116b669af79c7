"""What is remembered of probabilities changes none of them."""

import pytest

import lear
from lear.decoding.remembered_probabilities import Keys, Known, RememberedProbabilities

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
