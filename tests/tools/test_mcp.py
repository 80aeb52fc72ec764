"""Tools of servers: the official SDK on both sides, over stdio and HTTP, and how servers fail."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    END,
    CompiledGraph,
    Executor,
    RunStatus,
    StateGraph,
    StepgraphError,
    ToolRegistry,
)
from stepgraph.extras.mcp.server import McpServer, read_servers
from stepgraph.files import grant
from stepgraph.models.client import CallPlace, CallWatch
from stepgraph.tools.protocols import ToolContext

pytest.importorskip("mcp")

SERVERS = Path(__file__).parent / "servers"
PLACE = CallPlace("r", "n", 1, "tool", "t")


def settings(table: dict[str, Any]) -> Any:
    wrong: list[str] = []
    found = read_servers({"t": table}, lambda where, what: wrong.append(what))
    assert wrong == []
    return found["t"]


def command(script: str, *words: str, **more: Any) -> dict[str, Any]:
    return {"command": [sys.executable, str(SERVERS / script), *words], **more}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVER_FOLDER", str(tmp_path))
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[McpServer]:
    server = McpServer("t", settings(command("tools_server.py", env=["SERVER_FOLDER"])))
    yield server
    server.close()


def call(server: McpServer, tool: str, **params: Any) -> dict[str, Any]:
    return server.call(tool, params, ToolContext())


def pids(folder: Path, what: str) -> list[int]:
    return [int(line) for line in (folder / what).read_text(encoding="utf-8").split()]


def test_what_a_tool_says_went_wrong_is_said(server: McpServer) -> None:
    with pytest.raises(StepgraphError, match=r"tool 't/fail' failed: .*no luck"):
        call(server, "fail", why="no luck")
    with pytest.raises(StepgraphError, match="tool 't/add' refuses its arguments: 'a' is missing") as lacks:
        call(server, "add", b=2)
    assert lacks.value.hint == "it takes: a: number, b?: number"
    with pytest.raises(StepgraphError, match=r"(?s)tool 't/add' failed: .*valid integer"):
        call(server, "add", a="x")
    with pytest.raises(StepgraphError, match="the server 't' has no tool 'ad'") as failed:
        call(server, "ad", a=1)
    assert failed.value.hint == "did you mean 'add'?"
    with pytest.raises(StepgraphError, match="answered with 1 x image/png and no text"):
        call(server, "picture")


def test_a_server_that_dies_in_the_middle_of_a_call_is_started_again_once(
    server: McpServer, folder: Path
) -> None:
    assert call(server, "die", times=1) == {"calls": 2}
    first, second = pids(folder, "die")
    assert first != second
    with pytest.raises(StepgraphError) as failed:
        call(server, "die", times=9)
    assert "was ended by signal 9 before it had answered; its last lines:\n  out of memory" in str(
        failed.value
    )
    assert len(pids(folder, "die")) == 4, "twice, and not for ever"
    assert call(server, "add", a=1) == {"sum": 2}


def test_what_destroys_something_is_not_called_twice_by_itself(server: McpServer, folder: Path) -> None:
    with pytest.raises(StepgraphError, match="was ended by signal 9") as failed:
        call(server, "destroy")
    assert "retry the run" in failed.value.hint
    assert len(pids(folder, "destroy")) == 1
    assert call(server, "destroy") == {"calls": 2}


def test_a_server_that_is_killed_between_two_calls_is_started_again(server: McpServer, folder: Path) -> None:
    call(server, "die", times=0)
    (process,) = pids(folder, "die")
    os.kill(process, signal.SIGKILL)
    assert call(server, "die", times=0) == {"calls": 2}


def test_a_server_that_never_answers_fails_in_its_time(folder: Path) -> None:
    server = McpServer("t", settings(command("tools_server.py", env=["SERVER_FOLDER"], timeout=60)))
    times = iter([None, None, 5.0])
    watch = CallWatch(PLACE, time_left=lambda: next(times, 0.0) if (folder / "hang").exists() else None)
    with pytest.raises(StepgraphError, match="has not answered to 'hang' within the time of its node"):
        server.call("hang", {}, ToolContext(1, "", watch))
    server.close()
    mute = McpServer("t", settings(command("raw_server.py", "mute", timeout=0.2)))
    with pytest.raises(StepgraphError, match=r"has not started within 0\.2 s") as failed:
        call(mute, "t")
    assert "[mcp.t]" in failed.value.hint
    mute.close()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("banner", "it writes to its standard output what is not a message: Welcome!"),
        ("rubbish", r"what is not a message: Listening on port .*8080"),
        ("binary", r"what is not a message: \\xff\\xfe"),
        ("array", r"what is not a message: \[1, 2"),
        ("endless", "answers with more than 10 MB"),
        ("stillborn", "ended with exit code 1 before it had answered; its last lines:\n  no configuration"),
        ("exit", r"ended with exit code 3 .*\n  token \*\*\* was refused"),
        ("malformed", "answers with what cannot be used: content: Input should be a valid list"),
        ("error", "answers with an error: the disk is full"),
    ],
)
def test_a_server_that_breaks_the_protocol_is_a_clear_failure(
    fault: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOKEN", "sesame-1234")
    server = McpServer("t", settings(command("raw_server.py", fault, env=["TOKEN"])))
    with pytest.raises(StepgraphError, match=said) as failed:
        call(server, "t")
    assert "\x1b" not in str(failed.value)
    assert "sesame" not in f"{failed.value}{failed.value.hint}"
    server.close()
    assert capfd.readouterr() == ("", ""), "the terminal is not touched"


def test_a_program_that_is_not_there_and_an_address_where_nobody_is() -> None:
    with pytest.raises(StepgraphError, match="there is no program 'nix-da'") as failed:
        call(McpServer("t", settings({"command": ["nix-da"]})), "t")
    assert "[mcp.t]" in failed.value.hint
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        server = McpServer("t", settings({"url": f"http://127.0.0.1:{taken.getsockname()[1]}/mcp"}))
        with pytest.raises(StepgraphError, match=r"cannot be reached at http://127\.0\.0\.1"):
            call(server, "t")
        server.close()


class OverHttp:
    """The server of tools at an address, started and killed."""

    def __init__(self) -> None:
        self._held = socket.socket()  # it keeps others from the port, also while no server is there
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        self.port = int(self._held.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.start()

    def start(self) -> None:
        words = [sys.executable, str(SERVERS / "tools_server.py"), "http", str(self.port)]
        self.process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        while True:
            assert self.process.poll() is None
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                continue
            return

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._held.close()


@pytest.fixture
def over_http(folder: Path) -> Iterator[OverHttp]:
    server = OverHttp()
    yield server
    server.close()


def test_a_server_at_an_address(over_http: OverHttp, folder: Path) -> None:
    server = McpServer("t", settings({"url": over_http.url}))
    assert call(server, "add", a=1) == {"sum": 2}
    with pytest.raises(StepgraphError, match="answers with more than 10 MB"):
        call(server, "much", size=11_000_000)
    assert call(server, "add", a=2) == {"sum": 3}
    call(server, "grow")
    assert call(server, "grown") == {"result": "grown"}
    with pytest.raises(StepgraphError, match="cannot be reached"):
        call(server, "die", times=9)
    assert len(pids(folder, "die")) == 1
    over_http.process.wait()
    over_http.start()
    assert call(server, "add", a=3) == {"sum": 4}, "another server at the same address serves as well"
    server.close()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (7, "a table: [mcp.t]"),
        ({}, "either command"),
        ({"command": ["x"], "url": "http://x"}, "either command"),
        ({"command": "x"}, "command takes a list"),
        ({"command": []}, "begins with a program"),
        ({"command": ["x"], "env": ["A=sesame"]}, "the name, not its value"),
        ({"url": "ftp://x"}, "http://"),
        ({"url": "http://"}, "names a host"),
        ({"url": "http://u:sesame@x"}, "does not belong in an address"),
        ({"url": "http://x", "env": ["A"]}, "for a program"),
        ({"command": ["x"], "timeout": 0}, "more than 0"),
        ({"command": ["x"], "requires_approval": 3}, "names of tools"),
        ({"comand": ["x"]}, "did you mean 'command'"),
    ],
)
def test_settings_that_cannot_be_are_told_and_left_out(table: Any, said: str) -> None:
    wrong: list[str] = []
    assert read_servers({"t": table}, lambda where, what: wrong.append(what)) == {}
    assert any(said in what for what in wrong), wrong
    assert "sesame" not in "".join(wrong)


def trusted(graph: StateGraph) -> CompiledGraph:
    """Agree to the tools of servers that a graph names."""
    grant(graph)
    return graph.compile()


def graph(tool: str, **arguments: Any) -> StateGraph:
    graph = StateGraph("g", start="n")
    graph.declare_node("n", "tool", {"tool": tool, "arguments": arguments})
    graph.add_edge("n", END)
    return graph


def test_a_tool_that_the_settings_want_approved_waits_for_a_person(server: McpServer) -> None:
    asks = McpServer("t", settings(command("tools_server.py", requires_approval=["add"])))
    registry = ToolRegistry()
    registry.add_source("t", asks)
    executor = Executor(trusted(graph("t/add", a=1)), tools=registry)
    run = executor.run(executor.start({}))
    assert run.status is RunStatus.PAUSED
    assert asks.known() is None, "nothing was started to ask"
    assert (registry.requires_approval("t/add"), registry.requires_approval("t/say")) == (True, False)
