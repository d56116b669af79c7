"""Files that somebody made on purpose, checksum included: one line and exit code 1, each of them.

What happens to files is in `test_model_file`, `test_signature` and `test_resuming`.
"""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from lear.__main__ import main
from lear.storage.datasets import shipped_models
from tests.stress.damaged_files import crafted, use_model
from tests.support.cli import Capture, fails, lear
from tests.support.crafted_files import (
    DEEP,
    FLOAT8,
    Change,
    Tensors,
    Texts,
    craft,
    first_number,
    in_json,
    outer_header,
    tensor,
    text,
    with_outer_header,
    without_tensor,
)
from tests.support.pairs_model import PAIRS_SENTENCES, train_on_pairs
from tests.support.shipped import SENTENCES

RUN = ("--model.hidden", "4", "--curriculum", "[{epochs = 1}]", "--optim.batch_size", "64")
BASELINE = ("baseline", "toy", "--hidden", "8", "--heads", "2", "--steps", "2", "--dev_rows", "4")

TENSORS: dict[str, Change] = {
    "float8": tensor("weight", lambda old: old.to(FLOAT8)),
    "yes and no": tensor("weight", lambda old: old.bool()),
    "bytes": tensor("weight", lambda old: old.to(torch.uint8)),
    "not a number": tensor("weight", first_number(float("nan"))),
    "infinite": tensor("weight", first_number(float("inf"))),
    "another shape": tensor("weight", lambda old: old.reshape(-1)),
    "no numbers": tensor("weight", lambda old: old[:0]),
    "one missing": without_tensor("weight"),
    "one more": lambda _, tensors: tensors.update({"other weight": torch.zeros(3)}),
    "another version": text("format", "lear-model-1"),
    "no version": lambda texts, _: texts.pop("format"),
}


def unit(word: str, symbol: str, kind: str = "Person", count: int = 1) -> dict[str, object]:
    primitive = {"type": kind, "symbol": symbol}
    return {"unit": word, "entries": [{"primitive": primitive, "count": count}]}


def in_vocabulary(**values: object) -> Change:
    def change(texts: Texts, tensors: Tensors) -> None:
        header = json.loads(texts["header"])
        header["vocabulary"].update(values)
        texts["header"] = json.dumps(header)

    return change


MODELS: dict[str, Change] = TENSORS | {
    "deep header": text("header", '{"about": ' + DEEP),
    "deep in a field that nobody knows": text("header", '{"other": ' + DEEP),
    "deep lexicon": text("lexicon", DEEP),
    "no lexicon": text("lexicon", ""),
    "a list in place of a header": text("header", "[]"),
    "foreign domain": in_json("header", domain="os"),
    "a path as domain": in_json("header", domain="../../etc/passwd"),
    "a domain that is no text": in_json("header", domain=1),
    "huge network": in_json("header", config={"hidden": 10**18}),
    "negative network": in_json("header", config={"hidden": -4}),
    "cold calibration": in_json("header", calibration={"temperature": 0}),
    "negative calibration": in_json("header", calibration={"novel": -1}),
    "endless calibration": in_json("header", calibration={"temperature": 1e300}),
    "no words": in_vocabulary(words=[]),
    "other operations": in_vocabulary(operations=["x"]),
    "operations twice": in_vocabulary(operations=["possess", "possess"]),
    "negative counts": in_json("lexicon", units=[unit("Tom", "tom", count=-1)]),
    "counts beyond all numbers": in_json("lexicon", units=[unit("Tom", "tom", count=10**30)]),
    "a unit without words": in_json("lexicon", units=[unit(" ", "tom")]),
    "an unknown type": in_json("lexicon", units=[unit("Tom", "tom", "Robot")]),
    "function words below zero": in_json("lexicon", function_words={"the": -1}),
    "function words that are no numbers": in_json("lexicon", function_words={"the": "x"}),
}


@pytest.fixture(scope="module")
def toy_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crafted") / "run"
    assert main(["train", "toy", "--output", str(folder), *RUN]) == 0
    return folder


