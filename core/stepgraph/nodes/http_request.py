"""The node type ``http``: ask a server, and put its answer into the state."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast
from urllib.parse import urlencode, urlsplit

from ..models.client import CallStopped, CallWatch, Question, digest_of
from ..reviews.model import as_output
from ..templates.template import Template, rendered, templates_in
from ..values.declared import Declared, field
from ..values.errors import NodeFailed, StateError, StepgraphError
from ..values.json_values import Json, dumps, plain
from .base import BaseNode, JsonTable, NodeFacts, NodeResult, holding
from .calls import answer

if TYPE_CHECKING:
    from ..tools.fetching import WebAnswer
    from ..values.state import State

_CHANGES = ("POST", "PUT", "PATCH", "DELETE")
_SHOWN = 200
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HIDDEN = "***"
_CODECS = {
    **dict.fromkeys(("", "utf-8", "utf8"), "utf-8-sig"),
    **{name: name for name in ("utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii")},
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin-1", "latin1"), "latin-1"),
}
"""The charsets that are read: of other codecs of Python's some take hours, and some make no text."""
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # a text in UTF-16 begins with one of them, whatever its header says


class HttpSettings(Declared):
    """The settings of an ``http`` node."""

    url: str = field(
        min_length=1,
        description="The URL (http or https); a template.",
        examples=["https://example.com/orders/{{ order.id }}"],
        json_schema_extra=holding("template"),
    )
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = field(
        "GET", description="The request method."
    )
    query: JsonTable = field(
        default_factory=dict,
        description="Query parameters; templates. A list repeats the name.",
        examples=[{"status": "open"}],
        json_schema_extra=holding("template"),
    )
    headers: dict[str, str] = field(
        default_factory=dict,
        description="Headers; templates. Keep secrets out of here.",
        examples=[{"Accept-Language": "en"}],
        json_schema_extra=holding("template"),
    )
    headers_env: dict[str, str] = field(
        default_factory=dict,
        description="Secret headers, each read from an environment variable.",
        examples=[{"Authorization": "SHOP_TOKEN"}],
    )
    body: str = field(
        "", description="What is sent, as text; a template.", json_schema_extra=holding("template")
    )
    data: Any = field(
        None,
        alias="json",  # a pydantic model has a method of that name
        description="Or a JSON body; texts in it are templates.",
        examples=[{"amount": "{{ order.amount }}"}],
        json_schema_extra={**holding("template"), "types": ["table", "list"]},
    )
    expect: tuple[int, ...] = field(
        (),
        description="Status codes that count as success; 200 to 299 by default.",
        examples=[[200, 404]],
    )
    response: Literal["auto", "json", "text"] = field(
        "auto", description="How to read the response: by its content type, as JSON or as text."
    )
    output: str = field(
        "response",
        min_length=1,
        description="The state key for the response: a table of status, type and body.",
        json_schema_extra=holding("key"),
    )
    returns: Any = field(
        None,
        description="Scripted responses to run offline: a table, or a list with one per visit.",
        examples=[{"status": 200, "body": {"id": 8812}}],
        json_schema_extra={"types": ["table", "list"]},
    )

    def _check(self) -> None:
        """Refuse what cannot be sent, and scripted answers that are none."""
        if "{" not in self.url and urlsplit(self.url).scheme not in ("http", "https"):
            raise ValueError(f"'url' is {self.url!r}, which begins with neither https:// nor http://")
        if self.body and self.data is not None:
            raise ValueError("'body' and 'json' are both what is sent: write one of them")
        for name in (*self.headers, *self.headers_env):
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a name of a header")
        if any(not 100 <= status <= 599 for status in self.expect):
            raise ValueError("'expect' has a number that is not a status: they go from 100 to 599")
        scripted = self.returns if isinstance(self.returns, list) else [self.returns]
        if self.returns is not None and not all(isinstance(one, dict) for one in scripted):
            raise ValueError("'returns' is a table such as { body = { id = 1 } }, or a list of them")
        if self.returns == []:
            raise ValueError("'returns' is an empty list of scripted answers")


