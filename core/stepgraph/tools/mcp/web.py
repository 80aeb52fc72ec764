"""A server of tools at an address: the HTTP client for it, which takes no answer without end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from ..limits import MAX_ANSWER, size_text


class ServerAddress:
    """A server's address, and what is known of how it answers.

    Args:
        url: The address.
        key: What is shown to it as a bearer token; None for nothing.
        timeout: How many seconds it may take to answer.
    """

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        self._url, self._key, self._timeout = url, key, timeout
        self.fault = ""
        """What it did that no server may do."""
        self.hint = "correct its table in the settings, or ask it for less"
        self.is_gone = ""
        """Why it cannot be reached; empty while it can."""

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Give the streams of messages from it and to it."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = httpx2.Timeout(self._timeout, read=None)  # who waits for an answer ends the waiting
        transport = _BoundedTransport(self)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout, transport=transport) as client,
            streamable_http_client(self._url, http_client=client) as streams,
        ):
            yield streams


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    """Looks at how each request is answered, and cuts an answer that is too long."""

    def __init__(self, address: ServerAddress) -> None:
        super().__init__()
        self._address = address

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        address = self._address
        try:
            response = await super().handle_async_request(request)
        except httpx2.TransportError as error:
            address.is_gone = str(error) or type(error).__name__
            raise
        response.encoding = "utf-8"  # as JSON is; with a charset of its choice, decoding may take hours
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if response.status_code in (401, 403):
            address.fault = f"it refuses us (HTTP {response.status_code}): look at key_env"
        elif kind == "text/html":
            address.fault = f"it answers with a web page (HTTP {response.status_code}), not with messages"
        elif kind != "text/event-stream":  # a stream lasts; the SDK bounds each message in it
            response.stream = _Cut(response.stream, address)
        return response


class _Cut(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, address: ServerAddress) -> None:
        self._stream, self._address = stream, address

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > MAX_ANSWER:
                self._address.fault = f"it answers with more than {size_text(MAX_ANSWER)}"
                raise httpx2.ReadError(self._address.fault)
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
