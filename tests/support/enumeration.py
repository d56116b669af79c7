"""The distribution over derivations, by enumeration: scores of every complete derivation."""

import math

import numpy as np
import torch
from numpy.typing import NDArray

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Derivation, Leaf, Node, evaluate, walk
from lear.benchmark import Example
from lear.domain import Domain
from lear.forest.oracle import Oracle
from lear.grammar.reading import Reading, Words
from lear.grammar.rules import Rule, make_rule
from lear.learning.exact import ExactData
from lear.model.config import ModelConfig, Vocabulary
from lear.model.lexical_choices import leaf_scores
from lear.model.network import Network
from tests.support.brute_force import complete_derivations, gold_derivations
from tests.support.forward import forward_of, torch_scores

Floats = NDArray[np.float64]
TINY = ModelConfig(hidden=8)


def tiny_network(oracle: Oracle, data: ExactData, seed: int, config: ModelConfig = TINY) -> Network:
    """A network that knows nothing yet."""
    torch.manual_seed(seed)
    return Network(config, Vocabulary.of(oracle.reader, data.symbols)).double()


def rules_of(domain: Domain, derivation: Derivation, words: Words) -> list[Rule]:
    """The rules of a derivation, straight from its nodes."""
    rules = []
    for _, node in walk(derivation):
        if isinstance(node, Node):
            table = MeaningTable(domain.language.algebra)
            arguments = tuple(evaluate(c, table, domain.words.ground) for c in node.children)
            symbols = domain.syntax.rule_symbols(node.operation, arguments)
            borders = [node.begin, *(b for c in node.children for b in (c.begin, c.end)), node.end]
            gaps = [words[b:e] for b, e in zip(borders[::2], borders[1::2], strict=True)]
            rules.append(make_rule(node.operation, symbols, gaps))
    return rules


def lexical_scores(network: Network, reading: Reading, derivation: Derivation) -> Floats:
    """What the primitives of a derivation score by each member, where there was a choice."""
    (leaves,) = leaf_scores(forward_of(network), [reading])
    total = np.zeros(network.config.members)
    for _, node in walk(derivation):
        if isinstance(node, Leaf):
            for leaf, primitives in reading.primitives.items():
                is_here = leaf[:2] == (node.begin, node.end) and node.primitive in primitives
                if is_here and leaf in leaves:
                    total += leaves[leaf][:, primitives.index(node.primitive)]
    return total


def member_scores(
    oracle: Oracle, network: Network, tokens: tuple[str, ...]
) -> dict[Derivation, Floats]:
    """What each member gives all complete derivations, found by brute force."""
    reading = oracle.reader.read(tokens)
    scores = {}
    for derivation in complete_derivations(oracle, tokens):
        rules = rules_of(oracle.domain, derivation, reading.skeleton.words)
        by_rules = np.array(torch_scores(network, rules)).sum(axis=1)
        scores[derivation] = by_rules + lexical_scores(network, reading, derivation)
    return scores


def enumerated(
    oracle: Oracle, network: Network, example: Example
) -> tuple[dict[Derivation, float], set[Derivation]]:
    """Scores of all complete derivations by brute force, and which of them mean gold."""
    by_member = member_scores(oracle, network, example.tokens)
    scores = {derivation: float(parts.mean()) for derivation, parts in by_member.items()}
    return scores, gold_derivations(oracle, example)


def log_sum(values: list[float]) -> float:
    """The log of the sum of the exponentials."""
    return math.log(sum(math.exp(value) for value in values))