class HttpNode(BaseNode):
    """Sends an HTTP request and stores the response.

    The answer is a table of ``status``, ``type`` and ``body``; a status that is not expected fails the node.
    A run that is not live gets the scripted answers of ``returns`` and touches no network. What changes
    something there carries an idempotency key, the same when the step is tried again.
    """

    type: ClassVar[str] = "http"
    Settings = HttpSettings
    settings: HttpSettings

    def execute(self, state: State) -> NodeResult:
        """Ask, or give a scripted answer."""
        request = self._fill_in(state)
        services = self.services
        live = services is not None and services.live
        replays = services is not None and services.recordings is not None
        if not live and not replays:
            found = self._scripted(state.visit, request)
        else:
            question = Question(self.name, state.visit, "tool", "http", digest_of(request), request)

            def make(watch: CallWatch, call: dict[str, Json]) -> dict[str, Json]:
                return {"result": self._send(request, state, watch)}

            kept = answer(self, state, question, make, arguments=request)
            found = cast("dict[str, Json]", kept["result"])
        return NodeResult({self.settings.output: found}, as_output(found["body"]))

    def _fill_in(self, state: State) -> dict[str, Json]:
        """Fill in what is sent, as far as it is not a secret."""
        settings = self.settings
        url = Template(settings.url, "url").render(state).strip()
        query = cast("dict[str, Json]", rendered(dict(settings.query), "query", state))
        if query:
            given = {
                name: [*map(as_output, value)] if isinstance(value, list) else as_output(value)
                for name, value in query.items()
            }
            url += ("&" if "?" in url else "?") + urlencode(given, doseq=True)
        _refuse_secrets(url)
        request: dict[str, Json] = {"method": settings.method, "url": url}
        headers = {
            name: Template(text, f"headers.{name}").render(state) for name, text in settings.headers.items()
        }
        if headers:
            request["headers"] = cast("dict[str, Json]", headers)
        if settings.body:
            request["body"] = Template(settings.body, "body").render(state)
        elif settings.data is not None:
            request["json"] = rendered(settings.data, "json", state)
        return request

    def _scripted(self, visit: int, request: Mapping[str, Json]) -> dict[str, Json]:
        returns = self.settings.returns
        if returns is None:
            raise NodeFailed(
                f"{request['method']} {request['url']} is not asked: this run is not live",
                hint="run it with --live, or give the node scripted answers: returns = { body = {} }",
            )
        found = returns[min(visit, len(returns)) - 1] if isinstance(returns, list) else returns
        return {"status": 200, "type": "", "body": None, **cast("dict[str, Json]", plain(found, "returns"))}

    def _send(self, asked: dict[str, Json], state: State, watch: CallWatch) -> dict[str, Json]:
        """Ask the server.

        Raises:
            NodeFailed: There is no answer, or none that is expected; no secret is in what it says.
        """
        from ..tools.fetching import WebRequest, fetch

        secrets = self._secrets()
        headers = dict(cast("dict[str, str]", asked.get("headers", {})))
        body = None
        if "json" in asked:
            body = dumps(asked["json"]).encode()
            headers.setdefault("Content-Type", "application/json")
        elif "body" in asked:
            body = str(asked["body"]).encode()
            headers.setdefault("Content-Type", "text/plain; charset=utf-8")
        if self.settings.method in _CHANGES:
            headers.setdefault("Idempotency-Key", state.idempotency_key)
        what = f"{asked['method']} {asked['url']}"
        request = WebRequest(str(asked["method"]), str(asked["url"]), headers, secrets, body)
        try:
            got = fetch(request, watch, state.time_left)
            return self._read(got, what, secrets)
        except (CallStopped, NodeFailed):
            raise
        except StepgraphError as error:
            hide = _hider(secrets)
            raise NodeFailed(hide(f"{what}: {error.message}"), hint=error.hint) from None

    def _secrets(self) -> dict[str, str]:
        """Read the secret headers from the environment.

        Raises:
            NodeFailed: A variable is not set, or holds what no header can.
        """
        found = {}
        for name, variable in self.settings.headers_env.items():
            value = os.environ.get(variable, "").strip()
            if not value:
                hint = f"set it before you start: export {variable}=..."
                raise NodeFailed(f"the header {name} comes from {variable}, which is not set", hint=hint)
            if not value.isprintable() or not value.isascii():
                message = f"{variable}, which holds the header {name}, has characters that no header has"
                raise NodeFailed(message)
            found[name] = value
        return found

    def _read(self, got: WebAnswer, what: str, secrets: Mapping[str, str]) -> dict[str, Json]:
        hide = _hider(secrets)
        type_ = hide(got.headers.get("content-type", ""))
        encoding = got.headers.get("content-encoding", "identity")
        expected = self.settings.expect or range(200, 300)
        charset = _charset(type_)
        codec = "utf-16" if got.body[:2] in _MARKS else _CODECS.get(charset)
        try:
            text = hide(got.body.decode(codec)) if codec is not None else None
        except UnicodeError:
            text = None
        if got.status not in expected:
            shown = f": {text[:_SHOWN].strip()}" if text else ""
            raise NodeFailed(
                hide(f"{what} answered {got.status} {got.reason[:_SHOWN]}{shown}"),
                hint=f"if that is not a failure, write expect = [200, {got.status}]",
            )
        if codec is None:
            raise NodeFailed(
                f"{what} answered in the charset {charset[:_SHOWN]!r}, which is not read",
                hint="ask for UTF-8; UTF-16, Latin-1 and ASCII are read as well",
            )
        if encoding != "identity" or text is None:
            raise NodeFailed(
                f"{what} answered with something other than text ({type_ or 'no type'})",
                hint="ask for text or JSON",
            )
        is_json = self.settings.response == "json" or (
            self.settings.response == "auto" and "json" in type_.partition(";")[0].lower()
        )
        body: Json = _parsed(text, what, type_) if is_json and text.strip() else text
        return {"status": got.status, "type": type_.partition(";")[0].strip().lower(), "body": body}

    def facts(self) -> NodeFacts:
        """Declare its texts, its answer, and where it may connect to."""
        return NodeFacts(
            templates=tuple(self._texts()),
            writes=frozenset({self.settings.output}),
            tables={self.settings.output: ("status", "type", "body")},
            addresses=(self._address(),),
        )

    def _address(self) -> str:
        """Name where it may connect to: the host, unless the state says that, too."""
        head, _, _ = self.settings.url.partition("{")
        host = urlsplit(head).netloc if "{" not in self.settings.url or head.count("/") > 2 else ""
        where = host or f"a host that the state names ({self.settings.url})"
        secret = (
            f", with {', '.join(self.settings.headers_env.values())}" if self.settings.headers_env else ""
        )
        return f"{self.settings.method} at {where}{secret}"

    def proposes(self, state: State) -> tuple[str, dict[str, Json]]:
        """Describe what is sent, and where to; of what is secret where it comes from."""
        request = self._fill_in(state)
        about = {name: part for name, part in request.items() if name not in ("method", "url")}
        if self.settings.headers_env:
            about["headers_env"] = cast("dict[str, Json]", dict(self.settings.headers_env))
        return f"{request['method']} {request['url']}", about

    def _texts(self) -> Iterator[Template]:
        """Yield those of its settings that are templates."""
        settings = self.settings
        yield Template(settings.url, "url")
        yield from templates_in(dict(settings.query), "query")
        yield from templates_in(dict(settings.headers), "headers")
        yield Template(settings.body, "body")
        yield from templates_in(settings.data, "json")


