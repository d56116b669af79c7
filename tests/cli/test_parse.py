"""`lear parse`: one sentence or more, their forms and derivations; its options in all places."""

import io
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import lear as package
from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import evaluate, from_json
from lear.domains.cogs.domain import COGS
from lear.grammar.rules import Rule
from lear.model.model_file import load_model, save_model
from lear.storage.datasets import find_model
from tests.support.cli import (
    FIGURE_1,
    FIGURE_1_FORM,
    Capture,
    fails,
    form_in,
    in_json,
    lear,
    predict,
)


def test_form_tree_and_picture_are_printed(capsys: Capture, run_folder: str) -> None:
    code, out, _ = lear(capsys, "parse", run_folder, FIGURE_1)
    assert code == 0
    assert out.count("possess") == 2
    assert form_in(out) == FIGURE_1_FORM
    assert out.splitlines()[-1].startswith("probability: ")
    _, out, _ = lear(capsys, "parse", run_folder, FIGURE_1, "--format", "svg")
    assert out.startswith("<svg ")


def test_the_n_best_are_printed(capsys: Capture) -> None:
    sentence = "Emma gave the girl a cake on the table ."
    (best,) = in_json(capsys, "parse", "cogs", sentence, "--json")
    answers = in_json(capsys, "parse", "cogs", sentence, "--nbest", "3", "--json")
    assert [answer["rank"] for answer in answers] == [1, 2, 3]
    assert answers[0] == best | {"rank": 1}
    assert len({answer["form"] for answer in answers}) == 3
    probabilities = [answer["probability"] for answer in answers]
    assert probabilities == sorted(probabilities, reverse=True)
    for answer in answers:
        derivation = from_json(json.dumps(answer["derivation"]).encode())
        table = MeaningTable(COGS.language.algebra)
        meaning = evaluate(derivation, table, COGS.words.ground)
        finished = COGS.language.finish(meaning, tuple(sentence.split()), table)
        assert COGS.language.render(finished) == answer["form"]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("", "no answer: the sentence is empty"),
        ("???", "no answer: the sentence has no words"),
        ("Zoe teaches Tom", "no answer: unknown word 'Zoe'"),
        ("Tom Tom Tom", "no answer: no rule joins 'Tom' with 'Tom'"),
    ],
)
def test_a_reason_is_given_if_there_is_no_answer(
    capsys: Capture, run_folder: str, sentence: str, said: str
) -> None:
    assert said in fails(capsys, 1, "parse", run_folder, sentence)


def test_a_500_token_sentence_is_parsed(capsys: Capture, run_folder: str) -> None:
    code, out, _ = lear(capsys, "parse", run_folder, "Tom knows that " * 165 + "Tom teaches Mary")
    assert code == 0
    assert out.count("take_proposition") == 165


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


