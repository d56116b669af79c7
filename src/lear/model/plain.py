"""The specification of the policy: one sentence and one tree at a time, autograd throughout.

A course is a generator: it yields the log-probabilities of its next decision and is sent what was
decided. Whoever drives it samples, or enumerates. `policy` does the same for whole batches by table
look-ups and closed-form gradients; the tests hold it to this, and `lear bench` says how much faster
it is.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from lear.derivation import Derivation, Leaf, Node
from lear.grammar import Candidate, Reading
from lear.model.cells import NONE, Machine, Option, Site
from lear.model.network import Network
from lear.model.nodes import PAIR, SPAN, SYMBOL, TOKEN, WORD
from lear.model.tree_lstm import State

Step = tuple[int, int, int]
"""Place of a merge, its site, and the number of the option that was taken."""


@dataclass(frozen=True)
class Outcome:
    """Where a course ended, and how it came there."""

    options: tuple[int, ...]
    """The option taken at each token."""
    steps: tuple[Step, ...]
    lexical: tuple[Candidate, ...]
    """What lexical nodes stand for that had a choice."""
    final: int
    """The last cell, NONE at a dead end."""
    derivation: Derivation | None
    """None at a dead end, and where the last cell is no constituent."""


@dataclass(frozen=True)
class Trajectory:
    """One complete course of the policy: its outcome, probability and entropy."""

    outcome: Outcome
    log_prob: Tensor
    entropy: Tensor


class _PlainCell(NamedTuple):
    """One element of the row, and the derivations of the constituents in it."""

    cell: int
    begin: int
    end: int
    inside: tuple[Derivation, ...]


Course = Generator[Tensor, int, Outcome]
Decide = Callable[[Tensor], int]


class PlainPolicy:
    """The paper's equations; states are computed when a course first needs them."""

    def __init__(self, network: Network, machine: Machine, reading: Reading) -> None:
        self.network = network
        self.machine = machine
        self.reading = reading
        self._states: dict[int, State] = {}

    def course(self) -> Course:
        """From tokens to one cell."""
        machine = self.machine
        options: list[int] = []
        steps: list[Step] = []
        lexical: list[Candidate] = []
        cells: list[_PlainCell] = []

        def ended(last: _PlainCell | None) -> Outcome:
            final, inside = (NONE, None) if last is None else (last.cell, last.inside)
            root = inside[0] if inside else None
            return Outcome(tuple(options), tuple(steps), tuple(lexical), final, root)

        leaf_sites = machine.leaf_sites(self.reading.tokens)
        if NONE in leaf_sites:
            return ended(None)
        for place, number in enumerate(leaf_sites):
            site = machine.sites[number]
            option = yield from self._decide(site, (place, place + 1), lexical)
            options.append(option)
            cells.append(self._cell(site.options[option], place, place + 1, (), lexical))
        while len(cells) > 1:
            pairs = [
                machine.pair_site(cells[place].cell, cells[place + 1].cell)
                for place in range(len(cells) - 1)
            ]
            places = [place for place, site in enumerate(pairs) if site != NONE]
            if not places:
                return ended(None)
            nodes = [machine.sites[pairs[place]].node for place in places]
            merge = self.network.composer.merge
            scores = torch.cat([merge(self._state(node).h)[0] for node in nodes])
            place = places[(yield scores.log_softmax(dim=0))]
            site = machine.sites[pairs[place]]
            left, right = cells[place], cells[place + 1]
            option = yield from self._decide(site, (left.begin, right.end), lexical)
            steps.append((place, pairs[place], option))
            inside = left.inside + right.inside
            merged = self._cell(site.options[option], left.begin, right.end, inside, lexical)
            cells[place : place + 2] = [merged]
        return ended(cells[0])

    def _cell(
        self,
        option: Option,
        begin: int,
        end: int,
        inside: tuple[Derivation, ...],
        lexical: list[Candidate],
    ) -> "_PlainCell":
        """What a node has become; the last of `lexical` is its primitive, if it had a choice."""
        if option.operation != NONE:
            inside = (Node(begin, end, self.machine.operation_names[option.operation], inside),)
        elif option.symbol > 0:
            leaves = self.reading.skeleton.leaves
            only = (Candidate(leaf) for leaf in leaves if leaf[:2] == (begin, end))
            candidate = next(only) if option.choice == NONE else lexical[-1]
            inside = (Leaf(begin, end, self.reading.primitive(candidate)),)
        return _PlainCell(option.cell, begin, end, inside)

    def _decide(
        self, site: Site, span: tuple[int, int], lexical: list[Candidate]
    ) -> Generator[Tensor, int, int]:
        """The class of a node; then, of a nonterminal, its operation or its primitive."""
        h = self._state(site.node).h[0]
        classes = sorted({option.symbol for option in site.options})
        logits = self.network.composer.nonterminal(h)[classes]
        symbol = classes[(yield logits.log_softmax(dim=0))]
        left = [number for number, o in enumerate(site.options) if o.symbol == symbol]
        operations = [site.options[number].operation for number in left]
        if operations[0] != NONE:
            logits = self.network.algebraic.operation(h)[operations]
            return left[(yield logits.log_softmax(dim=0))]
        if site.options[left[0]].choice == NONE:
            return left[0]
        candidates = self.reading.choices[span]
        lexical.append(candidates[(yield self._lexical(span, candidates))])
        category = lexical[-1].leaf.category
        return next(number for number in left if site.options[number].choice == category)

    def _lexical(self, span: tuple[int, int], candidates: tuple[Candidate, ...]) -> Tensor:
        network = self.network
        begin, end = span
        words = [network.vocabulary.word_numbers.get(t, 0) for t in self.reading.view]
        places = (network.index([value]) for value in (0, begin, end))
        logits = network.lexical([words], *places)[0]
        known = network.vocabulary.primitive_numbers
        numbers = [known.get(self.reading.primitive(c), len(known)) for c in candidates]
        return torch.cat((logits, logits.new_zeros(1)))[numbers].log_softmax(dim=0)

    def _state(self, node: int) -> State:
        if node not in self._states:
            self._states[node] = self._new_state(node)
        return self._states[node]

    def _new_state(self, node: int) -> State:
        composer, index = self.network.composer, self.network.index
        kind, first, second, third = self.machine.nodes.nodes[node]
        state: State
        if kind == PAIR:
            return composer.cell(self._state(first), self._state(second))  # type: ignore[no-any-return]
        if kind in (TOKEN, SPAN):
            encoded = composer.sentences([self.machine.nodes.sentences[first]])
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
    total = entropy = torch.zeros(())
    try:
        log_p = next(course)
        while True:
            index = decide(log_p)
            total = total + log_p[index]
            entropy = entropy - (log_p.exp() * log_p).sum()
            log_p = course.send(index)
    except StopIteration as stop:
        return Trajectory(stop.value, total, entropy)


