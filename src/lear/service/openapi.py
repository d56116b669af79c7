"""The description of the API, made of the types that requests and answers are checked with."""

from collections.abc import Iterable
from typing import Any

import msgspec

from lear.service.api_error import ApiError, ErrorBody, ErrorDetail
from lear.service.api_types import (
    Answer,
    DerivationNode,
    ExampleSentence,
    LexiconAnswer,
    LexiconEntry,
    LexiconUnit,
    Mark,
    ModelCard,
    ModelList,
    ModelSummary,
    ParseRequest,
    ParseResponse,
    PrimitiveOfNode,
    ReadAs,
    Refused,
    Result,
    Status,
)
from lear.service.field_docs import field_docs
from lear.service.settings import RequestLimits
from lear.version import __version__

TYPES = (
    *(ParseRequest, ParseResponse, Result, Answer, DerivationNode, PrimitiveOfNode),
    *(ReadAs, Refused, Mark, ModelList, ModelSummary, ModelCard, ExampleSentence),
    *(LexiconAnswer, LexiconUnit, LexiconEntry, Status, ErrorBody, ErrorDetail),
)
JSON = "application/json"
REFERENCE = "#/components/schemas/{name}"
_TEXT = {"required": True, "schema": {"type": "string"}}
NAME = _TEXT | {"name": "name", "in": "path", "description": "A model's name."}
WORD = _TEXT | {"name": "word", "in": "query", "description": "One word."}
ANYWHERE = ("bad_request", "bad_host", "slow_client", "headers_too_large", "internal", "overloaded")
"""Codes of errors that every request may meet."""
BY_WORKERS = ("bad_field", "unknown_model", "time_limit", "worker_died", "not_ready")
OF_BODIES = ("bad_json", "too_large", "too_many_texts", "too_many_tokens", "wrong_media_type")


def openapi(limits: RequestLimits, *, has_token: bool) -> dict[str, Any]:
    """An OpenAPI 3.1 document.

    Args:
        limits: What a request may ask for.
        has_token: Whether clients have to send a token.
    """
    limits_text = (
        f"At most {limits.texts:,} texts of {limits.tokens:,} tokens, {limits.body_bytes:,} bytes, "
        f"{limits.seconds:g} seconds and nbest {limits.nbest}."
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lear",
            "version": __version__,
            "description": f"Codes of errors: {', '.join(sorted(ApiError.STATUS))}.",
        },
        "paths": _paths(limits_text, [{"token": []}] if has_token else [{}, {"token": []}]),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Needed where the service was started with a token.",
                }
            },
        },
    }


def _paths(limits_text: str, security: list[dict[str, list[str]]]) -> dict[str, Any]:
    body = {"required": True, "content": {JSON: {"schema": _reference(ParseRequest)}}}
    token: dict[str, Any] = {"security": security, "codes": ("unauthorized",)}
    model = token | {"parameters": [NAME], "codes": ("unauthorized", "unknown_model", "not_ready")}
    word = token | {"parameters": [NAME, WORD], "codes": ("unauthorized", *BY_WORKERS)}
    parse = token | {
        "requestBody": body,
        "description": limits_text,
        "codes": ("unauthorized", *BY_WORKERS, *OF_BODIES),
    }
    get = {
        "/api/models": _operation("List the models", ModelList, **token),
        "/api/models/{name}": _operation("Describe a model", ModelCard, **model),
        "/api/models/{name}/lexicon": _operation("Look a word up", LexiconAnswer, **word),
        "/api/openapi.json": _operation("Describe this API", dict, **token),
        "/healthz": _operation("Whether the service is alive", Status),
        "/readyz": _operation("Whether the service can answer", Status, codes=("not_ready",)),
        "/metrics": _operation("What is counted, for Prometheus", None, **token),
    }
    return {
        "/api/parse": {"post": _operation("Parse sentences", ParseResponse, **parse)},
        **{path: {"get": operation} for path, operation in get.items()},
    }


def _operation(
    summary: str, answer: type | None, codes: Iterable[str] = (), **more: Any
) -> dict[str, Any]:
    content = {"text/plain": {}} if answer is None else {JSON: {"schema": _reference(answer)}}
    responses = {"200": {"description": "What was asked for.", "content": content}}
    by_status: dict[int, list[str]] = {}
    for code in (*ANYWHERE, *codes):
        by_status.setdefault(ApiError.STATUS[code], []).append(code)
    for status, its_codes in sorted(by_status.items()):
        responses[str(status)] = {
            "description": f"An error: {', '.join(sorted(its_codes))}.",
            "content": {JSON: {"schema": _reference(ErrorBody)}},
        }
    return {"summary": summary, "responses": responses, **more}


def _reference(kind: type) -> dict[str, str]:
    """The schema of a type."""
    if kind not in TYPES:
        return {"type": "object"}
    return {"$ref": REFERENCE.format(name=kind.__name__)}


def _schemas() -> dict[str, Any]:
    """The schemas of all types, with what their source says of each field."""
    _, components = msgspec.json.schema_components(TYPES, ref_template=REFERENCE)
    for kind in TYPES:
        for field, text in field_docs(kind).items():
            components[kind.__name__]["properties"][field]["description"] = text
    return components
