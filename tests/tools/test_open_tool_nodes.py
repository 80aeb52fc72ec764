"""A tool node that calls what the state names reaches only tools that its graph names, and people trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    Executor,
    RunStatus,
    StateGraph,
    StepgraphError,
    ToolRegistry,
    TrustError,
    check,
)
from stepgraph.files import grant, is_trusted, trust_question

from .noting_server import graph, serving

OPEN = 'type = "tool"'
ANY = 'type = "tool"\ntools = "any"'
CALL = '[state.tool_call]\ndefault = { name = "files/write", arguments = { path = "x" } }\n'
REFUSED = "'files/write' of a server is not one that the graph names"


def ran(found: StateGraph, tools: ToolRegistry, **values: Any) -> tuple[RunStatus, str]:
    """How a run of a graph ends, and what it fails with."""
    executor = Executor(found.compile(), tools=tools)
    run = executor.run(executor.start(values))
    return run.status, f"{run.error} {getattr(run.error, 'hint', '')}"


def test_a_node_that_names_tools_of_a_server_asks_for_trust_and_calls_no_other(tmp_path: Path) -> None:
    tools, server = serving()
    listed = graph(tmp_path, 'type = "tool"\ntools = ["files/read", "files/write"]', CALL)
    with pytest.raises(TrustError) as asked:
        Executor(listed.compile(), tools=tools)
    assert {"tool of a server: files/read", "tool of a server: files/write"} <= set(asked.value.files)
    grant(listed)
    assert ran(listed, tools)[0] is RunStatus.ENDED
    assert server.asked == ["call write"]
    other = graph(tmp_path, 'type = "tool"\ntools = ["files/read", "files/list"]', CALL)
    assert not is_trusted(other)
    grant(other)
    status, error = ran(other, tools)
    assert (status, server.asked) == (RunStatus.FAILED, ["call write"])
    assert "'tool_call' names the tool 'files/write', which this node may not call" in error
    assert "it may call: files/read, files/list" in error


def test_a_node_that_may_call_any_tool_says_so_in_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, server = serving()
    found = graph(tmp_path, ANY, CALL)
    question = trust_question(found)
    assert "node a: any tool of your servers" in question.files
    assert question.named == "tools of your servers"
    with pytest.raises(TrustError):
        Executor(found.compile(), tools=tools)
    assert server.asked == []
    grant(found)
    assert ran(found, tools)[0] is RunStatus.ENDED
    assert server.asked == ["call write"]


def test_what_one_node_may_call_another_may_not(tmp_path: Path) -> None:
    tools, server = serving()
    more = CALL + '[nodes.b]\ntype = "tool"\ntools = "any"\n[[edges]]\nfrom = "b"\nto = "END"\n'
    found = graph(tmp_path, OPEN, more)
    grant(found)
    assert REFUSED in ran(found, tools)[1]
    assert server.asked == []


@pytest.mark.parametrize("said", ['command = ["echo", "hello"]', 'handler = "mine:write"'])
def test_nothing_that_runs_may_have_the_name_of_a_tool_of_a_server(tmp_path: Path, said: str) -> None:
    more = f'[tools."files/write"]\n{said}\n'
    found = graph(tmp_path, 'type = "tool"\ntool = "files/write"', more)
    (problem,) = [each for each in check(found) if each.is_error]
    assert problem.code == "G046"
    assert problem.message == (
        "the tool 'files/write' has the name of a tool of a server, and another thing to run"
    )
    with pytest.raises(StepgraphError, match="files/write"):
        found.compile()
