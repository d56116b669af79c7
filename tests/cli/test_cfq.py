"""The shipped model of CFQ, and running its answers, as a user meets them."""

import io
import json
from pathlib import Path

import pytest

import lear as package
from tests.support.cli import Capture, fails, form_in, in_json, lear

pytest.importorskip("pyoxigraph", reason="needs pyoxigraph: pip install lear[sparql]")
QUERY = "SELECT count ( * ) WHERE { M0 film.director.film M1 }"


def test_parse_answers_from_the_store(capsys: Capture) -> None:
    code, out, _ = lear(capsys, "parse", "cfq", "Did M0 direct M1?", "--execute")
    assert code == 0
    assert form_in(out) == QUERY
    assert out.endswith("answer: no\n")
    (answer,) = in_json(capsys, "parse", "cfq", "Who directed M1's sequel", "--execute", "--json")
    assert isinstance(answer["answer"], list)


def test_facts_of_ones_own_change_the_answer(capsys: Capture, tmp_path: Path) -> None:
    ns = "http://rdf.freebase.com/ns/"
    facts = tmp_path / "facts.nt"
    facts.write_text(f"<{ns}M0> <{ns}film.director.film> <{ns}M1> .\n")
    arguments = ("parse", "cfq", "Did M0 direct M1", "--execute", "--store", str(facts))
    assert lear(capsys, *arguments)[1].endswith("answer: yes\n")
    facts.write_text("nonsense")
    code, out, err = lear(capsys, *arguments)
    assert (code, err.count("\n")) == (1, 1)
    assert "=> SELECT" in out
    assert "facts.nt: cannot be read as triples" in err


def test_a_parse_knows_its_denotation() -> None:
    parser = package.Parser.from_pretrained("cfq")
    assert parser("Did M0 direct M1").denotation is False
    assert isinstance(parser("Who directed M1").denotation, list)
    assert parser("nonsense").denotation is None
    assert package.Parser.from_pretrained("cogs")("Emma slept .").denotation is None


def test_execute_runs_forms_from_standard_input(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lear(capsys, "execute", "cfq", QUERY)[1] == (
        json.dumps({"form": QUERY, "answer": False}, separators=(",", ":")) + "\n"
    )
    lines = f"{QUERY}\n\nDROP ALL\n{QUERY}\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    code, out, err = lear(capsys, "execute", "cfq", "-")
    assert code == 1
    assert "not run: 2 of the forms" in err
    first, empty, bad, last = map(json.loads, out.splitlines())
    assert first == last == {"form": QUERY, "answer": False}
    assert bad["error"].startswith("not of the form SELECT")
    assert "error" in empty


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["execute", "cogs", "x"], "cogs has no facts to run forms on"),
        (["parse", "cfq", "Did M0 direct M1", "--store", "x"], "give --execute as well"),
        (["parse", "cfq", "Did M0 direct M1", "--execute", "--format", "svg"], "svg"),
        (["coverage", "cfq/no such"], "unknown benchmark"),
    ],
)
def test_wrong_usage_is_one_line(capsys: Capture, arguments: list[str], said: str) -> None:
    assert said in fails(capsys, 2, *arguments)


def test_words_that_mean_nothing_are_named(capsys: Capture) -> None:
    said = fails(capsys, 1, "parse", "cfq", "Did Spielberg direct M1")
    assert said == "lear: no answer: unknown word 'spielberg'\n"


@pytest.mark.data
def test_the_shipped_model_is_strictly_right(capsys: Capture, cfq_folder: Path) -> None:
    arguments = ("evaluate", "cfq", "cfq/mcd2_partial", "--limit", "1000", "--part", "dev")
    code, out, _ = lear(capsys, *arguments, "--json", "--data", str(cfq_folder))
    result = json.loads(out)
    assert code == 0
    assert result["exact_match"] >= 0.99
    assert result["lenient"] >= result["exact_match"] >= result["text_match"]
    assert sum(result["faults"].values()) == round(1000 * (1 - result["exact_match"]))


def test_data_get_says_where_cfq_is(capsys: Capture, tmp_path: Path) -> None:
    said = fails(capsys, 1, "data", "get", "cfq", "--data", str(tmp_path))
    assert "cannot be fetched by itself" in said
    assert "cfq1.1.tar.gz" in said


def test_the_first_of_several_answers_is_the_answer() -> None:
    parser = package.Parser.from_pretrained("cfq")
    for text in ("Who was a writer and director of M1", "Did M0 's sibling edit M1 and M2"):
        best = parser(text)
        several = parser(text, nbest=5).nbest
        assert several[0].form == best.form
        assert len({answer.form for answer in several}) == len(several) <= 5
