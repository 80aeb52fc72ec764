"""The command on a real port: one server a port, what signals do, and that no token is ever told."""

from __future__ import annotations

import json
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from stepgraph.values.errors import StepgraphError
from stepgraph_tui.server import listening as connections
from stepgraph_tui.server.guard import AccessRules, checked_token
from stepgraph_tui.server.listening import BoundedConnection, HttpServer, bound
from stepgraph_tui.server.pages import Site
from tests.cli.calling import ASK, Cli
from tests.rest.conftest import Served
from tests.rest.serving import serving

TOKEN = "a-token-of-many-letters"  # noqa: S105 - of the tests alone


@pytest.mark.parametrize(
    "token", ["short", "with blanks in the middle", "zweiundzwanzig-zeichen-ä", "x" * 15]
)
def test_a_token_that_is_too_weak_is_refused_and_not_quoted(token: str) -> None:
    with pytest.raises(StepgraphError) as caught:
        checked_token(token, "0.0.0.0")  # noqa: S104 - nothing listens
    assert token not in str(caught.value)
    assert checked_token(TOKEN, "127.0.0.1") == TOKEN
    assert checked_token("", "localhost") is None


def test_the_token_is_asked_for_and_never_told(tmp_path: Path) -> None:
    (tmp_path / "ask.toml").write_text(ASK, encoding="utf-8")
    with serving(tmp_path, tmp_path / "runs.db", STEPGRAPH_TOKEN=TOKEN) as server:
        assert server.ask("GET", "/api/v1/reviews")[0] == 401
        assert server.ask("GET", "/api/v1/reviews", authorization=f"Bearer {TOKEN}x")[0] == 401
        assert server.ask("GET", f"/api/v1/reviews?token={TOKEN}", authorization=f"Bearer {TOKEN}")[0] == 422
        assert server.ask("GET", "/api/v1/reviews", authorization=f"Bearer {TOKEN}")[0] == 200
        assert server.stop() == 0
        assert TOKEN not in "".join(server.said)


def test_a_second_ctrl_c_counts_while_the_first_is_still_told(served: Served) -> None:
    said: list[str] = []
    site = Site(served.service, AccessRules("127.0.0.1", None), said.append, served.failed)

    def tell() -> None:
        said.append("stopping")
        if len(said) == 1:
            server.handle_exit(signal.SIGINT, None)

    server = HttpServer(site, tell, lambda: said.append("left"))
    server.handle_exit(signal.SIGINT, None)
    assert said == ["stopping", "left"]
    assert server.should_exit


@pytest.mark.parametrize(
    ("package", "words"), [("fastapi", []), ("uvicorn", []), ("textual_serve", ["--web"])]
)
def test_without_its_packages_the_command_names_the_extra(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    package: str,
    words: list[str],
) -> None:
    cli = Cli(capsys, tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    result = cli("serve", cli.graph(ASK), *words)
    assert result.code == 1
    assert f"serving needs the package {package}" in result.err
    assert 'pip install "stepgraph[serve]"' in result.err
    assert "Traceback" not in result.err


Connect = Callable[..., socket.socket]


@contextmanager
def listening(served: Served, token: str | None = None) -> Iterator[Connect]:
    """Serve on a real port in a thread; give what connects to it, from another address if one is given."""
    access = AccessRules("127.0.0.1", token)
    site = Site(served.service, access, served.log.append, served.failed)
    server = HttpServer(site, lambda: None, lambda: None)
    with bound("127.0.0.1", 0) as port:
        address = port.socket.getsockname()
        thread = threading.Thread(target=server.run_on, args=(port,))
        thread.start()
        try:
            yield lambda come="127.0.0.1": socket.create_connection(address, 30, (come, 0))
        finally:
            server.stop()
            thread.join(60)
    assert not thread.is_alive()


ASKED = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
POSTED = (
    b"POST /api/v1/agent-executions/start?graph=ask HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\n"
)


def all_of(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65_536), b""))


def ask(connection: socket.socket, token: str = "") -> None:
    """Ask whether the server is up, and read the whole answer."""
    connection.sendall(ASKED.replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {token}\r\n\r\n".encode()))
    answer = b""
    while b"}" not in answer:
        answer += connection.recv(65_536)
    assert b"200 OK" in answer


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Is set once all is answered that was asked: until then no connection is ended for its silence."""
    event = threading.Event()

    def hold_back(name: str) -> None:
        look: Callable[[BoundedConnection], None] = getattr(BoundedConnection, name)

        def later(connection: BoundedConnection) -> None:
            if event.is_set():
                look(connection)
            else:
                connection._look = connection.loop.call_later(0.01, later, connection)

        monkeypatch.setattr(BoundedConnection, name, later)

    hold_back("_end_if_idle")
    hold_back("_end_if_unauthenticated")
    return event


def said_until_let_go(connection: socket.socket, begun: bytes, answered: threading.Event) -> bytes:
    """Begin to ask, and read the answers to what was whole until the server ends the connection."""
    connection.sendall(begun)
    answer = b""
    while answer.count(b"}") < begun.count(ASKED):
        answer += connection.recv(65_536)
    answered.set()
    return answer + all_of(connection)


HALF = b"GET /api/v1/reviews HTTP/1.1\r\nHost:"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that a test can reach."""
    for name, bound_ in {
        "PER_ADDRESS": 4,
        "UNAUTHENTICATED": 10,
        "MOST": 20,
        "UNAUTHENTICATED_PATIENCE": 60,
    }.items():
        monkeypatch.setattr(connections, name, bound_)


@pytest.mark.usefixtures("few")
def test_many_halves_of_requests_shut_nobody_out_who_shows_the_token(served: Served) -> None:
    with listening(served, TOKEN) as connect, ExitStack() as stack:
        kept = stack.enter_context(connect())
        ask(kept, TOKEN)
        halves = []
        for _ in range(3):
            for _ in range(50):
                halves.append(stack.enter_context(connect()))
                halves[-1].sendall(HALF)
            with connect() as other:  # from the same address, as behind a proxy
                ask(other, TOKEN)
            ask(kept, TOKEN)
        for each in halves[:146]:  # all but the last four
            with suppress(ConnectionResetError):  # it was ended before what was sent on it was read
                assert b"too many connections" in all_of(each)


@pytest.mark.parametrize("begun", [b"", HALF, ASKED])
def test_who_does_not_show_the_token_has_less_time(
    served: Served, monkeypatch: pytest.MonkeyPatch, answered: threading.Event, begun: bytes
) -> None:
    monkeypatch.setattr(connections, "UNAUTHENTICATED_PATIENCE", 0.1)
    monkeypatch.setattr(connections, "PATIENCE", 60)
    with listening(served, TOKEN) as connect, connect() as trusted, connect() as connection:
        ask(trusted, TOKEN)
        said = said_until_let_go(connection, begun, answered)
        assert said.count(b"200 OK") == begun.count(ASKED)
        ask(trusted, TOKEN)


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /" + b"a" * 70_000,
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET /health\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        POSTED + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
        POSTED + b"Content-Length: +2\r\n\r\n{}",
        POSTED + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + ASKED,
    ],
)
def test_what_is_no_http_is_answered_in_the_same_form(served: Served, sent: bytes) -> None:
    with listening(served) as connect, connect() as connection:
        connection.sendall(sent)
        head, _, body = all_of(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert b"connection: close" in head.lower()
    assert json.loads(body)["code"] == "H400"
    assert served.service.store.runs() == []
