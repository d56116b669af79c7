"""The exact objective: marginal likelihood of the gold meaning over its packed forest.

The model's distribution over the legal derivations of a sentence is p(d) proportional to
exp(sum of rule scores + scores of lexical choices). The loss of a row is
log Z(all legal derivations) - log Z(derivations of gold): no sampling, no variance. Rows without
lexical choices that have equal skeletons and equal gold forests are one problem.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from lear.algebra.algebra import Meaning, Primitive
from lear.benchmark import Example
from lear.domain import Domain
from lear.errors import SearchLimitError
from lear.forest.arrays import Ints, run_sizes
from lear.forest.chart import Edge, Forest, Item, complete_items, legal_chart
from lear.forest.oracle import Attestation, Oracle, rule_of
from lear.forest.packed import PackedForest, inside, joined, partition
from lear.grammar.categories import AttestedOperation
from lear.grammar.reading import CategoryLeaf, Reading, SentenceReader, Skeleton
from lear.grammar.rules import Grammar, Rule
from lear.lexicon.lexicon import UNKNOWN
from lear.messages import SILENT, Tracker
from lear.model.config import Contrast, ModelConfig
from lear.model.lexical_choices import LexicalChoices, scored_units
from lear.model.network import Network, StepResult
from lear.model.rule_scores import rule_scores

V = TypeVar("V", bound=Hashable)

NO_SCORE = -1
"""In place of a rule, as the label of an edge that scores nothing."""


def slot(number: int) -> int:
    """Label an edge by a lexical candidate of its sentence, in place of a rule."""
    return -2 - number


class Scores(NamedTuple):
    """The weights of edges: scores by the labels of these."""

    values: Tensor
    labels: Ints


@dataclass(frozen=True, slots=True)
class TensorLog:
    """Sums of probabilities, as logs, on tensors; their gradient is the expected counts."""

    device: torch.device

    def ones(self, count: int, weights: Scores) -> Tensor:
        """Return so many values of nothing."""
        return weights.values.new_zeros(count)

    def split(self, weights: Scores, sizes: Sequence[int]) -> list[Tensor]:
        """Cut weights into parts of these sizes."""
        parts = np.split(weights.labels, np.cumsum(sizes)[:-1])
        return [self.take(weights.values, part) for part in parts]

    def take(self, values: Tensor, items: Ints) -> Tensor:
        """Return the values of items."""
        return values[torch.as_tensor(items, device=self.device)]

    def put(self, values: Tensor, items: Ints, new: Tensor) -> Tensor:
        """Return values with new ones for some items."""
        return values.index_put((torch.as_tensor(items, device=self.device),), new)

    def times(self, one: Tensor, other: Tensor) -> Tensor:
        """Multiply, which is to add logs."""
        return one + other

    def sums(self, values: Tensor, first: Ints) -> Tensor:
        """Add up runs of values that begin at these places."""
        if len(first) == len(values):
            return values
        runs = np.repeat(np.arange(len(first)), run_sizes(first, len(values)))
        run = torch.as_tensor(runs, device=self.device)
        highest = values.new_full((len(first),), -torch.inf)
        highest = highest.scatter_reduce(0, run, values.detach(), "amax")
        sums = values.new_zeros(len(first)).index_add(0, run, (values - highest[run]).exp())
        return sums.log() + highest


def log_partitions(
    forests: Sequence[PackedForest],
    num_slots: Sequence[int],
    rule_scores: Tensor,
    lexical_scores: Tensor | None = None,
) -> Tensor:
    """Return the log of the sum over each forest's derivations of exp(sum of scores), (forests,).

    The gradient with respect to the scores is the expected number of uses of each.

    Args:
        forests: Labels are rules, `slot` or `NO_SCORE`.
        num_slots: How many lexical candidates the sentence of each has.
        rule_scores: Of all rules, (R,).
        lexical_scores: Of the slots of all forests, one forest after the other, (S,).
    """
    before = np.cumsum(num_slots) - num_slots
    batch = joined([_after_slots(*pair) for pair in zip(forests, before.tolist(), strict=True)])
    slots = rule_scores.new_zeros(0) if lexical_scores is None else lexical_scores
    assert len(slots) == sum(num_slots)
    # Labels below 0 count from the end: there is the score 0, and before it those of the slots.
    scores = torch.cat((rule_scores, slots.flip(0), rule_scores.new_zeros(1)))
    semiring = TensorLog(rule_scores.device)
    values = inside(batch, Scores(scores, batch.edges.label), semiring)
    return partition(batch, values, semiring)


def _after_slots(forest: PackedForest, number: int) -> PackedForest:
    """Return a forest with its slots numbered from a number on."""
    if not number:
        return forest
    label = forest.edges.label
    return forest._replace(edges=forest.edges._replace(label=label - number * (label < NO_SCORE)))


MIN_SENTENCES = 20
"""How many sentences of the sample should have a trigram, where there are as many."""
Trigram = tuple[object, ...]


def choose(skeletons: Sequence[Skeleton], limit: int, seed: int) -> list[int]:
    """Return the places of at most `limit` of these, in order; the seed decides between equals."""
    if len(skeletons) <= limit:
        return list(range(len(skeletons)))
    order = np.random.default_rng((seed, len(skeletons))).permutation(len(skeletons)).tolist()
    seen: Counter[Trigram] = Counter()
    chosen: list[int] = []
    others: list[int] = []
    for position in order:
        trigrams = _trigrams(skeletons[position])
        if len(chosen) < limit and any(seen[trigram] < MIN_SENTENCES for trigram in trigrams):
            seen.update(trigrams)
            chosen.append(position)
        else:
            others.append(position)
    return sorted(chosen + others[: limit - len(chosen)])


def _trigrams(skeleton: Skeleton) -> set[Trigram]:
    """Return every three neighbours of a sentence; a unit is its possible categories."""
    units: dict[int, list[int]] = {}
    for leaf in skeleton.leaves:
        units.setdefault(leaf.begin, []).append(leaf.category)
    terminals: list[object] = ["", *_terminals(skeleton, units), ""]
    return set(zip(terminals, terminals[1:], terminals[2:], strict=False))


def _terminals(skeleton: Skeleton, units: dict[int, list[int]]) -> list[object]:
    return [
        word if word is not None else tuple(units[position])
        for position, word in enumerate(skeleton.words)
        if word is not None or position in units
    ]


DEFAULT_MODEL = ModelConfig()
Slots = dict[tuple[int, int, Primitive], int]
"""Span and primitive of each candidate that has a score of its own -> number of the score."""


@dataclass(slots=True)
class Problem:
    """One skeleton with its gold forest, and how many rows have both."""

    legal: PackedForest
    gold: PackedForest
    reading: Reading
    """Of the first of the rows; where there are lexical choices, it is the only one."""
    count: int = 1
    num_slots: int = 0
    """Lexical candidates of the sentence."""


@dataclass(frozen=True)
class ExactData:
    """Training rows as problems over one grammar."""

    grammar: Grammar
    problems: list[Problem]
    num_rows: int
    num_unreached: int
    """Rows without a derivation of gold, or beyond the search limit; they teach nothing."""
    attested: tuple[AttestedOperation, ...] | None
    """The legal operations, where `model.legality` is `attested`."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of the grammar."""
        return tuple(sorted({symbol for rule in self.grammar.scored for symbol in rule.symbols}))


