"""What the routes of a service share.

From the body of a request to a job, or to what is wrong with it.

What every request goes through: who may ask, what every answer says, and what is kept of it.

The routes of a service.
"""

import hmac
import ipaddress
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from mimetypes import guess_type

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lear.service.api import (
    ApiError,
    ModelCard,
    ModelList,
    ModelSummary,
    ParseRequest,
    Status,
    openapi,
)
from lear.service.frames import Job, LexiconJob, ParseJob
from lear.service.observing import CONTENT_TYPE, Metrics, ServiceLog, place_of
from lear.service.settings import RequestLimits, ServiceSettings
from lear.service.worker_pool import WorkerPool
from lear.storage.files import NOT_JSON
from lear.version import __version__


@dataclass
class ServiceState:
    """A running service."""

    settings: ServiceSettings
    pool: WorkerPool
    metrics: Metrics
    log: ServiceLog
    cards: dict[str, ModelCard] = field(default_factory=dict)
    """Of the models, in the order that they were named in; none until they are loaded."""

    @property
    def is_ready(self) -> bool:
        """Whether somebody is there to answer."""
        return bool(self.cards) and self.pool.can_answer

    def card(self, name: str) -> ModelCard:
        """What is known of a model; raises `ApiError`."""
        if not self.cards:
            raise ApiError("not_ready", "the models are being loaded")
        if name not in self.cards:
            known = ", ".join(self.cards)
            raise ApiError("unknown_model", f"there is no such model; there are: {known}")
        return self.cards[name]

    def summaries(self) -> tuple[ModelSummary, ...]:
        """All models for a list."""
        return tuple(
            ModelSummary(card.name, card.domain, card.description, card.can_execute)
            for card in self.cards.values()
        )

    def gauges(self) -> dict[str, float]:
        """What can be measured at any time."""
        return {
            "workers": len(self.pool.workers),
            "requests_waiting": self.pool.num_waiting,
            "ready": float(self.is_ready),
            "log_lines_dropped": self.log.num_dropped,
        }


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
JSON_HEADERS = [(b"content-type", b"application/json")]


class Gate:
    """Wraps an application."""

    def __init__(
        self, app: ASGIApp, settings: ServiceSettings, metrics: Metrics, log: ServiceLog
    ) -> None:
        self.app = app
        self.settings = settings
        self.metrics = metrics
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not; nothing else comes out of here."""
        started = time.perf_counter()
        status = 0

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *SECURITY_HEADERS]
            await send(message)

        scope["lear"] = {}  # what is told of this request in logs
        try:
            self._check(scope)
            await self.app(scope, receive, send_guarded)
        except ApiError as error:
            await send_error(send_guarded, error)
        except Exception as error:  # noqa: BLE001 - a bug: the next request must go on
            kind, place = type(error).__name__, place_of(error)
            self.log.write("mistake", kind=kind, place=place, route=route_of(scope["path"]))
            if not status:
                await send_error(send_guarded, ApiError("internal", "a mistake of lear's own"))
        self._keep(scope, status, time.perf_counter() - started)

    def _check(self, scope: Scope) -> None:
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        if not is_known_host(headers.get(b"host", b"").decode("latin-1"), self.settings):
            raise ApiError("bad_host", "the header Host names no address of this service")
        if self.settings.token is not None and _needs_token(scope["path"]):
            expected = f"Bearer {self.settings.token}".encode()
            if not hmac.compare_digest(headers.get(b"authorization", b""), expected):
                raise ApiError("unauthorized", "send the token: Authorization: Bearer TOKEN")

    def _keep(self, scope: Scope, status: int, seconds: float) -> None:
        route = route_of(scope["path"])
        self.metrics.requests[route, status] += 1
        if route == "/api/parse":
            self.metrics.parse_seconds.observe(seconds)
        self.log.write(
            "request",
            method=scope["method"][:16],
            route=route,
            status=status,
            ms=round(1000 * seconds, 2),
            **scope["lear"],
        )


def _needs_token(path: str) -> bool:
    """Whether a path is one that a token protects: the page itself holds nothing secret."""
    return path.startswith("/api/") or path == "/metrics"


def route_of(path: str) -> str:
    """A path without what clients choose, for logs and counts."""
    if path in ("/", "/api/parse", "/api/models", "/api/openapi.json", "/metrics", *OPEN_PATHS):
        return path
    for prefix in ("/static/", "/api/models/"):
        if path.startswith(prefix):
            return f"{prefix}NAME"
    return "other"


def is_known_host(header: str, settings: ServiceSettings) -> bool:
    """Whether a request was meant for this service.

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


