"""What a client is told when there is nothing else to tell: one shape for all of it."""

from collections.abc import Mapping
from typing import ClassVar

import msgspec


class ErrorDetail(msgspec.Struct, frozen=True):
    """What is wrong."""

    code: str
    """For programs: one word, which does not change."""
    message: str
    """For people: one line."""


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every answer that is no success."""

    error: ErrorDetail
    """What is wrong."""


class ApiError(Exception):
    """An answer with a status from 400 on."""

    STATUS: ClassVar[dict[str, int]] = {
        "bad_request": 400,
        "bad_host": 400,
        "bad_json": 400,
        "bad_field": 400,
        "unauthorized": 401,
        "not_found": 404,
        "unknown_model": 404,
        "wrong_method": 405,
        "slow_client": 408,
        "too_large": 413,
        "too_many_texts": 413,
        "too_many_tokens": 413,
        "wrong_media_type": 415,
        "time_limit": 422,
        "headers_too_large": 431,
        "internal": 500,
        "worker_died": 500,
        "overloaded": 503,
        "not_ready": 503,
    }
    """All codes there are, each with its status."""

    def __init__(self, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.headers = headers or {}
        """Those that only this answer has."""
        self.code = code
        self.status = self.STATUS[code]
        self.body = msgspec.json.encode(ErrorBody(ErrorDetail(code, message)))
