"""Policies on small domains: what the fast and the plain version do with a short sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Derivation, evaluate
from lear.benchmark import Example
from lear.domain import Target, reward
from lear.domains.toy import TOY
from lear.grammar.reading import Candidate, Reading, SentenceReader
from lear.learning.speed import PlainPolicy, Trajectory
from lear.model.config import ModelConfig, OptimConfig, Vocabulary
from lear.model.network import Network
from lear.policy.gradient import ReinforceObjective
from lear.policy.rollouts import LexicalDraws, Policy, Rollouts
from lear.policy.steps import NONE
from tests.support.ambiguity import ambiguous
from tests.support.small_domains import SmallDomain, small_domains, split_all
from tests.support.total_domains import total_domains

ALPHA = 0.5
LATENT = ModelConfig(hidden=6, symbols="latent")
FIELDS = ("units", "leaf_symbols", "nothing", "encoder", "abstraction")
LEAVES = [
    (units, *who)
    for units in ("found", "composed")
    for who in (("typed", "interpreter"), ("free", "interpreter"), ("free", "composer"))
]
"""The first is the paper's, the last the default."""
STATES = [
    ("tree", True), ("tree", False), ("contextual", True), ("contextual", False), ("span", True),
]  # fmt: skip


def settings_of(merging: str) -> dict[str, ModelConfig]:
    """By name: who decides what about leaves, and what states are made of."""
    return {
        " ".join(map(str, values)): msgspec.convert(
            {"hidden": 5, "symbols": "latent", "merging": merging}
            | dict(zip(FIELDS, values, strict=True)),
            ModelConfig,
        )
        for leaves in LEAVES
        for states in STATES
        if states == STATES[0] or leaves in (LEAVES[0], LEAVES[-1])
        for values in [(*leaves, *states)]
    }


PAPER = settings_of("free")["found typed interpreter tree True"]


class Outcome(NamedTuple):
    """What a rollout did, and where it ended."""

    leaves: tuple[int, ...]
    merges: tuple[tuple[int, int], ...]
    lexical: tuple[Candidate, ...]
    final: int
    derivation: Derivation | None

    @classmethod
    def of(cls, tree: Trajectory) -> "Outcome":
        parts = tuple(tree.leaves), tuple(tree.merges), tuple(tree.lexical)
        return cls(*parts, tree.final, tree.derivation)


@dataclass
class Case:
    """A domain with a lexicon, settings, and a sentence."""

    small: SmallDomain
    config: ModelConfig
    tokens: tuple[str, ...]
    num_symbols: int = 1

    @cached_property
    def reader(self) -> SentenceReader:
        may_be_nothing = self.config.nothing == "interpreter"
        return SentenceReader(self.small.domain, self.small.lexicon, may_be_nothing=may_be_nothing)

    @cached_property
    def reading(self) -> Reading:
        return self.reader.read(self.tokens)

    @cached_property
    def network(self) -> Network:
        torch.manual_seed(7)
        symbols = [f"N{number}" for number in range(self.num_symbols)]
        if self.config.leaf_symbols == "typed":  # one for each type of leaf
            leaves = self.reader.leaf_categories()
            symbols = sorted({self.reader.categories.argument_symbol(leaf) for leaf in leaves})
        config = msgspec.structs.replace(self.config, nonterminals=len(symbols))
        return Network(config, Vocabulary.of(self.reader, tuple(symbols))).double()

    @cached_property
    def policy(self) -> Policy:
        by_types = self.config.legality != "any"
        categories = self.reader.categories.restricted(None, by_types=by_types)
        return Policy(self.network, self.reader, categories)

    @cached_property
    def plain(self) -> PlainPolicy:
        return PlainPolicy(self.network, self.policy.transitions, self.reading)

    @cached_property
    def specified(self) -> dict[Outcome, Trajectory]:
        """Everything that the plain version can do."""
        found = list(all_trajectories(self.plain))
        by_outcome = {Outcome.of(tree): tree for tree in found}
        assert len(by_outcome) == len(found)
        return by_outcome

    def greedy(self) -> Trajectory:
        """The tree of the likeliest step each time."""
        return self.plain.roll_out(lambda log_p: int(log_p.argmax()))

    def rolled(self, samples: int, seed: int) -> tuple[LexicalDraws, Rollouts, list[Outcome]]:
        """Samples by the fast version, and each as the plain one would describe it."""
        rng = np.random.default_rng(seed)
        draws = self.policy.draws([self.reading], samples, rng)
        rollouts = self.policy.roll_out(draws, rng)
        return draws, rollouts, outcomes_of(self.policy, draws, rollouts)

    def is_answer(self, outcome: Outcome) -> bool:
        return outcome.final != NONE and self.policy.transitions.is_answer(outcome.final)

    @property
    def answers(self) -> set[Derivation | None]:
        """The derivations that the plain version can come to."""
        return {outcome.derivation for outcome in self.specified if self.is_answer(outcome)}

    @property
    def row(self) -> Example | None:
        """The row of the sentence, if it has gold."""
        return next((row for row in self.small.rows if row.tokens == self.tokens), None)

    def reward(self, outcome: Outcome) -> float:
        """The reward of an outcome, worked out by itself."""
        if not self.is_answer(outcome):
            return 0.0
        assert outcome.derivation is not None
        assert self.row is not None
        domain = self.small.domain
        meanings = MeaningTable(domain.language.algebra)
        target = Target.of(domain.metrics, domain.language.read_gold(self.row, meanings))
        meaning = evaluate(outcome.derivation, meanings, domain.words.ground)
        finished = domain.language.finish(meaning, self.tokens, meanings)
        return reward(domain.metrics, finished, target, alpha=ALPHA)

    def objective(self, config: OptimConfig) -> ReinforceObjective:
        """REINFORCE on the row of the sentence."""
        assert self.row is not None
        config = msgspec.structs.replace(config, objective="reinforce", alpha=ALPHA)
        categories = self.policy.transitions.categories
        return ReinforceObjective.of(self.reader, categories, self.network, [self.row], config)


