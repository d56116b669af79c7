"""The exact objective: marginal likelihood of the gold meaning over its packed forest.

The model's distribution over the legal derivations of a sentence is p(d) proportional to
exp(sum of rule scores + log-probabilities of lexical choices). The loss of a row is
log Z(all legal derivations) - log Z(derivations of gold): no sampling, no variance. Rows without
lexical choices that have equal skeletons and equal gold forests are one.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
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
from lear.grammar import Analyser, Candidate, CategoryLeaf, Grammar, Reading, Skeleton
from lear.lexicon import UNKNOWN, Lexicon
from lear.model.config import ModelConfig
from lear.model.lexical import LexicalChoices, scored_units
from lear.model.network import Network
from lear.model.packing import NO_SCORE, ForestBatch, PackedForest, inside, slot
from lear.model.rule_scores import rule_scores
from lear.oracle import Oracle
from lear.rules import Rule, rule_of
from lear.training.config import Contrast
from lear.training.objective import StepResult
from lear.training.selection import choose

DEFAULT_MODEL = ModelConfig()
LEAST_USE = 0.5
"""How often a rule must be expected to be used, in all of training, to be tried first."""
PROBLEMS_AT_A_TIME = 512
"""How many forests are counted at once: a bound on memory."""


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


@dataclass(slots=True)
class _Solved:
    """A row with the derivations of its meaning."""

    key: tuple[object, ...]
    """What decides which derivations are legal."""
    reading: Reading
    slots: dict[Candidate, int]
    gold: PackedForest
    count: int = 1


def prepare(
    domain: Domain,
    lexicon: Lexicon,
    examples: Iterable[Example],
    categories: CategoryTable | None = None,
    *,
    config: ModelConfig = DEFAULT_MODEL,
    contrast: Contrast = "legal",
    limit: int = 0,
    seed: int = 0,
) -> ExactData:
    """Forests of gold and of what they are contrasted with, for each distinct pair of them.

    Args:
        domain: The domain.
        lexicon: Its induced lexicon.
        examples: The training rows.
        categories: What is legal; everything that types allow by default.
        config: What the network looks like.
        contrast: Against which derivations those of gold must win: all legal ones, or those by
            rules that derivations of gold use somewhere.
        limit: Learn from a sample of at most so many skeletons, one row each; 0 is all rows.
        seed: Of the sample.
    """
    if categories is None:
        categories = CategoryTable(domain)
    oracle = Oracle(domain, lexicon)
    rows = _sample(Analyser(domain, lexicon, categories), examples, limit, seed)
    whole = Grammar(categories)
    solved: dict[tuple[object, ...], _Solved] = {}
    num_unreached = 0
    for example, reading in rows:
        slots = _slots(config, reading)
        gold = None
        with suppress(SearchLimitError):
            gold = _gold_forest(oracle, example, whole, reading, slots)
        if gold is None:
            num_unreached += 1
            continue
        # Without choices a skeleton says all; with them the words matter, through the Bi-LSTM.
        key = (reading.skeleton, reading.view if slots else None)
        found = (*key, gold.edges.tobytes())
        if found in solved:
            solved[found].count += 1
        else:
            solved[found] = _Solved(key, reading, slots, gold)

    grammar = whole
    if contrast == "attested":
        grammar = Grammar(categories, whole.rules)
        for rule in whole.rules:  # the numbers that packed forests of gold have
            grammar.number(rule)
    legal: dict[object, PackedForest | None] = {}
    problems = []
    for row in solved.values():
        if row.key not in legal:
            legal[row.key] = None
            with suppress(SearchLimitError):
                legal[row.key] = _legal_forest(grammar, row.reading, row.slots)
        forest = legal[row.key]
        if forest is None:
            num_unreached += row.count
        else:
            problems.append(Problem(forest, row.gold, row.reading, row.count))
    return ExactData(grammar, problems, len(rows), num_unreached)


def _sample(
    analyser: Analyser, examples: Iterable[Example], limit: int, seed: int
) -> list[tuple[Example, Reading]]:
    """The rows to learn from; with a limit, one row of each skeleton that is chosen."""
    pairs = ((example, analyser.read(example.tokens)) for example in examples)
    # A lone word without a choice has one derivation: itself.
    rows = [pair for pair in pairs if len(pair[0].tokens) > 1 or pair[1].hidden_choices]
    if not limit:
        return rows
    first: dict[Skeleton, tuple[Example, Reading]] = {}
    for row in rows:
        first.setdefault(row[1].skeleton, row)
    chosen = choose(list(first), limit, seed)
    distinct = list(first.values())
    return [distinct[place] for place in chosen]


def _slots(config: ModelConfig, reading: Reading) -> dict[Candidate, int]:
    """Numbers for the candidates of units that score, in the order of `LexicalChoices`."""
    units = scored_units(config, reading)
    candidates = (option for options in units.values() for option in options)
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

    words = tuple(
        shown if word is None else word
        for word, shown in zip(reading.skeleton.words, reading.view, strict=True)
    )

    def numbers(item: Item[Meaning], edge: Edge[Meaning]) -> list[int]:
        if edge.children:
            return [grammar.number(rule_of(oracle.domain, item, edge, words))]
        place = (item.begin, item.end, edge.label)
        return [slot(by_place[place])] if place in by_place else []

    return None if forest is None else PackedForest.of(forest, numbers, len(slots))


class ExactObjective:
    """Training on problems; a step's units are problems."""

    def __init__(self, network: Network, data: ExactData, word_dropout: float = 0.0) -> None:
        self.network = network
        self.data = data
        self.word_dropout = word_dropout

    def units(self, max_tokens: int) -> list[int]:
        """The problems of at most this many tokens; 0 is all."""
        problems = enumerate(self.data.problems)
        return [i for i, p in problems if max_tokens == 0 or len(p.reading.tokens) <= max_tokens]

    def rules(self) -> tuple[Rule, ...]:
        """The rules that derivations of gold may well use, by the weights as they are.

        A rule counts as often as it is expected to be used in the derivations of all gold
        meanings; that is the derivative of their log Z by its score.
        """
        grammar = self.data.grammar
        with torch.no_grad():
            scores = rule_scores(self.network, grammar.rules)
        scores.requires_grad_()
        for begin in range(0, len(self.data.problems), PROBLEMS_AT_A_TIME):
            problems = self.data.problems[begin : begin + PROBLEMS_AT_A_TIME]
            with torch.no_grad():
                lexical = lexical_scores(self.network, [p.reading for p in problems])
            batch = ForestBatch.of([p.gold for p in problems], self.network.device)
            counts = scores.new_tensor([problem.count for problem in problems])
            total = (counts * inside(batch, scores, lexical)).sum()
            total.backward()  # type: ignore[no-untyped-call]
        if scores.grad is None:
            return ()
        uses = scores.grad.tolist()
        return tuple(
            rule for rule, count in zip(grammar.rules, uses, strict=True) if count > LEAST_USE
        )

    def state(self) -> dict[str, Tensor]:
        """Nothing: all that is learned is in the weights."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Nothing to go on from."""

    def backward(self, units: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the gradient of the loss of some problems to the network's."""
        problems = [self.data.problems[unit] for unit in units]
        views = None
        if self.word_dropout:
            views = [self._hide(problem.reading.view, rng) for problem in problems]
        total = 0.0
        for member in self.network.members:
            loss = exact_loss(member, self.data.grammar.rules, problems, views)
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        mean = total / len(self.network.members)
        return StepResult(mean, sum(problem.count for problem in problems))

    def _hide(self, view: tuple[str, ...], rng: np.random.Generator) -> tuple[str, ...]:
        """A sentence with some of its words made unknown, so that context is learned from too."""
        hidden = rng.random(len(view)) < self.word_dropout
        return tuple(UNKNOWN if h else word for word, h in zip(view, hidden, strict=True))


def exact_loss(
    network: Network,
    rules: Sequence[Rule],
    problems: Sequence[Problem],
    views: Sequence[tuple[str, ...]] | None = None,
) -> Tensor:
    """Mean over problems of log Z(legal) - log Z(gold), weighted by the root of their counts."""
    device = network.device
    scores = _scores_of_used(network, rules, problems)
    lexical = lexical_scores(network, [problem.reading for problem in problems], views)
    legal = inside(ForestBatch.of([p.legal for p in problems], device), scores, lexical)
    gold = inside(ForestBatch.of([p.gold for p in problems], device), scores, lexical)
    weights = torch.tensor(np.sqrt([p.count for p in problems]), dtype=scores.dtype, device=device)
    return (weights * (legal - gold)).sum() / weights.sum()


def _scores_of_used(network: Network, rules: Sequence[Rule], problems: Sequence[Problem]) -> Tensor:
    """The scores of all rules, (R,), of which only those in the problems' forests are computed."""
    numbers = np.concatenate([f.edges[:, 1] for p in problems for f in (p.legal, p.gold)])
    used = np.unique(numbers[numbers >= 0])
    found = rule_scores(network, [rules[number] for number in used.tolist()])
    places = torch.tensor(used, device=network.device)
    return found.new_zeros(len(rules)).index_put((places,), found)


def lexical_scores(
    network: Network,
    readings: Sequence[Reading],
    views: Sequence[tuple[str, ...]] | None = None,
) -> Tensor | None:
    """The scores of all candidates of all units that have any, one after the other."""
    choices = LexicalChoices.beside_grammar(network.config, readings, views)
    if not choices.places:
        return None
    mask = torch.tensor(choices.is_candidate(), device=network.device)
    return choices.potentials(network)[mask]
