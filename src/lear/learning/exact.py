"""The inside algorithm, over many packed forests at once as one set of arrays.

Items of a batch are numbered together; edges are grouped by the length of their parent's span, so
that one round of tensor arithmetic completes all items of one length in all forests.

Which training sentences to learn from, where there are more than is needed.

Sentences with one skeleton teach the same, and most skeletons share their trigrams (three
neighbouring words or units) with many others. So a sample is enough if it holds every trigram often
enough: first come sentences with a trigram that the sample has seldom, then any.

Training rows as problems: the forest of gold, and the forest that it is contrasted with.

Rows without lexical choices that have equal skeletons and equal gold forests are one problem.

The exact objective: marginal likelihood of the gold meaning over its packed forest.

The model's distribution over the legal derivations of a sentence is p(d) proportional to
exp(sum of rule scores + scores of lexical choices). The loss of a row is
log Z(all legal derivations) - log Z(derivations of gold): no sampling, no variance.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lear.algebra.algebra import Meaning, Primitive
from lear.benchmark import Example
from lear.domain import Domain
from lear.errors import SearchLimitError
from lear.forest.chart import Edge, Forest, Item
from lear.forest.legal_chart import complete_items, legal_chart
from lear.forest.oracle import Attestation, Oracle, rule_of
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
Ints = NDArray[np.int64]

NO_CHILD = -1
"""In place of a child that an edge does not have."""
NO_SCORE = -1
"""In place of a rule, where an edge scores nothing."""


def slot(number: int) -> int:
    """In place of a rule: the score of a lexical candidate of the sentence, by its number."""
    return -2 - number


@dataclass(frozen=True, slots=True)
class PackedForest:
    """A forest as arrays; items are in an order in which children come first, the root last."""

    lengths: Ints  # (items,) tokens of each item's span
    edges: Ints  # (edges, 4) parent; rule, `slot` or NO_SCORE; first child; second child
    num_slots: int = 0
    """Lexical candidates of the sentence."""

    @classmethod
    def of(
        cls,
        forest: Forest[V],
        numbers: Callable[[Item[V], Edge[V]], Sequence[int]],
        num_slots: int = 0,
    ) -> "PackedForest":
        """The arrays of a forest.

        Args:
            forest: What to pack.
            numbers: Score indices of an edge, one per alternative: a rule, or a `slot`; a leaf
                without any scores 0.
            num_slots: How many lexical candidates the sentence has.
        """
        items = forest.items()
        number = {item: index for index, item in enumerate(items)}
        edges = []
        for item in items:
            for edge in item.edges:
                children = [number[child] for child in edge.children]
                children += [NO_CHILD] * (2 - len(children))
                rules = numbers(item, edge)
                if not rules and len(item.edges) > 1:
                    rules = [NO_SCORE]  # one way among others; alone, a leaf needs no edge
                edges += [(number[item], rule, *children) for rule in rules]
        return cls(
            np.array([item.end - item.begin for item in items], dtype=np.int64),
            np.array(edges, dtype=np.int64).reshape(-1, 4),
            num_slots,
        )


@dataclass(frozen=True, slots=True)
class Level:
    """The edges of all items of one length."""

    scores: Tensor  # (E,) where in the vector of all scores an edge's is
    first: Tensor  # (E,) items
    second: Tensor  # (E,) items; the spare item, whose value is 0, where there is none
    segments: Tensor  # (E,) which of `parents` an edge belongs to
    parents: Tensor  # (P,) items


@dataclass(frozen=True, slots=True)
class ForestBatch:
    """Several packed forests, ready for `inside`."""

    num_items: int
    num_slots: int
    roots: Tensor  # (forests,)
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, forests: Sequence[PackedForest], device: torch.device) -> "ForestBatch":
        """One numbering of items for all forests; the spare item comes last."""
        sizes = np.array([len(forest.lengths) for forest in forests])
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        lengths = np.concatenate([forest.lengths for forest in forests])
        slots = np.concatenate(([0], np.cumsum([forest.num_slots for forest in forests])))
        edges = np.concatenate(
            [
                _shifted(forest.edges, item, first_slot, int(offsets[-1]), int(slots[-1]))
                for forest, item, first_slot in zip(forests, offsets, slots, strict=False)
            ]
        )
        edge_lengths = lengths[edges[:, 0]]
        levels = []
        for length in np.unique(edge_lengths):
            chosen = edges[edge_lengths == length]
            parents, segments = np.unique(chosen[:, 0], return_inverse=True)
            arrays: tuple[Any, ...] = (chosen[:, 1], chosen[:, 2], chosen[:, 3], segments, parents)
            levels.append(Level(*(torch.tensor(a, device=device) for a in arrays)))
        roots = torch.tensor(offsets[1:] - 1, device=device)
        return cls(int(offsets[-1]), int(slots[-1]), roots, tuple(levels))


def _shifted(edges: Ints, first_item: int, first_slot: int, num_items: int, num_slots: int) -> Ints:
    """Edges in the numbering of a batch: slots first, then the score 0, then rules."""
    rules, children = edges[:, 1], edges[:, 2:]
    scores = np.where(rules <= -2, first_slot - 2 - rules, num_slots + 1 + rules)
    parents = edges[:, 0] + first_item
    children = np.where(children == NO_CHILD, num_items, children + first_item)
    shifted: Ints = np.column_stack((parents, scores, children))
    return shifted


def inside(batch: ForestBatch, rule_scores: Tensor, lexical_scores: Tensor | None = None) -> Tensor:
    """The log of the sum over each forest's derivations of exp(sum of scores), (forests,).

    The gradient with respect to the scores is the expected number of uses of each.

    Args:
        batch: The forests.
        rule_scores: Of all rules, (R,).
        lexical_scores: Of the slots of all forests, one forest after the other, (S,).
    """
    zero = rule_scores.new_zeros(1)
    slots = rule_scores.new_zeros(0) if lexical_scores is None else lexical_scores
    assert len(slots) == batch.num_slots
    scores = torch.cat((slots, zero, rule_scores))
    values = scores.new_zeros(batch.num_items + 1)
    for level in batch.levels:
        totals = scores[level.scores] + values[level.first] + values[level.second]  # (E,)
        highest = totals.new_full((len(level.parents),), -torch.inf)
        highest = highest.scatter_reduce(0, level.segments, totals.detach(), "amax")
        sums = totals.new_zeros(len(level.parents)).index_add(
            0, level.segments, (totals - highest[level.segments]).exp()
        )
        values = values.index_put((level.parents,), sums.log() + highest)
    return values[batch.roots]


MIN_SENTENCES = 20
"""How many sentences of the sample should have a trigram, where there are as many."""
Trigram = tuple[object, ...]


def choose(skeletons: Sequence[Skeleton], limit: int, seed: int) -> list[int]:
    """The places of at most `limit` of these, in order; the seed decides between equals."""
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
    """Every three neighbours of a sentence; a unit is known by the categories that it can have."""
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
    """Forests of gold and of what they are contrasted with, for each distinct pair of them.

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
            problems.append(Problem(forest, row.gold, row.reading, row.count))
    return ExactData(grammar, problems, len(rows), num_unreached, attested)