async def send_error(send: Send, error: ApiError) -> None:
    """Answer with an error."""
    headers = [*JSON_HEADERS, (b"content-length", str(len(error.body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
    if error.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if error.status == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": error.body})


JSON = "application/json"
MAX_WORD = 200
"""Characters of a word that is looked up."""


def make_app(state: ServiceState) -> ASGIApp:
    """The whole application."""
    routes = Routes(state)
    router = Router(
        [
            Route("/api/parse", routes.parse, methods=["POST"]),
            Route("/api/models", routes.models),
            Route("/api/models/{name}", routes.model),
            Route("/api/models/{name}/lexicon", routes.lexicon),
            Route("/api/openapi.json", routes.openapi),
            Route("/healthz", routes.healthz),
            Route("/readyz", routes.readyz),
            Route("/metrics", routes.metrics),
            *(Route(path, routes.page) for path in routes.files),
        ],
        redirect_slashes=False,  # every path has one way to write it
    )

    # Starlette's own application would answer errors in a shape of its own.
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = app
        try:
            await router(scope, receive, send)
        except HTTPException as error:
            if error.status_code == 405:
                message = "this address is not for this method"
                raise ApiError("wrong_method", message, error.headers) from None
            raise ApiError("not_found", "there is nothing at this address") from None

    return Gate(app, state.settings, state.metrics, state.log)


class Routes:
    """What is done at each address."""

    def __init__(self, state: ServiceState) -> None:
        self.state = state
        self.files = dict(page_files())
        self._openapi = msgspec.json.encode(
            openapi(state.settings.limits, has_token=state.settings.token is not None)
        )

    async def parse(self, request: Request) -> Response:
        """Parse sentences."""
        body = await read_body(request, self.state.settings.limits)
        job = parse_job(body, self.state)
        told = request.scope["lear"]
        told |= {"model": job.model, "texts": len(job.texts)}
        if self.state.settings.logs_text:
            told["sentences"] = job.texts
        self.state.metrics.texts[job.model] += len(job.texts)
        return await self._answer(job)

    async def models(self, request: Request) -> Response:
        """List the models."""
        del request
        return _json(ModelList(self.state.summaries()))

    async def model(self, request: Request) -> Response:
        """Describe a model."""
        return _json(self._card(request))

    async def lexicon(self, request: Request) -> Response:
        """Look a word up."""
        card = self._card(request)
        word = request.query_params.get("word", "").strip()
        if not 0 < len(word) <= MAX_WORD:
            raise ApiError("bad_field", f"give a word of up to {MAX_WORD} characters: ?word=...")
        job = LexiconJob(self.state.pool.next_number(), card.name, word)
        return await self._answer(job)

    async def _answer(self, job: Job) -> Response:
        reply = await self.state.pool.answer(job)
        if reply.mistake is not None:
            told = msgspec.structs.asdict(reply.mistake)
            self.state.log.write("mistake", code="internal", model=job.model, **told)
        return Response(reply.body, reply.status, media_type=JSON)

    def _card(self, request: Request) -> ModelCard:
        return self.state.card(request.path_params["name"])

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
        if not self.state.is_ready:
            raise ApiError("not_ready", self.state.pool.trouble or "the models are being loaded")
        return _json(Status("ready", __version__, self.state.pool.trouble))

    async def metrics(self, request: Request) -> Response:
        """What is counted."""
        del request
        text = self.state.metrics.text(self.state.gauges())
        return Response(text, headers={"content-type": CONTENT_TYPE})

    async def page(self, request: Request) -> Response:
        """A file of the page."""
        content, media_type = self.files[request.url.path]
        headers = {"cache-control": "no-cache"}
        return Response(content, media_type=media_type, headers=headers)


def _json(value: msgspec.Struct) -> Response:
    return Response(msgspec.json.encode(value), media_type=JSON)


def page_files() -> Iterable[tuple[str, tuple[bytes, str]]]:
    """Each file of the page by its address, with its kind: no other file can be asked for."""
    folder = files("lear") / "page"
    yield "/", ((folder / "index.html").read_bytes(), "text/html")
    for path, file in _inside(folder, "/static/"):
        yield path, (file.read_bytes(), guess_type(path)[0] or "application/octet-stream")


def _inside(folder: Traversable, address: str) -> Iterable[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _inside(entry, f"{address}{entry.name}/")
        elif not entry.name.endswith((".py", ".pyc")):
            yield f"{address}{entry.name}", entry
