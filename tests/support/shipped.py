"""The models that ship, and sentences of our own for each of them."""

from functools import cache

import torch

from lear.model.model_file import Model
from lear.model.network import Network
from lear.parser import Parser

SENTENCES: dict[str, tuple[str, ...]] = {
    "cogs": (
        "Emma slept.",
        "A rose was helped by a dog.",
        "Emma gave the girl a cake on the table.",
        "The boy said that Liam hoped that a cat beside the bed ran.",
    ),
    "slog": (
        "Who slept?",
        "What did the boy that Liam liked eat?",
        "The girl that Emma gave a cake to smiled.",
        "a cake that was lent to the dog",
    ),
    "cfq": (
        "Did M0 direct M1",
        "Who was a writer and director of M1",
        "Who directed M1, M2, and M3",
        "Did M0's sibling edit M1 and M2",
    ),
    "geo": (
        "What is the capital of Texas?",
        "which rivers run through the states that border colorado",
        "how many people live in the largest city of ohio",
        "what is the population of washington",
    ),
    "geo-query": (
        "what rivers run through var0",
        "what is the largest city in var0",
        "which states border var0",
        "how many rivers are in the state with the most cities",
    ),
}
NAMES = tuple(SENTENCES)


@cache
def shipped(name: str) -> Parser:
    """A parser that tests share: they must not change it."""
    return Parser.from_pretrained(name)


def network_of(model: Model) -> Network:
    """The same weights in torch."""
    network = Network(model.header.config, model.header.vocabulary)
    weights = {name: torch.tensor(weight) for name, weight in model.weights.items()}
    network.load_state_dict(weights)
    return network
