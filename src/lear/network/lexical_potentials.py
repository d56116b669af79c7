"""Scores of lexical choices with gradients: what `model.lexical_choices` has without."""

import torch
from torch import Tensor

from lear.model.lexical_choices import LexicalChoices
from lear.network.network import Network


def lexical_logits(network: Network, choices: LexicalChoices) -> Tensor:
    """Scores of candidates, (choices, width); minus infinity where there is none."""
    sentences, places = choices.places(network.vocabulary)
    every = network.lexical(sentences, *map(network.index, places))  # (choices, primitives)
    # A word never seen may stand for primitives that no weight belongs to: they score 0.
    every = torch.cat((every, every.new_zeros(len(choices.spans), 1)), dim=1)
    numbers = torch.tensor(choices.primitive_numbers(network.vocabulary), device=network.device)
    mask = torch.tensor(choices.is_candidate(), device=network.device)
    return every.gather(1, numbers).masked_fill(~mask, -torch.inf)


def lexical_log_probs(network: Network, choices: LexicalChoices) -> Tensor:
    """The log-probability of each candidate of each choice, (choices, width)."""
    return lexical_logits(network, choices).log_softmax(dim=-1)


def lexical_potentials(network: Network, choices: LexicalChoices) -> Tensor:
    """The scores of candidates beside those of rules.

    Where a unit may also be a function word, the choice is not among candidates alone, so nothing
    is normalised.
    """
    if network.config.lexical == "units":
        return lexical_logits(network, choices)
    return lexical_log_probs(network, choices)
