"""`lear parse`: one sentence, its form and its derivation."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from lear.core.algebra import MeaningTable
from lear.core.derivation import evaluate, from_json
from lear.decoding.model_file import load_model, save_model
from lear.domains.toy.domain import TOY
from lear.grammar.rules import Rule
from lear.parser import find_model
from tests.support.cli import FIGURE_1, FIGURE_1_FORM, Capture, fails, lear


def test_parse_prints_form_and_tree(capsys: Capture, run_folder: str) -> None:
    code, out, _ = lear(capsys, "parse", run_folder, FIGURE_1)
    assert code == 0
    assert out.count("possess") == 2
    assert out.splitlines()[-1] == f"=> {FIGURE_1_FORM}"


def test_parse_prints_the_n_best(capsys: Capture, run_folder: str) -> None:
    _, out, _ = lear(capsys, "parse", run_folder, FIGURE_1, "--nbest", "2", "--format", "json")
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == 2
    assert answers[0]["form"] == FIGURE_1_FORM
    scores = [answer["score"] for answer in answers]
    assert scores == sorted(scores, reverse=True)
    for answer in answers:
        derivation = from_json(json.dumps(answer["derivation"]).encode())
        meaning = evaluate(derivation, MeaningTable(TOY.language.algebra), TOY.words.ground)
        assert TOY.language.render(meaning) == answer["form"]


def test_parse_draws_svg(capsys: Capture, run_folder: str) -> None:
    _, out, _ = lear(capsys, "parse", run_folder, FIGURE_1, "--format", "svg")
    assert out.startswith("<svg ")


@pytest.mark.parametrize(
    ("sentence", "code", "said"),
    [
        ("", 2, "empty"),
        ("Zoe teaches Tom", 1, "no answer: no derivation"),
        ("Tom Tom Tom", 1, "no answer: no derivation"),
    ],
)
def test_parse_says_why_there_is_no_answer(
    capsys: Capture, run_folder: str, sentence: str, code: int, said: str
) -> None:
    assert said in fails(capsys, code, "parse", run_folder, sentence)


def test_a_500_token_sentence_is_parsed(capsys: Capture, run_folder: str) -> None:
    sentence = "Tom knows that " * 165 + "Tom teaches Mary"
    code, out, _ = lear(capsys, "parse", run_folder, sentence)
    assert code == 0
    assert out.count("take_proposition") == 165


def test_an_unknown_model_is_wrong_usage(capsys: Capture) -> None:
    assert "unknown model 'nothing'" in fails(capsys, 2, "parse", "nothing", "Tom")


def test_a_model_of_another_grammar_is_refused(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    model = load_model(find_model(run_folder))
    known = model.header.rules
    # Known symbols, in an order in which no operation takes them.
    rules = tuple(Rule(r.operation, r.parts[::-1]) for r in known if len(set(r.symbols)) == 2)
    assert len(rules) > 2
    header = msgspec.structs.replace(model.header, rules=(*known, *rules))
    save_model(tmp_path / "model.safetensors", replace(model, header=header))
    said = fails(capsys, 1, "parse", str(tmp_path), "Tom sees Mary")
    assert f"{len(rules)} of its {len(known) + len(rules)} rules do not fit domain 'toy'" in said
