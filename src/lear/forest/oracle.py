"""Search that knows the answer: all derivations of a given meaning, or the nearest one in reach.

No model plays a part. What an oracle reaches is the ceiling of an algebra with a lexicon; its
forests are what exact training sums over, and what attests operations: one is attested on some
symbols if a derivation of some training meaning uses it there (`model.legality = "attested"`).
Labels are primitives at leaves and names of operations above.

A guide tells which meanings can be parts of gold. A domain that has none gets a default: where
operations only put things together, whatever a part holds the whole holds too.
"""

import math
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from lear.algebra.algebra import Meaning, MeaningTable
from lear.algebra.derivations import Derivation, fold
from lear.algebra.meanings import children, own_values, parts
from lear.benchmark import Example
from lear.domain import Domain, Guide, Target, logic_reward
from lear.errors import SearchLimitError, named_row
from lear.forest.chart import (
    DEFAULT_BUDGET,
    Beam,
    Budget,
    Chart,
    Edge,
    Forest,
    Item,
    LeafValue,
    k_best,
    search,
    tree_of,
)
from lear.grammar.categories import AttestedOperation
from lear.grammar.reading import Reading, SentenceReader, Span, Words
from lear.grammar.rules import Rule, make_rule
from lear.lexicon.lexicon import UNKNOWN, Lexicon
from lear.messages import SILENT, Tracker

MAX_CHECKS = 50_000
"""How many combinations of categories are checked at most."""

Values = Counter[Hashable]


def guide_of(reader: SentenceReader) -> Guide:
    """Return the domain's own guide, or the best default that is right for it."""
    language = reader.domain.language
    if language.guide is not None:
        return language.guide
    # Finishing steps may drop anything, and no example tells.
    keeps_all = not language.finishing and operations_keep_arguments(reader)
    return within if keeps_all else anything


def anything(gold: Meaning) -> Callable[[Meaning], bool]:
    """Keep every meaning: never wrong, but slow on long sentences."""
    del gold
    return lambda _: True


def within(gold: Meaning) -> Callable[[Meaning], bool]:
    """Keep meanings that gold can hold: all that is inside them is inside gold."""
    inside = parts(gold)
    in_gold = _values(gold)

    def is_part(meaning: Meaning) -> bool:
        if meaning in inside:
            return True
        return inside.issuperset(children(meaning)) and _values(meaning) <= in_gold

    return is_part


def operations_keep_arguments(reader: SentenceReader) -> bool:
    """Return True if operations lose nothing of their arguments, on one example of each category.

    Where there is too much to check, the answer is no.
    """
    categories = reader.categories
    algebra = reader.domain.language.algebra
    arities = sorted({operation.arity for operation in algebra.operations})
    pending = sorted(reader.leaf_categories())
    reached: list[int] = []
    num_checked = 0
    while pending:
        reached.append(pending.pop())
        for arguments in _with_last(reached, arities):
            num_checked += 1
            if num_checked > MAX_CHECKS:
                return False
            meanings = tuple(map(categories.example, arguments))
            for operation, result_category in categories.combinations(arguments):
                result = algebra.operation(operation).function(*meanings)
                if result is not None and _loses(meanings, result):
                    return False
                if result_category not in reached and result_category not in pending:
                    pending.append(result_category)
    return True


