"""The forward pass in NumPy has the numbers of torch: on models that ship, for every setting."""

import msgspec
import numpy as np
import pytest
import torch
from numpy.typing import ArrayLike

from lear.algebra.algebra import Primitive
from lear.answering.decoders import ChartDecoder
from lear.grammar.reading import Reading
from lear.grammar.rules import Rule
from lear.lexicon.lexicon import OVERLOOKED, UNKNOWN
from lear.model.config import ModelConfig, Vocabulary
from lear.model.forward_pass import weight_shapes
from lear.model.lexical_choices import LexicalChoices
from lear.model.network import Network
from lear.model.rule_scores import RuleScorer
from tests.support.forward import torch_scores
from tests.support.shipped import NAMES, SENTENCES, network_of, shipped

MAX_RULES = 300
TOLERANCE = 1e-5
"""Weights are of single precision."""


def assert_close(found: ArrayLike, expected: ArrayLike) -> None:
    first, second = (np.asarray(values, dtype=np.float64) for values in (found, expected))
    np.testing.assert_allclose(first, second, rtol=TOLERANCE, atol=TOLERANCE)


def rules_of(name: str) -> list[Rule]:
    """The rules that a model was trained with, or legal ones that its sentences meet."""
    parser = shipped(name)
    if parser.model.header.rules:
        # What it costs to overlook a word is not learned.
        return [rule for rule in parser.model.header.rules if OVERLOOKED not in rule.parts]
    assert isinstance(parser.decoder, ChartDecoder)
    parser.parse_batch(SENTENCES[name])
    rules = parser.decoder.grammars[-1].grammar.rules
    known = parser.model.header.vocabulary.symbol_numbers
    return [rule for rule in rules if known.keys() >= set(rule.symbols)][:MAX_RULES]


@pytest.mark.parametrize("name", NAMES)
def test_rules_of_a_shipped_model_have_the_scores_of_torch(name: str) -> None:
    model, rules = shipped(name).model, rules_of(name)
    assert len(rules) >= 40
    found = RuleScorer(model.forward).of_members(rules)
    expected = torch_scores(network_of(model), rules)
    assert found.shape == (model.header.config.members, len(rules))
    assert_close(found, expected)


def readings_of(name: str) -> list[Reading]:
    parser = shipped(name)
    texts = [*SENTENCES[name], "qqqqqq", " ".join(SENTENCES[name])]
    return [parser.reader.read(parser.domain.words.tokenize(text)) for text in texts]


@pytest.mark.parametrize("name", NAMES)
def test_lexical_choices_of_a_shipped_model_have_the_scores_of_torch(name: str) -> None:
    model = shipped(name).model
    readings = readings_of(name)
    network = network_of(model)
    for choices in (
        LexicalChoices(readings),
        LexicalChoices.beside_grammar(model.header.config, readings),
    ):
        if not choices.spans:  # a lexicon may leave nothing to choose
            assert model.header.config.lexical == "choices"
            continue
        with torch.no_grad():
            expected = [
                np.stack([scores(member).numpy() for member in network.members])
                for scores in (choices.logits, choices.log_probs)
            ]
        assert_close(choices.logits(model.forward), expected[0])
        assert_close(choices.log_probs(model.forward), expected[1])


CONFIGS = [
    {"hidden": hidden, "encoder": encoder, "members": members, **symbols}
    for hidden in (1, 6)
    for encoder in ("tree", "contextual", "span")
    for members in (1, 2, 4)
    for symbols in (
        {"symbols": "typed"},
        {"symbols": "latent", "nonterminals": 1},
        {"symbols": "latent", "nonterminals": 5},
    )
]


@pytest.mark.parametrize("settings", CONFIGS, ids=str)
def test_shapes_of_weights_are_those_of_the_network(settings: dict[str, object]) -> None:
    config = msgspec.convert(settings, ModelConfig)
    vocabulary = Vocabulary(
        (UNKNOWN, "a", "b"),
        tuple(f"N{number}" for number in range(5)),
        ("join", "turn"),
        (Primitive("Name", "a"), Primitive("Name", "b"), Primitive("Kind", "c")),
    )
    network = Network(config, vocabulary)
    shapes = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    assert weight_shapes(config, vocabulary) == shapes
    assert {name: weight.shape for name, weight in network.weights().items()} == shapes
