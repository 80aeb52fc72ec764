"""The REST interface: what each address takes, what it answers, and how it describes itself."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import APIRouter, Body, Depends, FastAPI, Header, Path, Query
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route

from stepgraph import __version__
from stepgraph.reviews import Decision
from stepgraph.stores import MAX_ID, RunStatus, is_id
from stepgraph.values import Conflict, StepgraphError, UnknownReview, UnknownRun

from ..text.inbox import ReviewState
from . import events
from .bodies import (
    SEE,
    DecisionBody,
    ErrorAnswer,
    ExecutionAnswer,
    ExecutionId,
    HealthAnswer,
    Name,
    ResumeBody,
    ResumeDecision,
    ReviewAnswer,
    ReviewDetails,
    ReviewList,
    StatusEvent,
    StepEvent,
    not_known,
    parsed,
    unfit,
)
from .driver import settled
from .guard import RequestRefused, error_body, status_of, unexpected
from .service import Service

_EXECUTIONS, _REVIEWS = "/api/v1/agent-executions", "/api/v1/reviews"
WAIT = 30
"""How many seconds a request waits for a run, unless it says otherwise."""
LONGEST_WAIT = 300

_REFUSALS = {
    400: "The request cannot be read, or is not allowed here.",
    401: "The request does not carry the server's token.",
    403: "The request comes from another site, or the graph is not trusted.",
    404: "Not found.",
    408: "The body did not arrive in time.",
    409: "Somebody else acted first, or the execution is in another state.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    422: "The request does not validate.",
    503: "The server or its store is not available now.",
}


_ID = Path(alias="id", json_schema_extra={"minLength": 1, "maxLength": MAX_ID})


def _refused(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": ErrorAnswer, "description": _REFUSALS[status]} for status in statuses}


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _plain_query(request: Request) -> None:
    """Refuse parameters that the endpoint does not have, and those that are given twice."""
    sent = request.query_params
    if len(sent) < len(sent.multi_items()):
        raise RequestRefused(422, "a query parameter is given twice", "give each of them once")
    names = [field.alias for field in request.scope["route"].dependant.query_params]
    for name in sent:
        if name not in names:
            raise RequestRefused(422, f"the query does not fit: {not_known(name, names)}", SEE)


async def _execution_id(sent: Annotated[str, _ID]) -> str:
    return id_in(sent, UnknownRun, "execution")


async def _review_id(sent: Annotated[str, _ID]) -> str:
    return id_in(sent, UnknownReview, "review")


_Serving = Annotated[Service, Depends(_service)]
_Execution = Annotated[str, Depends(_execution_id)]
_Review = Annotated[str, Depends(_review_id)]
_Wait = Annotated[
    int,
    Query(ge=0, le=LONGEST_WAIT, description="How many seconds to wait for the execution to end or pause."),
]


class CheckedRoute(APIRoute):
    """A route whose body is read before anything else, as strictly as the state of a run asks for."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Build what answers."""
        answer = super().get_route_handler()
        if self.body_field is None:
            return answer

        async def checked(request: Request) -> Response:
            request = _Checked(request.scope, request.receive)
            request.sent = await _json(request)
            return await answer(request)

        return checked


class _Checked(Request):
    sent: object

    async def json(self) -> object:
        """Return the body, which was read and checked."""
        return self.sent


router = APIRouter(
    route_class=CheckedRoute,
    generate_unique_id_function=lambda route: route.name,
    dependencies=[Depends(_plain_query)],
    responses=_refused(400, 401, 403, 408, 413, 422, 503),
)


