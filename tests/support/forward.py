"""Networks as parsers use them: the same weights, without torch."""

import torch

from lear.grammar.rules import Rule
from lear.model.forward_pass import ForwardPass
from lear.model.network import Network
from lear.model.rule_scores import rule_scores


def forward_of(network: Network) -> ForwardPass:
    """The forward pass with the weights that a network has now."""
    return ForwardPass(network.config, network.vocabulary, network.weights())


def torch_scores(network: Network, rules: list[Rule]) -> list[list[float]]:
    """What torch says of rules whose symbols the network knows: by each member."""
    with torch.no_grad():
        return [rule_scores(member, rules).tolist() for member in network.members]


def mean_scores(network: Network, rules: list[Rule]) -> list[float]:
    """The mean over members; minus infinity for symbols that training never showed."""
    symbols = network.vocabulary.symbol_numbers
    known = [rule for rule in rules if all(symbol in symbols for symbol in rule.symbols)]
    by_member = zip(*torch_scores(network, known), strict=True)
    scores = {rule: sum(parts) / len(parts) for rule, parts in zip(known, by_member, strict=True)}
    return [scores.get(rule, float("-inf")) for rule in rules]
