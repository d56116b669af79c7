"""From the body of a request to a job, or to what is wrong with it."""

import msgspec
from starlette.requests import ClientDisconnect, Request

from lear.service.api_error import ApiError
from lear.service.api_types import ParseRequest
from lear.service.frames import ParseJob
from lear.service.service_state import ServiceState
from lear.service.settings import RequestLimits
from lear.storage.json_file import NOT_JSON

_decoder = msgspec.json.Decoder(ParseRequest)


async def read_body(request: Request, limits: RequestLimits) -> bytes:
    """The JSON text that a client sends, unless it is too long."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise ApiError("wrong_media_type", "send JSON: Content-Type: application/json")
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > limits.body_bytes:
        raise _too_large(limits)
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > limits.body_bytes:
                raise _too_large(limits)
    except ClientDisconnect:
        raise ApiError("bad_request", "the client has gone") from None
    return bytes(body)


def _too_large(limits: RequestLimits) -> ApiError:
    return ApiError("too_large", f"the body has more than {limits.body_bytes:,} bytes")


def parse_job(body: bytes, state: ServiceState) -> ParseJob:
    """What workers are to do."""
    try:
        asked = _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise ApiError("bad_field", str(error)) from None
    except NOT_JSON as error:
        raise ApiError("bad_json", f"the body is not JSON: {error}") from None
    state.card(asked.model)  # before what is counted: without a model nothing else matters
    _check(asked, state.settings.limits)
    return ParseJob(
        number=state.pool.next_number(),
        model=asked.model,
        texts=asked.texts,
        nbest=asked.nbest,
        execute=asked.execute,
        unknown_words=asked.unknown_words,
        min_probability=asked.min_probability,
        derivation=asked.derivation,
    )


def _check(asked: ParseRequest, limits: RequestLimits) -> None:
    """Raise `ApiError` if a request asks for too much; tokens are counted by who makes them."""
    if not asked.texts:
        raise ApiError("bad_field", "`texts` is empty: give at least one sentence")
    if len(asked.texts) > limits.texts:
        message = (
            f"{len(asked.texts):,} texts are more than {limits.texts:,}: send several requests"
        )
        raise ApiError("too_many_texts", message)
    if asked.nbest > limits.nbest:
        raise ApiError("bad_field", f"`nbest` is at most {limits.nbest}")
