"""The exact objective: marginal likelihood of the gold meaning over its packed forest.

The model's distribution over the legal derivations of a sentence is p(d) proportional to
exp(sum of rule scores). The loss of a row is log Z(all legal derivations) - log Z(derivations of
gold): no sampling, no variance. Rows with equal skeletons and equal gold forests are one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lear.algebra import Meaning
from lear.categories import CategoryTable
from lear.chart import Chart, Edge, Item
from lear.domain import Domain, Example
from lear.errors import DataError, SearchLimitError
from lear.forest import Forest
from lear.grammar import Analyser, Grammar
from lear.lexicon import Lexicon
from lear.model.network import Network
from lear.model.packing import ForestBatch, PackedForest, inside
from lear.model.rule_scores import rule_scores
from lear.oracle import Oracle
from lear.rules import Rule, rule_of
from lear.training.objective import StepResult, require_one_meaning


@dataclass(slots=True)
class Problem:
    """One skeleton with its gold forest, and how many rows have both."""

    legal: PackedForest
    gold: PackedForest
    num_tokens: int
    count: int = 1


@dataclass(frozen=True)
class ExactData:
    """Training rows as problems over one grammar."""

    grammar: Grammar
    problems: list[Problem]
    num_rows: int
    num_unreached: int
    """Rows without a derivation of gold, or beyond the search limit; they teach nothing."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of the grammar."""
        parts = {part for rule in self.grammar.rules for part in rule.parts}
        return tuple(sorted(part[1:-1] for part in parts if part.startswith("[")))

    @property
    def gold_rules(self) -> tuple[Rule, ...]:
        """The rules that derivations of gold use."""
        used = {int(number) for p in self.problems for number in p.gold.edges[:, 1]}
        return tuple(self.grammar.rules[number] for number in sorted(used))


def prepare(domain: Domain, lexicon: Lexicon, examples: Iterable[Example]) -> ExactData:
    """Charts of all legal derivations and forests of gold, for each distinct pair of them."""
    require_one_meaning(lexicon)
    categories = CategoryTable(domain)
    analyser = Analyser(domain, lexicon, categories)
    grammar = Grammar(categories)
    oracle = Oracle(domain, lexicon)
    legal: dict[object, PackedForest | None] = {}
    problems: dict[tuple[object, bytes], Problem] = {}
    num_rows = num_unreached = 0
    for example in examples:
        num_rows += 1
        skeleton = analyser.read(example.tokens).skeleton
        if len(example.tokens) == 1:
            continue  # a lone word has one derivation: itself
        try:
            if skeleton not in legal:
                legal[skeleton] = _legal_forest(grammar, grammar.chart(skeleton))
            gold = _gold_forest(oracle, example, grammar)
        except SearchLimitError:
            num_unreached += 1
            continue
        all_legal = legal[skeleton]
        if gold is None or all_legal is None:
            num_unreached += 1
            continue
        key = (skeleton, gold.edges.tobytes())
        if key in problems:
            problems[key].count += 1
        else:
            problems[key] = Problem(all_legal, gold, len(example.tokens))
    return ExactData(grammar, list(problems.values()), num_rows, num_unreached)


def _legal_forest(grammar: Grammar, chart: Chart[int]) -> PackedForest | None:
    roots = grammar.complete_items(chart)
    if not roots:
        return None
    if len(roots) > 1:
        raise DataError("a sentence has complete meanings of two categories")
    return PackedForest.of(Forest(roots[0]), lambda _, edge: int(edge.label))


def _gold_forest(oracle: Oracle, example: Example, grammar: Grammar) -> PackedForest | None:
    forest = oracle.gold_forest(example)

    def number(item: Item[Meaning], edge: Edge[Meaning]) -> int:
        return grammar.number(rule_of(oracle.domain, item, edge, example.tokens))

    return None if forest is None else PackedForest.of(forest, number)


class ExactObjective:
    """Training on problems; a step's units are problems."""

    def __init__(self, network: Network, data: ExactData) -> None:
        self.network = network
        self.data = data

    def units(self, max_tokens: int) -> list[int]:
        """The problems of at most this many tokens; 0 is all."""
        problems = enumerate(self.data.problems)
        return [i for i, p in problems if max_tokens == 0 or p.num_tokens <= max_tokens]

    def backward(self, units: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the gradient of the loss of some problems to the network's."""
        del rng
        problems = [self.data.problems[unit] for unit in units]
        loss = exact_loss(self.network, self.data.grammar.rules, problems)
        loss.backward()  # type: ignore[no-untyped-call]
        return StepResult(loss.item(), sum(problem.count for problem in problems))


def exact_loss(network: Network, rules: Sequence[Rule], problems: Sequence[Problem]) -> Tensor:
    """Mean over problems of log Z(legal) - log Z(gold), weighted by the root of their counts."""
    device = network.device
    scores = rule_scores(network, rules)
    legal = inside(ForestBatch.of([problem.legal for problem in problems], device), scores)
    gold = inside(ForestBatch.of([problem.gold for problem in problems], device), scores)
    weights = torch.tensor(np.sqrt([p.count for p in problems]), dtype=scores.dtype, device=device)
    return (weights * (legal - gold)).sum() / weights.sum()
