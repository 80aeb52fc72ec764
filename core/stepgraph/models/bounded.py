"""Answers of servers without end: cut before they fill the memory. The official libraries take any size."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2

from ..values.errors import ModelError

MAX_EVENT = 20_000_000
"""The most bytes of one event of a stream, or of an answer that is not a stream."""
_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")  # what an event of a stream ends with


def bounded_client(make: type[httpx2.Client]) -> httpx2.Client:
    """Build a library's own client that accepts no endless answer, and follows no redirect elsewhere."""
    return make(
        follow_redirects=False, headers={"Accept-Encoding": "identity"}, event_hooks={"response": [_bound]}
    )


def _bound(response: httpx2.Response) -> None:
    response.headers.pop("content-encoding", None)  # none was asked for: a small one may become any size
    response.encoding = "utf-8"  # as JSON is; with a charset of the server's choice, decoding may take hours
    is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
    response.stream = _BoundedStream(response.stream, is_stream)


class _BoundedStream(httpx2.SyncByteStream):
    """The bytes of an answer, as long as they are not too many.

    Args:
        stream: Where they come from.
        has_events: Whether they are events, of which each one is bounded.
    """

    def __init__(self, stream: object, has_events: bool) -> None:
        self._stream, self._has_events = stream, has_events

    def __iter__(self) -> Iterator[bytes]:
        size, last = 0, b""
        for part in self._stream:  # type: ignore[attr-defined]  # of a client that waits
            size += len(part)
            if self._has_events and any(end in last + part for end in _ENDS):
                size = 0
            if size > MAX_EVENT:
                raise ModelError(
                    f"its answer does not end: {size:,} bytes came in one piece",
                    hint="is `base_url` in the settings right? then retry",
                )
            last = part[-3:]
            yield part

    def close(self) -> None:
        self._stream.close()  # type: ignore[attr-defined]  # as above
