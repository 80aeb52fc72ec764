"""The REST interface: each endpoint declared once, with what it takes and what it answers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route

from stepgraph import __version__
from stepgraph.reviews import Decision
from stepgraph.stores import RunStatus, is_id
from stepgraph.values import Conflict, StepgraphError, UnknownReview, UnknownRun

from . import events
from .bodies import (
    CarryOn,
    DecisionBody,
    EventsQuery,
    ExecutionAnswer,
    HealthAnswer,
    NoQuery,
    ResumeBody,
    ResumeDecision,
    ReviewAnswer,
    ReviewDetails,
    ReviewList,
    ReviewsQuery,
    StartQuery,
    WaitQuery,
    parsed,
    read_as,
    read_query,
)
from .driver import settled
from .guard import RequestRefused, status_of, told, unexpected

if TYPE_CHECKING:
    from .events import StoreWatcher
    from .service import Going, Service

API = "/api/v1"
_EXECUTIONS, _REVIEWS = f"{API}/agent-executions", f"{API}/reviews"


@dataclass(frozen=True, slots=True)
class Operation:
    """One endpoint: what calls it, what it takes, what it answers."""

    method: str
    path: str
    summary: str
    handler: Callable[[Api, Request], Awaitable[Response]]
    query: type[BaseModel] = NoQuery
    body: type[BaseModel] | None = None
    inputs: bool = False
    """Whether the body is the inputs of a graph: any table."""
    answer: type[BaseModel] | None = None
    """None for a stream of events."""
    statuses: tuple[int, ...] = (200,)
    refusals: tuple[int, ...] = ()


class Api:
    """The endpoints over a service.

    Args:
        service: What does the work.
        watcher: Tells streams of changes.
    """

    def __init__(self, service: Service, watcher: StoreWatcher) -> None:
        self.service = service
        self.watcher = watcher

    def routes(self) -> list[Route]:
        """Build the routes of all endpoints."""
        return [Route(each.path, self._endpoint(each), methods=[each.method]) for each in OPERATIONS]

    def _endpoint(self, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await operation.handler(self, request)

        return endpoint

    # Executions

    async def start(self, request: Request) -> Response:
        """Start an execution."""
        query = read_query(StartQuery, _items(request))
        inputs = await _json(request)
        if not isinstance(inputs, dict):
            raise RequestRefused(422, "the inputs are not a table", 'send {"key": value}, or nothing')

        def start() -> Going:
            return self.service.start(
                query.graph,
                inputs,
                run_id=query.execution_id,
                start_node=query.start_node_id,
                by=query.by,
            )

        going = await run_in_threadpool(start)
        await _wait(going.future, query.wait)
        answer = await self._read(going.run_id)
        over = answer.status in (RunStatus.ENDED, RunStatus.FAILED)
        headers = {"Location": f"{_EXECUTIONS}/{quote(going.run_id, safe='')}"}
        return _told(answer, 201 if over else 202, headers)

    async def resume(self, request: Request) -> Response:
        """Decide what an execution waits for, or carry it on."""
        run_id = id_in(request, UnknownRun, "execution")
        query = read_query(WaitQuery, _items(request))
        sent = await _json(request)
        body = read_as(CarryOn if sent == {} else ResumeDecision, sent)
        decides = isinstance(body, ResumeDecision)

        def resume() -> Going:
            if isinstance(body, ResumeDecision):
                return self.service.resume(run_id, _decision(body), body.review, body.hash)
            return self.service.resume(run_id, None)

        going = await run_in_threadpool(resume)
        try:
            await _wait(going.future, query.wait)
        except Conflict:
            if not decides:  # a decision is recorded, whoever goes on with it
                raise
        answer = await self._read(run_id)
        over = answer.status in (RunStatus.ENDED, RunStatus.FAILED)
        return _told(answer, 200 if over else 202)

    async def execution(self, request: Request) -> Response:
        """Answer where an execution stands."""
        run_id = id_in(request, UnknownRun, "execution")
        read_query(NoQuery, _items(request))
        return _told(await self._read(run_id))

    async def _read(self, run_id: str) -> ExecutionAnswer:
        return await run_in_threadpool(self.service.read, run_id)

    async def events(self, request: Request) -> Response:
        """Stream what happens in an execution, from any step on."""
        run_id = id_in(request, UnknownRun, "execution")
        query = read_query(EventsQuery, _items(request))
        last = request.headers.get("last-event-id", "")
        if last and re.fullmatch(r"[0-9]{1,9}", last) is None:
            raise RequestRefused(400, "Last-Event-ID is not a step number", "send the id of the last event")
        after = int(last) if last else query.after or 0
        if request.method == "HEAD":  # there is no end of it to wait for
            await self._read(run_id)
            return Response(media_type="text/event-stream")
        self.watcher.join()
        try:
            news = await run_in_threadpool(self.service.news, run_id, after)
        except BaseException:
            self.watcher.leave()
            raise
        if last and not news.steps and events.is_over(news):
            self.watcher.leave()
            return Response(status_code=204)  # by this a browser knows that it need not come back
        told = events.stream(self.service, self.watcher, run_id, after)
        return events.EventStream(self.watcher, told)

    # Reviews

    async def reviews(self, request: Request) -> Response:
        """List what waits for a person, or what became of the others."""
        query = read_query(ReviewsQuery, _items(request))
        return _told(await run_in_threadpool(self.service.reviews, query.state))

    async def review(self, request: Request) -> Response:
        """Describe all of a review."""
        review_id = id_in(request, UnknownReview, "review")
        read_query(NoQuery, _items(request))
        return _told(await run_in_threadpool(self.service.review, review_id))

    async def decide(self, request: Request) -> Response:
        """Record a decision; nothing runs."""
        review_id = id_in(request, UnknownReview, "review")
        read_query(NoQuery, _items(request))
        body = read_as(DecisionBody, await _json(request))
        decided = await run_in_threadpool(self.service.decide, review_id, _decision(body), body.hash)
        return _told(decided)

    async def health(self, request: Request) -> Response:
        """Report that the server is up and reads its store."""
        read_query(NoQuery, _items(request))
        await run_in_threadpool(self.service.store.stamp)
        return _told(HealthAnswer(status="ok", version=__version__, graphs=sorted(self.service.graphs)))


def _told(answer: BaseModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(
        answer.model_dump_json(by_alias=True), status, headers=headers, media_type="application/json"
    )


def refusal(request: Request, error: Exception) -> Response:
    """Answer with what was refused."""
    if isinstance(error, HTTPException):
        error = of_framework(request, error)
    if isinstance(error, StepgraphError):
        status = status_of(error)
        return JSONResponse(told(error), status, {"Retry-After": "2"} if status == 503 else None)
    refused = error if isinstance(error, RequestRefused) else unexpected()
    return JSONResponse(told(refused), refused.status, refused.headers)


def of_framework(request: Request, error: HTTPException) -> RequestRefused:
    """Describe what is refused before any endpoint was found."""
    if error.status_code == 404:
        return RequestRefused(404, "this address does not exist", "GET /openapi.json lists what there is")
    if error.status_code == 405:
        allowed = _allowed(request)
        return RequestRefused(
            405, "this address does not take this method", f"it takes: {allowed}", {"Allow": allowed}
        )
    return RequestRefused(error.status_code, str(error.detail), "", error.headers)


def _allowed(request: Request) -> str:
    """Name the methods that an address takes: its routes each take some of them."""
    routes = (route for route in request.app.routes if isinstance(route, Route))
    fitting = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return ", ".join(sorted({method for route in fitting for method in route.methods or ()}))


def id_in(request: Request, error: type[StepgraphError], what: str) -> str:
    """Read the id in the path, which is still as it was sent.

    Raises:
        UnknownRun: Or UnknownReview: it cannot be the id of any.
    """
    sent = str(request.path_params["id"])
    try:
        found = unquote(sent, errors="strict")
    except UnicodeDecodeError:
        found = ""
    if not is_id(found):
        raise error(f"there is no {what} of that id", hint="an id is 1 to 200 printable characters")
    return found


def _items(request: Request) -> list[tuple[str, str]]:
    return request.query_params.multi_items()


async def _json(request: Request) -> object:
    """Read the body as JSON; none is an empty table.

    Raises:
        RequestRefused: It is not declared as JSON, too large, or none.
    """
    body = await request.body()
    if not body:
        return {}
    kind, _, options = request.headers.get("content-type", "").partition(";")
    charset = options.strip().lower().removeprefix("charset=").strip('"')
    if kind.strip().lower() != "application/json" or charset not in ("", "utf-8"):
        raise RequestRefused(
            415, "the body is not declared as JSON", "send the header Content-Type: application/json"
        )
    return parsed(body)


async def _wait(future: Future[None], seconds: float) -> None:
    """Wait until a run stands still, but no longer than so many seconds; it goes on in any case."""
    await settled(future, seconds)
    if future.done():
        future.result()


def _decision(body: DecisionBody) -> Decision:
    return Decision(body.decision, body.values, body.text, body.by, body.comment)


_REFUSED = (400, 401, 403, 408, 413, 503)
"""What any request may be refused with."""
OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "POST",
        f"{_EXECUTIONS}/start",
        "Start an execution of a graph; the body has its inputs.",
        Api.start,
        query=StartQuery,
        inputs=True,
        answer=ExecutionAnswer,
        statuses=(201, 202),
        refusals=(*_REFUSED, 404, 409, 415, 422),
    ),
    Operation(
        "POST",
        _EXECUTIONS + "/{id}/resume",
        "Decide the review that an execution waits for, or carry on one that is ready.",
        Api.resume,
        query=WaitQuery,
        body=ResumeBody,
        answer=ExecutionAnswer,
        statuses=(200, 202),
        refusals=(*_REFUSED, 404, 409, 415, 422),
    ),
    Operation(
        "GET",
        _EXECUTIONS + "/{id}",
        "Read where an execution stands.",
        Api.execution,
        answer=ExecutionAnswer,
        refusals=(*_REFUSED, 404, 422),
    ),
    Operation(
        "GET",
        _EXECUTIONS + "/{id}/events",
        "Listen to what happens in an execution, from any step on.",
        Api.events,
        query=EventsQuery,
        statuses=(200, 204),
        refusals=(*_REFUSED, 404, 422),
    ),
    Operation(
        "GET",
        _REVIEWS,
        "List the reviews that wait for a person, the most urgent first, or what became of the others.",
        Api.reviews,
        query=ReviewsQuery,
        answer=ReviewList,
        refusals=(*_REFUSED, 422),
    ),
    Operation(
        "GET",
        _REVIEWS + "/{id}",
        "Read a review, and where each answer leads.",
        Api.review,
        answer=ReviewDetails,
        refusals=(*_REFUSED, 404, 422),
    ),
    Operation(
        "POST",
        _REVIEWS + "/{id}/decision",
        "Decide a review; nothing runs, until the execution is resumed.",
        Api.decide,
        body=DecisionBody,
        answer=ReviewAnswer,
        refusals=(*_REFUSED, 404, 409, 415, 422),
    ),
    Operation(
        "GET",
        "/health",
        "Ask whether the server is up and reads its store; needs no token.",
        Api.health,
        answer=HealthAnswer,
        refusals=(*_REFUSED, 422),
    ),
)
