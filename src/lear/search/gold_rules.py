"""The rules that derivations of gold meanings use: what training attests before it learns.

The published code keeps files that say which verbs take which roles. Here the same knowledge comes
from the training pairs: an operation is attested on some symbols if a derivation of some training
meaning uses it there. `model.legality = "attested"` allows nothing else.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from lear.core.algebra import Meaning
from lear.core.derivation import Derivation, fold
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.errors import SearchLimitError
from lear.grammar.category_table import AttestedOperation
from lear.grammar.rules import Rule, make_rule
from lear.grammar.sentence_reading import Words
from lear.messages.progress import SILENT, Tracker
from lear.search.chart import Edge, Item
from lear.search.forest import Forest, tree_of
from lear.search.k_best import k_best
from lear.search.oracle import Oracle


def rule_of(domain: Domain, item: Item[Meaning], edge: Edge[Meaning], words: Words) -> Rule:
    """The rule that an edge of a chart of meanings uses, in a sentence with these words."""
    arguments = tuple(child.value for child in edge.children)
    symbols = domain.syntax.rule_symbols(edge.label, arguments)
    borders = [item.begin, *(b for c in edge.children for b in (c.begin, c.end)), item.end]
    gaps = [words[b:e] for b, e in zip(borders[::2], borders[1::2], strict=True)]
    return make_rule(edge.label, symbols, gaps)


def rules_in(domain: Domain, forest: Forest[Meaning], words: Words) -> Iterator[Rule]:
    """The rule of every edge of a forest."""
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
        """The derivation whose rules are most frequent."""

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
