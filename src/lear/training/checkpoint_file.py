"""Checkpoint files: tensors and texts in one safetensors file, which says when it is damaged.

What is read is untrusted: kinds and values are checked, and whatever else goes wrong while a state
is put where it belongs is a `DataError` that names the file.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from lear.errors import DataError
from lear.messages.interrupts import deferred_signals
from lear.model.signature import check_signature, signed
from lear.storage.atomic_file import write_whole

KINDS = {"F16", "F32", "F64", "I32", "I64"}
"""What tensors may be, as safetensors names it."""
OPTIMIZER_STATE: dict[type[torch.optim.Optimizer], set[str]] = {
    torch.optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.Adadelta: {"step", "square_avg", "acc_delta"},
}
"""What each optimizer remembers of a weight."""
_DAMAGE = (LookupError, RuntimeError, TypeError, ValueError, RecursionError)
"""What goes wrong when a file holds other things than it should."""


class Contents(NamedTuple):
    """What a checkpoint holds."""

    texts: dict[str, str]
    tensors: dict[str, Tensor]

    def named(self, prefix: str) -> dict[str, Tensor]:
        """The tensors whose names begin so, without it."""
        return {
            name.removeprefix(prefix): tensor
            for name, tensor in self.tensors.items()
            if name.startswith(prefix)
        }


def write_contents(
    path: Path, file_format: str, texts: Mapping[str, str], tensors: Mapping[str, Tensor]
) -> None:
    """Write a checkpoint, whole or not at all."""
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {"format": file_format, **texts}
    write_whole(path, save(ready, signed(metadata, _arrays(ready))))


@contextmanager
def read_contents(path: Path, file_format: str) -> Iterator[Contents]:
    """A checkpoint's contents; use them inside of the block, where what does not fit is named."""
    if not path.is_file():
        raise DataError(f"{path}: no checkpoint to resume from")
    try:
        # torch would make of Ctrl-C an error like those of damaged files: it has to wait.
        with deferred_signals(), safe_open(str(path), framework="pt", device="cpu") as file:
            texts = file.metadata() or {}
            if texts.get("format") != file_format:
                raise DataError(f"{path}: not a checkpoint of this version of lear ({file_format})")
            names = list(file.keys())
            kinds = {file.get_slice(name).get_dtype() for name in names}
            if not kinds <= KINDS:
                raise ValueError(f"it holds {', '.join(sorted(kinds - KINDS))}")
            tensors = {name: file.get_tensor(name) for name in names}
        check_signature(texts, _arrays(tensors))
        if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
            raise ValueError("it holds what is not a number")
        yield Contents(texts, tensors)
    except (SafetensorError, msgspec.DecodeError, *_DAMAGE) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"{path}: not a whole checkpoint of this run: {reason}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """What an optimizer remembers, by number of the weight and name: `0.exp_avg`."""
    return {
        f"{number}.{name}": tensor
        for number, state in optimizer.state_dict()["state"].items()
        for name, tensor in state.items()
    }


def load_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Let an optimizer remember what `optimizer_tensors` gave; `ValueError` if it does not fit."""
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


def _arrays(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[Any]]:
    return {name: tensor.numpy() for name, tensor in tensors.items()}