def sample(
    network: Network, machine: Machine, reading: Reading, rng: np.random.Generator
) -> Trajectory:
    """One tree drawn from the policy."""

    def draw(log_p: Tensor) -> int:
        return int((log_p.detach().cpu().numpy() + rng.gumbel(size=len(log_p))).argmax())

    return run_course(PlainPolicy(network, machine, reading).course(), draw)


def greedy(network: Network, machine: Machine, reading: Reading) -> Trajectory:
    """The tree of the likeliest step each time."""
    with torch.no_grad():
        course = PlainPolicy(network, machine, reading).course()
        return run_course(course, lambda log_p: int(log_p.argmax()))


def all_trajectories(network: Network, machine: Machine, reading: Reading) -> list[Trajectory]:
    """Everything the policy can do with a short sentence."""
    policy = PlainPolicy(network, machine, reading)
    found = []
    prefixes: list[tuple[int, ...]] = [()]
    while prefixes:
        path = _Path(prefixes.pop())
        found.append(run_course(policy.course(), path.follow))
        prefixes += path.others
    return found


class _Path:
    """Decisions as a prefix says; beyond it the first way each time, the others for later."""

    def __init__(self, prefix: tuple[int, ...]) -> None:
        self.prefix = prefix
        self.taken: list[int] = []
        self.others: list[tuple[int, ...]] = []

    def follow(self, log_p: Tensor) -> int:
        """The next decision."""
        place = len(self.taken)
        if place < len(self.prefix):
            self.taken.append(self.prefix[place])
        else:
            self.others += ((*self.taken, index) for index in range(1, len(log_p)))
            self.taken.append(0)
        return self.taken[-1]