@dataclass(slots=True)
class _GoldRow:
    """A row with the derivations of its meaning."""

    key: tuple[object, ...]
    """What decides which derivations are legal."""
    reading: Reading
    slots: Slots
    gold: PackedForest
    count: int = 1


def make_problems(
    reader: SentenceReader,
    examples: Iterable[Example],
    *,
    config: ModelConfig = DEFAULT_MODEL,
    contrast: Contrast = "legal",
    limit: int = 0,
    seed: int = 0,
    tracker: Tracker = SILENT,
) -> ExactData:
    """Return forests of gold and of what they are contrasted with, for each distinct pair of them.

    Args:
        reader: Of the sentences.
        examples: The training rows.
        config: What the network looks like, and which operations are legal.
        contrast: Against which derivations those of gold must win: all legal ones, or those by
            rules that derivations of gold use somewhere.
        limit: Learn from a sample of at most so many skeletons, one row each; 0 is all rows.
        seed: Of the sample.
        tracker: Told how far it has come.
    """
    examples = list(examples)
    rows = _sample(reader, examples, limit, seed)
    grammar = Grammar(reader.categories)
    attestation = Attestation(reader.domain)
    if limit and config.legality == "attested":  # rows that are not learned from attest as well
        sampled = {id(example) for example, _ in rows}
        others = [example for example in examples if id(example) not in sampled]
        attestation = Attestation.of(Oracle(reader), others, tracker)
    tracked = tracker.track(rows, "gold meanings derived", len(rows))
    gold_rows, num_unreached = _gold_rows(reader, tracked, grammar, attestation, config)
    attested = None
    if config.legality == "attested":
        attested = tuple(sorted(attestation.operations))
    if attested is not None or contrast == "attested":
        only = grammar.scored if contrast == "attested" else None
        numbered = grammar.rules
        grammar = Grammar(reader.categories.restricted(attested), only)
        for rule in numbered:  # the numbers that the packed forests of gold have
            grammar.number(rule)
    legal: dict[object, PackedForest | None] = {}
    problems = []
    for row in tracker.track(gold_rows, "legal derivations of skeletons", len(gold_rows)):
        if row.key not in legal:
            legal[row.key] = None
            with suppress(SearchLimitError):
                legal[row.key] = _legal_forest(grammar, row.reading, row.slots)
        forest = legal[row.key]
        if forest is None:
            num_unreached += row.count
        else:
            problems.append(Problem(forest, row.gold, row.reading, row.count, len(row.slots)))
    return ExactData(grammar, problems, len(rows), num_unreached, attested)


