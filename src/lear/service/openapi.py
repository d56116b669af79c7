"""The description of the API, made of the types that requests and answers are checked with."""

from typing import Any

import msgspec

from lear.service.api_error import ApiError, ErrorBody
from lear.service.api_types import (
    LexiconAnswer,
    ModelCard,
    ModelList,
    ParseRequest,
    ParseResponse,
    Status,
)
from lear.service.settings import RequestLimits
from lear.version import __version__

TYPES = (ParseRequest, ParseResponse, ModelList, ModelCard, LexiconAnswer, Status, ErrorBody)
JSON = "application/json"
NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
WORD = {"name": "word", "in": "query", "required": True, "schema": {"type": "string"}}


def openapi(limits: RequestLimits) -> dict[str, Any]:
    """An OpenAPI 3.1 document."""
    schemas, components = msgspec.json.schema_components(
        TYPES, ref_template="#/components/schemas/{name}"
    )
    by_type: dict[type, dict[str, Any]] = dict(zip(TYPES, schemas, strict=True))

    def operation(summary: str, answer: type | None, **more: Any) -> dict[str, Any]:
        content = {"text/plain": {}} if answer is None else {JSON: {"schema": by_type[answer]}}
        error = {"description": "an error", "content": {JSON: {"schema": by_type[ErrorBody]}}}
        responses = {"200": {"description": "done", "content": content}, "default": error}
        return {"summary": summary, "responses": responses, **more}

    body = {"required": True, "content": {JSON: {"schema": by_type[ParseRequest]}}}
    limits_text = (
        f"At most {limits.texts:,} texts of {limits.tokens:,} words, {limits.body_bytes:,} bytes, "
        f"{limits.seconds:g} seconds and nbest {limits.nbest}."
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lear",
            "version": __version__,
            "description": f"Codes of errors: {', '.join(sorted(ApiError.STATUS))}.",
        },
        "paths": {
            "/api/parse": {
                "post": operation(
                    "Parse sentences", ParseResponse, requestBody=body, description=limits_text
                )
            },
            "/api/models": {"get": operation("List the models", ModelList)},
            "/api/models/{name}": {
                "get": operation("Describe a model", ModelCard, parameters=[NAME])
            },
            "/api/models/{name}/lexicon": {
                "get": operation("Look a word up", LexiconAnswer, parameters=[NAME, WORD])
            },
            "/healthz": {"get": operation("Whether the service is alive", Status)},
            "/readyz": {"get": operation("Whether the service can answer", Status)},
            "/metrics": {"get": operation("What is counted, for Prometheus", None)},
        },
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