def _sample(
    reader: SentenceReader, examples: Iterable[Example], limit: int, seed: int
) -> list[tuple[Example, Reading]]:
    """The rows to learn from; with a limit, one row of each skeleton that is chosen."""
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
    """Distinct rows with their packed gold forests, and how many rows have none.

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
        whole_key = (*key, gold.edges.tobytes())
        if whole_key in distinct:
            distinct[whole_key].count += 1
        else:
            distinct[whole_key] = _GoldRow(key, reading, slots, gold)
    return list(distinct.values()), num_unreached


def _slots(config: ModelConfig, reading: Reading) -> Slots:
    """Numbers for the candidates of units that score, in the order of `LexicalChoices`."""
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

    def numbers(item: Item[Meaning], edge: Edge[Meaning]) -> list[int]:
        if edge.children:
            return [grammar.number(rule_of(domain, item, edge, words))]
        key = (item.begin, item.end, edge.label)
        return [slot(slots[key])] if key in slots else []

    return PackedForest.of(forest, numbers, len(slots))


def _legal_forest(grammar: Grammar, reading: Reading, slots: Slots) -> PackedForest | None:
    chart = legal_chart(grammar, reading.skeleton)
    roots = complete_items(grammar, chart)

    def numbers(item: Item[int], edge: Edge[int]) -> list[int]:
        if edge.children:
            return [NO_SCORE if edge.label is None else int(edge.label)]
        leaf = CategoryLeaf(item.begin, item.end, item.value)
        keys = ((leaf.begin, leaf.end, primitive) for primitive in reading.primitives[leaf])
        return [slot(slots[key]) for key in keys if key in slots]

    if not roots:
        return None
    root = roots[0]
    if len(roots) > 1:  # one item above all: whichever category it has, an answer is an answer
        root = Item(0, chart.num_tokens + 1, -1, [Edge(None, (root,)) for root in roots])
    return PackedForest.of(Forest(root), numbers, len(slots))


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
            scores: Tensor = rule_scores(self.network, grammar.scored)
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
        """Nothing to go on from."""

    def begin_lesson(self, entropy: float) -> None:
        """No lesson differs: there is no policy whose entropy could count."""

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
    scores: Tensor = rule_scores(network, [rules[number] for number in used.tolist()])
    places = torch.tensor(used, device=network.device)
    return scores.new_zeros(len(rules)).index_put((places,), scores)


def lexical_scores(
    network: Network,
    readings: Sequence[Reading],
    views: Sequence[tuple[str, ...]] | None = None,
) -> Tensor | None:
    """The scores of all candidates of all units that have any, one after the other."""
    choices = LexicalChoices.beside_grammar(network.config, readings, views)
    if not choices.spans:
        return None
    scores: Tensor = choices.scores(network)[choices.is_candidate()]
    return scores
