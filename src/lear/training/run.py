"""A run from raw rows to a trained model in its folder."""

import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch

from lear.categories import Attested, CategoryTable
from lear.data.whole_file import whole_file
from lear.domain import Domain, Example
from lear.errors import DataError
from lear.evaluation.evaluate import evaluate
from lear.lexicon import Lexicon
from lear.messages import note
from lear.model.files import FILE_NAME as MODEL_FILE
from lear.model.files import Model, ModelHeader, load_model, save_model
from lear.model.network import Network
from lear.model.vocabulary import Vocabulary
from lear.parser import Parser
from lear.rules import Rule
from lear.training.attested import attested_steps
from lear.training.checkpoint import FILE_NAME as CHECKPOINT_FILE
from lear.training.checkpoint import Progress, load_checkpoint
from lear.training.config import RunConfig, to_toml
from lear.training.exact import ExactObjective, prepare
from lear.training.loop import Loop, Metrics, make_optimizer
from lear.training.objective import Objective
from lear.training.reinforce import ReinforceObjective
from lear.version import __version__


@dataclass(frozen=True)
class RunFolder:
    """The files of a run."""

    root: Path

    @property
    def config(self) -> Path:
        """The resolved settings; `--config` reads them."""
        return self.root / "config.toml"

    @property
    def metrics(self) -> Path:
        """One JSON line an epoch."""
        return self.root / "metrics.jsonl"

    @property
    def environment(self) -> Path:
        """Versions, machine, date, data."""
        return self.root / "environment.json"

    @property
    def checkpoint(self) -> Path:
        """Where `--resume` goes on."""
        return self.root / CHECKPOINT_FILE

    def model(self, which: str) -> Path:
        """The model file of `best` or `last`."""
        return self.root / f"model-{which}" / MODEL_FILE

    def prepare(self, *, resume: bool) -> None:
        """Make the folder; refuse one with other things in it."""
        if resume:
            if not self.checkpoint.is_file():
                raise DataError(f"{self.root}: no checkpoint to resume from")
            return
        if self.root.exists() and (not self.root.is_dir() or any(self.root.iterdir())):
            raise DataError(f"{self.root}: not empty; choose another folder, or --resume the run")
        try:
            for which in ("best", "last"):
                self.model(which).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{self.root}: cannot be made: {error.strerror}") from None


def train(
    config: RunConfig,
    domain: Domain,
    rows: dict[str, list[Example]],
    folder: RunFolder,
    *,
    resume: bool,
    environment: dict[str, Any],
) -> Parser:
    """Train on the rows of `train`, choose by those of `dev`; return the chosen parser."""
    folder.prepare(resume=resume)
    torch.set_num_threads(config.threads)
    torch.use_deterministic_algorithms(mode=True)
    torch.manual_seed(config.seed)
    if not resume:
        _write(folder.config, to_toml(config).encode())
        _write(folder.environment, msgspec.json.encode(_environment() | environment))
    lexicon = domain.induce(rows["train"])
    network, objective, rules, attested = make_learner(config, domain, lexicon, rows["train"])
    optimizer = make_optimizer(network, config.optim)
    progress = Progress()
    if resume:
        progress = load_checkpoint(folder.checkpoint, network, optimizer)

    def model(metrics: Metrics | None) -> Model:
        about = {
            "lear": __version__,
            "config": msgspec.to_builtins(config),
            "metrics": None if metrics is None else msgspec.to_builtins(metrics),
            **environment,
        }
        header = ModelHeader(domain.name, config.model, network.vocabulary, rules, about, attested)
        return Model(header, lexicon, network)

    def report(metrics: Metrics) -> None:
        with folder.metrics.open("ab") as stream:
            stream.write(msgspec.json.encode(metrics) + b"\n")
        note(
            f"epoch {metrics.epoch}: loss {metrics.loss:.4f}, "
            f"dev {100 * metrics.dev_exact_match:.2f} %, "
            f"{metrics.rows_per_second:,.0f} rows/s, {metrics.seconds_left:.0f} s left"
        )

    Loop(
        config=config,
        network=network,
        optimizer=optimizer,
        objective=objective,
        evaluate=lambda: evaluate(Parser(model(None)), rows["dev"]).overall.exact_match,
        save_model=lambda which, metrics: save_model(folder.model(which), model(metrics)),
        report=report,
        checkpoint=folder.checkpoint,
        progress=progress,
    ).run()
    return Parser(load_model(folder.model("best"), config.device))


class Learner(NamedTuple):
    """What training works on."""

    network: Network
    objective: Objective
    rules: tuple[Rule, ...]
    """The rules of its grammar, if it has one."""
    attested: tuple[Attested, ...] | None
    """What `model.legality = "attested"` allows."""


def make_learner(
    config: RunConfig, domain: Domain, lexicon: Lexicon, examples: list[Example]
) -> Learner:
    """A new network, and what it learns from."""
    operations = tuple(domain.algebra.by_name)
    attested = (
        attested_steps(domain, lexicon, examples) if config.model.legality == "attested" else None
    )
    categories = CategoryTable(domain, attested)
    if config.optim.objective == "reinforce":
        symbols = tuple(f"N{number}" for number in range(config.model.nonterminals))
        vocabulary = Vocabulary.of(lexicon, symbols, operations)
        network = Network(config.model, vocabulary).to(config.device)
        policy = ReinforceObjective.of(domain, lexicon, categories, network, examples, config.optim)
        return Learner(network, policy, (), attested)
    data = prepare(domain, lexicon, examples, categories)
    if data.num_unreached:
        note(f"{data.num_unreached} of {data.num_rows} training rows are out of reach, left out")
    vocabulary = Vocabulary.of(lexicon, data.symbols, operations)
    network = Network(config.model, vocabulary).to(config.device)
    return Learner(network, ExactObjective(network, data), data.gold_rules, attested)


def _write(path: Path, content: bytes) -> None:
    try:
        with whole_file(path) as stream:
            stream.write(content)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from None


def _environment() -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "lear": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "platform": platform.platform(),
    }
