"""The inbox as plain pages: they work on a phone, without scripts, and show nothing that could hide."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, quote, unquote

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from jinja2 import Environment, FileSystemLoader
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from stepgraph import __version__
from stepgraph.reviews import Decision, Verb
from stepgraph.values import NotAllowed, StateError, StepgraphError, UnknownReview, canonical

from ..text.characters import visible
from ..text.plain import clock, shortened, since, visible_lines
from ..text.typed import parse_typed, refusal_of
from .api import description, id_in, of_framework, refusal, router
from .bodies import MAX_NAME, MAX_TEXT
from .driver import settled
from .events import StoreWatcher
from .guard import COOKIE, Guard, RequestRefused, error_body, is_loopback, status_of
from .review_page import review_page

if TYPE_CHECKING:
    from stepgraph.values import Json

    from .guard import AccessRules
    from .review_page import OpenReview
    from .service import Service


_HERE = Path(__file__).parent
_NAME = "stepgraph_name"
_YEAR = 365 * 24 * 3600
_SOON = 2.0
"""How many seconds the page of a decision waits for the run to go on."""
_LATER = 10
"""After how many seconds a page looks again whether the store is back."""
_Handler = Callable[[Request], Awaitable[Response]]


class Pages:
    """The pages over a service.

    Args:
        service: What does the work.
        access: Who may ask, and what signs forms.
        described: The description of the API.
        app_url: Where browsers of this machine find the app itself; empty where it is not served.
    """

    def __init__(
        self, service: Service, access: AccessRules, described: Mapping[str, Any], app_url: str = ""
    ) -> None:
        self._app_url = app_url
        self._service = service
        self._access = access
        self._described = described
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            trim_blocks=True,
        )
        self._templates.filters |= {
            "shown": _shown_text,
            "cut": _shorten,
            "since": since,
            "clock": clock,
        }

    def routes(self) -> list[Route]:
        """Build the routes of all pages."""
        return [
            Route("/", self._home),
            Route("/inbox", self._guarded(self._inbox)),
            Route("/inbox/{id}", self._guarded(self._review)),
            Route("/inbox/{id}", self._guarded(self._decide), methods=["POST"]),
            Route("/login", self._guarded(self._ask_token)),
            Route("/login", self._guarded(self._log_in), methods=["POST"]),
            Route("/logout", self._guarded(self._log_out), methods=["POST"]),
            Route("/docs", self._guarded(self._docs)),
            Route("/style.css", self._style),
        ]

    def _guarded(self, handler: _Handler) -> _Handler:
        """Show what is refused on a page."""

        async def guarded(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestRefused as refused:
                return self.refusal(request, refused)
            except StepgraphError as error:
                written = await _form(request) if request.method == "POST" else {}
                return self.refusal(request, error, written)

        return guarded

    def refusal(
        self,
        request: Request,
        error: StepgraphError | RequestRefused,
        written: Mapping[str, str] | None = None,
    ) -> Response:
        """Show what is refused; while the store is away the page looks again, or keeps what was written.

        Args:
            request: What was asked.
            error: Why it is refused.
            written: The fields of the form that was sent.
        """
        status = status_of(error)
        away = status == 503
        page = self._page(
            request,
            "notice.html",
            "Refused",
            status,
            notice=error_body(error, on_page=True),
            written=written if away else None,
            refresh=_LATER if away and not written else None,
        )
        if isinstance(error, RequestRefused):
            page.headers.update(error.headers)
        return page

    def _page(
        self, request: Request, template: str, title: str, status: int = 200, **values: object
    ) -> HTMLResponse:
        here = is_loopback(request.url.hostname or "")
        shown = {
            "notice": None,
            "refresh": None,
            "session": COOKIE in request.cookies,
            "app_url": self._app_url if here else "",
            **values,
        }
        text = self._templates.get_template(template).render(title=f"{visible(title)} - Stepgraph", **shown)
        return HTMLResponse(text, status)

    async def _home(self, request: Request) -> Response:
        return RedirectResponse("/inbox", 303)

    async def _style(self, request: Request) -> Response:
        return FileResponse(_HERE / "style.css", media_type="text/css")

    async def _docs(self, request: Request) -> Response:
        return self._page(request, "docs.html", "API", described=self._described, kind=_kind)

    # The inbox

    async def _inbox(self, request: Request) -> Response:
        waiting = await run_in_threadpool(self._service.reviews)
        title = f"Inbox ({len(waiting.reviews)})" if waiting.reviews else "Inbox"
        return self._page(
            request, "inbox.html", title, reviews=waiting.reviews, damaged=waiting.damaged, refresh=30
        )

    async def _review(self, request: Request) -> Response:
        view = await run_in_threadpool(self._service.view, _id(request))
        return await self._show_review(request, view)

    async def _show_review(
        self,
        request: Request,
        view: OpenReview,
        status: int = 200,
        form: Mapping[str, str] | None = None,
        edit: Decision | None = None,
        notice: Mapping[str, str] | None = None,
    ) -> Response:
        page = await run_in_threadpool(review_page, view, form or {}, edit)
        by = (form or {}).get("by", _remembered(request))
        signed = self._access.signature("form", view.review.id, view.review.hash)
        looked = self._edit_signature(edit) if edit is not None else ""
        refresh = 2 if view.running else None
        return self._page(
            request,
            "review.html",
            f"Review {view.review.id}",
            status,
            **{"form": signed, "looked": looked, "by": by, "refresh": refresh, "notice": notice, **page},
        )

    async def _decide(self, request: Request) -> Response:
        form = await _form(request)
        view = await run_in_threadpool(self._service.view, _id(request))
        review = view.review
        signed = self._access.signature("form", review.id, form.get("hash", ""))
        if not self._access.same(form.get("form", ""), signed):
            refused = RequestRefused(
                403, "this page is from before the server started", "look again, then decide"
            )
            return await self._show_review(request, view, 403, form, notice=error_body(refused, on_page=True))
        try:
            decision = _decision(view, form)
            if review.status == "pending" and self._is_to_look(decision, form):
                edit = review.checked(replace(decision, verb="edit"))
                return await self._show_review(request, view, form=form, edit=edit)
            going = await run_in_threadpool(
                self._service.decide_and_go_on, review.id, decision, form.get("hash", "")
            )
        except StepgraphError as error:
            view = await run_in_threadpool(self._service.view, review.id)
            return await self._show_review(
                request, view, status_of(error), form, notice=error_body(error, on_page=True)
            )
        if going is not None:
            await settled(going.future, _SOON)
        response = RedirectResponse(f"/inbox/{quote(review.id, safe='')}", 303)
        response.set_cookie(
            _NAME, quote(decision.by), max_age=_YEAR, httponly=True, samesite="lax", secure=_secure(request)
        )
        return response

    def _edit_signature(self, edit: Decision) -> str:
        return self._access.signature("edit", edit.review, edit.hash, canonical(dict(edit.values)))

    def _is_to_look(self, decision: Decision, form: Mapping[str, str]) -> bool:
        """Check whether values were changed that nobody has looked at: none of them is ever approved."""
        if form.get("do") == "look" or (decision.verb == "approve" and decision.values):
            return True
        return decision.verb == "edit" and not self._access.same(
            form.get("looked", ""), self._edit_signature(decision)
        )

    # Logging in

    async def _ask_token(self, request: Request) -> Response:
        return self._page(request, "login.html", "Log in", next=_local(request.query_params.get("next", "")))

    async def _log_in(self, request: Request) -> Response:
        form = await _form(request)
        if not self._access.knows_token(form.get("token", "")):
            refused = RequestRefused(
                401, "that is not the server's token", "whoever started the server has it"
            )
            page = "login.html"
            return self._page(
                request,
                page,
                "Log in",
                401,
                notice=error_body(refused, on_page=True),
                next=_local(form.get("next", "")),
            )
        value, seconds = self._access.session()
        response = RedirectResponse(_local(form.get("next", "")), 303)
        response.set_cookie(
            COOKIE, value, max_age=seconds, httponly=True, samesite="lax", secure=_secure(request)
        )
        return response

    async def _log_out(self, request: Request) -> Response:
        self._access.end_session(request.headers.get("cookie"))
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE, httponly=True, samesite="lax")
        return response


def _shown_text(text: str) -> str:
    return "\n".join(visible_lines(text))


def _shorten(text: str) -> str:
    return shortened(text, 200)


def _decision(view: OpenReview, form: Mapping[str, str]) -> Decision:
    """Parse a form into a decision.

    Raises:
        NotAllowed: A value is none of its type, nothing was changed, or the form does not say who decides.
    """
    does, by = form.get("do", ""), form.get("by", "").strip()
    if does != "look" and not by:
        raise NotAllowed("the form does not say who decides", hint="write your name into the form")
    for part, most in {"by": MAX_NAME, "comment": MAX_TEXT, "text": MAX_TEXT}.items():
        if len(form.get(part, "")) > most:
            name = {"by": "your name", "comment": "the comment", "text": "the answer"}[part]
            raise NotAllowed(f"{name} has more than {most:,} characters", hint="shorten it")
    verb = cast(Verb, "edit" if does == "look" else does)
    if verb in ("approve", "edit", "reject") and does != "look" and form.get("text", "").strip():
        raise NotAllowed("the answer that you wrote would be lost", hint="choose Answer, or empty its field")
    values = _changes(view, form) if verb in ("approve", "edit") else {}
    text = _lines(form.get("text", "")) if verb == "respond" else ""
    review, seen = view.review, form.get("hash", "")
    comment = _lines(form.get("comment", "")).strip()
    return Decision(verb, values, text, by, comment, review=review.id, hash=seen)


def _changes(view: OpenReview, form: Mapping[str, str]) -> dict[str, Json]:
    changed: dict[str, Json] = {}
    wrong = []
    for field in view.fields:
        text = form.get(f"value:{field.path}")
        if text is None or _lines(text) == _lines(field.text):
            continue
        try:
            refusal = refusal_of(field.type, secret=view.mask.is_secret(field.path))
            read = _lines(text) if field.type == "text" else parse_typed(text.strip(), refusal)
        except StateError as error:
            wrong.append(f"{field.name} {error.message}")
        else:
            changed[field.path] = read
    if wrong:
        raise NotAllowed(view.mask.text("; ".join(wrong)), hint="correct it, then look at the changes again")
    return changed


def _lines(text: str) -> str:
    """Undo what browsers make of line breaks."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


