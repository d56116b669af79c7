"""The specification of the policy: one sentence and one tree at a time, autograd throughout.

A course is a generator: it yields the log-probabilities of its next decision and is sent what was
decided. Whoever drives it samples, or enumerates. `rollout` does the same for whole batches by
table look-ups; the tests hold it to this, and `lear bench` says how much faster it is.

REINFORCE as the paper writes it: one sentence at a time, every tree through autograd.

The slow and obvious version of `objective`; `lear bench` says how many times slower.
"""

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Derivation, Leaf, Node, evaluate
from lear.domain import Target
from lear.grammar.reading import Candidate, Reading
from lear.model.network import Network, State, StepResult
from lear.policy.gradient import ReinforceObjective
from lear.policy.steps import (
    NONE,
    PAIR,
    SPAN,
    SYMBOL,
    TOKEN,
    WORD,
    ChoicePoint,
    Option,
    TransitionSystem,
)

Merge = tuple[int, int, int]
"""Position of a merge, its choice point, and the number of the option that was taken."""


@dataclass(frozen=True)
class Outcome:
    """Where a course ended, and how it came there."""

    options: tuple[int, ...]
    """The option taken at each leaf."""
    merges: tuple[Merge, ...]
    lexical: tuple[Candidate, ...]
    """What leaves stand for that had a choice."""
    final: int
    """The last piece, NONE at a dead end."""
    derivation: Derivation | None
    """None at a dead end, and where the last piece is no constituent."""


@dataclass(frozen=True)
class Trajectory:
    """One complete course of the policy: its outcome, probability and entropy."""

    outcome: Outcome
    log_prob: Tensor
    entropies: tuple[Tensor, ...]
    """Of its decisions."""
    shares: tuple[Tensor, ...]
    """The entropies of those with several alternatives, as shares of the greatest possible."""

    def entropy(self, of: str) -> Tensor:
        """The sum of all, or the mean of the shares, as `optim.entropy_of` says."""
        parts = self.entropies if of == "sum" else self.shares
        total = torch.zeros(()) + sum(parts)
        return total if of == "sum" else total / max(1, len(parts))


class _Piece(NamedTuple):
    """One element of the row, and the derivations of the constituents in it."""

    number: int
    begin: int
    end: int
    inside: tuple[Derivation, ...]


Course = Generator[Tensor, int, Outcome]
Decide = Callable[[Tensor], int]


class ReferencePolicy:
    """The paper's equations; states are computed when a course first needs them."""

    def __init__(self, network: Network, transitions: TransitionSystem, reading: Reading) -> None:
        self.network = network
        self.transitions = transitions
        self.reading = reading
        self._states: dict[int, State] = {}

    def course(self) -> Course:
        """From tokens to one piece."""
        transitions = self.transitions
        options: list[int] = []
        merges: list[Merge] = []
        lexical: list[Candidate] = []
        pieces: list[_Piece] = []

        def ended(last: _Piece | None) -> Outcome:
            final, inside = (NONE, None) if last is None else (last.number, last.inside)
            root = inside[0] if inside else None
            if isinstance(root, Node):  # it owns the function words at both ends
                root = msgspec.structs.replace(root, begin=0, end=len(self.reading.tokens))
            return Outcome(tuple(options), tuple(merges), tuple(lexical), final, root)

        points, begins = transitions.leaves(self.reading.tokens)
        if NONE in points:
            return ended(None)
        for number, span in zip(points, pairwise(begins), strict=True):
            point = transitions.points[number]
            option = yield from self._decide(point, span, lexical)
            options.append(option)
            pieces.append(self._piece(point.options[option], *span, (), lexical))
        while len(pieces) > 1:
            pairs = [
                transitions.pair_point(left.number, right.number)
                for left, right in pairwise(pieces)
            ]
            positions = [position for position, number in enumerate(pairs) if number != NONE]
            if not positions:
                return ended(None)
            states = [transitions.points[pairs[position]].state for position in positions]
            merge = self.network.composer.merge
            scores = torch.cat([merge(self._state(state).h)[0] for state in states])
            position = positions[(yield scores.log_softmax(dim=0))]
            point = transitions.points[pairs[position]]
            left, right = pieces[position], pieces[position + 1]
            option = yield from self._decide(point, (left.begin, right.end), lexical)
            merges.append((position, pairs[position], option))
            inside = left.inside + right.inside
            merged = self._piece(point.options[option], left.begin, right.end, inside, lexical)
            pieces[position : position + 2] = [merged]
        return ended(pieces[0])

    def _piece(
        self,
        option: Option,
        begin: int,
        end: int,
        inside: tuple[Derivation, ...],
        lexical: list[Candidate],
    ) -> _Piece:
        """What a node has become; the last of `lexical` is its primitive, if it had a choice."""
        if option.operation != NONE:
            inside = (
                Node(begin, end, self.network.vocabulary.operations[option.operation], inside),
            )
        elif not option.is_open:
            leaves = self.reading.skeleton.leaves
            only = (Candidate(leaf) for leaf in leaves if leaf[:2] == (begin, end))
            candidate = next(only) if option.category == NONE else lexical[-1]
            inside = (Leaf(begin, end, self.reading.primitive(candidate)),)
        return _Piece(option.piece, begin, end, inside)

    def _decide(
        self, point: ChoicePoint, span: tuple[int, int], lexical: list[Candidate]
    ) -> Generator[Tensor, int, int]:
        """The class of a node; then, of a nonterminal, its operation or its primitive.

        Where the lexical Interpreter also decides what stands for nothing, it comes first.
        """
        h = self._state(point.state).h[0]
        left = list(range(len(point.options)))
        drawn = {option.node_class for option in point.options}
        if NONE in drawn:
            left = yield from self._decide_candidate(point, left, span, lexical)
        classes = sorted({point.options[number].node_class for number in left} - {NONE})
        if classes:
            logits = self.network.composer.nonterminal(h)[classes]
            node_class = classes[(yield logits.log_softmax(dim=0))]
            left = [number for number in left if point.options[number].node_class == node_class]
        operations = [point.options[number].operation for number in left]
        if operations[0] != NONE:
            logits = self.network.algebraic.operation(h)[operations]
            return left[(yield logits.log_softmax(dim=0))]
        if NONE not in drawn:
            left = yield from self._decide_candidate(point, left, span, lexical)
        return left[0]

    def _decide_candidate(
        self,
        point: ChoicePoint,
        left: list[int],
        span: tuple[int, int],
        lexical: list[Candidate],
    ) -> Generator[Tensor, int, list[int]]:
        """What a leaf stands for, if there is a choice; the options that agree with it."""
        if point.options[left[0]].category == NONE:
            return left
        candidates = self.reading.choices[span]
        lexical.append(candidates[(yield self._lexical(span, candidates))])
        category = lexical[-1].leaf.category
        return [number for number in left if point.options[number].category == category]

    def _lexical(self, span: tuple[int, int], candidates: tuple[Candidate, ...]) -> Tensor:
        network = self.network
        begin, end = span
        words = [network.vocabulary.word_numbers.get(t, 0) for t in self.reading.view]
        places = (network.index([value]) for value in (0, begin, end))
        logits = network.lexical([words], *places)[0]
        number_of = network.vocabulary.primitive_numbers
        primitives = (self.reading.alike(self.reading.primitive(c)) for c in candidates)
        numbers = [number_of.get(primitive, len(number_of)) for primitive in primitives]
        return torch.cat((logits, logits.new_zeros(1)))[numbers].log_softmax(dim=0)

    def _state(self, number: int) -> State:
        if number not in self._states:
            self._states[number] = self._new_state(number)
        return self._states[number]

    def _new_state(self, number: int) -> State:
        composer, index = self.network.composer, self.network.index
        kind, first, second, third = self.transitions.states.keys[number]
        state: State
        if kind == PAIR:
            return composer.cell(self._state(first), self._state(second))  # type: ignore[no-any-return]
        if kind in (TOKEN, SPAN):
            encoded = composer.sentences([self.transitions.states.sentences[first]])
            places = index([0]), index([second])
            if kind == TOKEN:
                return composer.token_states(encoded, *places)
            return composer.span_states(encoded, *places, index([third]))
        assert kind in (SYMBOL, WORD)
        embedding = composer.symbols if kind == SYMBOL else composer.words
        state = embedding(index([first]))
        return state


