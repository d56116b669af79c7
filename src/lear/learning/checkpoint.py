"""Checkpoints: weights, optimizer and place in a run, in one file that is whole or not there.

Randomness needs no state: each epoch's order and each step's draws come from the seed and their
number, so a resumed run does exactly what an unbroken one would have done. A file is untrusted:
whatever does not fit is a `DataError` that names it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from lear.errors import DataError
from lear.messages import deferred_signals
from lear.model.model_file import check_signature, signed
from lear.model.network import StepResult
from lear.storage.files import write_whole

FORMAT = "lear-checkpoint-6"
DTYPES = {"F16", "F32", "F64", "I32", "I64"}
"""The types that tensors may have, as safetensors names them."""
OPTIMIZER_STATE: dict[type[torch.optim.Optimizer], set[str]] = {
    torch.optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.Adadelta: {"step", "square_avg", "acc_delta"},
}
"""The tensors that each optimizer keeps for a weight."""
_DAMAGE = (LookupError, RuntimeError, TypeError, ValueError, RecursionError)
"""The errors that come up when a file holds other things than it should."""
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class Metrics(msgspec.Struct, frozen=True):
    """One evaluation on dev: a line of `metrics.jsonl`."""

    epoch: float
    """Epochs done, over all stages."""
    steps: int
    """Steps done, over all stages."""
    loss: float
    """The mean over the rows since the evaluation before."""
    rows_per_second: float
    dev_exact_match: float
    seconds: float
    """The time that the run has taken so far."""
    seconds_left: float


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a run has come."""

    stage: Count = 0
    """Stages done."""
    stage_epoch: Count = 0
    """Epochs done of the stage that follows."""
    epoch: Count = 0
    """Epochs begun and left, over all stages."""
    step: Count = 0
    """Steps done in the epoch that follows."""
    total_steps: Count = 0
    loss_sum: float = 0.0
    """The loss of the steps since the last evaluation, weighted by rows."""
    rows: Count = 0
    """The rows of these steps."""
    seconds: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    history: tuple[Metrics, ...] = ()
    """All evaluations so far."""

    @property
    def best_dev(self) -> float:
        """The best exact match on dev so far; -1 before the first evaluation."""
        return max((metrics.dev_exact_match for metrics in self.history), default=-1.0)


class Trainable(Protocol):
    """What the loop and its checkpoints need of an objective."""

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the gradient of a batch to the network's; all randomness comes from `rng`."""

    def state(self) -> dict[str, Tensor]:
        """Return what is remembered besides the weights."""

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on from what `state` returned."""


@dataclass(frozen=True)
class TrainingState:
    """Everything that steps of training change."""

    network: nn.Module
    optimizer: torch.optim.Optimizer
    objective: Trainable
    average: AveragedModel | None = None

    def save(self, path: Path, progress: Progress, settings: bytes) -> None:
        """Write a checkpoint; `settings` are those of the run, as JSON."""
        parts = {
            "weight": self.network.state_dict(),
            "objective": self.objective.state(),
            "optimizer": _optimizer_tensors(self.optimizer),
            "average": {} if self.average is None else self.average.state_dict(),
        }
        tensors = {
            f"{part}.{name}": tensor.detach().cpu().contiguous()
            for part, named in parts.items()
            for name, tensor in named.items()
        }
        texts = {
            "format": FORMAT,
            "progress": msgspec.json.encode(progress).decode(),
            "settings": settings.decode(),
        }
        write_whole(path, save(tensors, signed(texts, _arrays(tensors))))

    def load(self, path: Path) -> Progress:
        """Take over the state that a checkpoint holds; return how far its run had come."""
        with _read(path) as contents:
            progress = msgspec.json.decode(contents.texts["progress"], type=Progress)
            weights, wanted = contents.named("weight."), self.network.state_dict()
            if {n: t.shape for n, t in weights.items()} != {n: t.shape for n, t in wanted.items()}:
                raise ValueError("its weights do not fit the settings")
            self.network.load_state_dict(weights)
            self.objective.load_state(contents.named("objective."))
            if self.average is not None:
                self.average.load_state_dict(contents.named("average."))
            _load_optimizer(self.optimizer, contents.named("optimizer."))
        return progress


def settings_of(path: Path) -> dict[str, Any]:
    """Return the settings of a checkpoint's run."""
    with _read(path) as contents:
        return msgspec.json.decode(contents.texts["settings"], type=dict[str, Any])


class _Contents(NamedTuple):
    texts: dict[str, str]
    tensors: dict[str, Tensor]

    def named(self, prefix: str) -> dict[str, Tensor]:
        """Return the tensors whose names begin with a prefix, by the rest of their names."""
        return {
            name.removeprefix(prefix): tensor
            for name, tensor in self.tensors.items()
            if name.startswith(prefix)
        }


@contextmanager
def _read(path: Path) -> Iterator[_Contents]:
    """Read a checkpoint; errors in the block, where its contents are used, name the file."""
    if not path.is_file():
        raise DataError(f"{path}: no checkpoint to resume from")
    try:
        # torch turns Ctrl-C into an error like those of damaged files: signals have to wait.
        with deferred_signals(), safe_open(str(path), framework="pt", device="cpu") as file:
            texts = file.metadata() or {}
            if texts.get("format") != FORMAT:
                raise DataError(f"{path}: not a checkpoint of this version of lear ({FORMAT})")
            names = list(file.keys())
            dtypes = {file.get_slice(name).get_dtype() for name in names}
            if not dtypes <= DTYPES:
                raise ValueError(f"it holds {', '.join(sorted(dtypes - DTYPES))}")
            tensors = {name: file.get_tensor(name) for name in names}
        check_signature(texts, _arrays(tensors))
        if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
            raise ValueError("it holds what is not a number")
        yield _Contents(texts, tensors)
    except (SafetensorError, msgspec.DecodeError, *_DAMAGE) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"{path}: not a whole checkpoint of this run: {reason}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def _arrays(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[Any]]:
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def _optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the state of an optimizer by the weight's number and the tensor's name: `0.step`."""
    return {
        f"{number}.{name}": tensor
        for number, state in optimizer.state_dict()["state"].items()
        for name, tensor in state.items()
    }


def _load_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Give an optimizer the state that `_optimizer_tensors` returned, if it fits."""
    states: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, key = name.split(".", 1)
        states.setdefault(int(number), {})[key] = tensor
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    wanted = OPTIMIZER_STATE[type(optimizer)]
    for index, state in states.items():
        shapes = {key: () if key == "step" else tuple(weights[index].shape) for key in wanted}
        if index < 0 or {key: tuple(tensor.shape) for key, tensor in state.items()} != shapes:
            raise ValueError(f"the optimizer's state of weight {index} does not fit")
        if state["step"] < 0:
            raise ValueError(f"the optimizer's state of weight {index} has negative steps")
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
