"""The exact objective: marginal likelihood of the gold meaning over its packed forest.

The model's distribution over the legal derivations of a sentence is p(d) proportional to
exp(sum of rule scores + log-probabilities of lexical choices). The loss of a row is
log Z(all legal derivations) - log Z(derivations of gold): no sampling, no variance. Rows without
lexical choices that have equal skeletons and equal gold forests are one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lear.algebra import Meaning
from lear.categories import CategoryTable
from lear.chart import Edge, Item
from lear.domain import Domain, Example
from lear.errors import SearchLimitError
from lear.forest import Forest
from lear.grammar import Analyser, Candidate, CategoryLeaf, Grammar, Reading
from lear.lexicon import Lexicon
from lear.model.lexical import LexicalChoices
from lear.model.network import Network
from lear.model.packing import NO_SCORE, ForestBatch, PackedForest, inside, slot
from lear.model.rule_scores import rule_scores
from lear.oracle import Oracle
from lear.rules import Rule, rule_of
from lear.training.objective import StepResult


@dataclass(slots=True)
class Problem:
    """One skeleton with its gold forest, and how many rows have both."""

    legal: PackedForest
    gold: PackedForest
    reading: Reading
    """Of the first of the rows; where there are lexical choices, it is the only one."""
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
        return tuple(sorted({symbol for rule in self.grammar.rules for symbol in rule.symbols}))

    @property
    def gold_rules(self) -> tuple[Rule, ...]:
        """The rules that derivations of gold use."""
        used = {int(number) for p in self.problems for number in p.gold.edges[:, 1] if number >= 0}
        return tuple(self.grammar.rules[number] for number in sorted(used))


def prepare(
    domain: Domain,
    lexicon: Lexicon,
    examples: Iterable[Example],
    categories: CategoryTable | None = None,
) -> ExactData:
    """Charts of all legal derivations and forests of gold, for each distinct pair of them."""
    if categories is None:
        categories = CategoryTable(domain)
    analyser = Analyser(domain, lexicon, categories)
    grammar = Grammar(categories)
    oracle = Oracle(domain, lexicon)
    legal: dict[object, PackedForest | None] = {}
    problems: dict[tuple[object, ...], Problem] = {}
    num_rows = num_unreached = 0
    for example in examples:
        num_rows += 1
        reading = analyser.read(example.tokens)
        if len(example.tokens) == 1 and not reading.hidden_choices:
            continue  # a lone word has one derivation: itself
        slots = _slots(reading)
        # Without choices a skeleton says all; with them the words matter, through the Bi-LSTM.
        same = (reading.skeleton, reading.tokens if slots else None)
        try:
            if same not in legal:
                legal[same] = _legal_forest(grammar, reading, slots)
            gold = _gold_forest(oracle, example, grammar, reading, slots)
        except SearchLimitError:
            num_unreached += 1
            continue
        all_legal = legal[same]
        if gold is None or all_legal is None:
            num_unreached += 1
            continue
        key = (*same, gold.edges.tobytes())
        if key in problems:
            problems[key].count += 1
        else:
            problems[key] = Problem(all_legal, gold, reading)
    return ExactData(grammar, list(problems.values()), num_rows, num_unreached)


def _slots(reading: Reading) -> dict[Candidate, int]:
    """Numbers for the candidates of the hidden choices of a sentence, in the order of `LexicalChoices`."""
    candidates = (option for options in reading.hidden_choices.values() for option in options)
    return {candidate: number for number, candidate in enumerate(candidates)}


def _legal_forest(
    grammar: Grammar, reading: Reading, slots: dict[Candidate, int]
) -> PackedForest | None:
    chart = grammar.chart(reading.skeleton)
    roots = grammar.complete_items(chart)

    def numbers(item: Item[int], edge: Edge[int]) -> list[int]:
        if edge.children:
            return [NO_SCORE if edge.label is None else int(edge.label)]
        leaf = CategoryLeaf(item.begin, item.end, item.value)
        candidates = (Candidate(leaf, rank) for rank in range(len(reading.candidates[leaf])))
        return [slot(slots[c]) for c in candidates if c in slots]

    if not roots:
        return None
    root = roots[0]
    if len(roots) > 1:  # one item above all: whichever category it has, an answer is an answer
        root = Item(0, chart.num_tokens + 1, -1, [Edge(None, (root,)) for root in roots])
    return PackedForest.of(Forest(root), numbers, len(slots))


def _gold_forest(
    oracle: Oracle,
    example: Example,
    grammar: Grammar,
    reading: Reading,
    slots: dict[Candidate, int],
) -> PackedForest | None:
    forest = oracle.gold_forest(example)
    by_place = {
        (c.leaf.begin, c.leaf.end, reading.primitive(c)): number for c, number in slots.items()
    }

    def numbers(item: Item[Meaning], edge: Edge[Meaning]) -> list[int]:
        if edge.children:
            return [grammar.number(rule_of(oracle.domain, item, edge, example.tokens))]
        place = (item.begin, item.end, edge.label)
        return [slot(by_place[place])] if place in by_place else []

    return None if forest is None else PackedForest.of(forest, numbers, len(slots))


class ExactObjective:
    """Training on problems; a step's units are problems."""

    def __init__(self, network: Network, data: ExactData) -> None:
        self.network = network
        self.data = data

    def units(self, max_tokens: int) -> list[int]:
        """The problems of at most this many tokens; 0 is all."""
        problems = enumerate(self.data.problems)
        return [i for i, p in problems if max_tokens == 0 or len(p.reading.tokens) <= max_tokens]

    def state(self) -> dict[str, Tensor]:
        """Nothing: all that is learned is in the weights."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Nothing to go on from."""

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
    lexical = lexical_scores(network, [problem.reading for problem in problems])
    legal = inside(ForestBatch.of([p.legal for p in problems], device), scores, lexical)
    gold = inside(ForestBatch.of([p.gold for p in problems], device), scores, lexical)
    weights = torch.tensor(np.sqrt([p.count for p in problems]), dtype=scores.dtype, device=device)
    return (weights * (legal - gold)).sum() / weights.sum()


def lexical_scores(network: Network, readings: Sequence[Reading]) -> Tensor | None:
    """The log-probabilities of all candidates of all choices, one after the other."""
    choices = LexicalChoices.of(readings, hidden=True)
    if not choices.places:
        return None
    mask = torch.tensor(choices.is_candidate(), device=network.device)
    return choices.log_probs(network)[mask]
