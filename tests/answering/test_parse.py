"""Answers as values: they pickle, compare, are shown, and tell of the nodes of a derivation."""

import json
import pickle
import re
from dataclasses import FrozenInstanceError, replace
from typing import Any
from xml.etree import ElementTree

import pytest

import lear
from lear.algebra.derivations import from_json
from lear.algebra.meanings import MAX_CHARACTERS
from lear.answering.parse import Parse
from tests.support.shipped import NAMES, SENTENCES, shipped

ANSWERED = [(name, text) for name in NAMES for text in SENTENCES[name]]
REFUSED = [
    ("cogs", "was was was"),
    ("cogs", ""),
    ("cfq", "Did Spielberg direct M1"),
    ("geo", "who is the mayor of springfield"),
    ("geo", "<b>&\"'"),
]


@pytest.fixture(params=[*ANSWERED, *REFUSED], ids=lambda pair: ": ".join(pair))
def parse(request: pytest.FixtureRequest) -> Parse:
    name, text = request.param
    return shipped(name)(text, nbest=2)


def test_a_parse_is_the_same_after_pickling(parse: Parse) -> None:
    copy = pickle.loads(pickle.dumps(parse))
    assert copy == parse
    assert hash(copy) == hash(parse)
    assert copy.derivation == parse.derivation
    assert copy.probability == parse.probability
    assert copy.to_json() == parse.to_json()
    assert str(copy) == str(parse)
    assert copy.nbest == parse.nbest
    assert [answer.derivation for answer in copy.nbest] == [a.derivation for a in parse.nbest]
    assert pickle.loads(pickle.dumps(copy)) == parse
    assert copy.unit == parse.unit


@pytest.mark.parametrize("name", ["geo", "cogs"])
def test_a_form_is_run_after_pickling_too(name: str) -> None:
    parse = shipped(name)(SENTENCES[name][0], nbest=2)
    copy = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(parse))))
    assert (copy.denotation is not None) == (name == "geo")
    for one, other in zip(copy.nbest, parse.nbest, strict=True):
        assert one.denotation == other.denotation


def test_parses_are_equal_if_what_they_say_is(parse: Parse) -> None:
    assert replace(parse) == parse
    assert replace(parse, text="other") != parse
    assert replace(parse, form="other") != parse
    assert parse != object()


def test_a_parse_does_not_change(parse: Parse) -> None:
    with pytest.raises(FrozenInstanceError):
        parse.form = "other"  # type: ignore[misc]


def test_a_parse_is_shown_on_one_short_line(parse: Parse) -> None:
    shown = repr(parse)
    assert "\n" not in shown
    assert len(shown) < 600 + 2 * len(parse.text) + len(parse.form or parse.reason)
    for hidden in ("meaning", "_answer", "_together", "_runner", "alternatives", "score"):
        assert f"{hidden}=" not in shown
    if parse.form is None:
        assert f"reason={parse.reason!r}" in shown
    else:
        assert f"probability={parse.probability:.2f}" in shown
        assert f"form={parse.form!r}" in shown


def test_json_holds_all_that_is_known(parse: Parse) -> None:
    record = parse.to_dict()
    assert json.loads(json.dumps(record)) == json.loads(parse.to_json()) == record
    assert (
        record.get("nbest")
        == [
            {"rank": rank, "form": answer.form, "probability": answer.probability}
            for rank, answer in enumerate(parse.nbest, start=1)
        ]
        or not parse.alternatives
    )
    assert record["text"] == parse.text
    assert record["sentence"] == " ".join(parse.tokens)
    assert record["form"] == parse.form
    if parse.form is None:
        assert record["reason"] == parse.reason
        assert record.keys().isdisjoint({"probability", "score", "derivation"})
    else:
        assert (record["probability"], record["score"]) == (parse.probability, parse.score)
        assert from_json(json.dumps(record["derivation"]).encode()) == parse.derivation
        assert "reason" not in record


def test_a_record_tells_what_the_form_comes_to_if_that_is_asked_for() -> None:
    parse = shipped("geo")("what is the area of texas")
    record = parse.to_dict(execute=True)
    assert (record["answer"], record["unit"]) == (parse.denotation, "square miles")
    assert json.loads(json.dumps(record)) == json.loads(parse.to_json(execute=True))
    assert parse.to_dict().keys().isdisjoint({"answer", "unit", "error", "nbest"})
    wrong = replace(parse, form="answer(area_1(")
    assert "error" in wrong.to_dict(execute=True)
    for without in (shipped("cogs")("Emma slept."), shipped("geo")("hello")):
        assert without.to_dict(execute=True) == without.to_dict()


def test_pictures_are_whole(parse: Parse) -> None:
    html = parse._repr_html_()
    ElementTree.fromstring(f"<div>{html}</div>")
    if parse.form is None:
        assert parse.to_svg() == parse.to_latex() == ""
        assert parse._repr_svg_() is None
        assert "No answer" in html
    else:
        root = ElementTree.fromstring(parse.to_svg())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        shown = "".join(root.itertext())
        assert all(token in shown for token in parse.tokens)
        latex = parse.to_latex()
        assert latex.count("{") == latex.count("}")
        assert latex.count("[") >= len(parse.tokens)
        assert parse._repr_svg_() == parse.to_svg()