@pytest.mark.parametrize("name", MODELS)
def test_a_crafted_model_is_one_line(
    capsys: Capture, toy_run: Path, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "model.safetensors"
    shutil.copy(toy_run / "model-last/model.safetensors", path)
    craft(path, MODELS[name])
    assert str(path) in fails(capsys, 1, "parse", str(path), "Tom teaches John")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Those that ship, and one of a language worked out from pairs."""
    folder = tmp_path_factory.mktemp("pairs") / "run"
    train_on_pairs(folder)
    return {**shipped_models(), "pairs": folder / "model-best/model.safetensors"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SENTENCES, "pairs"])
def test_plausible_values_in_other_places_are_an_answer_or_one_line(
    tmp_path: Path, models: dict[str, Path], name: str
) -> None:
    rng = random.Random(name)
    for _ in range(25):
        content = crafted(models[name], rng)
        sentences = SENTENCES.get(name, PAIRS_SENTENCES)
        verdict, reason = use_model(tmp_path, content, sentences)
        assert verdict != "traceback", reason


def shaped(*shape: int) -> Callable[[bytes], bytes]:
    """A file that says so of one tensor's shape."""

    def change(content: bytes) -> bytes:
        header = outer_header(content)
        name = next(name for name in header if name != "__metadata__")
        header[name]["shape"] = list(shape)
        return with_outer_header(content, json.dumps(header).encode())

    return change


def overlapping(content: bytes) -> bytes:
    """A file with one more tensor, which lies where another does."""
    header = json.dumps(outer_header(content))
    extra = json.dumps({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})
    return with_outer_header(content, (header[:-1] + "," + extra[1:]).encode())


def twice(content: bytes) -> bytes:
    """A file with two headers' worth of names."""
    header = json.dumps(outer_header(content))
    return with_outer_header(content, (header[:-1] + ', "__metadata__": {}}').encode())


FILES: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "a zip": lambda content: b"PK\x03\x04" + content,
    "a pickle": lambda _: b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    "half": lambda content: content[: len(content) // 2],
    "more": lambda content: content + b"\0" * 8,
    "a header longer than the file": lambda c: with_outer_header(c, b"{}", 2**40),
    "a header of almost all numbers": lambda c: with_outer_header(c, b"{}", 2**63),
    "a header that is too short": lambda c: with_outer_header(c, c[8:200], 10),
    "an empty header": lambda c: with_outer_header(c, b"{}"),
    "a deep header": lambda c: with_outer_header(c, DEEP.encode()),
    "a header that is no text": lambda c: with_outer_header(c, b"\xff" * 100),
    "a huge shape": shaped(2**62),
    "a shape beyond all numbers": shaped(2**40, 2**40),
    "a negative shape": shaped(-1),
    "places that overlap": overlapping,
    "a name twice": twice,
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_lies_about_itself_is_one_line(
    capsys: Capture, toy_run: Path, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(FILES[name]((toy_run / "model-last/model.safetensors").read_bytes()))
    fails(capsys, 1, "parse", str(path), "Tom teaches John")
    run = tmp_path / "run"
    shutil.copytree(toy_run, run)
    checkpoint = run / "checkpoint.safetensors"
    checkpoint.write_bytes(FILES[name](checkpoint.read_bytes()))
    assert_resume_fails(capsys, "train", "--output", str(run))


PROGRESS: dict[str, Change] = {
    "negative steps": in_json("progress", steps=-1, total_steps=-1),
    "negative epochs": in_json("progress", epoch=-1),
    "epochs beyond all numbers": in_json("progress", epoch=10**40),
    "half a step": in_json("progress", step=0.5, steps=0.5),
    "a field too many": in_json("progress", other=1),
    "no progress": lambda texts, _: texts.pop("progress"),
    "deep progress": text("progress", DEEP),
    "the optimizer knows no steps": without_tensor(".step"),
    "the optimizer has another shape": tensor(".exp_avg", lambda old: old.reshape(-1)[:1]),
    "the optimizer has negative steps": tensor(".step", lambda old: old - 1000),
    "the optimizer knows another weight": lambda _, tensors: tensors.update(
        {"optimizer.9999.step": torch.tensor(1.0)}
    ),
    "the optimizer names no weight": lambda _, tensors: tensors.update(
        {"optimizer.one.step": torch.tensor(1.0)}
    ),
}
CHECKPOINTS = (
    {name: change for name, change in TENSORS.items() if name != "one more"}
    | PROGRESS
    | {"deep settings": text("settings", DEEP), "no settings": text("settings", "1")}
)


def assert_resume_fails(capsys: Capture, *arguments: str) -> None:
    """The command ends with one line about it, after notes of how far it has come."""
    code, out, err = lear(capsys, *arguments, "--resume")
    assert (code, out) == (1, "")
    assert "Traceback" not in err
    assert "checkpoint.safetensors: " in err.splitlines()[-1]


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_crafted_checkpoint_is_one_line(
    capsys: Capture, toy_run: Path, tmp_path: Path, name: str
) -> None:
    run = tmp_path / "run"
    shutil.copytree(toy_run, run)
    craft(run / "checkpoint.safetensors", CHECKPOINTS[name])
    assert_resume_fails(capsys, "train", "--output", str(run))


@pytest.fixture(scope="module")
def baseline_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crafted") / "baseline"
    assert main([*BASELINE, "--output", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("name", ["one missing", "half a step", "the optimizer knows no steps"])
def test_a_crafted_checkpoint_of_a_baseline_is_one_line(
    capsys: Capture, baseline_run: Path, tmp_path: Path, name: str
) -> None:
    run = tmp_path / "run"
    shutil.copytree(baseline_run, run)
    craft(run / "checkpoint.safetensors", CHECKPOINTS[name])
    assert_resume_fails(capsys, *BASELINE, "--output", str(run))


def with_symbol(kind: str, word: str, symbol: str) -> Change:
    """Another symbol of each primitive of this type, or of this word, in a lexicon."""

    def change(texts: Texts, tensors: Tensors) -> None:
        lexicon = json.loads(texts["lexicon"])
        for record in lexicon["units"]:
            for entry in record["entries"]:
                if entry["primitive"]["type"] == kind or record["unit"] == word:
                    entry["primitive"]["symbol"] = symbol
        texts["lexicon"] = json.dumps(lexicon)

    return change


@pytest.mark.parametrize("symbol", ["film.actor", "", " x", "x ", "x"])
def test_an_attribute_of_one_word_is_one_line(capsys: Capture, tmp_path: Path, symbol: str) -> None:
    path = tmp_path / "model.safetensors"
    shutil.copy(shipped_models()["cfq"], path)
    craft(path, with_symbol("Attribute", "", symbol))
    said = fails(capsys, 1, "parse", str(path), "Did M0 direct M1")
    assert f"{path}: an attribute is a relation and a name, not {symbol!r}" in said


@pytest.mark.parametrize("symbol", ["x", "", "a b", "film", "^ns:", "?x0"])
def test_a_symbol_that_no_query_can_have_is_an_answer_or_one_line(
    capsys: Capture, tmp_path: Path, symbol: str
) -> None:
    path = tmp_path / "model.safetensors"
    shutil.copy(shipped_models()["cfq"], path)
    craft(path, with_symbol("", "direct", symbol))
    code, _, err = lear(capsys, "parse", str(path), "Did M0 direct M1", "--execute", "--json")
    assert code in (0, 1)
    assert len(err.splitlines()) == code
