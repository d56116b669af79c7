"""Search that knows the answer: the forest of a given meaning, or the nearest one in reach.

No model plays a part here. What an oracle reaches is the ceiling of an algebra with a lexicon
(coverage); its forests are also what exact training sums over. Labels are primitives at leaves
and names of operations above.
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

from lear.algebra import Meaning, MeaningTable
from lear.chart import DEFAULT_BUDGET, Beam, Budget, Chart, Item, LeafValue, search
from lear.domain import Domain, Example
from lear.errors import SearchLimitError
from lear.forest import Forest
from lear.lexicon import UNKNOWN, Lexicon
from lear.reward import Target, logic_reward

TreeNode = tuple[int, int, tuple[tuple[int, int], ...]]
"""A span and the spans of its constituents."""

NEAREST_BEAMS = (8, 2, 1)
"""Widths to try in turn, where the wider one runs out of its budget."""


@dataclass(frozen=True)
class Oracle:
    """A domain with an induced lexicon."""

    domain: Domain
    lexicon: Lexicon
    budget: Budget = DEFAULT_BUDGET

    def gold_forest(self, example: Example, *, relax: bool = False) -> Forest[Meaning] | None:
        """The forest of a row's own form.

        Args:
            example: The row.
            relax: If there is none, let every word that is no name be a function word, as parsers
                do where a lexicon knows of words never seen.
        """
        table = MeaningTable(self.domain.algebra)
        gold = self.domain.read_gold(example, table)
        found = self.forest(example.tokens, gold, table)
        if found is None and relax and UNKNOWN in self.lexicon.function_words:
            found = self.forest(example.tokens, gold, table, relax=True)
        return found

    def forest(
        self,
        tokens: tuple[str, ...],
        gold: Meaning,
        table: MeaningTable,
        only: Container[TreeNode] | None = None,
        *,
        relax: bool = False,
    ) -> Forest[Meaning] | None:
        """Every derivation of `gold`, or None if there is none. Raises `SearchLimitError`.

        Args:
            tokens: The sentence.
            gold: The meaning.
            table: Where it is interned.
            only: Look at no other nodes than these.
            relax: Let every word that is no name be a function word.
        """
        chart = self.search(tokens, table, keep=self.domain.guide(gold), only=only, relax=relax)
        roots = [
            item
            for item in chart.cell(0, len(tokens))
            if self.domain.algebra.is_complete(item.value)
            and self.domain.finish(item.value, table) is gold
        ]
        if len(roots) < 2:
            return Forest(roots[0]) if roots else None
        # Meanings that differ until they are finished: one item for all ways to gold.
        edges = [edge for root in roots for edge in root.edges]
        return Forest(Item(0, len(tokens), gold, edges))

    def nearest(
        self, tokens: tuple[str, ...], gold: Meaning, table: MeaningTable
    ) -> Meaning | None:
        """The meaning in reach that is most like `gold`, found with a beam; None if none is.

        Raises:
            SearchLimitError: even the narrowest beam ran out of the budget.
        """
        target = Target.of(self.domain, gold)

        def agreement(meaning: Meaning) -> float:
            found = self.domain.conjuncts(meaning)
            return 2 * len(found & target.conjuncts) - len(found)

        for width in NEAREST_BEAMS:
            try:
                chart = self.search(tokens, table, beam=Beam(width, agreement))
                break
            except SearchLimitError:
                if width == NEAREST_BEAMS[-1]:
                    raise
        found = (item.value for item in chart.cell(0, len(tokens)))
        return max(
            (
                self.domain.finish(meaning, table)
                for meaning in filter(self.domain.algebra.is_complete, found)
            ),
            key=lambda meaning: logic_reward(self.domain, meaning, target),
            default=None,
        )

    def search(
        self,
        tokens: tuple[str, ...],
        table: MeaningTable,
        keep: Callable[[Meaning], bool] | None = None,
        beam: Beam[Meaning] | None = None,
        only: Container[TreeNode] | None = None,
        *,
        relax: bool = False,
    ) -> Chart[Meaning]:
        """A chart of all meanings in reach that pass `keep`, `beam` and `only`."""
        by_types = self.domain.algebra.by_types

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

        mentions = self.lexicon.mentions(tokens, self.domain.guesses(self.lexicon))
        leaves = (
            LeafValue(begin, end, primitive, self.domain.ground(primitive, begin, table))
            for begin, end, primitive in mentions
        )
        return search(
            (leaf for leaf in leaves if keep is None or keep(leaf.value)),
            self.may_be_dropped(tokens) if relax else self.lexicon.is_function_word(tokens),
            combine,
            shape=self.domain.shape,
            budget=self.budget,
            beam=beam,
        )

    def may_be_dropped(self, tokens: tuple[str, ...]) -> list[bool]:
        """For each token whether it is a function word, or at least no name."""
        no_names: list[bool] = []
        for unit in self.lexicon.segment(tokens):
            primitives = [entry.primitive for entry in self.lexicon.units.get(unit, ())]
            no_names += [not self.domain.is_name(primitives)] * len(unit)
        words = self.lexicon.is_function_word(tokens)
        return [word or no_name for word, no_name in zip(words, no_names, strict=True)]