async def _form(request: Request) -> dict[str, str]:
    """Read what a form sent.

    Raises:
        RequestRefused: It is not a form.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise RequestRefused(415, "this address takes what its form sends", "open the page, and use its form")
    body = await request.body()
    try:
        return dict(
            parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=1_000)
        )
    except ValueError:
        raise RequestRefused(400, "what the form sent cannot be read", "open the page again") from None


def _id(request: Request) -> str:
    return id_in(request.path_params["id"], UnknownReview, "review")


def _remembered(request: Request) -> str:
    return unquote(request.cookies.get(_NAME, ""))[:MAX_NAME]


def _secure(request: Request) -> bool:
    """Check whether the browser came by TLS: the origin of its form knows of the proxy that speaks it."""
    return request.headers.get("origin", "").startswith("https:")


def _local(target: str) -> str:
    """Keep to the inbox: an address that somebody else wrote leads nowhere else."""
    return target if target.startswith("/inbox") and "\\" not in target and target.isprintable() else "/inbox"


def _kind(schema: Mapping[str, Any]) -> str:
    """Describe what a schema takes, in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return ", ".join(map(json.dumps, schema.get("enum", [schema.get("const")])))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "any value"))


DEADLINES = 1.0
"""How many seconds pass between two looks at the deadlines."""
ANEW = 60.0
"""After how many seconds they are read again although none has come: the clock may have been set."""


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

        async def refused(request: Request, error: Exception) -> Response:
            if isinstance(error, HTTPException) and "text/html" in request.headers.get("accept", ""):
                return pages.refusal(request, of_framework(request, error))  # a person has typed the address
            return refusal(request, error)

        kinds = (HTTPException, RequestValidationError, RequestRefused, StepgraphError, Exception)
        inner = FastAPI(
            title="Stepgraph",
            version=__version__,
            description="Runs of state graphs, and their reviews.",
            routes=router.routes,
            exception_handlers=dict.fromkeys(kinds, refused),
            lifespan=self._lifespan,
            redirect_slashes=False,
            docs_url=None,
            redoc_url=None,
        )
        inner.state.service, inner.state.watcher = service, self._watcher
        pages = Pages(service, access, description(inner, needs_token=access.needs_token), app_url)
        inner.routes.extend(pages.routes())
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
