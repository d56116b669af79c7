"""Scores of rules: what Composer and Interpreter say of a node, given its abstracted yield.

A yield is composed from left to right. Every node but the last stays open (class 0: no
nonterminal); the last is a nonterminal and has the rule's operation. The score of a rule is the sum
of these logits; the score under an ensemble is the mean of its members'. A derivation's score is
the sum over its rules. Exact training normalises over all legal derivations of a sentence, so
these are potentials and need not be log-probabilities.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from lear.forest.scored_grammar import NumberedRules, Parts, RuleNumbers
from lear.grammar.rules import Rule, is_symbol, symbol_part
from lear.lexicon.lexicon import OVERLOOKED
from lear.model.forward_pass import Floats, ForwardPass, Layers, part_states

OPEN, NONTERMINAL = 0, 1
"""Classes of a node with typed symbols."""


def rule_scores(layers: Layers, rules: Sequence[Rule]) -> Any:
    """Return the score of each rule, (..., R); every distinct prefix of yields is composed once."""
    if not rules:
        return layers.zeros(0)
    # The distinct prefixes of each size, by number.
    levels: list[dict[Parts, int]] = [{} for _ in range(max(len(r.parts) for r in rules))]
    for parts in dict.fromkeys(rule.parts for rule in rules):
        for size, level in enumerate(levels[: len(parts)], start=1):
            level.setdefault(parts[:size], len(level))
    part_names = sorted({part for rule in rules for part in rule.parts})
    part_number = {part: number for number, part in enumerate(part_names)}
    lasts = part_states(layers, part_names)

    vocabulary, num_first = layers.vocabulary, len(levels[0])
    states = lasts.pick(np.array([part_number[prefix[-1]] for prefix in levels[0]]))
    # The sum of logits if the node stays open, and without its operation if it does not; a node of
    # one part has neither merge nor class.
    opened = layers.zeros(num_first)
    finished, operations = [opened], [layers.zeros(num_first, len(vocabulary.operations))]
    for shorter, level in pairwise(levels):
        before = np.array([shorter[prefix[:-1]] for prefix in level])
        last = lasts.pick(np.array([part_number[prefix[-1]] for prefix in level]))
        states = layers.compose(states.pick(before), last)
        merge, classes, operation = layers.node_logits(states.h)
        below = opened[..., before] + merge[..., 0]
        opened = below + classes[..., OPEN]
        finished.append(below + classes[..., NONTERMINAL])
        operations.append(operation)
    begins = [0, *accumulate(map(len, levels))]
    whole = [begins[len(r.parts) - 1] + levels[len(r.parts) - 1][r.parts] for r in rules]
    chosen = [vocabulary.operation_numbers[rule.operation] for rule in rules]
    return layers.join(finished)[..., whole] + layers.join(operations)[..., whole, chosen]


STRANGENESS = 4.0
"""The cost of taking a symbol that training never showed for another one."""
OVERLOOKING = 8.0
"""The cost of overlooking a word that has a meaning; otherwise it is as a word never seen."""
MAX_RULES = 1024
"""The most rules that are scored together, which bounds how many states are kept."""


class RuleScorer:
    """Scores rules for a search, also those over symbols that training never showed."""

    def __init__(self, forward: ForwardPass) -> None:
        """Score by the weights of a model."""
        self.forward = forward
        self.numbers = RuleNumbers(forward.vocabulary.operations)
        self._known_symbols = {symbol_part(symbol) for symbol in forward.vocabulary.symbols}
        self._parts: dict[str, tuple[str, float]] = {}

    def __call__(self, rules: Sequence[Rule]) -> list[float]:
        """Return the score of each rule: the mean over members."""
        scores: list[float] = self._of_members(rules).mean(axis=0, dtype=np.float64).tolist()
        return scores

    def scores(self, rules: NumberedRules) -> Floats:
        """Return the score of each rule in numbers: the mean over members, (R,)."""
        means: Floats = self.by_member(rules).mean(axis=0, dtype=np.float64)
        return means

    def of_members(self, rules: Sequence[Rule]) -> Floats:
        """Return the score of each rule by each member, (K, R); -inf for unknown symbols."""
        return self._of_members(rules).astype(np.float64)

    def by_member(self, rules: NumberedRules) -> Floats:
        """Return the score of each rule in numbers by each member, (K, R)."""
        columns = (column.tolist() for column in rules)
        return self._of_members(list(map(self.numbers.rule, *columns)))

    def _of_members(self, rules: Sequence[Rule]) -> Floats:
        """Score in the precision of the weights: equal derivations then have equal sums."""
        yields = {parts: self._known_yield(parts) for parts in {rule.parts for rule in rules}}
        costs = np.array([yields[rule.parts][1] for rule in rules])
        (possible,) = np.nonzero(costs < np.inf)
        scores: Floats = self.forward.zeros(len(rules))
        for begin in range(0, len(possible), MAX_RULES):
            some = possible[begin : begin + MAX_RULES]
            composed = [Rule(rules[n].operation, yields[rules[n].parts][0]) for n in some.tolist()]
            scores[:, some] = rule_scores(self.forward, composed)
        scores -= costs
        return scores

    def _known_yield(self, parts: Parts) -> tuple[Parts, float]:
        """Return the yield that a yield is taken for, and its cost; infinite if impossible."""
        for part in parts:
            if part not in self._parts:
                nearest = self._nearest(part)
                cost = STRANGENESS * (nearest != part) + OVERLOOKING * (part == OVERLOOKED)
                self._parts[part] = (part, np.inf) if nearest is None else (nearest, cost)
        known = [self._parts[part] for part in parts]
        return tuple([part for part, _ in known]), sum([cost for _, cost in known])

    def _nearest(self, part: str) -> str | None:
        """Return the known part that a part is taken for; None for a symbol that is impossible.

        Where settings say so, a symbol that training never showed is taken for the known one that
        it shares most words with, the first of all: "not river" for "not city".
        """
        if part in self._known_symbols or not is_symbol(part):  # the network knows unknown words
            return part
        if self.forward.config.strange_symbols is None:
            return None
        first, words = _words_of_symbol(part)
        known = self._words_of_known.get(first) or self._words_of_known.get(None, {})
        return max(
            known,
            key=lambda other: len(words & known[other]) / len(words | known[other]),
            default=None,
        )

    @cached_property
    def _words_of_known(self) -> dict[str | None, dict[str, set[str]]]:
        """The known symbols with all their words, by their first word; under None all of them."""
        by_first: dict[str | None, dict[str, set[str]]] = {}
        for symbol in sorted(self._known_symbols):
            first, words = _words_of_symbol(symbol)
            for key in (first, None):
                by_first.setdefault(key, {})[symbol] = words
        return by_first


def _words_of_symbol(part: str) -> tuple[str, set[str]]:
    """Return the first word of a symbol, and all of them."""
    words = re.split(r"[\s,|&]+", part[1:-1])
    return words[0], set(words)
