"""`lear parse`: one sentence, its form and its derivation."""

import io
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import evaluate, from_json
from lear.domains.cogs.domain import COGS
from lear.grammar.rules import Rule
from lear.model.model_file import load_model, save_model
from lear.storage.datasets import find_model
from tests.support.cli import FIGURE_1, FIGURE_1_FORM, Capture, fails, form_in, lear


def test_parse_prints_form_and_tree(capsys: Capture, run_folder: str) -> None:
    code, out, _ = lear(capsys, "parse", run_folder, FIGURE_1)
    assert code == 0
    assert out.count("possess") == 2
    assert form_in(out) == FIGURE_1_FORM
    assert out.splitlines()[-1].startswith("probability: ")


def test_parse_prints_the_n_best(capsys: Capture) -> None:
    sentence = "Emma gave the girl a cake on the table ."
    _, best, _ = lear(capsys, "parse", "cogs", sentence, "--json")
    _, out, _ = lear(capsys, "parse", "cogs", sentence, "--nbest", "3", "--json")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["rank"] for answer in answers] == [1, 2, 3]
    assert answers[0] == json.loads(best) | {"rank": 1}
    assert len({answer["form"] for answer in answers}) == 3
    probabilities = [answer["probability"] for answer in answers]
    assert probabilities == sorted(probabilities, reverse=True)
    for answer in answers:
        derivation = from_json(json.dumps(answer["derivation"]).encode())
        table = MeaningTable(COGS.language.algebra)
        meaning = evaluate(derivation, table, COGS.words.ground)
        finished = COGS.language.finish(meaning, tuple(sentence.split()), table)
        assert COGS.language.render(finished) == answer["form"]


def test_parse_draws_svg(capsys: Capture, run_folder: str) -> None:
    _, out, _ = lear(capsys, "parse", run_folder, FIGURE_1, "--format", "svg")
    assert out.startswith("<svg ")


@pytest.mark.parametrize(
    ("sentence", "code", "said"),
    [
        ("", 1, "no answer: the sentence is empty"),
        (" \t", 1, "no answer: the sentence is empty"),
        ("???", 1, "no answer: the sentence has no words"),
        ("Zoe teaches Tom", 1, "no answer: unknown word 'Zoe'"),
        ("Tom Tom Tom", 1, "no answer: no rule joins 'Tom' with 'Tom'"),
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


def from_stdin(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, content: bytes, *arguments: str
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `lear parse cogs` with something to read."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    return lear(capsys, "parse", "cogs", *arguments)


LINES = b"Emma slept.\n\nwas was was\n   \nLiam ran.\n"
FORMS = ["sleep . agent ( x _ 1 , Emma )", None, "run . agent ( x _ 1 , Liam )"]
EMPTY = "the sentence is empty"


def test_sentences_of_standard_input_are_answered_in_order(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = from_stdin(capsys, monkeypatch, LINES, "-", "--json")
    assert code == 1
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["form"] for answer in answers] == [FORMS[0], None, None, None, FORMS[2]]
    assert [answers[1]["reason"], answers[3]["reason"]] == [EMPTY, EMPTY]
    assert err == "lear: sentences without an answer: 3\n"
    code, out, _ = from_stdin(capsys, monkeypatch, LINES, "-")
    shown = [line for line in out.splitlines() if line.startswith(("=> ", "no answer: "))]
    assert [line.startswith("=> ") for line in shown] == [True, False, False, False, True]
    assert from_stdin(capsys, monkeypatch, b"Emma slept.\n", "-")[0] == 0
    assert from_stdin(capsys, monkeypatch, b"", "-") == (0, "", "")


def test_without_a_sentence_standard_input_is_read(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = from_stdin(capsys, monkeypatch, b"Emma slept.\nLiam ran.", "--json")
    assert code == 0
    assert [json.loads(line)["form"] for line in out.splitlines()] == [FORMS[0], FORMS[2]]


def test_a_line_that_is_no_text_does_not_end_the_answers(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = b"Emma slept.\n\xff\nLiam ran.\n"
    code, out, err = from_stdin(capsys, monkeypatch, lines, "-", "--json")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["form"] for answer in answers] == FORMS
    assert answers[1]["text"] == "\ufffd"
    assert answers[1]["reason"] == "standard input:2: not UTF-8 text"
    assert (code, err) == (1, "lear: sentences without an answer: 1\n")
    _, out, _ = from_stdin(capsys, monkeypatch, lines, "-")
    assert "no answer: standard input:2: not UTF-8 text" in out.splitlines()


@pytest.mark.parametrize(
    ("sentence", "reason"), [("", EMPTY), ("  ", EMPTY), ("???", "the sentence has no words")]
)
def test_an_empty_sentence_is_one_without_an_answer_wherever_it_comes_from(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, sentence: str, reason: str
) -> None:
    code, alone, err = lear(capsys, "parse", "cogs", sentence, "--json")
    assert (code, err) == (1, f"lear: no answer: {reason}\n")
    assert json.loads(alone)["reason"] == reason
    code, line, _ = from_stdin(capsys, monkeypatch, f"{sentence}\n".encode(), "-", "--json")
    assert (code, line) == (1, alone)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{sentence}\n".encode())))
    _, predicted, _ = lear(capsys, "predict", "cogs")
    assert predicted == alone


@pytest.mark.parametrize("output_format", ["svg", "latex"])
def test_a_picture_is_of_one_answer(capsys: Capture, output_format: str) -> None:
    for arguments in (["-"], ["Emma slept.", "--nbest", "2"]):
        said = fails(capsys, 2, "parse", "cogs", *arguments, "--format", output_format)
        assert "draws one derivation of one sentence" in said


@pytest.mark.parametrize(
    ("arguments", "form", "cause"),
    [
        (("cogs", "Emma slept."), FORMS[0], "cogs has no facts to run forms on"),
        (
            ("geo", "what is the capital of texas", "--store", "/nowhere"),
            "answer(capital(loc_2(stateid('texas'))))",
            "/nowhere: cannot be read: No such file or directory",
        ),
    ],
)
def test_a_parse_is_printed_though_there_is_nothing_to_run_it_on(
    capsys: Capture, arguments: tuple[str, ...], form: str, cause: str
) -> None:
    code, out, err = lear(capsys, "parse", *arguments, "--execute")
    assert (code, form_in(out)) == (1, form)
    assert err == f"lear: the form cannot be run: {cause}\n"
    code, out, _ = lear(capsys, "parse", *arguments, "--execute", "--json")
    assert (code, json.loads(out)["form"], json.loads(out)["error"]) == (1, form, cause)


class Typed(io.TextIOWrapper):
    """Standard input that somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


def test_who_is_asked_for_sentences_is_told_what_answers(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Typed(io.BytesIO(b"Emma slept.\n\nLiam ran.\n")))
    code, out, err = lear(capsys, "parse", "cogs")
    assert (code, form_in(out)) == (0, FORMS[0])  # the empty line ends it
    assert err == (
        "lear: a parser of cogs; unknown words are refused: a sentence a line; an empty line, or "
        "the end of input, ends\n> > "
    )
