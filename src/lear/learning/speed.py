"""The speed of training and parsing, and how many times faster they are than plain versions.

Both versions do the same work on the same rows in the same process, one after the other. Plain
training is one sentence and one tree at a time through autograd; plain parsing is one chart of all
derivations a sentence, from which the best is taken. The tests hold the fast versions to these.
"""

import itertools
import math
import tempfile
import time
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Derivation, Leaf, Node, evaluate
from lear.answering.decoders import ChartDecoder
from lear.benchmark import Benchmark, Example, Gazetteer
from lear.domain import Domain
from lear.errors import LearError, SearchLimitError
from lear.evaluation.scores import CHUNK
from lear.forest.chart import best_programs, legal_chart
from lear.grammar.reading import Candidate, Reading, SentenceReader, Span
from lear.grammar.rules import Grammar
from lear.learning.config import ANY_DOMAIN, RunConfig, find_recipe, load_config
from lear.learning.loop import make_optimizer
from lear.learning.run import make_learner, train
from lear.learning.run_folder import RunFolder
from lear.lexicon.lexicon import Lexicon
from lear.memory import no_garbage_collection
from lear.messages import SILENT, Tracker
from lear.model.forward_pass import States
from lear.model.lexical_choices import leaf_scores
from lear.model.network import Network, StepResult
from lear.model.rule_scores import RuleScorer
from lear.parser import Parser
from lear.policy.gradient import ReinforceObjective
from lear.policy.steps import NONE, PAIR, SPAN, SYMBOL, TOKEN, WORD, Option, TransitionSystem

MAX_DIFFERENCE = 1e-3
"""The greatest difference of scores of the fast and the plain parser: they add up differently."""
MAX_OTHERS = 0.05
"""The greatest share of sentences for which the fast parser may find another derivation where its
search drops what is hopeless (`Budget.margin`); otherwise there may be none."""


def bench_recipe(benchmark: Benchmark, seed: int) -> RunConfig:
    """Return the settings of REINFORCE that are measured, the same for all domains; no replay."""
    overrides = {"benchmark": f'"{benchmark.name}"', "seed": str(seed)}
    return load_config(find_recipe(ANY_DOMAIN, "reinforce"), overrides)


@dataclass(frozen=True)
class Speed:
    """The items that the fast and the plain version do in a second."""

    fast: float
    plain: float

    @property
    def speedup(self) -> float:
        """Their ratio."""
        return self.fast / self.plain


def training_speed(
    recipe: RunConfig,
    domain: Domain,
    lexicon: Lexicon,
    examples: Sequence[Example],
    seconds: float,
) -> Speed:
    """Measure REINFORCE in sentences, from a new network; the plain version's steps have one."""

    def rate(batch_size: int, *, is_plain: bool) -> float:
        torch.manual_seed(recipe.seed)
        learner = make_learner(recipe, domain, lexicon, examples[:2000])
        fast = learner.objective
        assert isinstance(fast, ReinforceObjective)
        objective = PlainReinforce(fast) if is_plain else fast
        optimizer = make_optimizer(learner.network, recipe.optim)
        order = np.random.default_rng(recipe.seed).permutation(fast.training_items(0)).tolist()
        rows = itertools.cycle(order)
        done, elapsed = 0, 0.0
        started = time.perf_counter()
        with no_garbage_collection():
            while elapsed <= seconds:
                batch = list(itertools.islice(rows, batch_size))
                optimizer.zero_grad()
                objective.backward(batch, np.random.default_rng((recipe.seed, done)))
                optimizer.step()
                done += len(batch)
                elapsed = time.perf_counter() - started
        return done / elapsed

    return Speed(rate(recipe.optim.batch_size, is_plain=False), rate(1, is_plain=True))


