"""What happens in runs, as server-sent events, also in those that other processes drive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from stepgraph.stores import RunStatus
from stepgraph.values import StoreError

from .guard import RequestRefused, error_body

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from .service import News, Service

INTERVAL = 0.25
"""How many seconds pass between two looks at the store while somebody listens."""
QUIET = 15.0
"""After how many seconds without news a comment tells that the connection lives."""
LISTENERS = 200
"""How many listen at once."""

_T = TypeVar("_T")


class StoreWatcher:
    """Looks at the store for all who listen, and wakes them when something was committed.

    Nothing is kept for a listener: it reads from the store what it has not told yet, as its client takes it.

    Args:
        stamp: Gives what changes when somebody commits anything.
    """

    def __init__(self, stamp: Callable[[], object]) -> None:
        self._stamp = stamp
        self._changed = asyncio.Event()
        self._listeners = 0
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether the server ends."""
        return self._stopped

    def stop(self) -> None:
        """End all streams."""
        self._stopped = True
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def watch(self) -> None:
        """Look until the server ends; while nobody listens, the store is left alone."""
        seen: object = None
        while not self._stopped:
            await asyncio.sleep(INTERVAL)
            if not self._listeners:
                continue
            try:
                now = await run_in_threadpool(self._stamp)
            except StoreError:  # whoever listens reads it again, and tells
                now = object()
            if now != seen:
                seen = now
                self._wake()

    def join(self) -> None:
        """Add a listener.

        Raises:
            RequestRefused: There are too many.
        """
        if self._listeners >= LISTENERS:
            raise RequestRefused(
                503, f"{LISTENERS} clients listen already", "ask again later", {"Retry-After": "10"}
            )
        self._listeners += 1

    def leave(self) -> None:
        """Remove a listener."""
        self._listeners -= 1

    def next_change(self) -> asyncio.Event:
        """Return what is set at the next change; to be asked for before the store is read."""
        return self._changed


class EventStream(StreamingResponse):
    """An answer that tells events, and leaves the watcher when it is over, however that comes about.

    Args:
        watcher: What the caller has joined.
        events: The events.
    """

    media_type = "text/event-stream"

    def __init__(self, watcher: StoreWatcher, events: AsyncIterator[str]) -> None:
        super().__init__(events, headers={"X-Accel-Buffering": "no"})
        self._watcher = watcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._watcher.leave()


async def stream(service: Service, watcher: StoreWatcher, run_id: str, after: int) -> AsyncIterator[str]:
    """Stream a run's steps after a given one, and its status, until it ends or fails."""
    seen: object = None
    row = 0
    while not watcher.stopped:
        change = watcher.next_change()
        try:
            version = await run_in_threadpool(service.version, run_id)
            if version != seen:
                news = await run_in_threadpool(service.news, run_id, after, row)
        except StoreError as error:
            yield _event("error", error_body(error))
            return
        if version != seen:
            row = news.row
            for step in news.steps:
                after = step.step
                yield _event("step", step, after)
            if news.more:
                continue
            seen = news.version
            yield _event("status", news.status)
            if is_over(news):
                return
        try:
            async with asyncio.timeout(QUIET):
                await change.wait()
        except TimeoutError:
            yield ": nothing new\n\n"


def is_over(news: News) -> bool:
    """Check whether a run has no more events until a person does something with it."""
    return news.status.status in (RunStatus.ENDED, RunStatus.FAILED)


def _event(kind: str, data: BaseModel | dict[str, str], number: int | None = None) -> str:
    import json

    text = data.model_dump_json(by_alias=True) if isinstance(data, BaseModel) else json.dumps(data)
    named = "" if number is None else f"id: {number}\n"
    return f"event: {kind}\n{named}data: {text}\n\n"  # JSON has no line breaks of its own