class Typed(io.TextIOWrapper):
    """Standard input that somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


def from_stdin(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, content: bytes, *arguments: str
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `lear parse cogs` with something to read."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    return lear(capsys, "parse", "cogs", *arguments)


LINES = b"Emma slept.\n\nwas was was\n\xff\nLiam ran."
FORMS = ["sleep . agent ( x _ 1 , Emma )", None, None, None, "run . agent ( x _ 1 , Liam )"]
EMPTY = "the sentence is empty"


@pytest.mark.parametrize("given", [("-",), ()])
def test_sentences_of_standard_input_are_answered_in_order(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    code, out, err = from_stdin(capsys, monkeypatch, LINES, *given, "--json")
    assert (code, err) == (1, "lear: sentences without an answer: 3\n")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["form"] for answer in answers] == FORMS
    assert answers[1]["reason"] == EMPTY
    assert (
        answers[3] | {"text": "\ufffd", "reason": "standard input:4: not UTF-8 text"} == answers[3]
    )
    _, out, _ = from_stdin(capsys, monkeypatch, LINES, *given)
    shown = [line for line in out.splitlines() if line.startswith(("=> ", "no answer: "))]
    assert [line.startswith("=> ") for line in shown] == [form is not None for form in FORMS]
    assert shown[3] == "no answer: standard input:4: not UTF-8 text"
    assert from_stdin(capsys, monkeypatch, b"Emma slept.\n", *given)[0] == 0
    assert from_stdin(capsys, monkeypatch, b"", *given) == (0, "", "")


def test_whoever_is_asked_for_sentences_is_told_what_answers(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Typed(io.BytesIO(b"Emma slept.\n\nLiam ran.\n")))
    code, out, err = lear(capsys, "parse", "cogs")
    assert (code, form_in(out)) == (0, FORMS[0])  # the empty line ends it
    assert err == (
        "lear: a parser of cogs; unknown words are refused: a sentence a line; an empty line, or "
        "the end of input, ends\n> > "
    )


@pytest.mark.parametrize(
    ("sentence", "reason"), [("", EMPTY), ("  ", EMPTY), ("???", "the sentence has no words")]
)
def test_an_empty_sentence_is_one_without_an_answer_wherever_it_comes_from(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sentence: str, reason: str
) -> None:
    code, alone, err = lear(capsys, "parse", "cogs", sentence, "--json")
    assert (code, err) == (1, f"lear: no answer: {reason}\n")
    assert json.loads(alone)["reason"] == reason
    code, line, _ = from_stdin(capsys, monkeypatch, f"{sentence}\n".encode(), "-", "--json")
    assert (code, line) == (1, alone)
    assert predict(capsys, "cogs", tmp_path / "in", f"{sentence}\n")[1] == [json.loads(alone)]


@pytest.mark.parametrize("output_format", ["svg", "latex"])
def test_a_picture_is_of_one_answer(capsys: Capture, output_format: str) -> None:
    for arguments in (["-"], ["Emma slept.", "--nbest", "2"], ["Emma slept.", "--execute"]):
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


# The same options for Python, `lear parse` and `lear predict`.

SENTENCES = {
    "geo": (
        "What is the capital of Texas?",
        "qqqqqq what is the capital of texas",
        "what is the population of pensylvania",
        "what is the popular of texas",
        "capital capital population",
        "who is the mayor of springfield",
        "so what rivers are in ohio",
    ),
    "cogs": ("Emma slept.", "Zoe saw a zebra.", "was was was", "slept Emma"),
    "cfq": ("Did M0 direct M1?", "Did Spielberg direct M1", "Did M0 direct"),
}


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize("unknown_words", ["refuse", "overlook"])
@pytest.mark.parametrize("min_probability", [0.0, 0.9])
def test_the_same_sentence_has_the_same_answer_everywhere(
    capsys: Capture, tmp_path: Path, name: str, unknown_words: str, min_probability: float
) -> None:
    parser = package.Parser.from_pretrained(
        name, unknown_words=unknown_words, min_probability=min_probability
    )
    options = ("--unknown-words", unknown_words, "--min-probability", str(min_probability))
    content = "".join(f"{sentence}\n" for sentence in SENTENCES[name])
    code, predicted, err = predict(capsys, name, tmp_path / "in", content, *options)
    assert (code, err) == (0, "")
    for sentence, found in zip(SENTENCES[name], predicted, strict=True):
        expected = parser(sentence)
        code, out, err = lear(capsys, "parse", name, sentence, "--json", *options)
        assert code == (expected.form is None)
        record = json.loads(out)
        if expected.derivation is not None:  # `parse` explains it
            shown = json.dumps(record["derivation"]).encode()
            assert from_json(shown) == expected.derivation
            record["derivation"] = found["derivation"]
        assert rounded(record) == rounded(found) == rounded(expected.to_dict())
        said = [f"lear: {note}" for note in expected.notes]
        if expected.form is None:
            said.append(f"lear: no answer: {expected.reason}")
        assert err.splitlines() == said


def rounded(record: dict[str, object]) -> dict[str, object]:
    """In a batch, the last digits of numbers may differ from those of a sentence alone."""
    return {
        key: round(value, 3) if isinstance(value, float) else value for key, value in record.items()
    }


@pytest.mark.parametrize(
    ("option", "excess"),
    [
        ("--max-tokens", "has 6 tokens, more than 5"),
        ("--max-characters", "has 28 characters, more than 5"),
        ("--max-combinations", "no answer among the first 5 combinations"),
    ],
)
def test_limits_are_options(capsys: Capture, tmp_path: Path, option: str, excess: str) -> None:
    sentence = "what is the capital of texas"
    assert excess in fails(capsys, 1, "parse", "geo", sentence, option, "5")
    code, [answer], err = predict(capsys, "geo", tmp_path / "in", sentence, option, "5")
    assert (code, err) == (0, "")
    assert excess in answer["reason"]


def test_help_tells_the_defaults_of_python(capsys: Capture) -> None:
    limits = package.Limits()
    for command in ("parse", "predict"):
        shown = " ".join(lear(capsys, command, "--help")[1].split())
        for size in (limits.tokens, limits.characters, limits.combinations):
            assert f"than this (default: {size:,})" in shown
    assert (
        f"less memory (default: {package.Parser.from_pretrained('geo').max_remembered:,})" in shown
    )


@pytest.mark.parametrize("command", ["parse", "predict"])
@pytest.mark.parametrize(
    "options",
    [
        ("--unknown-words", "ignore"),
        ("--min-probability", "2"),
        ("--min-probability", "nan"),
        ("--min-probability", "much"),
        ("--max-tokens", "0"),
        ("--max-combinations", "many"),
        ("--nbest", "-1"),
    ],
)
def test_wrong_values_are_wrong_usage(
    capsys: Capture, command: str, options: tuple[str, str]
) -> None:
    sentence = ("texas",) if command == "parse" else ()
    assert options[0] in fails(capsys, 2, command, "geo", *sentence, *options)
