"""The routes of a service."""

from collections.abc import Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from mimetypes import guess_type

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from lear.service.api_error import ApiError
from lear.service.api_types import ModelCard, ModelList, Status
from lear.service.frames import Job, LexiconJob
from lear.service.gate import Gate
from lear.service.metrics import CONTENT_TYPE
from lear.service.openapi import openapi
from lear.service.parse_route import parse_job, read_body
from lear.service.service_state import ServiceState
from lear.version import __version__

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
