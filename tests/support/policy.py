"""A policy for tests: a network, and the options that it chooses from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from lear.grammar.categories import CategoryTable
from lear.grammar.reading import Reading, SentenceReader
from lear.model.lexical_choices import LexicalChoices
from lear.model.network import Network
from lear.policy.gradient import (
    EntropyWeights,
    TrainableStateScorer,
    drawn_log_probs,
    logit_gradients,
    send_back,
)
from lear.policy.rollouts import (
    ActionSequence,
    Floats,
    LexicalDraws,
    OptionTable,
    Rollouts,
    roll_out,
)
from lear.policy.steps import TransitionSystem

EntropyOf = Literal["sum", "mean"]


@dataclass(frozen=True)
class Policy:
    """What rollouts are drawn from, under the weights that the network has."""

    network: Network
    options: OptionTable

    @classmethod
    def of(cls, network: Network, reader: SentenceReader, categories: CategoryTable) -> "Policy":
        """A network's policy; `categories` says which operations are legal."""
        transitions = TransitionSystem(reader, categories, network.config, network.vocabulary)
        scorer = TrainableStateScorer(network, transitions.states)
        return cls(network, OptionTable(transitions, scorer))

    @property
    def transitions(self) -> TransitionSystem:
        """What can be merged, and what a node can become."""
        return self.options.transitions

    def read(self, tokens: tuple[str, ...]) -> Reading:
        """A sentence as the policy sees it."""
        return self.transitions.reader.read(tokens)

    def draws(
        self, readings: Sequence[Reading], samples: int, rng: np.random.Generator | None
    ) -> LexicalDraws:
        """Lexical candidates for some trees a sentence; the likeliest ones without `rng`."""
        log_probs = partial(drawn_log_probs, self.network)
        return LexicalDraws.of(LexicalChoices.of(readings), log_probs, samples, rng)

    def roll_out(
        self,
        draws: LexicalDraws,
        rng: np.random.Generator | None,
        prescribed: Mapping[int, ActionSequence] | None = None,
    ) -> Rollouts:
        """Trees, drawn or greedy, or as they are prescribed."""
        return roll_out(self.options, draws, rng, prescribed)

    def entropy_weights(
        self, draws: LexicalDraws, rollouts: Rollouts, per_row: Floats, entropy_of: EntropyOf
    ) -> EntropyWeights:
        """The weights of rows, divided among their decisions."""
        return EntropyWeights.of(self.options, draws, rollouts, per_row, entropy_of)

    def send_gradients_back(
        self, draws: LexicalDraws, rollouts: Rollouts, weights: Floats, entropy: EntropyWeights
    ) -> None:
        """Add the gradient of rollouts with these weights to that of the network."""
        gradients = logit_gradients(self.options, draws, rollouts, weights, entropy)
        send_back(self.transitions, draws.choices, self.network, gradients)
