"""Model files: what is written reads back; what is not a whole model is refused in one line."""

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec import structs
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save

from lear.algebra.algebra import Primitive
from lear.errors import DataError
from lear.forest.oracle import Oracle
from lear.learning.exact import make_problems
from lear.lexicon.lexicon import Entry, Unit
from lear.model.config import ModelConfig, Vocabulary
from lear.model.model_file import (
    Model,
    ModelHeader,
    check_signature,
    load_model,
    save_model,
    signed,
)
from lear.model.network import Network
from lear.parser import Parser
from tests.support.toy_rows import TRAIN


@pytest.fixture
def model(toy_oracle: Oracle) -> Model:
    data = make_problems(toy_oracle.reader, TRAIN[:50])
    vocabulary = Vocabulary.of(toy_oracle.reader, data.symbols)
    config = ModelConfig(hidden=4)
    header = ModelHeader("toy", config, vocabulary, "chart", tuple(data.grammar.rules), {"seed": 1})
    return Model(header, toy_oracle.lexicon, Network(config, vocabulary).weights())


def test_a_model_reads_back_as_it_was_written(model: Model, tmp_path: Path) -> None:
    save_model(tmp_path / "m", model)
    loaded = load_model(tmp_path / "m")
    assert loaded.header == model.header
    assert loaded.lexicon == model.lexicon
    assert loaded.weights.keys() == model.weights.keys()
    for name, weight in model.weights.items():
        np.testing.assert_array_equal(weight, loaded.weights[name])


def header_of(content: bytes) -> dict[str, dict[str, str]]:
    (size,) = struct.unpack("<Q", content[:8])
    found: dict[str, dict[str, str]] = json.loads(content[8 : 8 + size])
    return found


def with_header(content: bytes, header: object) -> bytes:
    (size,) = struct.unpack("<Q", content[:8])
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content[8 + size :]


def changed(content: bytes, **values: object) -> bytes:
    """The same file with other values in the JSON header of the model."""
    header = header_of(content)
    inner = json.loads(header["__metadata__"]["header"])
    inner.update(values)
    header["__metadata__"]["header"] = json.dumps(inner)
    return with_header(content, header)


def test_what_is_not_a_whole_model_is_refused(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_model(path, model)
    good = path.read_bytes()
    foreign = header_of(good)
    foreign["__metadata__"] = {"format": "pt"}
    huge = {"hidden": 10**9, "symbols": "typed"}
    for bad in (
        b"",
        b"PK\x03\x04 a zip, perhaps a pickle",
        good[:100],
        good[:-1],
        good[: len(good) // 2],
        struct.pack("<Q", 2**60) + good[8:],
        with_header(good, foreign),
        changed(good, config=huge),
        changed(good, config={"hidden": "many"}),
        changed(good, config={"layers": 3}),
        changed(good, rules=[["fly"]]),
        changed(good, rules=[["fly", ["[Person]"]]]),
        changed(good, rules=[["possess", []]]),
        changed(good, rules=[["possess", ["[Nobody]", "'s", "[Relation]"]]]),
        changed(good, config={"hidden": 4, "encoder": "span"}),
        changed(good, decoding="luck"),
        changed(good, extra=1),
    ):
        path.write_bytes(bad)
        with pytest.raises(DataError) as caught:
            load_model(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_weights_that_are_not_numbers_are_refused(model: Model, tmp_path: Path) -> None:
    weight = model.weights["composer.merge.weight"].copy()
    weight[0, 0] = np.nan
    weights = {**model.weights, "composer.merge.weight": weight}
    save_model(tmp_path / "m", replace(model, weights=weights))
    with pytest.raises(DataError, match="not numbers"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.complex64, torch.int64, torch.bool])
def test_weights_of_other_kinds_are_refused(
    model: Model, tmp_path: Path, kind: torch.dtype
) -> None:
    path = tmp_path / "m"
    save_model(path, model)
    with safe_open(str(path), framework="pt") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name).to(kind) for name in list(file.keys())}
    path.write_bytes(save(tensors, metadata))
    with pytest.raises(DataError, match=str(path)):
        load_model(path)


def test_a_model_of_another_algebra_is_refused(model: Model) -> None:
    """As when somebody adds an operation to their domain and loads an old model."""
    names = model.header.vocabulary.operations
    vocabulary = structs.replace(model.header.vocabulary, operations=names[:-1])
    header = structs.replace(model.header, vocabulary=vocabulary)
    with pytest.raises(DataError, match="other operations"):
        Parser(replace(model, header=header))


def test_a_model_with_a_lexicon_of_other_types_is_refused(model: Model) -> None:
    units: dict[Unit, tuple[Entry, ...]] = {("Tom",): (Entry(Primitive("Robot", "tom"), 1),)}
    with pytest.raises(DataError, match="lexicon does not fit domain 'toy': 'Robot'"):
        Parser(replace(model, lexicon=replace(model.lexicon, units=units)))


def test_a_model_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such model"):
        load_model(tmp_path / "nothing")


TENSORS: dict[str, NDArray[Any]] = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.zeros(2, dtype=np.int64),
}
METADATA = {"format": "x", "header": "{}"}


def test_what_was_signed_is_accepted_in_any_order() -> None:
    metadata = signed(METADATA, TENSORS)
    check_signature(metadata, TENSORS)
    check_signature(dict(reversed(metadata.items())), dict(reversed(TENSORS.items())))


@pytest.mark.parametrize(
    ("metadata", "tensors"),
    [
        ({}, {"a": TENSORS["a"] + 1}),
        ({}, {"a": TENSORS["a"].astype(np.float64)}),
        ({}, {"a": TENSORS["a"].reshape(3, 2)}),
        ({}, {"c": TENSORS["a"]}),
        ({"header": "{ }"}, {}),
        ({"more": ""}, {}),
        ({"sha256": "0" * 64}, {}),
    ],
)
def test_any_change_is_told(metadata: dict[str, str], tensors: dict[str, NDArray[Any]]) -> None:
    changed = {**signed(METADATA, TENSORS), **metadata}
    with pytest.raises(ValueError, match="checksum"):
        check_signature(changed, {**TENSORS, **tensors})


def test_without_a_signature_nothing_is_accepted() -> None:
    with pytest.raises(ValueError, match="checksum"):
        check_signature(METADATA, TENSORS)