def parsing_speed(parser: Parser, examples: Sequence[Example], seconds: float) -> Speed:
    """Parse all sentences with the fast parser, and as many as time allows with the plain one."""
    sentences = [example.tokens for example in examples]
    if not sentences:
        raise LearError("no sentences to parse")
    with no_garbage_collection():
        started = time.perf_counter()
        scores = [
            answer.score
            for begin in range(0, len(sentences), CHUNK)
            for answer in parser.parse_batch(sentences[begin : begin + CHUNK])
        ]
        fast = len(sentences) / (time.perf_counter() - started)
        plain = PlainParser(parser)
        # An even sample: rows of benchmarks are often sorted by kind.
        order = np.random.default_rng(0).permutation(len(sentences)).tolist()
        done, num_others = 0, 0
        decoder = parser.decoder
        assert isinstance(decoder, ChartDecoder)  # bench refuses others
        is_exact = decoder.budget.margin is None
        started = time.perf_counter()
        for index in order:
            score = plain(sentences[index])
            # Of equally good derivations either may be found; scores must agree.
            num_others += score is not None and abs(score - scores[index]) > MAX_DIFFERENCE
            if num_others > (0 if is_exact else 1 + MAX_OTHERS * done):
                raise LearError(
                    f"{examples[index].source}: the best derivation scores {score}, "
                    f"but the fast parser found one with {scores[index]}"
                )
            done += 1
            if time.perf_counter() - started > seconds:
                break
        return Speed(fast, done / (time.perf_counter() - started))


def quick_parser(
    domain: Domain,
    benchmark: Benchmark,
    rows: dict[str, list[Example]],
    gazetteer: Gazetteer = (),
    seed: int = 1,
    tracker: Tracker = SILENT,
) -> Parser:
    """Train a parser to measure with, where none ships: a few epochs of the exact objective."""
    config = load_config(
        find_recipe(ANY_DOMAIN),
        {
            "benchmark": f'"{benchmark.name}"',
            "seed": str(seed),
            "curriculum": "[{epochs = 5}]",
        },
    )
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder) / "run")
        return train(config, domain, rows, run, gazetteer=gazetteer, tracker=tracker)


