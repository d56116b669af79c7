"""A run of training, read from top to bottom: rows, lexicon, network, loop, calibrated model.

The paper's method is REINFORCE over latent derivations (`optim.objective = 'reinforce'`); the exact
objective sums over all of them. Both are trained by one loop (`lear.learning.loop`).
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch
from torch import nn

from lear.benchmark import PARTS, Example, Gazetteer
from lear.domain import Domain
from lear.errors import DataError, UsageError
from lear.evaluation.scores import evaluate
from lear.forest.oracle import Attestation, Oracle
from lear.grammar.categories import AttestedOperation
from lear.grammar.reading import SentenceReader
from lear.learning.calibration import answer_outcomes, fit_with_rare_words, unseen_rows
from lear.learning.checkpoint import Metrics, Progress, TrainingState
from lear.learning.config import RunConfig
from lear.learning.exact import ExactObjective, make_problems
from lear.learning.lexicons import make_lexicon
from lear.learning.loop import Curriculum, Loop, make_average, make_optimizer
from lear.learning.run_folder import RunFolder
from lear.lexicon.lexicon import Lexicon
from lear.messages import SILENT, Tracker, note
from lear.model.config import OTHER, ModelConfig, Vocabulary
from lear.model.model_file import Decoding, Model, ModelHeader, load_model, save_model
from lear.model.network import Network, Objective
from lear.parser import Parser
from lear.policy.gradient import ReinforceObjective
from lear.version import __version__

MAX_CALIBRATION_ROWS = 300
"""The number of dev rows that probabilities are fitted on at most."""
Rows = dict[str, list[Example]]
"""Rows by part: train, dev, test."""


def train(
    config: RunConfig,
    domain: Domain,
    rows: Rows,
    folder: RunFolder,
    *,
    resume: bool = False,
    gazetteer: Gazetteer = (),
    environment: dict[str, Any] | None = None,
    tracker: Tracker = SILENT,
    allow_changes: bool = False,
    calibrates: bool = True,
    choose: Callable[[RunConfig, Sequence[Example]], RunConfig] | None = None,
) -> Parser:
    """Train on the rows of `train`, choose by those of `dev`; return the chosen parser.

    A run that resumes may have other settings than it was begun with if `allow_changes` is True.
    The gazetteer has names for the lexicon, besides those in training rows; `environment` says
    where the rows come from. Once the folder is this run's, `choose` decides by the training rows
    what the settings leave open.
    """
    if unknown := set(rows) - set(PARTS):
        raise UsageError(f"rows of unknown parts: {', '.join(sorted(unknown))}")
    rows = {**rows, "train": _drawn(config, rows["train"])}
    origin = environment or {}
    with folder.at_work(resume=resume):
        config = config if choose is None else choose(config, rows["train"])
        changes = []
        if resume:
            changes = folder.changes_since(config, origin, may_change=allow_changes)
        else:
            folder.note_origin(config, origin)
        torch.set_num_threads(config.threads)
        torch.use_deterministic_algorithms(mode=True)
        torch.manual_seed(config.seed)
        domain = _with_language(config, domain, rows["train"], tracker)
        with tracker.phase(f"making the lexicon from {len(rows['train']):,} training rows"):
            lexicon = make_lexicon(config, domain, rows["train"], gazetteer)
        learner = make_learner(config, domain, lexicon, rows["train"], tracker)
        run = _Run(config, domain, lexicon, learner, rows["dev"], folder, origin, tracker)
        run.loop(changes).run()
        if calibrates:
            return _calibrated(folder, config, rows, gazetteer)
        return Parser(load_model(folder.model("best")))


def _drawn(config: RunConfig, rows: list[Example]) -> list[Example]:
    """Return the training rows that the settings ask for, in their order."""
    if config.train_rows is None or config.train_rows >= len(rows):
        return rows
    chosen = sorted(random.Random(config.seed).sample(range(len(rows)), config.train_rows))
    return [rows[place] for place in chosen]


def _with_language(
    config: RunConfig, domain: Domain, rows: Sequence[Example], tracker: Tracker
) -> Domain:
    """Return the domain with its algebra, inferred from training rows if it has none of its own."""
    if domain.inference is not None:
        variant = config.language or domain.inference.variants[0]
        if variant not in domain.inference.variants:
            choices = ", ".join(domain.inference.variants)
            raise UsageError(f"language is one of {choices}, not {variant!r}")
        with tracker.phase(f"working out the language of {len(rows):,} training rows"):
            types = Path(config.types) if config.types else None
            domain = domain.inference.infer(rows, variant, types)
    return domain.with_algebra(config.model.algebra)


class Learner(NamedTuple):
    """A new network, and what it is trained by."""

    network: Network
    objective: Objective
    attested: tuple[AttestedOperation, ...] | None
    """The legal operations, where `model.legality` is `attested`."""


def make_learner(
    config: RunConfig,
    domain: Domain,
    lexicon: Lexicon,
    examples: Sequence[Example],
    tracker: Tracker = SILENT,
) -> Learner:
    """Make a new network and its objective. Gold forests are enumerated once, or not at all."""
    if config.extra_rows == "renamed":
        examples = [*examples, *_renamed(config, domain, lexicon, examples)]
    may_be_nothing = config.model.nothing == "interpreter"
    reader = SentenceReader(domain, lexicon, may_be_nothing=may_be_nothing)
    if config.optim.objective == "exact":
        return _exact_learner(config, reader, examples, tracker)
    return _reinforce_learner(config, reader, examples, tracker)


def _renamed(
    config: RunConfig, domain: Domain, lexicon: Lexicon, examples: Sequence[Example]
) -> list[Example]:
    """Return copies of training rows with other names; the lexicon is made without them."""
    if domain.words.renamed is None:
        raise UsageError(
            f"domain {domain.name!r} has no names of several sorts: extra_rows = 'renamed'"
        )
    copies = list(domain.words.renamed(examples, lexicon, random.Random(config.seed)))
    note(f"{len(copies)} copies of training rows with other names")
    return copies


def _exact_learner(
    config: RunConfig, reader: SentenceReader, examples: Sequence[Example], tracker: Tracker
) -> Learner:
    with tracker.phase("finding all derivations"):
        data = make_problems(
            reader,
            examples,
            config=config.model,
            contrast=config.optim.contrast,
            limit=config.optim.max_problems,
            seed=config.seed,
            tracker=tracker,
        )
    if data.num_unreached:
        note(f"{data.num_unreached} of {data.num_rows} training rows are out of reach, left out")
    network = Network(config.model, Vocabulary.of(reader, data.symbols)).to(config.device)
    objective = ExactObjective(network, data, config.optim.word_dropout)
    return Learner(network, objective, data.attested)


def _reinforce_learner(
    config: RunConfig, reader: SentenceReader, examples: Sequence[Example], tracker: Tracker
) -> Learner:
    symbols = _latent_symbols(config.model, reader)
    attested = None
    if config.model.legality == "attested" or config.model.symbols == "typed":
        with tracker.phase("finding what training rows attest"):
            attestation = Attestation.of(Oracle(reader), examples, tracker)
        if attestation.num_unreached:
            rows = f"{attestation.num_unreached} of {len(examples)} training rows"
            note(f"{rows} are out of reach and attest nothing")
        if config.model.legality == "attested":
            attested = tuple(sorted(attestation.operations))
        if config.model.symbols == "typed":
            symbols = (OTHER, *sorted(attestation.symbols))
    network = Network(config.model, Vocabulary.of(reader, symbols)).to(config.device)
    categories = reader.categories.restricted(attested, by_types=config.model.legality != "any")
    with tracker.phase("reading the training sentences"):
        objective = ReinforceObjective.of(reader, categories, network, examples, config.optim)
    return Learner(network, objective, attested)


def _latent_symbols(config: ModelConfig, reader: SentenceReader) -> tuple[str, ...]:
    """Name N symbols; where leaves are typed, the first ones are the types of leaves."""
    leaves = reader.leaf_categories() if config.leaf_symbols == "typed" else ()
    types = sorted({reader.categories.argument_symbol(category) for category in leaves})
    if len(types) > config.nonterminals:
        raise UsageError(
            f"leaves have {len(types)} types ({', '.join(types)}), more than "
            f"model.nonterminals = {config.nonterminals}"
        )
    numbers = range(len(types), config.nonterminals)
    return (*types, *(f"N{number}" for number in numbers))


class _Run(NamedTuple):
    """A learner in the folder of its run."""

    config: RunConfig
    domain: Domain
    lexicon: Lexicon
    learner: Learner
    dev: list[Example]
    folder: RunFolder
    origin: dict[str, Any]
    tracker: Tracker

    def loop(self, changes: Sequence[str]) -> Loop:
        """Make the loop of the run, which goes on where its checkpoint stands, if there is one."""
        optim, network = self.config.optim, self.learner.network
        average = make_average(network, optim)
        optimizer = make_optimizer(network, optim)
        state = TrainingState(network, optimizer, self.learner.objective, average)
        shown = network if average is None else average.module
        return Loop(
            state,
            Curriculum(self.config, self.learner.objective),
            seed=self.config.seed,
            max_gradient=optim.max_gradient or math.inf,
            norm=math.inf,
            evaluate=lambda: self._exact_match(shown),
            keep=lambda which, metrics: save_model(
                self.folder.model(which), self._model(shown, metrics)
            ),
            report=self._report,
            checkpoint=self.folder.checkpoint,
            settings=msgspec.json.encode(self.config),
            progress=self._progress(state, changes),
            tracker=self.tracker,
        )

    def _progress(self, state: TrainingState, changes: Sequence[str]) -> Progress:
        if not self.folder.checkpoint.is_file():
            return Progress()
        try:
            progress = state.load(self.folder.checkpoint)
        except DataError as error:
            named = f" ({'; '.join(changes)})" if changes else ""
            raise DataError(f"{error}{named}") from None
        self.folder.note_changes(self.config, changes)
        self.folder.write_metrics(progress.history)
        return progress

    def _exact_match(self, network: nn.Module) -> float:
        """Return the share of dev rows that the network answers right."""
        parser = Parser(self._model(network, None), unknown_words="overlook")
        return evaluate(parser, self.dev, tracker=self.tracker).overall.exact_match

    def _model(self, network: nn.Module, metrics: Metrics | None) -> Model:
        """Return the model as it is now, with where it comes from."""
        assert isinstance(network, Network)
        about = {
            "lear": __version__,
            "config": msgspec.to_builtins(self.config),
            "metrics": None if metrics is None else msgspec.to_builtins(metrics),
            **self.origin,
        }
        decoding: Decoding = "chart" if self.config.optim.objective == "exact" else "greedy"
        header = ModelHeader(
            self.domain.name,
            self.config.model,
            network.vocabulary,
            decoding,
            self.learner.objective.rules(),
            about,
            self.learner.attested,
            language=self.domain.inferred,
        )
        return Model(header, self.lexicon, network.weights())

    def _report(self, progress: Progress) -> None:
        self.folder.write_metrics(progress.history)
        metrics = progress.history[-1]
        note(
            f"epoch {metrics.epoch:g}: loss {metrics.loss:.4f}, "
            f"dev {100 * metrics.dev_exact_match:.2f} %, "
            f"{metrics.rows_per_second:,.0f} rows/s, {metrics.seconds_left:.0f} s left"
        )


def _calibrated(folder: RunFolder, config: RunConfig, rows: Rows, gazetteer: Gazetteer) -> Parser:
    """Return the chosen model, with probabilities fitted on dev rows that training did not see."""
    model = load_model(folder.model("best"))
    unseen = unseen_rows(rows["dev"], rows["train"])
    if not unseen:
        note("all dev rows are training rows: probabilities stay as they are (`lear calibrate`)")
        return Parser(model)
    parser = Parser(model, unknown_words="overlook")
    fitted_rows = unseen[:MAX_CALIBRATION_ROWS]
    calibration = fit_with_rare_words(
        parser,
        config,
        list(answer_outcomes(parser, fitted_rows)),
        f"{config.benchmark} dev, {len(fitted_rows)} rows",
        {"train": rows["train"], "dev": unseen},
        gazetteer,
    )
    header = msgspec.structs.replace(model.header, calibration=calibration)
    model = replace(model, header=header)
    save_model(folder.model("best"), model)
    return Parser(model)
