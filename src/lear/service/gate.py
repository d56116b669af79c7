"""What every request goes through: who may ask, what every answer says, and what is kept of it."""

import hmac
import ipaddress
import time
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lear.service.api_error import ApiError
from lear.service.metrics import Metrics
from lear.service.mistakes import place_of
from lear.service.service_log import ServiceLog
from lear.service.settings import ServiceSettings

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
JSON = [(b"content-type", b"application/json")]


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
    headers = [*JSON, (b"content-length", str(len(error.body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
    if error.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if error.status == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": error.body})
