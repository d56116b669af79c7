"""A run from raw rows to a trained model in its folder."""

import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import torch

from lear.decoding.model_file import FILE_NAME as MODEL_FILE
from lear.decoding.model_file import Decoding, Model, ModelHeader, load_model, save_model
from lear.domain.domain import Domain
from lear.domain.example import Example, Gazetteer
from lear.errors import DataError
from lear.evaluation.evaluate import evaluate
from lear.messages.notes import note
from lear.parser import Parser
from lear.storage.atomic_file import write_whole
from lear.training.checkpoint import FILE_NAME as CHECKPOINT_FILE
from lear.training.checkpoint import Progress, load_checkpoint
from lear.training.config import RunConfig, to_toml
from lear.training.learner import make_learner
from lear.training.loop import Loop, Metrics, make_optimizer
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

    def _is_stillborn(self) -> bool:
        """Whether a run began here and stopped before it had anything to lose."""
        models = {self.model(which).parent for which in ("best", "last")}
        own = {self.config, self.environment, *models}
        return set(self.root.iterdir()) <= own and not any(
            any(folder.iterdir()) for folder in models if folder.is_dir()
        )

    def prepare(self, *, resume: bool) -> None:
        """Make the folder; refuse one with other things in it."""
        if resume:
            if not self.checkpoint.is_file():
                raise DataError(f"{self.root}: no checkpoint to resume from")
            return
        if self.root.exists() and not self.root.is_dir():
            raise DataError(f"{self.root}: not a folder")
        if self.root.exists() and any(self.root.iterdir()) and not self._is_stillborn():
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
    resume: bool = False,
    gazetteer: Gazetteer = (),
    environment: dict[str, Any] | None = None,
) -> Parser:
    """Train on the rows of `train`, choose by those of `dev`; return the chosen parser.

    Args:
        config: The settings.
        domain: What to learn.
        rows: By part.
        folder: Where the run is kept.
        resume: Go on with the run in the folder.
        gazetteer: Names for the lexicon, besides those in training rows.
        environment: What to note of where the rows come from.
    """
    environment = environment or {}
    folder.prepare(resume=resume)
    torch.set_num_threads(config.threads)
    torch.use_deterministic_algorithms(mode=True)
    torch.manual_seed(config.seed)
    if resume:
        _check_same_data(folder, environment)
    else:
        write_whole(folder.config, to_toml(config).encode())
        write_whole(folder.environment, msgspec.json.encode(_environment() | environment))
    lexicon = domain.words.induce(rows["train"], gazetteer)
    network, objective, attested = make_learner(config, domain, lexicon, rows["train"])
    optimizer = make_optimizer(network, config.optim)
    progress = Progress()
    if resume:
        progress = load_checkpoint(folder.checkpoint, network, optimizer, objective)

    decoding: Decoding = "chart" if config.optim.objective == "exact" else "greedy"

    def model(metrics: Metrics | None) -> Model:
        about = {
            "lear": __version__,
            "config": msgspec.to_builtins(config),
            "metrics": None if metrics is None else msgspec.to_builtins(metrics),
            **environment,
        }
        header = ModelHeader(
            domain.name,
            config.model,
            network.vocabulary,
            decoding,
            objective.rules() if config.model.search == "used" else (),
            about,
            attested,
        )
        return Model(header, lexicon, network)

    def report(metrics: Metrics) -> None:
        try:
            with folder.metrics.open("ab") as stream:
                stream.write(msgspec.json.encode(metrics) + b"\n")
        except OSError as error:
            raise DataError(f"{folder.metrics}: cannot be written: {error.strerror}") from None
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


def _check_same_data(folder: RunFolder, environment: dict[str, Any]) -> None:
    """A run goes on with the rows it began with, or not at all."""
    try:
        began_with = msgspec.json.decode(folder.environment.read_bytes()).get("rows")
    except (OSError, AttributeError, msgspec.DecodeError):
        raise DataError(f"{folder.environment}: cannot be read; the run cannot go on") from None
    if began_with != environment.get("rows"):
        raise DataError(f"{folder.root}: its data has changed since the run began")


def _environment() -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "lear": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "platform": platform.platform(),
    }
