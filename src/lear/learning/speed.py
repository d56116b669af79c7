"""How fast training and parsing are, and how many times faster than the plain versions.

Both versions do the same work on the same rows in the same process, one after the other. Plain
training is one sentence and one tree at a time through autograd; plain parsing is one chart of all
derivations a sentence, from which the best is taken.
"""

import itertools
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from lear.answering.decoders import ChartDecoder
from lear.benchmark import Benchmark, Example, Gazetteer
from lear.domain import Domain
from lear.errors import LearError, SearchLimitError
from lear.evaluation.scores import CHUNK
from lear.forest.legal_chart import best_programs, legal_chart
from lear.grammar.reading import SentenceReader
from lear.grammar.rules import Grammar
from lear.learning.config import ANY_DOMAIN, RunConfig, find_recipe, load_config
from lear.learning.loop import make_optimizer
from lear.learning.run import make_learner, train
from lear.learning.run_folder import RunFolder
from lear.lexicon.lexicon import Lexicon
from lear.memory import no_garbage_collection
from lear.messages import SILENT, Tracker
from lear.model.lexical_choices import leaf_scores
from lear.model.rule_scores import RuleScorer
from lear.parser import Parser
from lear.policy.gradient import ReinforceObjective
from lear.policy.reference import ReferenceReinforce

MAX_DIFFERENCE = 1e-3
"""By how much the scores of the fast and the plain parser may differ: they add up differently."""
MAX_OTHERS = 0.05
"""In what share of sentences the fast parser may find another derivation, where its search drops
what is hopeless (`Budget.margin`); otherwise in none."""


def bench_recipe(benchmark: Benchmark, seed: int) -> RunConfig:
    """The settings of REINFORCE that are measured, the same for every domain; without replay."""
    overrides = {"benchmark": f'"{benchmark.name}"', "seed": str(seed)}
    return load_config(find_recipe(ANY_DOMAIN, "reinforce"), overrides)


@dataclass(frozen=True)
class Speed:
    """Items a second, of the fast and of the plain version."""

    fast: float
    plain: float

    @property
    def speedup(self) -> float:
        """How many times faster."""
        return self.fast / self.plain


def training_speed(
    recipe: RunConfig,
    domain: Domain,
    lexicon: Lexicon,
    examples: Sequence[Example],
    seconds: float,
) -> Speed:
    """Sentences a second in REINFORCE, from a new network; plainly, one sentence is a step."""

    def rate(batch_size: int, *, is_plain: bool) -> float:
        torch.manual_seed(recipe.seed)
        learner = make_learner(recipe, domain, lexicon, examples[:2000])
        fast = learner.objective
        assert isinstance(fast, ReinforceObjective)
        objective = ReferenceReinforce(fast) if is_plain else fast
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
    """Sentences a second, all of them with the fast parser and as many as time allows plainly."""
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
        is_exact = decoder.searches[-1].budget.margin is None
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
    """A parser to measure with, where none ships: a few epochs of the exact objective."""
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
    """The best derivation from a chart of all derivations, anew for each sentence."""

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
