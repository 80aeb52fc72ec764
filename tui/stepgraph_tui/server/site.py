"""The whole site as one ASGI application: the interface, its description, and the pages for people."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stepgraph.values.errors import StepgraphError

from .api import Api, of_framework, refusal
from .events import StoreWatcher
from .guard import Guard
from .openapi import description
from .pages import Pages
from .refused import RequestRefused

if TYPE_CHECKING:
    from .access import AccessRules
    from .service import Service

DEADLINES = 1.0
"""How many seconds pass between two looks at the deadlines."""
ANEW = 60.0
"""After how many seconds they are read anew although none has come: the clock may have been set."""


class Site:
    """The application, and the handle to end it.

    Args:
        service: What does the work.
        access: Who may ask.
        log: Told of each answer.
        failed: Told of errors that nobody expected.
        beside: What is served meanwhile on other ports.
        app_url: Where browsers of this machine find the app itself; empty where it is not served.
    """

    def __init__(
        self,
        service: Service,
        access: AccessRules,
        log: Callable[[str], object],
        failed: Callable[[str, BaseException], object],
        beside: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
        app_url: str = "",
    ) -> None:
        self._service = service
        self._log = log
        self._beside = beside
        self._watcher = StoreWatcher(service.store.stamp)
        described = description(service.graphs, needs_token=access.needs_token)

        async def openapi(request: Request) -> Response:
            return JSONResponse(described)

        pages = Pages(service, access, described, app_url)

        def refused(request: Request, error: Exception) -> Response:
            if isinstance(error, HTTPException) and "text/html" in request.headers.get("accept", ""):
                return pages.refusal(request, of_framework(request, error))  # a person has typed the address
            return refusal(request, error)

        routes = [
            *Api(service, self._watcher).routes(),
            Route("/openapi.json", openapi),
            *pages.routes(),
        ]
        kinds = (HTTPException, RequestRefused, StepgraphError, Exception)
        inner = Starlette(
            routes=routes, exception_handlers=dict.fromkeys(kinds, refused), lifespan=self._lifespan
        )
        inner.router.redirect_slashes = False
        self.app = Guard(inner, access, log, failed)

    def stop(self) -> None:
        """Begin to end: streams end, and runs stop after the node that runs. May be called by a signal."""
        self._watcher.stop()
        self._service.driver.stop()

    @asynccontextmanager
    async def _lifespan(self, app: object) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(each) for each in (self._watcher.watch(), self._keep_deadlines())]
        try:
            async with self._beside():
                yield
        finally:
            self.stop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep_deadlines(self) -> None:
        """Apply deadlines as they pass; the reviews are read again only when something has changed."""
        seen, due, again, away = None, 0.0, 0.0, False
        while True:
            try:
                stamp = await run_in_threadpool(self._service.store.stamp)
                if stamp != seen or time.time() >= due or time.monotonic() >= again:
                    again = time.monotonic() + ANEW
                    due = await run_in_threadpool(self._service.settle)
                    seen = stamp
                if away:
                    away = False
                    self._log("the store answers again")
            except StepgraphError as error:  # the next look may find it again
                if not away:
                    self._log(
                        f"{error.message}; requests that need it are answered with 503 until it is back"
                    )
                seen, away = None, True
            await asyncio.sleep(DEADLINES)
