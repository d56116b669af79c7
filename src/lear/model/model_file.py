"""Model files: one safetensors file whose header holds the rest as JSON. No pickle.

The weights, the settings, the vocabulary, the lexicon and the grammar are one file, so that a model
is whole or not there. What is read is untrusted: every field is checked before it is used.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from lear.core.lexicon import Lexicon
from lear.errors import DataError
from lear.grammar.category_table import AttestedOperation
from lear.grammar.rules import Rule
from lear.model.calibration import Calibration
from lear.model.config import ModelConfig
from lear.model.forward_pass import ForwardPass, weight_shapes
from lear.model.layers import Floats
from lear.model.legal_table_file import is_of_table, table_of_tensors, table_to_tensors
from lear.model.signature import check_signature, signed
from lear.model.vocabulary import Vocabulary
from lear.search.legal_table import LegalTable
from lear.storage.atomic_file import write_whole

FORMAT = "lear-model-3"
WEIGHT_KINDS = {"F16", "F32", "F64"}
"""As safetensors names them."""


Decoding = Literal["chart", "greedy"]


class ModelHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything of a model but its weights and its lexicon."""

    domain: str
    config: ModelConfig
    vocabulary: Vocabulary
    decoding: Decoding
    rules: tuple[Rule, ...]
    """The rules that training derivations use: what a chart tries first, and what is not novel."""
    about: dict[str, Any]
    """Where it comes from: version, benchmark, seed, settings, scores."""
    attested: tuple[AttestedOperation, ...] | None = None
    """What `legality = "attested"` allows."""
    calibration: Calibration = Calibration()
    language: Any = None
    """What was worked out of the domain's language, where training rows decide that."""


@dataclass(frozen=True)
class Model:
    """A trained network with all that is needed to use it."""

    header: ModelHeader
    lexicon: Lexicon
    weights: Mapping[str, Floats]
    legal: LegalTable | None = None
    """What is legal among its categories, if that was worked out."""

    @cached_property
    def forward(self) -> ForwardPass:
        """The network at work."""
        return ForwardPass(self.header.config, self.header.vocabulary, self.weights)


def is_same_model(one: Model, other: Model) -> bool:
    """Whether two models answer alike; a table of what is legal only makes one faster."""
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
    texts, columns = table_to_tensors(model.legal)
    metadata, tensors = metadata | texts, weights | columns
    write_whole(path, save(tensors, signed(metadata, tensors)))


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
            names = [name for name in every if not is_of_table(name)]
            kinds = {file.get_slice(name).get_dtype() for name in names}
            if not kinds <= WEIGHT_KINDS:
                raise DataError(f"{path}: its weights are {', '.join(sorted(kinds))}, not floats")
            shapes = {name: tuple(file.get_slice(name).get_shape()) for name in names}
            _check_header(path, header)
            _check_shapes(path, header, shapes)
            weights = {name: file.get_tensor(name) for name in names}
            columns = {name: file.get_tensor(name) for name in every if is_of_table(name)}
            check_signature(metadata, weights | columns)
            legal = table_of_tensors(metadata, columns, len(header.vocabulary.operations))
    except (SafetensorError, msgspec.DecodeError, RecursionError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{path}: not a whole model file: {reason}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    if not all(bool(np.isfinite(weight).all()) for weight in weights.values()):
        raise DataError(f"{path}: holds weights that are not numbers")
    return Model(header, lexicon, weights, legal)


def _check_header(path: Path, header: ModelHeader) -> None:
    """Refuse what no training could have written, before anything relies on it."""
    config, vocabulary = header.config, header.vocabulary
    is_context_free = config.symbols == "typed" and config.encoder == "tree" and config.abstraction
    operations, symbols = set(vocabulary.operations), set(vocabulary.symbols)
    is_sound = (
        len(vocabulary.words) > 0
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


def _check_shapes(path: Path, header: ModelHeader, shapes: dict[str, tuple[int, ...]]) -> None:
    if shapes != weight_shapes(header.config, header.vocabulary):
        raise DataError(f"{path}: its weights do not fit its settings")
