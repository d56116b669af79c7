"""HTTP as uvicorn speaks it, for clients that are slow, greedy or broken.

A request, headers and body, has to arrive within some seconds; headers have a bound on their size;
who takes nothing of an answer for as long is sent away; and there is a bound on connections.
Uvicorn itself waits for ever, and its errors are not JSON.
"""

import asyncio
import socket
import struct
from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from lear.service.api_error import ApiError
from lear.service.settings import ServiceSettings

MIN_TAKEN = 65_536
"""Bytes that a client has to take of what waits for it, in the time that it has to send."""
AT_ONCE = struct.pack("ii", 1, 0)
"""For `SO_LINGER`: the system, too, forgets what was not taken."""


class StrictProtocol(HttpToolsProtocol):
    """One connection. `strict_protocol` makes a class of it for the limits of a service."""

    settings: ServiceSettings
    _deadline: TimerHandle | None = None
    _is_in_headers = True
    _header_bytes = 0
    _taking: TimerHandle | None = None
    _left = 0

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
        self._is_taken()
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
        if self.parser.should_upgrade() and not self._is_http_enough():
            message = "this service speaks HTTP/1.1 only: leave out the header Upgrade"
            self._refuse(ApiError("bad_request", message))
            return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of it is there."""
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """All of it is there."""
        self._arrived()
        if not self.transport.is_closing():
            super().on_message_complete()

    def _is_http_enough(self) -> bool:
        """Whether an answer is of use all the same: HTTP/2 is but offered. Bodies are not read."""
        return dict(self.headers).get(b"upgrade") == b"h2c" and self.parser.get_method() == b"GET"

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: other protocols are refused, or not taken notice of, as HTTP has it."""

    def pause_writing(self) -> None:
        """There is more to be taken than fits: see whether it is."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """It was."""
        super().resume_writing()
        self._is_taken()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing is asked any more."""
        super().timeout_keep_alive_handler()
        self._watch()

    def shutdown(self) -> None:
        """End as soon as what is under way is answered."""
        super().shutdown()
        self._watch()

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

    def _watch(self) -> None:
        """Look, after a while, whether the client takes what is sent."""
        if self._taking is None:
            self._left = self.transport.get_write_buffer_size()
            seconds = self.settings.limits.sending_seconds
            self._taking = self.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        self._taking = None
        left = self.transport.get_write_buffer_size()
        if left and self._left - left < MIN_TAKEN:
            self.logger.warning("A client that did not take its answer was sent away.")
            connection = self.transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
            self.transport.abort()
        elif left:
            self._watch()

    def _is_taken(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

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
        self._watch()


def strict_protocol(service_settings: ServiceSettings) -> type[StrictProtocol]:
    """A protocol that keeps to the limits of a service."""
    fields: dict[str, Any] = {"settings": service_settings}
    return type("LimitedProtocol", (StrictProtocol,), fields)
