"""A checksum over all that a file of tensors holds: damage is told, not guessed from odd answers.

It tells damage, not forgery: whoever writes a file can sign it.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

SIGNATURE = "sha256"
"""Its name among the metadata."""


def signed(metadata: Mapping[str, str], tensors: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    """Metadata with the checksum."""
    return {**metadata, SIGNATURE: _digest(metadata, tensors)}


def check_signature(metadata: Mapping[str, str], tensors: Mapping[str, NDArray[Any]]) -> None:
    """Raise `ValueError` unless metadata and tensors are as they were when they were signed."""
    if metadata.get(SIGNATURE) != _digest(metadata, tensors):
        raise ValueError("its checksum does not fit: the file is damaged")


def _digest(metadata: Mapping[str, str], tensors: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    parts: list[tuple[str, bytes]] = [
        (f"text {key}", value.encode()) for key, value in metadata.items() if key != SIGNATURE
    ]
    for name, tensor in tensors.items():
        parts.append((f"tensor {name} {tensor.dtype.str} {tensor.shape}", tensor.tobytes()))
    for title, content in sorted(parts, key=lambda part: part[0]):
        digest.update(f"{title}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
