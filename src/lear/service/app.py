"""The application: its routes, and what every request goes through before and after them."""

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Mapping
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import Message, Receive, Scope, Send

from lear.service.api import (
    ApiError,
    ModelCard,
    ModelList,
    ModelSummary,
    ParseRequest,
    Status,
    openapi,
)
from lear.service.observing import METRICS_TYPE, Metrics, ServiceLog, place_of
from lear.service.pool import WorkerPool
from lear.service.settings import RequestLimits, ServiceSettings
from lear.service.workers import LexiconJob, ParseJob, Reply
from lear.storage.files import NOT_JSON
from lear.version import __version__

JSON = "application/json"
MAX_WORD = 200
"""Characters of a word that is looked up."""
ANY_HOST = "*"
OPEN_PATHS = ("/healthz", "/readyz")
SECURITY_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; "
        b"form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Service:
    """The application: says who may ask, leads requests to their routes, and records answers."""

    def __init__(
        self, settings: ServiceSettings, pool: WorkerPool, metrics: Metrics, log: ServiceLog
    ) -> None:
        self._settings = settings
        self._pool = pool
        self._metrics = metrics
        self._log = log
        metrics.gauge("workers", lambda: len(pool.workers))
        metrics.gauge("requests_waiting", lambda: pool.num_waiting)
        metrics.gauge("ready", lambda: pool.is_ready)
        metrics.gauge("log_lines_dropped", lambda: log.num_dropped)
        self._files = _page_files()
        self._openapi = msgspec.json.encode(
            openapi(settings.limits, has_token=settings.token is not None)
        )
        self._router = Router(
            [
                Route("/api/parse", self.parse, methods=["POST"]),
                Route("/api/models", self.models),
                Route("/api/models/{name}", self.model),
                Route("/api/models/{name}/lexicon", self.lexicon),
                Route("/api/openapi.json", self.openapi),
                Route("/healthz", self.healthz),
                Route("/readyz", self.readyz),
                Route("/metrics", self.metrics),
                *(Route(path, self.page) for path in self._files),
            ],
            redirect_slashes=False,  # every path has one way to write it
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not; no exception comes out of here."""
        started = time.perf_counter()
        status = 0

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *SECURITY_HEADERS]
            await send(message)

        scope["app"] = self  # so that Starlette raises errors, which it would answer in its way
        scope["lear"] = {}  # what the log says of this request
        try:
            self._check_access(scope)
            await self._router(scope, receive, send_guarded)
        except Exception as error:  # noqa: BLE001 - after a bug, the next request must go on
            answer = self._api_error(error, scope["path"])
            if not status:
                await _error_response(answer)(scope, receive, send_guarded)
        self._record(scope, status, time.perf_counter() - started)

    def _api_error(self, error: Exception, path: str) -> ApiError:
        """Return what clients are told of an exception; log it if it is a bug."""
        if isinstance(error, ApiError):
            return error
        if isinstance(error, HTTPException) and error.status_code == 405:
            message = "this address is not for this method"
            return ApiError("wrong_method", message, error.headers)
        if isinstance(error, HTTPException):
            return ApiError("not_found", "there is nothing at this address")
        kind, place = type(error).__name__, place_of(error)
        self._log.write("mistake", kind=kind, place=place, route=_route_of(path))
        return ApiError("internal", "a mistake of lear's own")

    def _check_access(self, scope: Scope) -> None:
        """Raise `ApiError` if this request is not to be answered, whatever it asks."""
        most = self._settings.limits.header_bytes
        if sum(len(name) + len(value) for name, value in scope["headers"]) > most:
            raise ApiError("headers_too_large", f"the headers have more than {most:,} bytes")
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        if not _is_known_host(headers.get(b"host", b"").decode("latin-1"), self._settings):
            raise ApiError("bad_host", "the header Host names no address of this service")
        # The page itself holds nothing secret.
        needs_token = scope["path"].startswith("/api/") or scope["path"] == "/metrics"
        if self._settings.token is not None and needs_token:
            expected = f"Bearer {self._settings.token}".encode()
            if not hmac.compare_digest(headers.get(b"authorization", b""), expected):
                raise ApiError("unauthorized", "send the token: Authorization: Bearer TOKEN")

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = _route_of(scope["path"])
        self._metrics.requests.labels(route, status).inc()
        if route == "/api/parse":
            self._metrics.parse_seconds.observe(seconds)
        self._log.write(
            "request",
            method=scope["method"][:16],
            route=route,
            status=status,
            ms=round(1000 * seconds, 2),
            **scope["lear"],
        )

    async def parse(self, request: Request) -> Response:
        """Parse sentences."""
        body = await _body_of(request, self._settings.limits)
        asked = _parse_request(body)
        self._card(asked.model)  # first of all: without a model nothing else matters
        _check(asked, self._settings.limits)
        logged = request.scope["lear"]
        logged |= {"model": asked.model, "texts": len(asked.texts)}
        if self._settings.logs_text:
            logged["sentences"] = asked.texts
        self._metrics.texts.labels(asked.model).inc(len(asked.texts))
        reply = await self._reply(ParseJob(asked))
        if reply.status != 200:
            return Response(reply.body, reply.status, media_type=JSON)
        return _json({"model": asked.model, "results": list(map(msgspec.Raw, reply.results))})

    async def models(self, request: Request) -> Response:
        """List the models."""
        del request
        cards = self._pool.cards.values()
        return _json(
            ModelList(
                tuple(ModelSummary(c.name, c.domain, c.description, c.can_execute) for c in cards)
            )
        )

    async def model(self, request: Request) -> Response:
        """Describe a model."""
        return _json(self._card(request.path_params["name"]))

    async def lexicon(self, request: Request) -> Response:
        """Look a word up."""
        card = self._card(request.path_params["name"])
        word = request.query_params.get("word", "").strip()
        if not 0 < len(word) <= MAX_WORD:
            raise ApiError("bad_field", f"give a word of up to {MAX_WORD} characters: ?word=...")
        reply = await self._reply(LexiconJob(card.name, word))
        return Response(reply.body, reply.status, media_type=JSON)

    async def _reply(self, job: ParseJob | LexiconJob) -> Reply:
        reply = await self._pool.reply(job)
        if reply.mistake is not None:
            fields = msgspec.structs.asdict(reply.mistake)
            self._log.write("mistake", code="internal", model=job.model, **fields)
        return reply

    def _card(self, name: str) -> ModelCard:
        """Return what is known of a model; raise `ApiError` without one."""
        cards = self._pool.cards
        if not cards:
            raise ApiError("not_ready", "the models are being loaded")
        if name not in cards:
            raise ApiError(
                "unknown_model", f"there is no such model; there are: {', '.join(cards)}"
            )
        return cards[name]

    async def openapi(self, request: Request) -> Response:
        """Describe this API."""
        del request
        return Response(self._openapi, media_type=JSON)

    async def healthz(self, request: Request) -> Response:
        """Say that the service is alive."""
        del request
        return _json(Status("ok", __version__))

    async def readyz(self, request: Request) -> Response:
        """Say whether the service can answer."""
        del request
        if not self._pool.is_ready:
            raise ApiError("not_ready", self._pool.trouble or "the models are being loaded")
        return _json(Status("ready", __version__, self._pool.trouble))

    async def metrics(self, request: Request) -> Response:
        """Give counts and times to Prometheus."""
        del request
        return Response(self._metrics.text(), headers={"content-type": METRICS_TYPE})

    async def page(self, request: Request) -> Response:
        """Give a file of the page."""
        content, media_type = self._files[request.url.path]
        headers = {"cache-control": "no-cache"}
        return Response(content, media_type=media_type, headers=headers)


def _error_response(error: ApiError) -> Response:
    headers = dict(error.headers)
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    if error.status == 408:
        headers["connection"] = "close"
    if error.status == 503:
        headers["retry-after"] = "1"
    return Response(error.body, error.status, headers, JSON)


def _route_of(path: str) -> str:
    """Return a path without what clients choose, for logs and counts."""
    if path in ("/", "/api/parse", "/api/models", "/api/openapi.json", "/metrics", *OPEN_PATHS):
        return path
    for prefix in ("/static/", "/api/models/"):
        if path.startswith(prefix):
            return f"{prefix}NAME"
    return "other"


def _is_known_host(header: str, settings: ServiceSettings) -> bool:
    """Return True if a request was meant for this service.

    A page of somebody else can make its own name lead to this machine; it cannot do so with an
    address, nor with `localhost`.
    """
    host = header.rsplit(":", 1)[0] if header.rsplit(":", 1)[-1].isdecimal() else header
    name = host.strip("[]").lower()
    allowed = {"localhost", settings.host.lower(), *map(str.lower, settings.allowed_hosts)}
    if name in allowed or ANY_HOST in allowed:
        return bool(name)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _json(value: object) -> Response:
    return Response(msgspec.json.encode(value), media_type=JSON)


async def _body_of(request: Request, limits: RequestLimits) -> bytes:
    """Return the JSON text that a client sends, unless it is too long or takes too long."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != JSON:
        raise ApiError("wrong_media_type", "send JSON: Content-Type: application/json")
    too_large = ApiError("too_large", f"the body has more than {limits.body_bytes:,} bytes")
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > limits.body_bytes:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(limits.sending_seconds):
            async for part in request.stream():
                body += part
                if len(body) > limits.body_bytes:
                    raise too_large
    except TimeoutError:
        message = f"the request did not arrive in {limits.sending_seconds:g} seconds"
        raise ApiError("slow_client", message) from None
    except ClientDisconnect:
        raise ApiError("bad_request", "the client has gone") from None
    return bytes(body)


_decoder = msgspec.json.Decoder(ParseRequest)


def _parse_request(body: bytes) -> ParseRequest:
    try:
        return _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise ApiError("bad_field", str(error)) from None
    except NOT_JSON as error:
        raise ApiError("bad_json", f"the body is not JSON: {error}") from None


def _check(asked: ParseRequest, limits: RequestLimits) -> None:
    """Raise `ApiError` if a request asks for too much; workers count tokens, as they make them."""
    if not asked.texts:
        raise ApiError("bad_field", "`texts` is empty: give at least one sentence")
    if len(asked.texts) > limits.texts:
        message = (
            f"{len(asked.texts):,} texts are more than {limits.texts:,}: send several requests"
        )
        raise ApiError("too_many_texts", message)
    if asked.nbest > limits.nbest:
        raise ApiError("bad_field", f"`nbest` is at most {limits.nbest}")


def _page_files() -> dict[str, tuple[bytes, str]]:
    """Return each file of the page by its address, with its type: clients can get no other."""
    folder = Path(str(files("lear") / "page"))
    found = {"/": folder / "index.html"}
    for file in folder.rglob("*"):
        if file.is_file() and file.suffix not in (".py", ".pyc"):
            found[f"/static/{file.relative_to(folder).as_posix()}"] = file
    return {
        path: (file.read_bytes(), guess_type(file.name)[0] or "application/octet-stream")
        for path, file in found.items()
    }