def _charset(type_: str) -> str:
    """Read the charset of a content type; empty where it says none."""
    for parameter in type_.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower()
    return ""


def _refuse_secrets(url: str) -> None:
    """Refuse an address with a password in it before anything shows or keeps it.

    Raises:
        NodeFailed: It has one.
    """
    if "@" in re.split(r"[/?#]", url.partition("//")[2], maxsplit=1)[0]:
        raise NodeFailed(
            "the address in 'url' has a name or a password in it",
            hint='name the variable that holds it: headers_env = { Authorization = "TOKEN" }',
        )


def _hider(secrets: Mapping[str, str]) -> Any:
    """Build the function that removes secrets from a text, also the part behind a word such as Bearer."""
    values = {
        part for value in secrets.values() for part in (value, value.rpartition(" ")[2]) if len(part) > 3
    }

    def hide(text: str) -> str:
        for value in sorted(values, key=len, reverse=True):
            text = text.replace(value, _HIDDEN)
        return text

    return hide


def _parsed(text: str, what: str, type_: str) -> Json:
    try:
        return plain(json.loads(text), "the answer")
    except (RecursionError, ValueError, StateError):
        raise NodeFailed(
            f"{what} answered with something other than JSON ({type_ or 'no type'}): {text[:_SHOWN].strip()}",
            hint='is it the right address? To take it as it is, write response = "text"',
        ) from None
