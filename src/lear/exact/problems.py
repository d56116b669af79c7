"""Training rows as problems: the forest of gold, and the forest that it is contrasted with.

Rows without lexical choices that have equal skeletons and equal gold forests are one problem.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from lear.core.algebra import Meaning
from lear.core.lexicon import Primitive
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.errors import SearchLimitError
from lear.exact.inside import NO_SCORE, PackedForest, slot
from lear.exact.sentence_selection import choose
from lear.grammar.category_table import AttestedOperation
from lear.grammar.grammar import Grammar
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import CategoryLeaf, Reading, Skeleton
from lear.messages.progress import SILENT, Tracker
from lear.model.config import Contrast, ModelConfig
from lear.model.lexical_choices import scored_units
from lear.search.chart import Edge, Item
from lear.search.forest import Forest
from lear.search.gold_rules import Attestation, rule_of
from lear.search.legal_chart import complete_items, legal_chart
from lear.search.oracle import Oracle

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