def test_text_is_the_tree_and_the_form_or_the_reason(parse: Parse) -> None:
    if parse.form is None:
        assert str(parse) == f"no answer: {parse.reason}"
        assert "\n" not in str(parse)
    else:
        assert str(parse).splitlines()[-1] == f"=> {parse.form}"


def test_notes_say_what_was_done_with_words() -> None:
    parser = lear.Parser(shipped("geo").model, unknown_words="overlook")
    parse = parser("what is the population of pensylvania qqqqqq")
    assert parse.repaired == (("pensylvania", "pennsylvania"),)
    assert parse.overlooked == ("qqqqqq",)
    assert parse.notes[0] == "read 'pensylvania' as 'pennsylvania'"
    assert "overlooked: 'qqqqqq'" in parse.notes
    assert all("\n" not in note for note in parse.notes)
    assert shipped("geo")("what is the population of texas").notes == ()


def test_what_costs_time_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parse = shipped("geo")("what is the capital of texas")
    first = (parse.derivation, parse.probability, parse.denotation)
    assert first[2] == ["austin"]
    again = (parse.derivation, parse.probability, parse.denotation)
    assert all(one is other for one, other in zip(first, again, strict=True))


def test_an_answer_without_facts_has_no_denotation() -> None:
    parse = shipped("cogs")("Emma slept .")
    assert parse.denotation is None
    assert parse.unit is None
    assert shipped("geo")("what is the area of texas").unit == "square miles"


QUESTIONS = {
    "cogs": ("A rose was helped by a dog in the house .", "Emma said that a cat slept ."),
    "cfq": ("Did M0 's editor marry M1", "Which film director that M0 influenced edited M1"),
    "geo": ("Which rivers run through the states that border Texas?", "how big is texas"),
}


@pytest.fixture(scope="module", params=sorted(QUESTIONS))
def parses(request: pytest.FixtureRequest) -> list[lear.Parse]:
    parser = lear.Parser.from_pretrained(request.param)
    return [parser(question) for question in QUESTIONS[request.param]]


def nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(below for child in node["children"] for below in nodes(child))]


def explained(parse: lear.Parse) -> dict[str, Any]:
    content = parse.explained_derivation
    assert content is not None
    tree: dict[str, Any] = json.loads(content)
    return tree


def test_it_is_the_derivation_with_more_in_it(parses: list[lear.Parse]) -> None:
    for parse in parses:
        content = parse.explained_derivation
        assert content is not None
        assert from_json(content) == parse.derivation
        for node in nodes(json.loads(content)):
            begin, end = node["span"]
            assert (begin, end) == (node["begin"], node["end"])
            assert tuple(node["words"]) == parse.tokens[begin:end]
            assert node["meaning"]
            assert len(node["meaning"]) <= MAX_CHARACTERS
            assert node["symbol"]


def test_the_scores_of_its_steps_add_up_to_that_of_the_answer(parses: list[lear.Parse]) -> None:
    for parse in parses:
        total = sum(node["score"] for node in nodes(explained(parse)))
        assert total == pytest.approx(parse.score, abs=1e-4)


def test_it_grows_from_the_leaves(parses: list[lear.Parse]) -> None:
    for parse in parses:
        tree = explained(parse)
        assert sorted(n["order"] for n in nodes(tree)) == list(range(len(nodes(tree))))
        for node in nodes(tree):
            assert all(child["order"] < node["order"] for child in node["children"])


def test_parts_are_shown_as_forms_show_them() -> None:
    shown = explained(lear.Parser.from_pretrained("geo")("what is the capital of texas"))
    assert shown["meaning"] == "capital(loc_2(stateid('texas')))"
    shown = explained(lear.Parser.from_pretrained("cogs")("A dog was seen by Emma ."))
    parts = {" ".join(node["words"]): node["meaning"] for node in nodes(shown)}
    assert parts["A dog"] == "dog ( x _ 1 )"
    assert parts["seen by Emma"] == "see . agent ( x _ 3 , Emma )"
    assert parts["Emma"] == "Emma"
    shown = explained(lear.Parser.from_pretrained("cfq")("Did M0 's editor marry M1"))
    parts = {" ".join(node["words"]): node["meaning"] for node in nodes(shown)}
    assert parts["editor"] == "? film.editor.film ?"
    assert parts["M0 's editor"] == "? film.editor.film M0"


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_no_part_is_shown_as_python_would(name: str) -> None:
    parser = lear.Parser.from_pretrained(name)
    for question in (*SENTENCES[name], *QUESTIONS[name]):
        parse = parser(question)
        if parse.form is not None:
            assert not [n for n in nodes(explained(parse)) if re.search(r"\w+=", n["meaning"])]


def test_an_answer_of_another_process_has_no_more_than_its_derivation() -> None:
    (parse,) = lear.Parser.from_pretrained("cogs").pipe(["Emma slept ."], jobs=2)
    assert parse.explained_derivation is None
    assert from_json(json.dumps(parse.to_dict()["derivation"]).encode()) == parse.derivation


def test_deep_trees_are_explained_within_bounds() -> None:
    parse = lear.Parser.from_pretrained("cogs")("Emma said that " * 60 + "a cat slept .")
    content = parse.explained_derivation
    assert content is not None
    assert len(content) < 200 * (MAX_CHARACTERS + 2000)
