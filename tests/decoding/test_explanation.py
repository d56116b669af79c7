"""What is told of the nodes of a derivation."""

import json
import re
from typing import Any

import pytest

import lear
from lear.algebra.derivations import from_json
from lear.algebra.meanings import MAX_CHARACTERS
from tests.support.shipped import SENTENCES

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
