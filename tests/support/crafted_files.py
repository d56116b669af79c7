"""Model files and checkpoints with other contents, and a checksum that fits them."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from lear.model.model_file import signed

Texts = dict[str, str]
Tensors = dict[str, Tensor]
Change = Callable[[Texts, Tensors], object]
"""Changes texts and tensors of a file in place."""
DEEP = "[" * 100_000
FLOAT8 = torch.float8_e4m3fn


def craft(path: Path, change: Change) -> None:
    """Write a file anew with other contents, and sign it."""
    with safe_open(str(path), framework="pt") as file:
        texts = file.metadata()
        tensors = {name: file.get_tensor(name) for name in list(file.keys())}
    change(texts, tensors)
    # Kinds that NumPy does not have must be refused before any checksum is made.
    arrays = {n: (t.float() if t.dtype == FLOAT8 else t).numpy() for n, t in tensors.items()}
    path.write_bytes(save(tensors, signed(texts, arrays)))


def in_json(text: str, **values: object) -> Change:
    """Other values in one of the texts, which is JSON."""

    def change(texts: Texts, tensors: Tensors) -> None:
        texts[text] = json.dumps({**json.loads(texts[text]), **values})

    return change


def text(name: str, value: str) -> Change:
    """Another text."""
    return lambda texts, _: texts.update({name: value})


def tensor(end: str, change: Callable[[Tensor], Tensor]) -> Change:
    """Another tensor in place of the first one whose name ends so."""

    def changed(texts: Texts, tensors: Tensors) -> None:
        name = next(name for name in sorted(tensors) if name.endswith(end))
        tensors[name] = change(tensors[name])

    return changed


def without_tensor(end: str) -> Change:
    """The file without the first tensor whose name ends so."""
    return lambda _, tensors: tensors.pop(next(n for n in sorted(tensors) if n.endswith(end)))


def first_number(value: float) -> Callable[[Tensor], Tensor]:
    """A tensor whose first number is another one."""

    def change(old: Tensor) -> Tensor:
        new = old.clone()
        new.view(-1)[0] = value
        return new

    return change


def outer_header(content: bytes) -> dict[str, Any]:
    """What safetensors itself says of a file's tensors."""
    (size,) = struct.unpack("<Q", content[:8])
    header: dict[str, Any] = json.loads(content[8 : 8 + size])
    return header


def with_outer_header(content: bytes, header: bytes, size: int | None = None) -> bytes:
    """A file with another header, and perhaps with a lie about its length."""
    (old,) = struct.unpack("<Q", content[:8])
    return struct.pack("<Q", len(header) if size is None else size) + header + content[8 + old :]
