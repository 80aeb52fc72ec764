"""The node type http, against a server of the test's own on loopback."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from stepgraph import Executor, GraphError, NodeFailed, StateGraph, ToolRegistry, TrustError
from stepgraph.files import grant, is_trusted, trust_question
from stepgraph.models.client import CallStopped
from stepgraph.nodes.base import Services
from stepgraph.nodes.http_request import HttpNode
from stepgraph.tools import fetching
from stepgraph.tools.fetching import WebRequest
from stepgraph.values.errors import StepgraphError
from stepgraph.values.state import State
from tests.nodes.support import visited

TOKEN = "Bearer s3cret-token"  # noqa: S105  # the server of the tests takes any


_SAID: dict[str, tuple[str | bytes, str]] = {
    "html": ("<html>no</html>", "text/html; charset=latin-1"),
    "bytes": (b"\xff\xfe\x00", "application/octet-stream"),
    "wrong": ("{half", "application/json"),
    "large": ("x" * 3000, "text/plain"),
}


class Shop(ThreadingHTTPServer):
    """A server that tells what it was asked, and answers as its path says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ShopHandler)
        self.asked: list[dict[str, Any]] = []
        self.leads_to = ""
        self.said = b""
        self.hold = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class ShopHandler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Shop

    def log_message(self, format: str, *args: Any) -> None: ...

    def do_GET(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode()
        headers = {name.lower(): text for name, text in self.headers.items()}
        asked = {"method": self.command, "path": self.path, "headers": headers, "body": body}
        self.server.asked.append(asked)
        self._answer(self.path.partition("?")[0].strip("/"), asked)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET

    def _answer(self, way: str, asked: dict[str, Any]) -> None:
        said, type_ = _SAID.get(way, ("", ""))
        if type_ or way.startswith("as/"):
            return self._send(200, said or self.server.said, type_ or f"text/plain; CharSet={way[3:]}")
        if way.startswith("status/"):
            return self._send(
                int(way[7:]), "because " + asked["headers"].get("authorization", ""), "text/plain"
            )
        if way.startswith("to/"):
            return self._send(int(way[3:]), "", "text/plain", ("Location", self.server.leads_to))
        if way == "kind":
            return self._send(200, "x", asked["headers"]["authorization"])
        if way == "cut":
            return self._send(200, "half", "text/plain", ("Content-Length", "100"))
        if way == "hold":
            self.server.hold.wait(60)
            return None
        return self._send(200, json.dumps(asked), "application/json; charset=utf-8")

    def _send(self, status: int, text: str | bytes, type_: str, *more: tuple[str, str]) -> None:
        data = text if isinstance(text, bytes) else text.encode("latin-1")
        self.send_response(status)
        self.send_header("Content-Type", type_)
        if not any(name == "Content-Length" for name, _ in more):
            self.send_header("Content-Length", str(len(data)))
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop() as server:
        yield server
        server.hold.set()
        server.shutdown()


@pytest.fixture
def other() -> Iterator[Shop]:
    with Shop() as server:
        yield server
        server.shutdown()


def asked(
    state: State | None = None, *, live: bool = True, services: Services | None = None, **settings: Any
) -> Any:
    node = HttpNode("fetch", **settings).bind(services or Services(ToolRegistry(), live=live))
    return node.execute(state if state is not None else visited({"order": {"id": 7, "tags": ["a b", "c"]}}))


def test_the_answer_goes_into_the_state(shop: Shop) -> None:
    result = asked(url=f"{shop.url}/orders/{{{{ order.id }}}}", query={"tag": "{{ order.tags }}", "n": 2})
    found = result.updates["response"]
    assert (found["status"], found["type"]) == (200, "application/json")
    assert (found["body"]["method"], found["body"]["path"]) == ("GET", "/orders/7?tag=a+b&tag=c&n=2")
    assert json.loads(result.output) == found["body"]
    assert "idempotency-key" not in found["body"]["headers"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_changes_something_is_sent_with_a_key_of_its_step(shop: Shop, method: str) -> None:
    state = visited({"order": {"id": 7}}, 3)
    asked(state, url=shop.url, method=method, json={"id": "{{ order.id }}", "a": ["{{ order.id }}!"]})
    (sent,) = shop.asked
    assert sent["method"] == method
    assert json.loads(sent["body"]) == {"id": 7, "a": ["7!"]}
    assert sent["headers"]["content-type"] == "application/json"
    assert sent["headers"]["idempotency-key"] == "r-1:3"


def test_the_ledger_gets_the_call_without_any_secret(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    state = visited({"order": {"id": 7}})
    result = asked(state, url=shop.url, method="POST", body="x", headers_env={"Authorization": "SHOP_TOKEN"})
    assert shop.asked[0]["headers"]["authorization"] == TOKEN
    (call,) = state.calls or []
    assert isinstance(call, dict)
    assert (call["kind"], call["name"], call["source"]) == ("tool", "http", "live")
    assert call["arguments"] == {"method": "POST", "url": shop.url, "body": "x"}
    assert "s3cret" not in json.dumps([call, result.updates])
    with pytest.raises(NodeFailed) as caught:
        asked(url=f"{shop.url}/status/401", headers_env={"Authorization": "SHOP_TOKEN"})
    assert "answered 401 Unauthorized: because ***" in caught.value.message


def test_a_secret_that_is_not_set_is_named(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_TOKEN", raising=False)
    with pytest.raises(NodeFailed, match="comes from SHOP_TOKEN, which is not set"):
        asked(url=shop.url, headers_env={"Authorization": "SHOP_TOKEN"})
    monkeypatch.setenv("SHOP_TOKEN", "a\nb: c")
    with pytest.raises(NodeFailed, match="characters that no header has") as caught:
        asked(url=shop.url, headers_env={"Authorization": "SHOP_TOKEN"})
    assert "b: c" not in str(caught.value)
    assert shop.asked == []


def test_without_live_nothing_is_asked(shop: Shop) -> None:
    scripted = [{"body": {"id": 1}}, {"status": 404, "body": "gone"}]
    results = [asked(visited({}, visit), live=False, url=shop.url, returns=scripted) for visit in (1, 2, 3)]
    assert [result.updates["response"]["body"] for result in results] == [{"id": 1}, "gone", "gone"]
    with pytest.raises(NodeFailed, match="this run is not live") as caught:
        asked(live=False, url=shop.url)
    assert "--live" in caught.value.hint
    assert shop.asked == []
    asked(url=shop.url, returns=scripted)
    assert len(shop.asked) == 1


@pytest.mark.parametrize(
    ("way", "settings", "words"),
    [
        ("status/500", {}, "answered 500 Internal Server Error: because"),
        ("", {"expect": [201]}, "answered 200 OK"),
        ("html", {"response": "json"}, "something other than JSON (text/html; charset=latin-1): <html>no"),
        ("wrong", {}, "other than JSON (application/json): {half"),
        ("bytes", {}, "other than text (application/octet-stream)"),
        ("cut", {}, "cut before its end"),
    ],
)
def test_an_answer_that_is_not_expected_fails_the_node(
    shop: Shop, way: str, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(NodeFailed) as caught:
        asked(url=f"{shop.url}/{way}", **settings)
    assert words in caught.value.message


@pytest.mark.parametrize("charset", ["punycode", "undefined", "idna", "utf-7", "rot13", "zlib_codec", "x"])
def test_no_other_charset_is_read_and_none_holds_the_run_up(shop: Shop, charset: str) -> None:
    shop.said = b"a-" + b"b" * 3_000_000  # which takes hours in Punycode
    with pytest.raises(NodeFailed) as caught:
        asked(url=f"{shop.url}/as/{charset}")
    assert caught.value.message.endswith(f"answered in the charset {charset!r}, which is not read")
    assert caught.value.hint == "ask for UTF-8; UTF-16, Latin-1 and ASCII are read as well"


@pytest.mark.parametrize(("charset", "said"), [("ascii", b"\xf6"), ("utf-8", b"\xff"), ("utf-16", b"abc")])
def test_bytes_that_are_none_of_their_charset_are_no_text(shop: Shop, charset: str, said: bytes) -> None:
    shop.said = said
    with pytest.raises(NodeFailed, match=rf"something other than text \(text/plain; CharSet={charset}\)"):
        asked(url=f"{shop.url}/as/{charset}")


def test_an_answer_that_is_too_large_is_not_taken(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MAX_BYTES", 2999)
    with pytest.raises(NodeFailed, match="larger than"):
        asked(url=f"{shop.url}/large")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_to_the_same_host_are_followed(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    shop.leads_to = "/there"
    asked(url=f"{shop.url}/to/{status}", method="POST", body="x", headers_env={"Authorization": "SHOP_TOKEN"})
    sent = shop.asked[1]
    assert (sent["method"], sent["body"]) == (("POST", "x") if status > 303 else ("GET", ""))
    assert (sent["path"], sent["headers"]["authorization"]) == ("/there", TOKEN)


def test_nothing_secret_goes_to_another_host(
    shop: Shop, other: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    shop.leads_to = f"{other.url}/there"
    settings: dict[str, Any] = {
        "headers": {"Cookie": "a=b", "Accept-Language": "en"},
        "headers_env": {"X-Key": "SHOP_TOKEN"},
    }
    asked(url=f"{shop.url}/to/302", **settings)
    (sent,) = other.asked
    assert "s3cret" not in json.dumps(sent)
    assert "cookie" not in sent["headers"]
    assert sent["headers"]["accept-language"] == "en"
    with pytest.raises(NodeFailed, match="redirected to another host"):
        asked(url=f"{shop.url}/to/307", method="POST", body="x", **settings)
    assert len(other.asked) == 1


def test_redirects_end_and_never_lead_out_of_https(shop: Shop) -> None:
    shop.leads_to = "/to/302"
    with pytest.raises(NodeFailed, match="more than 5 times"):
        asked(url=f"{shop.url}/to/302")
    assert len(shop.asked) == 6
    with pytest.raises(StepgraphError, match="not encrypted"):
        WebRequest("GET", "https://shop.test/a").redirected(302, "http://shop.test/b")
    shop.leads_to = "file:///etc/passwd"
    with pytest.raises(NodeFailed, match="not an address of http"):
        asked(url=f"{shop.url}/to/302")


@pytest.mark.parametrize(
    ("reached", "refused"), [((0, 1), True), ((0, 2), True), ((1, 2), True), ((1, 0), False)]
)
def test_a_redirect_does_not_lead_into_a_network_that_is_nearer(
    shop: Shop, other: Shop, monkeypatch: pytest.MonkeyPatch, reached: tuple[int, int], refused: bool
) -> None:
    shop.leads_to = f"{other.url}/keys"
    steps = iter(reached)
    monkeypatch.setattr(fetching, "_nearness", lambda sock: next(steps))
    if not refused:
        assert asked(url=f"{shop.url}/to/302").updates["response"]["status"] == 200
        return
    with pytest.raises(NodeFailed, match="redirected into a network that is not public"):
        asked(url=f"{shop.url}/to/302")
    assert other.asked == []


def test_a_kind_that_repeats_a_secret_is_hidden(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    found = asked(url=f"{shop.url}/kind", headers_env={"Authorization": "SHOP_TOKEN"}).updates["response"]
    assert "s3cret" not in json.dumps(found)
    assert found["type"] == "***"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.b/",
        "{{ 'file:///etc/passwd' }}",
        "https://",
        "http://u:p@a.b/",
        "http://a.b:99999/",
        "http://a.b/{{ 'x y' }}",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises((NodeFailed, GraphError)) as caught:
        asked(url=url)
    assert "address" in str(caught.value) or "begins with neither" in str(caught.value)


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.socket() as taken:  # and nobody listens at it
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(NodeFailed, match=r"127\.0\.0\.1 cannot be reached: Connection refused"):
            asked(url=f"http://127.0.0.1:{taken.getsockname()[1]}")


def test_somebody_who_stops_need_not_wait_for_the_server(shop: Shop) -> None:
    services = Services(ToolRegistry(), live=True, stopped=lambda: bool(shop.asked))
    with pytest.raises(CallStopped):
        asked(url=f"{shop.url}/hold", services=services)


def test_a_timeout_of_the_node_ends_the_request(shop: Shop) -> None:
    class Timed(State):
        """A state of a node that has a timeout."""

        @property
        def time_left(self) -> float:
            return 0.2

    with pytest.raises(NodeFailed, match="time"):
        asked(Timed({}), url=f"{shop.url}/hold")


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "example.com"},
        {"body": "x", "json": {}},
        {"headers": {"a b": "c"}},
        {"headers_env": {"a:b": "c"}},
        {"expect": [20]},
        {"returns": "x"},
        {"returns": []},
        {"returns": [{}, 1]},
        {"method": "TRACE"},
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(GraphError):
        HttpNode(**{"url": "https://example.com", **settings})


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://a.test/x/{{ id }}", "GET at a.test, with KEY"),
        ("https://a.test", "GET at a.test, with KEY"),
        (
            "https://a.{{ id }}.test/",
            "GET at a host that the state names (https://a.{{ id }}.test/), with KEY",
        ),
        ("{{ url }}", "GET at a host that the state names ({{ url }}), with KEY"),
    ],
)
def test_trust_is_told_where_it_connects_to(url: str, said: str) -> None:
    assert HttpNode(url=url, headers_env={"X-Key": "KEY"}).facts().addresses == (said,)


def test_a_graph_that_asks_a_server_asks_for_trust_and_names_the_host(tmp_path: Path) -> None:
    file = tmp_path / "ask.toml"
    file.write_text(
        'format = 1\nname = "ask"\nstart = "get"\n[nodes.get]\ntype = "http"\nurl = "https://shop.test/x"\n'
        'returns = { body = "hello" }\n[[edges]]\nfrom = "get"\nto = "END"\n',
        encoding="utf-8",
    )
    graph = StateGraph.from_file(file)
    with pytest.raises(TrustError, match="addresses on the network"):
        Executor(graph.compile())
    question = trust_question(graph)
    assert "node get: GET at shop.test" in question.files
    grant(graph, question)
    run = graph.compile().run({})
    assert run.values["response"] == {"status": 200, "type": "", "body": "hello"}
    assert run.history[0].output == "hello"
    file.write_text(file.read_text(encoding="utf-8").replace("shop.test", "evil.test"), encoding="utf-8")
    assert not is_trusted(StateGraph.from_file(file))
