"""The API says what the library says, in the shapes that it describes."""

import json
import re
from importlib.resources import files
from typing import Any

import msgspec
import pytest

import lear
from lear.algebra.derivations import from_json
from lear.service.api import ApiError, DerivationNode, openapi
from lear.service.models import example_sentences
from lear.service.settings import RequestLimits
from lear.storage.datasets import shipped_models
from tests.support.service_process import RunningService

SENTENCES = (
    "Emma slept .",
    "A rose was helped by a dog in the house .",
    "Emma zorped the cake .",
    "",
    "Emma said that Noah believed that a cat slept .",
)


def test_answers_are_those_of_the_library_in_order(service: RunningService) -> None:
    parser = lear.Parser.from_pretrained("cogs")
    answer = service.parse("cogs", *SENTENCES, nbest=3)
    assert answer.status == 200
    assert answer.json["model"] == "cogs"
    assert len(answer.json["results"]) == len(SENTENCES)
    for text, result in zip(SENTENCES, answer.json["results"], strict=True):
        parse = parser(text, nbest=3)
        assert result["text"] == text
        assert tuple(result["tokens"]) == parse.tokens
        assert (result["form"], result["reason"] or "") == (parse.form, parse.reason)
        assert result["probability"] == pytest.approx(parse.probability)
        assert [other["form"] for other in result["nbest"]] == [other.form for other in parse.nbest]
        if parse.derivation is None:
            assert result["derivation"] is None
        else:
            shown = json.dumps(result["derivation"]).encode()
            assert from_json(shown) == parse.derivation


def test_forms_are_run_where_there_are_facts(service: RunningService) -> None:
    texts = ("what is the capital of texas", "how big is texas", "what is the capital of france")
    results = service.parse("geo", *texts, execute=True).json["results"]
    assert results[0]["answer"] == ["austin"]
    assert results[1]["unit"] == "square miles"
    assert "square miles" in results[1]["answer_text"]
    assert (results[2]["answer"], results[2]["form"]) == (None, None)
    assert service.parse("geo", texts[0]).json["results"][0]["answer"] is None


def test_the_policy_is_that_of_the_request(service: RunningService) -> None:
    text = "what is the capital of the lovely texas"
    refused = service.parse("geo", text).json["results"][0]
    assert refused["form"] is None
    assert [text.split()[span["span"][0]] for span in refused["refused"]] == ["lovely"]
    overlooked = service.parse("geo", text, unknown_words="overlook").json["results"][0]
    assert overlooked["overlooked"] == ["lovely"]
    sure = service.parse("geo", text, unknown_words="overlook", min_probability=1.0)
    assert sure.json["results"][0]["form"] is None
    assert service.parse("geo", text).json["results"][0] == refused


def test_a_derivation_can_be_left_out(service: RunningService) -> None:
    answer = service.parse("cogs", "Emma slept .", derivation=False)
    assert answer.json["results"][0]["derivation"] is None


def test_a_misspelt_word_is_told(service: RunningService) -> None:
    (result,) = service.parse("geo", "what is the captial of texas").json["results"]
    assert result["repaired"] == [{"word": "captial", "read_as": "capital"}]


def test_models_are_listed_and_described(service: RunningService) -> None:
    listed = service.get("/api/models").json["models"]
    assert [model["name"] for model in listed] == ["cogs", "geo"]
    for model in listed:
        card = service.get(f"/api/models/{model['name']}").json
        assert {name: card[name] for name in model} == model
        assert card["license"]
        assert card["operations"]
        assert {example["kind"] for example in card["examples"]} >= {"deep", "unknown", "ambiguous"}


def test_a_word_is_looked_up(service: RunningService) -> None:
    known = service.get("/api/models/cogs/lexicon?word=dog").json
    assert known["units"][0]["entries"][0]["symbol"] == "dog"
    assert service.get("/api/models/cogs/lexicon?word=the").json["function_word"] > 0
    unknown = service.get("/api/models/geo/lexicon?word=captial").json
    assert (unknown["units"], unknown["suggestion"]) == ([], "capital")
    assert service.get("/api/models/geo/lexicon").error == "bad_field"


def test_health_and_readiness(service: RunningService) -> None:
    assert service.get("/healthz").json["status"] == "ok"
    assert service.get("/readyz").json["status"] == "ready"