def outcomes_of(policy: Policy, draws: LexicalDraws, rollouts: Rollouts) -> list[Outcome]:
    """What each row did."""
    lexical: list[list[Candidate]] = [[] for _ in range(draws.num_rows)]
    for columns in rollouts.lexical:
        for row, choice, rank in zip(*(column.tolist() for column in columns), strict=True):
            lexical[row].append(draws.choices.candidates[choice][rank])
    outcomes = []
    for row, (final, tree) in enumerate(zip(rollouts.final, rollouts.trees.tolist(), strict=True)):
        done = rollouts.sequence(row, draws)
        merges = zip(done.positions.tolist(), done.options.tolist(), strict=True)
        derivation = None
        if tree != NONE:
            reading = draws.choices.readings[row // draws.samples]
            derivation = rollouts.program(row, policy, draws).derivation(reading)
        parts = tuple(done.leaves.tolist()), tuple(merges), tuple(lexical[row])
        outcomes.append(Outcome(*parts, int(final), derivation))
    return outcomes


def all_trajectories(plain: PlainPolicy) -> Iterator[Trajectory]:
    """Everything that a policy can do with a short sentence."""
    prefixes: list[tuple[int, ...]] = [()]
    while prefixes:
        prefix, taken = prefixes.pop(), list[int]()

        def follow(log_p: Tensor, prefix: Sequence[int] = prefix, taken: list[int] = taken) -> int:
            """Decide as the prefix says; beyond it the first way, the others for later."""
            if len(taken) >= len(prefix):
                prefixes.extend((*taken, index) for index in range(1, len(log_p)))
            taken.append(prefix[len(taken)] if len(taken) < len(prefix) else 0)
            return taken[-1]

        yield plain.roll_out(follow)


def toys() -> dict[str, SmallDomain]:
    """The toy language with one meaning a word, and with several."""
    toy = small_domains()["toy"]
    others = split_all("Tom is the Mary", "Tom Mary")
    return {
        "toy": SmallDomain(TOY, toy.lexicon, toy.rows, others),
        "ambiguous toy": SmallDomain(TOY, ambiguous(toy.lexicon), toy.rows, others),
    }


def toy_cases() -> dict[str, Case]:
    """All sentences with states of each sort, and two of them without abstraction."""
    return {
        f"{name} {encoder} {abstraction}: {' '.join(tokens)}": Case(
            small,
            msgspec.structs.replace(LATENT, encoder=encoder, abstraction=abstraction),
            tokens,
        )
        for name, small in toys().items()
        for encoder, abstraction in STATES
        for tokens in small.sentences
        if abstraction or tokens in small.sentences[1:3]
    }


def strict_cases() -> dict[str, Case]:
    """All sentences of the strict algebras by default, short ones by who decides about leaves."""
    default = {
        f"{name}: {' '.join(tokens)}": Case(small, LATENT, tokens)
        for name, small in small_domains().items()
        if name != "toy"
        for tokens in small.sentences
    }
    return default | {
        f"{name} limited {said}: {' '.join(tokens)}": Case(small, config, tokens, num_symbols=2)
        for name, small in small_domains().items()
        for said, config in settings_of("limited").items()
        if (config.encoder, config.abstraction) == STATES[0]
        for tokens in sorted(small.sentences, key=len)[:2]
    }


def free_cases() -> dict[str, Case]:
    """The total algebras: all sentences under the paper's settings, the first under the others."""
    return {
        f"{name} free {said}: {' '.join(tokens)}": Case(small, config, tokens, num_symbols=2)
        for name, small in total_domains().items()
        for number, (said, config) in enumerate(settings_of("free").items())
        for tokens in small.sentences[: None if number == 0 else 2]
        if (config.encoder, config.abstraction) == STATES[0] or tokens == small.sentences[0]
    }


def gradients_of(network: Network) -> dict[str, Tensor]:
    """Take the gradients that there are, by name."""
    named = network.named_parameters()
    gradients = {name: p.grad.clone() for name, p in named if p.grad is not None}
    network.zero_grad()
    return gradients


def assert_same_gradients(network: Network, expected: dict[str, Tensor]) -> None:
    """No gradient is the same as a gradient of zero."""
    for name, parameter in network.named_parameters():
        wanted = expected.get(name, torch.zeros_like(parameter))
        found = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-9)
    network.zero_grad()