class PlainParser:
    """Takes the best derivation from a chart of all derivations, anew for each sentence."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.domain = parser.domain
        self.forward = parser.model.forward
        self.scorer = RuleScorer(self.forward)

    def __call__(self, tokens: tuple[str, ...]) -> float | None:
        """Parse, write the form, and return the score; None where there is no answer in bounds."""
        header = self.parser.model.header
        reader = SentenceReader(self.domain, self.parser.model.lexicon)
        reading = reader.read(tokens)
        categories = reader.categories.restricted(header.attested)
        (leaves,) = leaf_scores(self.forward, [reading])
        means = {leaf: scores.mean(axis=0).tolist() for leaf, scores in leaves.items()}
        grammars = [Grammar(categories)]
        if header.config.search == "used":
            grammars.insert(0, Grammar(categories, header.rules))
        for grammar in grammars:
            try:
                chart = legal_chart(grammar, reading.skeleton)
            except SearchLimitError:
                return None
            scores = self.scorer(grammar.scored)
            programs = best_programs(
                grammar, chart, scores, lambda leaf: means.get(leaf, (0.0,)), 1
            )
            if programs:
                self.domain.language.render(programs[0].meaning(reading, self.domain))
                return programs[0].score
        return None


Decide = Callable[[Tensor], int]
"""Chooses from log-probabilities."""


@dataclass
class Trajectory:
    """One tree of the policy: its decisions, its probability and its entropy."""

    decide: Decide
    leaves: list[int] = field(default_factory=list)
    """The option taken at each leaf."""
    merges: list[tuple[int, int]] = field(default_factory=list)
    """The position of each merge, and the option taken for its node."""
    lexical: list[Candidate] = field(default_factory=list)
    """What leaves stand for that had a choice."""
    final: int = NONE
    """The last piece, NONE at a dead end."""
    derivation: Derivation | None = None
    """None at a dead end, and where the last piece is no constituent."""
    log_prob: Tensor = field(default_factory=lambda: torch.zeros(()))
    entropies: list[tuple[Tensor, int]] = field(default_factory=list)
    """The entropy of each decision, and the number of its alternatives."""

    def choose(self, logits: Tensor) -> int:
        """Make a decision."""
        log_p = logits.log_softmax(dim=0)
        index = self.decide(log_p)
        self.log_prob = self.log_prob + log_p[index]
        self.entropies.append((-(log_p.exp() * log_p).sum(), len(log_p)))
        return index

    def entropy(self, of: str) -> Tensor:
        """Return the sum of entropies, or the mean of their shares of the greatest possible."""
        if of == "sum":
            return torch.zeros(()) + sum(entropy for entropy, _ in self.entropies)
        shares = [entropy / math.log(count) for entropy, count in self.entropies if count > 1]
        return torch.zeros(()) + sum(shares) / max(1, len(shares))


class _Piece(NamedTuple):
    """One element of the row, and the derivations of the constituents in it."""

    number: int
    begin: int
    end: int
    inside: tuple[Derivation, ...]


class PlainPolicy:
    """The paper's equations for a sentence; a state is computed when a tree first needs it."""

    def __init__(self, network: Network, transitions: TransitionSystem, reading: Reading) -> None:
        self.network = network
        self.transitions = transitions
        self.reading = reading
        self._states: dict[int, States] = {}

    def sample(self, rng: np.random.Generator) -> Trajectory:
        """Draw a tree."""

        def draw(log_p: Tensor) -> int:
            return int((log_p.detach().cpu().numpy() + rng.gumbel(size=len(log_p))).argmax())

        return self.roll_out(draw)

    def roll_out(self, decide: Decide) -> Trajectory:
        """Go from tokens to one piece."""
        tree, transitions = Trajectory(decide), self.transitions
        points, begins = transitions.leaves(self.reading.tokens)
        if NONE in points:
            return tree
        pieces = []
        for number, span in zip(points, itertools.pairwise(begins), strict=True):
            option = self._decide(tree, number, span)
            tree.leaves.append(option)
            pieces.append(self._piece(tree, number, option, _Piece(NONE, *span, ())))
        while len(pieces) > 1:
            numbers = [
                transitions.pair_point(left.number, right.number)
                for left, right in itertools.pairwise(pieces)
            ]
            positions = [position for position, number in enumerate(numbers) if number != NONE]
            if not positions:
                return tree
            states = [transitions.points[numbers[position]].state for position in positions]
            merge = self.network.composer.merge
            position = positions[tree.choose(torch.cat([merge(self._h(n)) for n in states]))]
            left, right = pieces[position : position + 2]
            node = _Piece(NONE, left.begin, right.end, left.inside + right.inside)
            option = self._decide(tree, numbers[position], (node.begin, node.end))
            tree.merges.append((position, option))
            pieces[position : position + 2] = [self._piece(tree, numbers[position], option, node)]
        (last,) = pieces
        tree.final, tree.derivation = last.number, next(iter(last.inside), None)
        if isinstance(tree.derivation, Node):  # it owns the function words at both ends
            whole = {"begin": 0, "end": len(self.reading.tokens)}
            tree.derivation = msgspec.structs.replace(tree.derivation, **whole)
        return tree

    def _piece(self, tree: Trajectory, point: int, number: int, node: _Piece) -> _Piece:
        """Return what a node has become; the last lexical choice is its own, if it had one."""
        option = self.transitions.points[point].options[number]
        begin, end, inside = node[1:]
        if option.operation != NONE:
            name = self.network.vocabulary.operations[option.operation]
            inside = (Node(begin, end, name, inside),)
        elif not option.is_open:
            leaves = self.reading.skeleton.leaves
            only = (Candidate(leaf) for leaf in leaves if leaf[:2] == (begin, end))
            candidate = next(only) if option.category == NONE else tree.lexical[-1]
            inside = (Leaf(begin, end, self.reading.primitive(candidate)),)
        return _Piece(option.piece, begin, end, inside)

    def _decide(self, tree: Trajectory, point: int, span: Span) -> int:
        """Decide the class of a node; then, of a nonterminal, its operation or its primitive.

        Where the lexical Interpreter also decides what stands for nothing, it comes first.
        """
        state, options = self.transitions.points[point]
        left = list(range(len(options)))
        drawn = {option.node_class for option in options}
        if NONE in drawn:
            left = self._decide_candidate(tree, options, left, span)
        classes = sorted({options[number].node_class for number in left} - {NONE})
        if classes:
            logits = self.network.composer.nonterminal(self._h(state))[classes]
            node_class = classes[tree.choose(logits)]
            left = [number for number in left if options[number].node_class == node_class]
        operations = [options[number].operation for number in left]
        if operations[0] != NONE:
            logits = self.network.algebraic.operation(self._h(state))[operations]
            return left[tree.choose(logits)]
        if NONE not in drawn:
            left = self._decide_candidate(tree, options, left, span)
        return left[0]

    def _decide_candidate(
        self, tree: Trajectory, options: Sequence[Option], left: list[int], span: Span
    ) -> list[int]:
        """Decide what a leaf stands for, if there is a choice; return the options that fit."""
        if options[left[0]].category == NONE:
            return left
        network, candidates = self.network, self.reading.choices[span]
        words = [network.vocabulary.word_numbers.get(t, 0) for t in self.reading.view]
        (logits,) = network.primitive_logits([words], *np.array(span)[:, None])
        number_of = network.vocabulary.primitive_numbers
        primitives = (self.reading.alike(self.reading.primitive(c)) for c in candidates)
        numbers = [number_of.get(primitive, len(number_of)) for primitive in primitives]
        # A primitive that no weight belongs to scores 0.
        tree.lexical.append(candidates[tree.choose(torch.cat((logits, network.zeros(1)))[numbers])])
        category = tree.lexical[-1].leaf.category
        return [number for number in left if options[number].category == category]

    def _h(self, number: int) -> Tensor:
        return self._state(number).h[0]  # type: ignore[no-any-return]

    def _state(self, number: int) -> States:
        if number not in self._states:
            self._states[number] = self._new_state(*self.transitions.states.keys[number])
        return self._states[number]

    def _new_state(self, kind: int, first: int, second: int) -> States:
        network, table = self.network, self.transitions.states
        if kind == PAIR:
            return network.compose(self._state(first), self._state(second))
        if kind in (SYMBOL, WORD):
            states = {SYMBOL: network.symbol_states, WORD: network.word_states}[kind]
            return states(np.array([first]))
        sentence = bisect(table.first_tokens, first) - 1
        encoded = network.encode([table.sentences[sentence]])
        begin, end = np.array([[first], [second]]) - table.first_tokens[sentence]
        assert kind in (TOKEN, SPAN)
        if kind == TOKEN:
            return network.token_states(encoded, begin)
        return network.span_states(encoded, begin, end)


