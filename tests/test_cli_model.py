"""Commands that use a model, as a user meets them."""

import io
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from lear.__main__ import main
from lear.core.algebra import MeaningTable
from lear.core.derivation import evaluate, from_json
from lear.decoding.model_file import load_model, save_model
from lear.domains.toy.corpus import generate
from lear.domains.toy.domain import TOY
from lear.grammar.rules import Rule
from lear.parser import find_model
from tests.test_cli import FIGURE_1, FIGURE_1_FORM, Capture, fails, lear


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run on the toy language, made with the command."""
    folder = tmp_path_factory.mktemp("runs") / "toy"
    settings = ("--model.hidden", "16", "--optim.batch_size=32", "--curriculum", "[{epochs = 8}]")
    assert main(["train", "toy", "--output", str(folder), "--seed", "3", *settings]) == 0
    return str(folder)


def test_a_run_folder_holds_what_is_promised(run_folder: str) -> None:
    folder = Path(run_folder)
    assert {path.name for path in folder.iterdir()} == {
        "config.toml", "environment.json", "metrics.jsonl", "checkpoint.safetensors",
        "model-best", "model-last",
    }  # fmt: skip
    assert len((folder / "metrics.jsonl").read_text().splitlines()) == 8
    assert json.loads((folder / "environment.json").read_text())["benchmark"] == "toy/deep"
    assert "seed = 3" in (folder / "config.toml").read_text()


def test_evaluate_scores_and_writes_the_wrong_rows(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.jsonl"
    code, out, _ = lear(capsys, "evaluate", run_folder, "toy", "--json", "--wrong", str(wrong))
    result = json.loads(out)
    assert code == 0
    assert (result["benchmark"], result["n"]) == ("toy/deep", 400)
    assert result["exact_match"] == 1.0
    assert result["lenient"] >= result["exact_match"]
    assert result["sentences_per_second"] > 0
    assert sum(group["n"] for group in result["categories"].values()) == 400
    assert sum(group["n"] for group in result["lengths"].values()) == 400
    assert wrong.read_text() == ""


def test_fail_under_decides_the_exit_code(capsys: Capture, run_folder: str) -> None:
    arguments = ("evaluate", run_folder, "toy", "--limit", "20", "--fail-under")
    assert lear(capsys, *arguments, "0.5")[0] == 0
    code, _, err = lear(capsys, *arguments, "1.1")
    assert code == 1
    assert "below 1.1" in err


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


def test_a_500_token_sentence_is_parsed_or_refused_in_bounded_time(
    capsys: Capture, run_folder: str
) -> None:
    sentence = "Tom knows that " * 165 + "Tom teaches Mary"
    code, out, _ = lear(capsys, "parse", run_folder, sentence)
    assert code == 0
    assert out.count("take_proposition") == 165


ROWS = generate("test", seed=1)[:5]


@pytest.mark.parametrize("form", ["lines", "tsv", "jsonl"])
def test_predict_answers_in_order_and_keeps_other_fields(
    capsys: Capture, run_folder: str, tmp_path: Path, form: str
) -> None:
    lines = {
        "lines": [row.sentence for row in ROWS],
        "tsv": [f"{row.sentence}\t{row.form}\tx" for row in ROWS],
        "jsonl": [json.dumps({"id": i, "sentence": row.sentence}) for i, row in enumerate(ROWS)],
    }[form]
    path = tmp_path / "in"
    path.write_text("\n".join([*lines[:2], lines[2], *lines[3:]]) + "\n")
    _, out, _ = lear(capsys, "predict", run_folder, "--input", str(path), "--format", form)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["form"] for answer in answers] == [row.form for row in ROWS]
    if form == "jsonl":
        assert [answer["id"] for answer in answers] == list(range(5))


def test_predict_reads_standard_input_and_an_empty_line_is_an_answer_without_form(
    capsys: Capture, run_folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Standard:
        buffer = io.BytesIO(f"{ROWS[0].sentence}\n\n{ROWS[1].sentence}\n".encode())

    monkeypatch.setattr("sys.stdin", Standard)
    _, out, _ = lear(capsys, "predict", run_folder)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [a["form"] for a in answers] == [ROWS[0].form, None, ROWS[1].form]
    assert answers[1]["reason"] == "the sentence is empty"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"sentence": "Tom"}\n{"text": "Tom"}\n', ":2: no field `sentence`"),
        ('{"sentence": 3}\n', ":1: `sentence` is not text"),
        ("Tom\n", ":1: not a JSON object"),
    ],
)
def test_predict_names_a_broken_line(
    capsys: Capture, run_folder: str, tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(content)
    code, _, err = lear(capsys, "predict", run_folder, "--input", str(path), "--format", "jsonl")
    assert code == 1
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["parse", "nothing", "Tom"], 2, "unknown model 'nothing'"),
        (["train", "toy", "--output", "{tmp}/x", "--model.hiden", "3"], 2, "hidden"),
        (["train", "toy", "--output", "{tmp}/x", "--model.hidden", "0"], 2, ">= 1"),
        (["train", "toy", "--output", "{tmp}/x", "--speed", "3"], 2, "did you mean 'seed'"),
        (["train", "toy"], 2, "--output"),
        (["train", "--resume", "--output", "{tmp}/x"], 2, "config.toml"),
    ],
)
def test_wrong_usage_is_one_line(
    capsys: Capture, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    placed = [argument.replace("{tmp}", str(tmp_path)) for argument in arguments]
    assert said in fails(capsys, code, *placed)


def test_a_model_of_another_domain_is_refused(capsys: Capture, run_folder: str) -> None:
    assert "a model of toy" in fails(capsys, 2, "evaluate", run_folder, "cogs/gen")


def test_predict_writes_derivations_of_any_depth(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    lines = tmp_path / "deep.txt"
    deep = "Tom knows that " * 250 + "Tom teaches John"
    lines.write_text(f"Tom teaches John\n{deep}\nTom teaches John\n")
    assert main(["predict", run_folder, "--input", str(lines)]) == 0
    first, middle, last = capsys.readouterr().out.splitlines()
    assert first == last
    assert middle.count('"kind"') > 1000


def test_settings_may_stand_anywhere_among_the_arguments(tmp_path: Path) -> None:
    run = tmp_path / "run"
    short = ["--curriculum", "[{epochs = 1}]", "--model.hidden", "8"]
    assert main(["train", "--threads", "1", *short, "--output", str(run), "toy"]) == 0
    saved = (run / "config.toml").read_text()
    assert 'benchmark = "toy"' in saved
    assert "hidden = 8" in saved
    assert "threads = 1" in saved


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