def test_what_is_asked_is_counted(service: RunningService) -> None:
    name = 'lear_texts_total{model="cogs"}'
    service.parse("cogs", "Emma slept .")
    before = service.metric(name)
    service.parse("cogs", "Emma slept .", "Emma smiled .")
    assert service.metric(name) == before + 2
    assert service.metric("lear_parse_seconds_count") >= 2
    assert service.metric("lear_workers") >= 2


@pytest.fixture(scope="module")
def document(service: RunningService) -> dict[str, Any]:
    described: dict[str, Any] = service.get("/api/openapi.json").json
    return described


def test_the_description_names_all_addresses_and_fields(
    service: RunningService, document: dict[str, Any]
) -> None:
    assert document["openapi"].startswith("3.")
    schemas = document["components"]["schemas"]
    result = service.parse("cogs", "Emma slept .").json["results"][0]
    assert result.keys() == schemas["Result"]["properties"].keys()
    for path in document["paths"]:
        url = path.replace("{name}", "cogs")
        assert service.get(url).status in (200, 400, 405), path


def test_every_field_is_described(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name, schema in schemas.items():
        assert schema["description"], name
        for field, described in schema["properties"].items():
            assert described["description"], (name, field)
            assert described.keys() & {"type", "anyOf", "$ref", "enum"}, (name, field)
    for reference in re.findall(r"#/components/schemas/(\w+)", json.dumps(document)):
        assert reference in schemas


def test_derivations_are_as_they_are_described(service: RunningService) -> None:
    for model, text in (("cogs", SENTENCES[4]), ("geo", "how big is texas")):
        (result,) = service.parse(model, text).json["results"]
        node = msgspec.convert(result["derivation"], DerivationNode)
        assert json.loads(msgspec.json.encode(node)) == result["derivation"]
        assert node.kind == "node"


def test_the_errors_of_each_address_are_listed(
    service: RunningService, document: dict[str, Any]
) -> None:
    post, word = "/api/parse", "/api/models/{name}/lexicon"
    for path, answer in (
        (post, service.post(b"{")),
        (post, service.post(b"[]")),
        (post, service.parse("nosuch", "a")),
        (post, service.parse("cogs", *["a"] * 51)),
        (post, service.parse("cogs", "Emma?" * 300)),
        (post, service.ask("POST", post, b"{}")),
        (post, service.ask("POST", post, b"{}", host="evil.example")),
        (word, service.get("/api/models/cogs/lexicon")),
        (word, service.get("/api/models/nosuch/lexicon?word=a")),
        ("/api/models/{name}", service.get("/api/models/nosuch")),
    ):
        (operation,) = document["paths"][path].values()
        assert answer.error in operation["responses"][str(answer.status)]["description"], path
    told = json.dumps(document["paths"])
    for code, status in ApiError.STATUS.items():
        # These two are of other addresses and methods than those that are described.
        assert (code in told) == (code not in ("not_found", "wrong_method")), code
        assert f'"{status}"' in told or status == 405


def test_the_token_is_described_where_it_is_needed(document: dict[str, Any]) -> None:
    with_token = openapi(RequestLimits(), has_token=True)["paths"]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            is_open = path in ("/healthz", "/readyz")
            needs = with_token[path][method].get("security")
            assert needs == (None if is_open else [{"token": []}])
            assert operation.get("security") == (None if is_open else [{}, {"token": []}])


def test_the_page_and_its_files_come_with_strict_headers(service: RunningService) -> None:
    page = service.get("/")
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in page.headers
    assert service.get("/static/index.html").body == page.body


def test_examples_do_what_they_are_there_for() -> None:
    parsers = {name: lear.Parser.from_pretrained(name) for name in shipped_models()}
    for domain, examples in example_sentences().items():
        for example in examples:
            parse = parsers[domain](example.text, nbest=2)
            if example.kind == "unknown":
                assert "unknown word" in parse.reason or parse.guessed, example
            elif example.kind == "refused":
                assert parse.form is None, example
            else:
                assert parse.form is not None, (example, parse.reason)
            if example.kind == "ambiguous":
                assert len(parse.nbest) > 1, example
            if example.kind == "repaired":
                assert parse.repaired, example


def test_the_page_is_part_of_the_package() -> None:
    assert (files("lear") / "page" / "index.html").is_file()
