"""HTTP as uvicorn speaks it, for clients that are slow, greedy or broken.

A request, headers and body, has to arrive within some seconds; headers have a bound on their size;
and there is a bound on connections. Uvicorn itself waits for ever, and its errors are not JSON.
"""

import asyncio
from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from lear.service.api_error import ApiError
from lear.service.settings import ServiceSettings


class StrictProtocol(HttpToolsProtocol):
    """One connection. `strict_protocol` makes a class of it for the limits of a service."""

    settings: ServiceSettings
    _deadline: TimerHandle | None = None
    _is_in_headers = True
    _header_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; the first request has to come soon."""
        super().connection_made(transport)
        if len(self.connections) > self.settings.connections:
            self._refuse(ApiError("overloaded", "too many connections; try again later"))
            return
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, unless there is no end to it."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._is_in_headers:
            self._header_bytes += len(data)
            most = self.settings.limits.header_bytes
            if self._header_bytes > most and not self.transport.is_closing():
                message = f"the headers have more than {most:,} bytes"
                self._refuse(ApiError("headers_too_large", message))

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._begin()

    def on_headers_complete(self) -> None:
        """Its headers are there."""
        self._is_in_headers = False
        self._header_bytes = 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """All of it is there."""
        self._arrived()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self._refuse(ApiError("bad_request", msg))

    def _begin(self) -> None:
        self._is_in_headers = True
        if self._deadline is None:
            seconds = self.settings.limits.sending_seconds
            self._deadline = self.loop.call_later(seconds, self._is_too_slow)

    def _arrived(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _is_too_slow(self) -> None:
        self._deadline = None
        seconds = self.settings.limits.sending_seconds
        self._refuse(ApiError("slow_client", f"the request did not arrive in {seconds:g} seconds"))

    def _refuse(self, error: ApiError) -> None:
        """Answer with an error, unless an answer has begun, and close the connection."""
        self._arrived()
        is_answering = self.cycle is not None and self.cycle.response_started
        if not is_answering:
            self.transport.write(
                STATUS_LINE[error.status]
                + b"content-type: application/json\r\nconnection: close\r\n"
                + b"content-length: %d\r\n\r\n" % len(error.body)
                + error.body
            )
        self.transport.close()


def strict_protocol(service_settings: ServiceSettings) -> type[StrictProtocol]:
    """A protocol that keeps to the limits of a service."""
    fields: dict[str, Any] = {"settings": service_settings}
    return type("LimitedProtocol", (StrictProtocol,), fields)
