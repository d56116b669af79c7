"""The exact objective: marginal likelihood of the gold meaning over its packed forest.

The model's distribution over the legal derivations of a sentence is p(d) proportional to
exp(sum of rule scores + scores of lexical choices). The loss of a row is
log Z(all legal derivations) - log Z(derivations of gold): no sampling, no variance.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from lear.core.lexicon import UNKNOWN
from lear.exact.inside import ForestBatch, inside
from lear.exact.problems import ExactData, Problem
from lear.grammar.rules import Rule
from lear.grammar.sentence_reading import Reading
from lear.model.lexical_choices import LexicalChoices
from lear.network.lexical_potentials import lexical_potentials
from lear.network.network import Network
from lear.network.objective import StepResult
from lear.network.rule_scores import rule_scores

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
            scores = rule_scores(self.network, grammar.scored)
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
    scores = rule_scores(network, [rules[number] for number in used.tolist()])
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
    mask = torch.tensor(choices.is_candidate(), device=network.device)
    return lexical_potentials(network, choices)[mask]