class PlainReinforce:
    """REINFORCE as the paper writes it, on the rows and by the settings of the fast objective."""

    def __init__(self, objective: ReinforceObjective) -> None:
        self.objective = objective
        # What is legal is looked up as in the fast version; only the learning is plain.
        self.transitions = objective.new_policy().transitions

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        objective, config = self.objective, self.objective.config
        scale = 1.0 / (config.samples * len(batch))
        total = 0.0
        for row in batch:
            reading = objective.readings[row]
            trees = [
                PlainPolicy(objective.network, self.transitions, reading).sample(rng)
                for _ in range(config.samples)
            ]
            rewards = np.array([self._reward(row, tree) for tree in trees])
            total += rewards.sum()
            loss = torch.zeros(())
            for tree, advantage in zip(trees, rewards - rewards.mean(), strict=True):
                entropy = tree.entropy(config.entropy_of)
                loss = loss - advantage * tree.log_prob - objective.entropy * entropy
            (loss * scale).backward()  # type: ignore[no-untyped-call]
        return StepResult(-total * scale, len(batch))

    def _reward(self, row: int, tree: Trajectory) -> float:
        if tree.final == NONE or not self.transitions.is_answer(tree.final):
            return 0.0
        assert tree.derivation is not None
        domain, tokens = self.objective.reader.domain, self.objective.readings[row].tokens
        table = MeaningTable(domain.language.algebra)
        meaning = evaluate(tree.derivation, table, domain.words.ground)
        finished = domain.language.finish(meaning, tokens, table)
        return self.objective.reward(finished, self.objective.target(row))