def run_course(course: Course, decide: Decide) -> Trajectory:
    """Drive a course to its end."""
    total = torch.zeros(())
    entropies: list[Tensor] = []
    shares: list[Tensor] = []
    try:
        log_p = next(course)
        while True:
            index = decide(log_p)
            total = total + log_p[index]
            entropies.append(-(log_p.exp() * log_p).sum())
            if len(log_p) > 1:
                shares.append(entropies[-1] / math.log(len(log_p)))
            log_p = course.send(index)
    except StopIteration as stop:
        return Trajectory(stop.value, total, tuple(entropies), tuple(shares))


def sample(
    network: Network, transitions: TransitionSystem, reading: Reading, rng: np.random.Generator
) -> Trajectory:
    """One tree drawn from the policy."""

    def draw(log_p: Tensor) -> int:
        return int((log_p.detach().cpu().numpy() + rng.gumbel(size=len(log_p))).argmax())

    return run_course(ReferencePolicy(network, transitions, reading).course(), draw)


class ReferenceReinforce:
    """Steps on the same rows, settings and network as a `ReinforceObjective`."""

    def __init__(self, objective: ReinforceObjective) -> None:
        self.objective = objective
        # What is legal is looked up as in the fast version; only the learning is plain.
        self.transitions = objective.new_transitions()

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        config = self.objective.config
        scale = 1.0 / (config.samples * len(batch))
        total = 0.0
        for row in batch:
            target = self.objective.target(row)
            reading = self.objective.readings[row]
            trajectories = [
                sample(self.objective.network, self.transitions, reading, rng)
                for _ in range(config.samples)
            ]
            rewards = np.array([self._reward(t, reading.tokens, target) for t in trajectories])
            total += rewards.sum()
            loss = torch.zeros(())
            for trajectory, advantage in zip(trajectories, rewards - rewards.mean(), strict=True):
                entropy = trajectory.entropy(config.entropy_of)
                loss = loss - advantage * trajectory.log_prob - self.objective.entropy * entropy
            (loss * scale).backward()  # type: ignore[no-untyped-call]
        return StepResult(-total * scale, len(batch))

    def _reward(self, trajectory: Trajectory, tokens: tuple[str, ...], target: Target) -> float:
        outcome = trajectory.outcome
        if outcome.final == NONE or not self.transitions.is_answer(outcome.final):
            return 0.0
        assert outcome.derivation is not None
        domain = self.objective.reader.domain
        table = MeaningTable(domain.language.algebra)
        meaning = evaluate(outcome.derivation, table, domain.words.ground)
        finished = domain.language.finish(meaning, tokens, table)
        return self.objective.reward(finished, target)