@router.post(
    f"{_EXECUTIONS}/start",
    summary="Start an execution of a graph; the body holds its inputs.",
    status_code=202,
    response_description="The execution waits for a person, or is still running.",
    responses={
        201: {
            "model": ExecutionAnswer,
            "description": "The execution was started, and has ended or failed.",
        },
        **_refused(404, 409, 415),
    },
)
async def start(
    service: _Serving,
    response: Response,
    graph: Annotated[str, Query(description="The name of a graph that the server has.")],
    execution_id: Annotated[
        ExecutionId | None,
        Query(
            alias="executionId",
            description="The id of the new execution; the server makes one when it is left out.",
        ),
    ] = None,
    by: Annotated[Name, Query(description="Who starts it: a claim, recorded as it is given.")] = "",
    start_node_id: Annotated[
        str | None,
        Query(
            alias="startNodeId",
            min_length=1,
            description="The node to begin with; only the graph's own unless the server allows others.",
        ),
    ] = None,
    wait: _Wait = WAIT,
    inputs: Annotated[
        dict[str, Any] | None, Body(description="The inputs by the names of their keys.")
    ] = None,
) -> ExecutionAnswer:
    """Start an execution."""
    going = await run_in_threadpool(
        service.start, graph, inputs or {}, run_id=execution_id, start_node=start_node_id, by=by
    )
    await _wait(going.future, wait)
    response.headers["Location"] = f"{_EXECUTIONS}/{quote(going.run_id, safe='')}"
    return await _read(service, going.run_id, response, over=201)


@router.post(
    _EXECUTIONS + "/{id}/resume",
    summary="Decide the review that an execution waits for, or continue one that is ready.",
    status_code=202,
    response_description="The execution waits for a person, or is still running.",
    responses={
        200: {"model": ExecutionAnswer, "description": "The execution has ended or failed."},
        **_refused(404, 409, 415),
    },
)
async def resume(
    service: _Serving, response: Response, run_id: _Execution, wait: _Wait = WAIT, body: ResumeBody = None
) -> ExecutionAnswer:
    """Decide what an execution waits for, or carry it on."""
    if body is None:
        going = await run_in_threadpool(service.resume, run_id, None)
    else:
        going = await run_in_threadpool(service.resume, run_id, _decision(body), body.review, body.hash)
    try:
        await _wait(going.future, wait)
    except Conflict:
        if body is None:  # a decision is recorded, whoever goes on with it
            raise
    return await _read(service, run_id, response, over=200)


async def _read(service: Service, run_id: str, response: Response, over: int) -> ExecutionAnswer:
    """Read where a run stands, and answer with another status where it is over."""
    answer = await run_in_threadpool(service.read, run_id)
    if answer.status in (RunStatus.ENDED, RunStatus.FAILED):
        response.status_code = over
    return answer


@router.get(
    _EXECUTIONS + "/{id}",
    summary="Get the state of an execution.",
    response_description="Done.",
    responses=_refused(404),
)
def execution(service: _Serving, run_id: _Execution) -> ExecutionAnswer:
    """Get the state of an execution."""
    return service.read(run_id)


@router.get(
    _EXECUTIONS + "/{id}/events",
    summary="Stream the events of an execution, from any step on.",
    status_code=200,
    response_class=events.EventStream,
    response_description="Done.",
    responses={
        200: {"model": StepEvent | StatusEvent},
        204: {"description": "There are no more events."},
        **_refused(404),
    },
)
async def listen(
    request: Request,
    service: _Serving,
    run_id: _Execution,
    after: Annotated[
        int,
        Query(ge=0, le=2**31, description="The step after which to begin; `Last-Event-ID` goes first."),
    ] = 0,
    last_event_id: Annotated[
        str | None,
        Header(
            alias="Last-Event-ID",
            pattern="^[0-9]{1,9}$",
            description="The step after which to begin, as browsers send it when they come back.",
        ),
    ] = None,
) -> Response:
    """Stream what happens in an execution, from any step on."""
    if last_event_id is not None:
        after = int(last_event_id)
    if request.method == "HEAD":  # there is no end of it to wait for
        await run_in_threadpool(service.read, run_id)
        return Response(media_type="text/event-stream")
    watcher: events.StoreWatcher = request.app.state.watcher
    watcher.join()
    try:
        news = await run_in_threadpool(service.news, run_id, after)
    except BaseException:
        watcher.leave()
        raise
    if last_event_id is not None and not news.steps and events.is_over(news):
        watcher.leave()
        return Response(status_code=204)  # by this a browser knows that it need not come back
    return events.EventStream(watcher, events.stream(service, watcher, run_id, after))


