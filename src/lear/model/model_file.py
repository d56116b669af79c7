"""Model files: one safetensors file whose header holds the rest as JSON. No pickle.

The weights, the settings, the vocabulary, the lexicon and the grammar are one file, so that a model
is whole or not there. What is read is untrusted: every field is checked before it is used. A
checksum over all of it tells damage, but not forgery: whoever writes a file can sign it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from lear.errors import DataError
from lear.grammar.categories import AttestedOperation
from lear.grammar.rules import Rule
from lear.lexicon.lexicon import Lexicon
from lear.model.config import Calibration, ModelConfig, Vocabulary
from lear.model.forward_pass import Floats, ForwardPass, weight_shapes
from lear.storage.files import write_whole

SIGNATURE = "sha256"
"""The name of the checksum among the metadata."""


def signed(metadata: Mapping[str, str], tensors: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    """Return metadata with the checksum."""
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


NOT_READ = "legal."
"""Begins the names of tensors that older versions wrote, of what is legal among categories."""
FORMAT = "lear-model-3"
WEIGHT_KINDS = {"F16", "F32", "F64"}
"""The kinds of floats, as safetensors names them."""
Decoding = Literal["chart", "greedy"]


class ModelHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model without its weights and its lexicon."""

    domain: str
    config: ModelConfig
    vocabulary: Vocabulary
    decoding: Decoding
    rules: tuple[Rule, ...]
    """The rules that training derivations use: a chart tries them first, and they are not novel."""
    about: dict[str, Any]
    """Its origin: version, benchmark, seed, settings, scores."""
    attested: tuple[AttestedOperation, ...] | None = None
    """The operations that `legality = "attested"` allows."""
    calibration: Calibration = Calibration()
    language: Any = None
    """What was worked out of the domain's language where training rows decide that."""


@dataclass(frozen=True)
class Model:
    """A trained network, and all that its use needs."""

    header: ModelHeader
    lexicon: Lexicon
    weights: Mapping[str, Floats]

    @cached_property
    def forward(self) -> ForwardPass:
        """The network at work."""
        return ForwardPass(self.header.config, self.header.vocabulary, self.weights)


def is_same_model(one: Model, other: Model) -> bool:
    """True if two models answer alike."""
    return one is other or (
        one.header == other.header
        and one.lexicon == other.lexicon
        and one.weights.keys() == other.weights.keys()
        and all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)
    )


def save_model(path: Path, model: Model) -> None:
    """Write a model file, whole or not at all."""
    metadata = {
        "format": FORMAT,
        "header": msgspec.json.encode(model.header).decode(),
        "lexicon": model.lexicon.to_json().decode(),
    }
    weights = {name: np.ascontiguousarray(weight) for name, weight in model.weights.items()}
    write_whole(path, save(weights, signed(metadata, weights)))


def load_model(path: Path) -> Model:
    """Read a model file; anything wrong with it is a `DataError` that names it."""
    if not path.is_file():
        raise DataError(f"{path}: no such model")
    try:
        with safe_open(str(path), framework="np") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise DataError(f"{path}: not a model of this version of lear ({FORMAT})")
            header = msgspec.json.decode(metadata.get("header", ""), type=ModelHeader)
            lexicon = Lexicon.from_json(metadata.get("lexicon", "").encode(), str(path))
            every = list(file.keys())
            names = [name for name in every if not name.startswith(NOT_READ)]
            kinds = {file.get_slice(name).get_dtype() for name in names}
            if not kinds <= WEIGHT_KINDS:
                raise DataError(f"{path}: its weights are {', '.join(sorted(kinds))}, not floats")
            shapes = {name: tuple(file.get_slice(name).get_shape()) for name in names}
            _check_header(path, header)
            if shapes != weight_shapes(header.config, header.vocabulary):
                raise DataError(f"{path}: its weights do not fit its settings")
            weights = {name: file.get_tensor(name) for name in names}
            others = {name: file.get_tensor(name) for name in every if name not in weights}
            check_signature(metadata, weights | others)
    except (SafetensorError, msgspec.DecodeError, RecursionError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{path}: not a whole model file: {reason}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    if not all(bool(np.isfinite(weight).all()) for weight in weights.values()):
        raise DataError(f"{path}: holds weights that are not numbers")
    return Model(header, lexicon, weights)


def _check_header(path: Path, header: ModelHeader) -> None:
    """Refuse what no training could have written, before anything relies on it."""
    config, vocabulary = header.config, header.vocabulary
    is_context_free = config.symbols == "typed" and config.encoder == "tree" and config.abstraction
    operations, symbols = set(vocabulary.operations), set(vocabulary.symbols)
    is_sound = (
        bool(vocabulary.words and vocabulary.primitives)
        and len(operations) == len(vocabulary.operations)
        and (header.decoding == "greedy" or is_context_free)
        and (config.symbols == "typed" or len(symbols) >= config.nonterminals)
        and all(
            rule.parts and rule.operation in operations and symbols.issuperset(rule.symbols)
            for rule in header.rules
        )
    )
    if not is_sound:
        raise DataError(f"{path}: its settings, vocabulary and rules do not fit each other")
