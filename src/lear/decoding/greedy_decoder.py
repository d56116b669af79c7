"""The paper's decoding: the most likely step each time."""

from collections.abc import Sequence

import numpy as np

from lear.grammar.category_table import CategoryTable
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.model.forward_pass import ForwardPass
from lear.model.lexical_choices import LexicalChoices
from lear.policy.option_scores import Floats, LexicalDraws, OptionTable
from lear.policy.rollout import roll_out
from lear.policy.state_scores import ForwardStateScorer
from lear.policy.transitions import TransitionSystem
from lear.search.skeleton_derivation import NO_DERIVATION, Decoded

MAX_REMEMBERED = 60_000
"""States, pieces and choice points that a greedy decoder remembers between batches."""


class GreedyDecoder:
    """Follows the policy without sampling."""

    def __init__(
        self, forward: ForwardPass, reader: SentenceReader, categories: CategoryTable
    ) -> None:
        self.forward = forward
        self.reader = reader
        self.categories = categories
        self._table = self._new_table()

    def _new_table(self) -> OptionTable:
        forward = self.forward
        transitions = TransitionSystem(
            self.reader, self.categories, forward.config, forward.vocabulary
        )
        return OptionTable(transitions, ForwardStateScorer(forward, transitions.states))

    def best_of_each(self, readings: Sequence[Reading]) -> list[Decoded]:
        """The derivation that each sentence is led to, or that it is a dead end."""
        # States of sentences do not come again; and whatever comes, memory has a bound.
        is_local = self.forward.config.encoder == "tree"
        if not is_local or self._table.transitions.size > MAX_REMEMBERED:
            self._table = self._new_table()
        draws = LexicalDraws.of(LexicalChoices.of(readings), self._log_probs, 1, None)
        rollouts = roll_out(self._table, draws, None)
        names = self.forward.vocabulary.operations
        programs = {
            row: rollouts.tree_table.program(
                tree,
                names,
                draws.candidate,
                len(readings[row].tokens),
                float(rollouts.log_probs[row]),
            )
            for row, tree in rollouts.answers(self._table.transitions).items()
        }
        return [
            Decoded(programs[row]) if row in programs else NO_DERIVATION
            for row in range(len(readings))
        ]

    def _log_probs(self, choices: LexicalChoices) -> Floats:
        log_p: Floats = choices.log_probs(self.forward)[0].astype(np.float64)
        return log_p