def _with_last(categories: list[int], arities: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Return the arguments of each arity that have the last of these categories among them."""
    last, before = categories[-1], categories[:-1]
    for arity in arities:
        for position in range(arity):
            for left in product(before, repeat=position):
                for right in product(categories, repeat=arity - position - 1):
                    yield (*left, last, *right)


def _loses(arguments: tuple[Meaning, ...], result: Meaning) -> bool:
    """Return True if something inside an argument is not inside the result of an operation."""
    inside, values = parts(result), _values(result)
    return any(
        not inside.issuperset(children(argument)) or not _values(argument) <= values
        for argument in arguments
    )


def _values(meaning: Meaning) -> Values:
    """Return how often each string and number occurs inside a meaning."""
    values: Values = Counter()
    stack = [meaning]
    while stack:
        part = stack.pop()
        values.update(own_values(part))
        stack.extend(children(part))
    return values


BareNode = tuple[int, int, tuple[Span, ...]]
"""A node of a tree without its label: its span and the spans of its children."""

NEAREST_BEAMS = (8, 2, 1)
"""Widths to try in turn, where the wider one runs out of its budget."""


@dataclass(frozen=True)
class Oracle:
    """A domain with an induced lexicon, searched for derivations of known meanings."""

    reader: SentenceReader
    budget: Budget = DEFAULT_BUDGET

    @classmethod
    def of(cls, domain: Domain, lexicon: Lexicon, budget: Budget = DEFAULT_BUDGET) -> "Oracle":
        """Return an oracle with a sentence reader of its own."""
        return cls(SentenceReader(domain, lexicon), budget)

    @property
    def domain(self) -> Domain:
        """Whose derivations are searched."""
        return self.reader.domain

    @property
    def lexicon(self) -> Lexicon:
        """What its words stand for."""
        return self.reader.lexicon

    @cached_property
    def _guide(self) -> Guide:
        return guide_of(self.reader)

    def gold_forest(
        self, example: Example, reading: Reading | None = None, *, overlook: bool = False
    ) -> Forest[Meaning] | None:
        """Return the forest of a row's own form. May raise `SearchLimitError`.

        Args:
            example: The row.
            reading: Of its sentence, where that is known already.
            overlook: If there is none, let every word be overlooked that is no name, as parsers
                do where a lexicon allows for words never seen.
        """
        reading = reading or self.reader.read(example.tokens)
        table = MeaningTable(self.domain.language.algebra)
        gold = self.domain.language.read_gold(example, table)
        with named_row(example.source):
            forest = self.forest(reading, gold, table)
            if forest is None and overlook and UNKNOWN in self.lexicon.function_words:
                forest = self.forest(reading, gold, table, overlook=True)
        return forest

    def forest(
        self,
        reading: Reading,
        gold: Meaning,
        table: MeaningTable,
        only: Container[BareNode] | None = None,
        *,
        overlook: bool = False,
    ) -> Forest[Meaning] | None:
        """Return every derivation of `gold`, or None if there is none. Raises `SearchLimitError`.

        Args:
            reading: The sentence.
            gold: The meaning.
            table: Where it is interned.
            only: Look at no other nodes than these.
            overlook: Let every word be a function word that is no name.
        """
        language = self.domain.language
        chart = self.search(reading, table, self._guide(gold), only=only, overlook=overlook)
        num_tokens = len(reading.tokens)
        roots = [
            item
            for item in chart.cell(0, num_tokens)
            if language.algebra.is_complete(item.value)
            and language.finish(item.value, reading.tokens, table) is gold
        ]
        if len(roots) < 2:
            return Forest(roots[0]) if roots else None
        # Meanings that differ until they are finished: one item for all ways to gold.
        edges = [edge for root in roots for edge in root.edges]
        return Forest(Item(0, num_tokens, gold, edges))

    def nearest(
        self, tokens: tuple[str, ...], gold: Meaning, table: MeaningTable
    ) -> Meaning | None:
        """Return the meaning in reach that is most like `gold`, found with a beam; None if none is.

        Raises:
            SearchLimitError: even the narrowest beam ran out of the budget.
        """
        language, metrics = self.domain.language, self.domain.metrics
        target = Target.of(metrics, gold)

        def agreement(meaning: Meaning) -> float:
            conjuncts = metrics.conjuncts(meaning)
            return 2 * len(conjuncts & target.conjuncts) - len(conjuncts)

        reading = self.reader.read(tokens)
        for width in NEAREST_BEAMS:
            try:
                chart = self.search(reading, table, beam=Beam(width, agreement))
                break
            except SearchLimitError:
                if width == NEAREST_BEAMS[-1]:
                    raise
        meanings = (item.value for item in chart.cell(0, len(tokens)))
        return max(
            (
                language.finish(meaning, tokens, table)
                for meaning in filter(language.algebra.is_complete, meanings)
            ),
            key=lambda meaning: logic_reward(metrics, meaning, target),
            default=None,
        )

    def search(
        self,
        reading: Reading,
        table: MeaningTable,
        keep: Callable[[Meaning], bool] | None = None,
        beam: Beam[Meaning] | None = None,
        only: Container[BareNode] | None = None,
        *,
        overlook: bool = False,
    ) -> Chart[Meaning]:
        """Return a chart of all meanings in reach that pass `keep`, `beam` and `only`."""
        by_types = self.domain.language.algebra.by_types

        def combine(
            begin: int, end: int, children: tuple[Item[Meaning], ...]
        ) -> Iterator[tuple[str, Meaning]]:
            if only is not None:
                spans = tuple([(child.begin, child.end) for child in children])
                if (begin, end, spans) not in only:
                    return
            # Lists, not generators: this is the inner loop.
            arguments = tuple([child.value for child in children])
            for operation in by_types.get(tuple([type(value) for value in arguments]), ()):
                meaning = table.apply(operation, arguments)
                if meaning is not None and (keep is None or keep(meaning)):
                    yield operation.name, meaning

        ground = self.domain.words.ground
        leaves = (
            LeafValue(leaf.begin, leaf.end, primitive, ground(primitive, leaf.begin, table))
            for leaf, primitives in reading.primitives.items()
            for primitive in primitives
        )
        skeleton = reading.overlooking if overlook else reading.skeleton
        return search(
            (leaf for leaf in leaves if keep is None or keep(leaf.value)),
            skeleton.is_function_word,
            combine,
            shape=self.domain.syntax.shape,
            budget=self.budget,
            beam=beam,
        )


def rule_of(domain: Domain, item: Item[Meaning], edge: Edge[Meaning], words: Words) -> Rule:
    """Return the rule that an edge of a chart of meanings uses, in a sentence with these words."""
    arguments = tuple(child.value for child in edge.children)
    symbols = domain.syntax.rule_symbols(edge.label, arguments)
    borders = [item.begin, *(b for c in edge.children for b in (c.begin, c.end)), item.end]
    gaps = [words[b:e] for b, e in zip(borders[::2], borders[1::2], strict=True)]
    return make_rule(edge.label, symbols, gaps)


def rules_in(domain: Domain, forest: Forest[Meaning], words: Words) -> Iterator[Rule]:
    """Return the rule of every edge of a forest."""
    for item in forest.items():
        for edge in item.edges:
            if edge.children:
                yield rule_of(domain, item, edge, words)


@dataclass
class Attestation:
    """What occurs in derivations of gold meanings, collected forest by forest."""

    domain: Domain
    operations: set[AttestedOperation] = field(default_factory=set)
    symbols: set[str] = field(default_factory=set)
    """What rules show of the constituents as arguments."""
    num_unreached: int = 0
    """Rows beyond the search limit or out of reach, which attest nothing."""

    def add(self, forest: Forest[Meaning], words: Words) -> None:
        """Take in all derivations of one row's meaning."""
        rules = rules_in(self.domain, forest, words)
        self.operations.update((rule.operation, rule.symbols) for rule in rules)
        self.symbols.update(
            self.domain.syntax.argument_symbol(item.value) for item in forest.items()
        )

    @classmethod
    def of(
        cls, oracle: Oracle, examples: Sequence[Example], tracker: Tracker = SILENT
    ) -> "Attestation":
        """Go through all derivations of all training meanings."""
        attestation = cls(oracle.domain)
        for example in tracker.track(examples, "rows that attest", len(examples)):
            reading = oracle.reader.read(example.tokens)
            forest = None
            with suppress(SearchLimitError):
                forest = oracle.gold_forest(example, reading)
            if forest is None:
                attestation.num_unreached += 1
            else:
                attestation.add(forest, reading.skeleton.words)
        return attestation


@dataclass
class RuleCounts:
    """How often each rule occurs in forests that leave no choice."""

    domain: Domain
    counts: Counter[Rule] = field(default_factory=Counter)

    def add(self, forest: Forest[Meaning], words: Words) -> None:
        """Count the rules of a forest with exactly one derivation; others teach nothing."""
        if forest.count() == 1:
            self.counts.update(rules_in(self.domain, forest, words))

    def best(self, forest: Forest[Meaning], words: Words) -> Derivation:
        """Return the derivation whose rules are most frequent."""

        def scores(item: Item[Meaning], edge: Edge[Meaning]) -> tuple[float]:
            # One is added, so that a rule never seen is only unlikely.
            is_leaf = not edge.children
            rule = None if is_leaf else rule_of(self.domain, item, edge, words)
            return (0.0 if rule is None else math.log1p(self.counts[rule]),)

        ((_, nodes),) = k_best([forest.root], scores, 1)
        return fold(
            nodes,
            arity=lambda node: len(node.way.edge.children),
            leaf=lambda node: tree_of(node.item, node.way.edge, ()),
            node=lambda node, children: tree_of(node.item, node.way.edge, children),
        )