def _sample(
    reader: SentenceReader, examples: Iterable[Example], limit: int, seed: int
) -> list[tuple[Example, Reading]]:
    """Return the rows to learn from; with a limit, one row of each skeleton that is chosen."""
    pairs = ((example, reader.read(example.tokens)) for example in examples)
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


def _gold_rows(
    reader: SentenceReader,
    rows: Iterable[tuple[Example, Reading]],
    grammar: Grammar,
    attestation: Attestation,
    config: ModelConfig,
) -> tuple[list[_GoldRow], int]:
    """Return distinct rows with their packed gold forests, and how many rows have none.

    The one enumeration of gold forests: it also numbers their rules and collects what they attest.
    """
    oracle = Oracle(reader)
    distinct: dict[tuple[object, ...], _GoldRow] = {}
    num_unreached = 0
    for example, reading in rows:
        forest = None
        with suppress(SearchLimitError):
            forest = oracle.gold_forest(example, reading)
        if forest is None:
            num_unreached += 1
            continue
        if config.legality == "attested":
            attestation.add(forest, reading.skeleton.words)
        slots = _slots(config, reading)
        gold = _gold_forest(reader.domain, forest, grammar, reading, slots)
        # Without choices a skeleton says all; with them the words matter, through the Bi-LSTM.
        key = (reading.skeleton, reading.view if slots else None)
        whole_key = (*key, *(column.tobytes() for column in gold.edges))
        if whole_key in distinct:
            distinct[whole_key].count += 1
        else:
            distinct[whole_key] = _GoldRow(key, reading, slots, gold)
    return list(distinct.values()), num_unreached


def _slots(config: ModelConfig, reading: Reading) -> Slots:
    """Return numbers for the candidates of units that score, in the order of `LexicalChoices`."""
    units = scored_units(config, reading)
    candidates = (candidate for group in units.values() for candidate in group)
    return {
        (candidate.leaf.begin, candidate.leaf.end, reading.primitive(candidate)): number
        for number, candidate in enumerate(candidates)
    }


def _gold_forest(
    domain: Domain, forest: Forest[Meaning], grammar: Grammar, reading: Reading, slots: Slots
) -> PackedForest:
    words = reading.skeleton.words

    def labels(item: Item[Meaning], edge: Edge[Meaning]) -> list[int]:
        if edge.children:
            return [grammar.number(rule_of(domain, item, edge, words))]
        return _leaf_labels(item, [edge.label], slots)

    return forest.packed(labels)


def _legal_forest(grammar: Grammar, reading: Reading, slots: Slots) -> PackedForest | None:
    chart = legal_chart(grammar, reading.skeleton)
    roots = complete_items(grammar, chart)

    def labels(item: Item[int], edge: Edge[int]) -> list[int]:
        if edge.children:
            return [NO_SCORE if edge.label is None else int(edge.label)]
        leaf = CategoryLeaf(item.begin, item.end, item.value)
        return _leaf_labels(item, reading.primitives[leaf], slots)

    if not roots:
        return None
    root = roots[0]
    if len(roots) > 1:  # one item above all: whichever category it has, an answer is an answer
        root = Item(0, chart.num_tokens + 1, -1, [Edge(None, (root,)) for root in roots])
    return Forest(root).packed(labels)


def _leaf_labels(item: Item[V], primitives: Iterable[Primitive], slots: Slots) -> list[int]:
    """Label a leaf by its lexical candidates."""
    keys = ((item.begin, item.end, primitive) for primitive in primitives)
    labels = [slot(slots[key]) for key in keys if key in slots]
    # Without a score a leaf is one way among others; alone, it needs no edge.
    return labels or [NO_SCORE] * (len(item.edges) > 1)


MIN_EXPECTED_USES = 0.5
"""How often a rule must be expected to be used, in all of training, for decoders to try first."""
PROBLEMS_AT_A_TIME = 512
"""How many forests are counted at once: a bound on memory."""


