"""Search that knows the answer: the forest of a given meaning, or the nearest one in reach.

No model plays a part here. What an oracle reaches is the ceiling of an algebra with a lexicon
(coverage); its forests are also what exact training sums over. Labels are primitives at leaves
and names of operations above.
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cached_property

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import UNKNOWN, Lexicon
from lear.domain.domain import Domain, Guide
from lear.domain.example import Example
from lear.domain.rewards import Target, logic_reward
from lear.errors import SearchLimitError, named_row
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading, Span
from lear.search.chart import DEFAULT_BUDGET, Beam, Budget, Chart, Item, LeafValue, search
from lear.search.default_guide import guide_of
from lear.search.forest import Forest

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
        """An oracle with a sentence reader of its own."""
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
        """The forest of a row's own form. Raises `SearchLimitError`; other errors name the row.

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
        """Every derivation of `gold`, or None if there is none. Raises `SearchLimitError`.

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
        """The meaning in reach that is most like `gold`, found with a beam; None if none is.

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
        """A chart of all meanings in reach that pass `keep`, `beam` and `only`."""
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
