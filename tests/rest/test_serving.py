"""The command on a real port: one server a port, what signals do, and that no token is ever told."""

from __future__ import annotations

import signal
import socket
import threading
from pathlib import Path

import pytest

from stepgraph.values.errors import StepgraphError
from stepgraph_tui.server.access import checked_token
from tests.cli.calling import ASK, COUNT
from tests.rest.serving import serving

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
            reader.join(30)
            assert not reader.is_alive()
    from stepgraph.runs.views import open_run
    from stepgraph.stores.sqlite import SqliteStore

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
