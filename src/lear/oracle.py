"""Search that knows the answer: the forest of a given meaning, or the nearest one in reach.

No model plays a part here. What an oracle reaches is the ceiling of an algebra with a lexicon
(coverage); its forests are also what exact training sums over.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lear.algebra import Meaning, MeaningTable
from lear.chart import DEFAULT_BUDGET, Beam, Budget, Chart, GroundedMention, search
from lear.domain import Domain
from lear.forest import Forest
from lear.lexicon import Lexicon
from lear.reward import logic_reward

NEAREST_BEAM = 8


@dataclass(frozen=True)
class Oracle:
    """A domain with an induced lexicon."""

    domain: Domain
    lexicon: Lexicon
    budget: Budget = DEFAULT_BUDGET

    def forest(self, tokens: tuple[str, ...], gold: Meaning, table: MeaningTable) -> Forest | None:
        """Every derivation of `gold`, or None if there is none. Raises `SearchLimitError`."""
        chart = self._search(tokens, table, self.domain.guide(gold), beam=None)
        return next((Forest(i) for i in chart.complete_items() if i.meaning is gold), None)

    def nearest(
        self, tokens: tuple[str, ...], gold: Meaning, table: MeaningTable
    ) -> Meaning | None:
        """The meaning in reach that is most like `gold`, found with a beam; None if none is."""
        target = self.domain.conjuncts(gold)

        def agreement(meaning: Meaning) -> float:
            found = self.domain.conjuncts(meaning)
            return 2 * len(found & target) - len(found)

        chart = self._search(tokens, table, lambda _: True, Beam(NEAREST_BEAM, agreement))
        return max(
            (item.meaning for item in chart.complete_items()),
            key=lambda meaning: logic_reward(self.domain, meaning, gold),
            default=None,
        )

    def _search(
        self,
        tokens: tuple[str, ...],
        table: MeaningTable,
        keep: Callable[[Meaning], bool],
        beam: Beam | None,
    ) -> Chart:
        mentions = [
            GroundedMention(*mention, self.domain.ground(mention.primitive, mention.begin, table))
            for mention in self.lexicon.mentions(tokens, self.domain.unknown)
        ]
        return search(
            table,
            mentions,
            [token in self.lexicon.function_words for token in tokens],
            shape=self.domain.shape,
            keep=keep,
            budget=self.budget,
            beam=beam,
        )
