"""The command on a real port: one server a port, what signals do, and that no token is ever told."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.errors import StepgraphError
from stepgraph_tui.server import connections
from stepgraph_tui.server.access import AccessRules, checked_token
from stepgraph_tui.server.connections import BoundedConnection
from stepgraph_tui.server.listening import HttpServer, bound
from stepgraph_tui.server.site import Site
from tests.cli.calling import ASK, COUNT, Cli
from tests.rest.conftest import Served
from tests.rest.serving import Running, serving

TOKEN = "a-token-of-many-letters"  # noqa: S105 - of the tests alone


def test_a_run_is_started_decided_and_ended_over_a_real_port(tmp_path: Path) -> None:
    (tmp_path / "ask.toml").write_text(ASK, encoding="utf-8")
    with serving(tmp_path, tmp_path / "runs.db") as server:
        assert server.ask("GET", "/health")[0] == 200
        runs = "/api/v1/agent-executions"
        status, started = server.ask("POST", f"{runs}/start?graph=ask&executionId=e-1", {})
        assert status == 202
        said = {"decision": "approve", "review": started["review"]["id"], "hash": started["review"]["hash"]}
        assert server.ask("POST", f"{runs}/e-1/resume", said)[1]["status"] == "ended"
        assert server.ask("POST", f"{runs}/start?graph=ask", None, host="evil.example")[0] == 403
        raw = socket.create_connection(("127.0.0.1", server.port), 30)
        with raw:
            raw.sendall(b"nonsense\r\n\r\n")
            assert b"400" in raw.recv(1_000)
        assert server.stop() == 0
        log = "".join(server.said)
    assert f"POST {runs}/start 202" in log
    assert "graph=ask" not in log
    assert "Traceback" not in log
    assert "stopped; " in log


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_streams_and_leaves_runs_where_they_stand(
    tmp_path: Path, number: signal.Signals
) -> None:
    slow = "import pathlib\n\ndef work(state):\n    return {'count': 0}\n"
    (tmp_path / "work.py").write_text(slow, encoding="utf-8")
    (tmp_path / "count.toml").write_text(
        COUNT.replace("max_steps = 9", "max_steps = 100000"), encoding="utf-8"
    )
    with serving(tmp_path, tmp_path / "runs.db", "--trust", STEPGRAPH_HOME=str(tmp_path / "home")) as server:
        path = "/api/v1/agent-executions"
        status, told = server.ask("POST", f"{path}/start?graph=count&executionId=r&wait=0")
        assert (status, told["running"]) == (202, True)
        stream = socket.create_connection(("127.0.0.1", server.port), 30)
        with stream:
            stream.sendall(f"GET {path}/r/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert stream.recv(10)
            reader = threading.Thread(target=lambda: all(iter(lambda: stream.recv(65_536), b"")))
            reader.start()
            assert server.stop(number) == 0
            reader.join(60)
            assert not reader.is_alive()
    with SqliteStore(str(tmp_path / "runs.db")) as store:
        assert open_run(store, "r").status == "ready"


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


@contextmanager
def serving_a_node_that_waits(tmp_path: Path) -> Iterator[Running]:
    """Serve a graph on ``runs.db``, and start its run ``r``, whose node waits until ``pipe`` is closed."""
    os.mkfifo(tmp_path / "pipe")
    code = f"def work(state):\n    open({str(tmp_path / 'pipe')!r}).read()\n    return {{'count': 9}}\n"
    (tmp_path / "work.py").write_text(code, encoding="utf-8")
    (tmp_path / "count.toml").write_text(COUNT, encoding="utf-8")
    store = tmp_path / "runs.db"
    with serving(tmp_path, store, "--trust", STEPGRAPH_HOME=str(tmp_path / "home")) as server:
        path = "/api/v1/agent-executions"
        assert server.ask("POST", f"{path}/start?graph=count&executionId=r&wait=0")[0] == 202
        yield server


def test_a_run_that_somebody_else_moves_on_is_one_line_of_the_log(tmp_path: Path) -> None:
    with serving_a_node_that_waits(tmp_path) as server:
        with (tmp_path / "pipe").open("w", encoding="utf-8"), SqliteStore(str(tmp_path / "runs.db")) as store:
            operations.stop(open_run(store, "r"), "ana", "", now=0)
        assert server.hears("moved it on")
        assert server.stop() == 0
    (line,) = [line for line in server.said if "'r'" in line]
    assert "somebody else has moved it on" in line
    assert "Traceback" not in "".join(server.said)


def test_a_second_ctrl_c_does_not_wait_for_a_node(tmp_path: Path) -> None:
    with serving_a_node_that_waits(tmp_path) as server:
        with (tmp_path / "pipe").open("w", encoding="utf-8"):  # it is opened once the node reads from it
            server.process.send_signal(signal.SIGINT)
            assert server.hears("press ctrl+c again")
            assert server.stop() == 130
        assert "left at once" in "".join(server.said)


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
    ("package", "words"), [("starlette", []), ("uvicorn", []), ("textual_serve", ["--web"])]
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


@pytest.mark.parametrize("begun", [b"", b"GET /heal", ASKED + b"GET /heal"])
def test_a_client_that_does_not_say_what_it_wants_is_let_go(
    served: Served, monkeypatch: pytest.MonkeyPatch, answered: threading.Event, begun: bytes
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.1)
    monkeypatch.setattr(connections, "UNAUTHENTICATED_PATIENCE", 0.1)
    with listening(served) as connect, connect() as connection:
        said = said_until_let_go(connection, begun, answered)
    assert said.count(b"200 OK") == begun.count(ASKED)


def test_connections_beyond_the_limit_are_told_so_and_others_go_on(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 3)
    with listening(served) as connect, ExitStack() as stack:
        held = [stack.enter_context(connect()) for _ in range(3)]
        for each in held:  # each is answered, and so known to the server
            ask(each)
        with connect() as refused:
            answer = all_of(refused)
        assert answer.startswith(b"HTTP/1.1 503")
        assert b"too many connections" in answer
        ask(held[0])


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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
@pytest.mark.usefixtures("few")
def test_who_opens_many_connections_ends_none_of_another_address(served: Served) -> None:
    with listening(served, TOKEN) as connect, ExitStack() as stack:
        begun = stack.enter_context(connect("127.0.0.9"))
        begun.sendall(HALF)
        for number in range(40):  # from more addresses than there is room for
            stack.enter_context(connect(f"127.0.1.{number % 5}")).sendall(HALF)
        begun.sendall(f" localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())
        assert b"200 OK" in begun.recv(65_536)


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


def test_a_client_that_hangs_up_in_the_middle_of_its_body_is_no_failure(served: Served) -> None:
    with listening(served) as connect, connect() as connection:
        connection.sendall(POSTED + b"Content-Length: 100\r\n\r\n{")
        connection.close()
    assert served.failures == []
    assert served.service.store.runs() == []
