"""Parsing, evaluating and calibrating need no torch: it may not even be installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lear.model.model_file import save_model
from lear.storage.datasets import MODEL_FILE
from tests.support.greedy_models import model_of
from tests.support.shipped import NAMES, SENTENCES, shipped
from tests.support.total_domains import total_domains

WITHOUT_TORCH = "import sys; sys.modules['torch'] = None\n"
"""Whoever imports it then gets an ImportError."""
MODULES = (
    "lear",
    "lear.parser",
    "lear.cli.commands.parse",
    "lear.cli.commands.predict",
    "lear.cli.commands.evaluate",
    "lear.cli.commands.calibrate",
    "lear.learning.calibration",
    "lear.evaluation.scores",
    "lear.answering.decoders",
    "lear.parallel.processes",
    "lear.bulk.files",
    "lear.bulk.jobs",
)


def python(script: str, *arguments: str, stdin: str = "") -> str:
    """What a script prints in a process of its own, where torch cannot be imported."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH + script, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def lear(*arguments: str, stdin: str = "") -> str:
    """What a command prints, where torch cannot be imported."""
    script = "from lear.__main__ import main; sys.exit(main(sys.argv[1:]))"
    return python(script, *arguments, stdin=stdin)


def test_torch_is_not_to_be_had_there() -> None:
    with pytest.raises(AssertionError, match="torch"):
        python("import torch")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_imported(module: str) -> None:
    python(f"import {module}")


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_model_parses(name: str) -> None:
    script = (
        "import json, lear\n"
        "parses = lear.Parser.from_pretrained(sys.argv[1]).pipe(sys.argv[2:], nbest=2)\n"
        "print(json.dumps([[(a.form, a.probability) for a in p.nbest] for p in parses]))"
    )
    found = json.loads(python(script, name, *SENTENCES[name]))
    for parse, answers in zip(shipped(name).pipe(SENTENCES[name], nbest=2), found, strict=True):
        assert [form for form, _ in answers] == [answer.form for answer in parse.nbest]
        probabilities = [answer.probability for answer in parse.nbest]
        assert [probability for _, probability in answers] == pytest.approx(probabilities, rel=1e-5)


def test_a_model_that_is_decoded_greedily_parses(tmp_path: Path) -> None:
    small = total_domains()["cogs"]
    save_model(tmp_path / MODEL_FILE, model_of(small, "any"))
    sentence = " ".join(small.rows[0].tokens)
    assert "=> " in lear("parse", str(tmp_path), sentence)


def test_parse_and_predict() -> None:
    assert "=> sleep . agent ( x _ 1 , Emma )\n" in lear("parse", "cogs", "Emma slept.")
    out = lear("predict", "cogs", stdin="Emma slept.\nLiam ran.\n")
    forms = [json.loads(line)["form"] for line in out.splitlines()]
    assert forms == ["sleep . agent ( x _ 1 , Emma )", "run . agent ( x _ 1 , Liam )"]


def test_evaluate_and_calibrate(tmp_path: Path) -> None:
    folder = tmp_path / "geo/mine"
    folder.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        (folder / f"{part}_en.txt").write_text("what is the capital of texas\n")
        (folder / f"{part}_funql.txt").write_text("answer(capital(loc_2(stateid('texas'))))\n")
    data = ("--json", "--data", str(tmp_path))
    assert json.loads(lear("evaluate", "geo", "geo/mine", *data))["exact_match"] == 1.0
    report = json.loads(lear("calibrate", "geo", "geo/mine", *data))
    assert (report["n"], report["num_right"]) == (1, 1)