@router.get(
    _REVIEWS,
    summary="List the reviews that wait for a person, the most urgent first, or past ones.",
    response_description="Done.",
)
def reviews(
    service: _Serving,
    state: Annotated[
        ReviewState,
        Query(description="Those that wait, or the latest that were decided, expired, or are broken."),
    ] = "pending",
) -> ReviewList:
    """List what waits for a person, or what became of the others."""
    return service.reviews(state)


@router.get(
    _REVIEWS + "/{id}",
    summary="Get a review, and where each answer leads.",
    response_description="Done.",
    responses=_refused(404),
)
def review(service: _Serving, review_id: _Review) -> ReviewDetails:
    """Describe all of a review."""
    return service.review(review_id)


@router.post(
    _REVIEWS + "/{id}/decision",
    summary="Decide a review; nothing runs until the execution is resumed.",
    response_description="Done.",
    responses=_refused(404, 409, 415),
)
def decide(service: _Serving, review_id: _Review, body: DecisionBody) -> ReviewAnswer:
    """Record a decision; nothing runs."""
    return service.decide(review_id, _decision(body), body.hash)


@router.get(
    "/health",
    summary="Check that the server is up and can read its store; needs no token.",
    response_description="Done.",
)
def health(service: _Serving) -> HealthAnswer:
    """Report that the server is up and reads its store."""
    service.store.stamp()
    return HealthAnswer(status="ok", version=__version__, graphs=sorted(service.graphs))


for _each in list(router.routes):
    if isinstance(_each, APIRoute) and "GET" in (_each.methods or ()):
        router.add_api_route(_each.path, _each.endpoint, methods=["HEAD"], include_in_schema=False)


def description(app: FastAPI, *, needs_token: bool) -> dict[str, Any]:
    """Describe the server; the description is kept by the application.

    Args:
        app: The application, with its service.
        needs_token: Whether clients must show a token.
    """
    described = app.openapi()
    paths = described["paths"]
    [graph] = [
        each for each in paths[f"{_EXECUTIONS}/start"]["post"]["parameters"] if each["name"] == "graph"
    ]
    graph["schema"]["enum"] = sorted(app.state.service.graphs)
    listened = paths[_EXECUTIONS + "/{id}/events"]["get"]["responses"]["200"]
    # No type: some tools take this as the schema of the whole text, others as that of each event.
    listened["content"]["text/event-stream"]["schema"] = {
        "description": "`step` events have a StepEvent, `status` events a StatusEvent."
    }
    if needs_token:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
        paths["/health"]["get"]["security"] = []
    return described


def refusal(request: Request, error: Exception) -> Response:
    """Answer with what was refused."""
    if isinstance(error, RequestValidationError):
        body = ResumeDecision if request.scope["route"].endpoint is resume else DecisionBody
        error = unfit(error, [field.alias or name for name, field in body.model_fields.items()])
    if isinstance(error, HTTPException):
        error = of_framework(request, error)
    if isinstance(error, StepgraphError):
        status = status_of(error)
        return JSONResponse(error_body(error), status, {"Retry-After": "2"} if status == 503 else None)
    refused = error if isinstance(error, RequestRefused) else unexpected()
    return JSONResponse(error_body(refused), refused.status, refused.headers)


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


def id_in(sent: str, error: type[StepgraphError], what: str) -> str:
    """Read an id as it is in the path.

    Raises:
        UnknownRun: Or UnknownReview: it cannot be the id of any.
    """
    try:
        found = unquote(sent, errors="strict")
    except UnicodeDecodeError:
        found = ""
    if not is_id(found):
        raise error(f"there is no {what} of that id", hint="an id is 1 to 200 printable characters")
    return found


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
    """Wait until a run pauses or ends, at most ``seconds``; it goes on in any case."""
    await settled(future, seconds)
    if future.done():
        future.result()


def _decision(body: DecisionBody) -> Decision:
    return Decision(body.decision, body.values, body.text, body.by, body.comment)
