"""Connections of clients that say nothing, stop in the middle, or are too many."""

from __future__ import annotations

import asyncio
import json

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from .refused import RequestRefused, told

MOST = 800
"""How many connections there are at once: each holds one of the process's open files."""
PATIENCE = 15.0
"""How many seconds a client may take to say what it wants, or to let go of a connection that ends."""


class BoundedConnection(H11Protocol):
    """Ends a connection on which no request comes, and refuses those beyond what the process can hold.

    A request that is there is bounded by the guard; before it is whole, only the connection knows of it.
    """

    _look: asyncio.TimerHandle | None = None
    _seen: object = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection on, or refuse it."""
        super().connection_made(transport)  # type: ignore[arg-type]  # uvicorn narrows it to what asyncio gives
        if len(self.connections) > MOST:
            self._refuse(RequestRefused(503, "too many connections", "ask again in a moment"))
        self._look = self.loop.call_later(PATIENCE, self._end_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, in the form of all refusals."""
        self._refuse(
            RequestRefused(
                400,
                "the request is no HTTP, or its headers are too long",
                "send HTTP/1.1 with one Host header",
            )
        )

    def _end_if_idle(self) -> None:
        """End the connection if nothing has happened since the last look."""
        cycle: RequestResponseCycle | None = self.cycle
        if self.transport.is_closing():
            self.transport.abort()  # it waits for a client that takes nothing any more
            return
        waits = cycle is None or cycle.response_complete
        last = cycle if cycle is not None else self
        if waits and self._seen is last:
            self.transport.close()
        self._seen = last if waits else None
        self._look = self.loop.call_later(PATIENCE, self._end_if_idle)

    def _refuse(self, refused: RequestRefused) -> None:
        body = json.dumps(told(refused)).encode()
        head = (
            f"HTTP/1.1 {refused.status} Refused\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