class ExactObjective:
    """Training on problems: its training items."""

    def __init__(self, network: Network, data: ExactData, word_dropout: float = 0.0) -> None:
        self.network = network
        self.data = data
        self.word_dropout = word_dropout

    def training_items(self, max_tokens: int) -> list[int]:
        """Return the problems of at most this many tokens; 0 is all."""
        problems = enumerate(self.data.problems)
        return [i for i, p in problems if max_tokens == 0 or len(p.reading.tokens) <= max_tokens]

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that derivations of gold may well use, by the weights as they are.

        A rule counts as often as it is expected to be used in the derivations of all gold
        meanings; that is the derivative of their log Z by its score.
        """
        grammar = self.data.grammar
        with torch.no_grad():
            scores: Tensor = rule_scores(self.network, grammar.scored)
        scores.requires_grad_()
        for begin in range(0, len(self.data.problems), PROBLEMS_AT_A_TIME):
            problems = self.data.problems[begin : begin + PROBLEMS_AT_A_TIME]
            with torch.no_grad():
                lexical = lexical_scores(self.network, [p.reading for p in problems])
            counts = scores.new_tensor([problem.count for problem in problems])
            gold, num_slots = zip(*((p.gold, p.num_slots) for p in problems), strict=True)
            total = (counts * log_partitions(gold, num_slots, scores, lexical)).sum()
            total.backward()  # type: ignore[no-untyped-call]
        if scores.grad is None:
            return ()
        uses = scores.grad.tolist()
        used = (
            rule
            for rule, count in zip(grammar.scored, uses, strict=True)
            if count > MIN_EXPECTED_USES
        )
        return tuple(dict.fromkeys(used))

    def state(self) -> dict[str, Tensor]:
        """Nothing: all that is learned is in the weights."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Do nothing: all that is learned is in the weights."""

    def begin_lesson(self, entropy: float) -> None:
        """Do nothing: there is no policy whose entropy could count."""

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the gradient of the loss of some problems to the network's."""
        problems = [self.data.problems[number] for number in batch]
        views = None
        if self.word_dropout:
            views = [self._hide(problem.reading.view, rng) for problem in problems]
        total = 0.0
        for member in self.network.members:
            loss = exact_loss(member, self.data.grammar.scored, problems, views)
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        mean = total / len(self.network.members)
        return StepResult(mean, sum(problem.count for problem in problems))

    def _hide(self, view: tuple[str, ...], rng: np.random.Generator) -> tuple[str, ...]:
        """Return a sentence with some words made unknown, so that context is learned from too."""
        hidden = rng.random(len(view)) < self.word_dropout
        return tuple(UNKNOWN if h else word for word, h in zip(view, hidden, strict=True))


def exact_loss(
    network: Network,
    rules: Sequence[Rule],
    problems: Sequence[Problem],
    views: Sequence[tuple[str, ...]] | None = None,
) -> Tensor:
    """Return the mean of log Z(legal) - log Z(gold), weighted by the root of counts."""
    scores = _scores_of_used(network, rules, problems)
    lexical = lexical_scores(network, [problem.reading for problem in problems], views)
    num_slots = [p.num_slots for p in problems]
    legal = log_partitions([p.legal for p in problems], num_slots, scores, lexical)
    gold = log_partitions([p.gold for p in problems], num_slots, scores, lexical)
    counts = [p.count for p in problems]
    weights = torch.tensor(np.sqrt(counts), dtype=scores.dtype, device=network.device)
    return (weights * (legal - gold)).sum() / weights.sum()


def _scores_of_used(network: Network, rules: Sequence[Rule], problems: Sequence[Problem]) -> Tensor:
    """Return the scores of all rules, (R,); only those in the problems' forests are computed."""
    numbers = np.concatenate([f.edges.label for p in problems for f in (p.legal, p.gold)])
    used = np.unique(numbers[numbers >= 0])
    scores: Tensor = rule_scores(network, [rules[number] for number in used.tolist()])
    places = torch.tensor(used, device=network.device)
    return scores.new_zeros(len(rules)).index_put((places,), scores)


def lexical_scores(
    network: Network,
    readings: Sequence[Reading],
    views: Sequence[tuple[str, ...]] | None = None,
) -> Tensor | None:
    """Return the scores of all candidates of all units that have any, one after the other."""
    choices = LexicalChoices.beside_grammar(network.config, readings, views)
    if not choices.spans:
        return None
    scores: Tensor = choices.scores(network)[choices.is_candidate()]
    return scores
