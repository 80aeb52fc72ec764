"""A tool node that calls what the state names reaches only tools that its graph names, and people trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    END,
    Executor,
    MemoryStore,
    RunStatus,
    SqliteStore,
    StateGraph,
    StepgraphError,
    ToolNode,
    ToolRegistry,
    TrustError,
    check,
)
from stepgraph.files import grant, is_trusted, trust_question
from stepgraph.models.catalog import ModelCatalog
from stepgraph.runs.answering import Answering
from stepgraph.runs.modes import RunMode
from stepgraph.runs.trial import try_node
from stepgraph.runs.views import runnable_plan
from stepgraph.values.errors import StateError
from tests.nodes.models import ChatScript, calling

from .noting_server import graph, graph_file, serving

OPEN = 'type = "tool"'
ANY = 'type = "tool"\ntools = "any"'
CALL = '[state.tool_call]\ndefault = { name = "files/write", arguments = { path = "x" } }\n'
CANNED = '[tools."files/read"]\nreturns = { text = "canned" }\n'
REFUSED = "'files/write' of a server is not one that the graph names"
WRITE: dict[str, Any] = {"name": "files/write", "arguments": {}}


def ran(found: StateGraph, tools: ToolRegistry, **values: Any) -> tuple[RunStatus, str]:
    """How a run of a graph ends, and what it fails with."""
    executor = Executor(found.compile(), tools=tools)
    run = executor.run(executor.start(values))
    return run.status, f"{run.error} {getattr(run.error, 'hint', '')}"


def test_a_call_in_the_default_of_a_key_reaches_no_server(tmp_path: Path) -> None:
    tools, server = serving()
    found = graph(tmp_path, OPEN, CALL)
    assert is_trusted(found), "it names nothing that runs"
    status, error = ran(found, tools)
    assert (status, server.asked) == (RunStatus.FAILED, [])
    assert REFUSED in error
    assert 'write tools = ["files/write"], or "any"' in error


def test_a_graph_that_declares_tools_of_its_own_gets_those_of_servers_no_more_for_that(
    tmp_path: Path,
) -> None:
    tools, server = serving()
    more = CALL + "[tools.look]\nreturns = { found = true }\n"
    assert REFUSED in ran(graph(tmp_path, OPEN, more), tools)[1]
    assert server.asked == []


@pytest.mark.parametrize("reply", ["CALL_TOOL: files/write {}", calling("files/write")])
def test_a_live_model_that_was_offered_no_tools_picks_none_of_a_server(tmp_path: Path, reply: Any) -> None:
    tools, server = serving()
    text = graph_file(tmp_path, 'type = "llm"\nprompt = "x"').read_text(encoding="utf-8")
    text = text.replace('to = "END"', 'to = "call"') + (
        '[nodes.call]\ntype = "tool"\n[[edges]]\nfrom = "call"\nto = "END"\n'
    )
    (tmp_path / "g.toml").write_text(text, encoding="utf-8")
    app = StateGraph.from_file(tmp_path / "g.toml").compile()
    executor = Executor(app, tools=tools, models={"default": ChatScript([reply])}, live=True)
    run = executor.run(executor.start({}))
    assert (run.status, run.current, server.asked) == (RunStatus.FAILED, "call", [])
    assert REFUSED in str(run.error)


def test_a_run_in_the_store_of_somebody_else_reaches_no_server(tmp_path: Path) -> None:
    theirs, ours = serving(), serving()
    with SqliteStore(tmp_path / "theirs.db") as store:
        app = graph(tmp_path, OPEN, CALL).compile()
        Executor(app, store, tools=theirs[0]).start({}, run_id="r")
        (tmp_path / "g.toml").unlink()
        answering = Answering(ModelCatalog({}), ours[0])  # as `resume`, `step`, `retry` and workers do
        executor = answering.executor(runnable_plan(store, store.load("r")), store, RunMode(live=True))
        run = executor.run(executor.load("r"))
    assert (run.status, ours[1].asked) == (RunStatus.FAILED, [])
    assert REFUSED in str(run.error)


def test_no_way_to_go_on_with_a_run_and_no_trial_reaches_a_server(tmp_path: Path) -> None:
    tools, server = serving()
    app = graph(tmp_path, OPEN).compile()
    executor = Executor(app, MemoryStore(), tools=tools)
    executor.run(executor.start({}, run_id="r"))
    executor.edit("r", {"tool_call": WRITE}, by="ana")
    assert REFUSED in str(executor.retry("r").error)
    assert REFUSED in str(executor.run(executor.fork("r", at=0, values={"tool_call": WRITE})).error)
    assert REFUSED in str(try_node(app, "a", {"tool_call": WRITE}, tools=tools).error)
    assert server.asked == []


def test_inputs_name_no_tool_unless_the_graph_asks_for_that(tmp_path: Path) -> None:
    tools = ToolRegistry()
    tools.register("look", lambda: {"found": True})
    look = {"name": "look", "arguments": {}}
    executor = Executor(graph(tmp_path, OPEN, "[state.tool_call]\n").compile(), tools=tools)
    with pytest.raises(
        StateError, match="the input 'tool_call' is refused: it names the tool that node 'a'"
    ) as no:
        executor.start({"tool_call": look})
    assert no.value.hint == "declare [state.tool_call] with input = true, or take it out"
    assert executor.store.runs() == []
    asks = graph(tmp_path, OPEN, "[state.tool_call]\ninput = true\n")
    assert ran(asks, tools, tool_call=look)[0] is RunStatus.ENDED
    fixed = graph(tmp_path, 'type = "tool"\ntool = "look"', "[tools.look]\nreturns = { found = true }\n")
    assert ran(fixed, tools, tool_call=look)[0] is RunStatus.ENDED, "nothing there is called by its name"


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


def test_an_open_node_calls_what_the_graph_declares_what_its_program_has_and_what_models_are_offered(
    tmp_path: Path,
) -> None:
    tools, server = serving()
    tools.register("own", lambda: {"own": True})
    declared = graph(tmp_path, OPEN, CANNED + CALL.replace("write", "read"))
    assert trust_question(declared).files[-1] == (
        "tool of a server: files/read (live; in other runs its canned answers)"
    )
    grant(declared)
    assert ran(declared, tools)[0] is RunStatus.ENDED
    assert server.asked == [], "canned answers stand in for it until a run is live"
    executor = Executor(declared.compile(), tools=tools, live=True)
    assert executor.run(executor.start({})).status is RunStatus.ENDED
    assert server.asked == ["call read"]
    own = graph(tmp_path, OPEN, '[state.tool_call]\ndefault = { name = "own", arguments = {} }\n')
    assert ran(own, tools)[0] is RunStatus.ENDED
    offered = graph(
        tmp_path,
        OPEN,
        CALL + '[nodes.b]\ntype = "llm"\nprompt = "x"\ntools = ["files/write"]\nreplies = ["x"]\n'
        '[[edges]]\nfrom = "b"\nto = "END"\n',
    )
    grant(offered)
    assert ran(offered, tools)[0] is RunStatus.ENDED
    assert server.asked == ["call read", "call write"]


def test_a_node_inside_of_a_subgraph_reaches_no_more(tmp_path: Path) -> None:
    tools, server = serving()
    graph_file(tmp_path, ANY, CALL).rename(tmp_path / "inner.toml")
    outer = graph(tmp_path, 'type = "subgraph"\ngraph = "inner.toml"')
    files = trust_question(outer).files
    assert files[:2] == (str(tmp_path / "g.toml"), str(tmp_path / "inner.toml"))
    assert files[2:] == ("node a/a: any tool of your servers",)
    with pytest.raises(TrustError):
        Executor(outer.compile(), tools=tools)
    graph_file(tmp_path, OPEN, CALL).rename(tmp_path / "inner.toml")
    outer = graph(tmp_path, 'type = "subgraph"\ngraph = "inner.toml"')
    assert is_trusted(outer)
    assert REFUSED in ran(outer, tools)[1]
    assert server.asked == []


@pytest.mark.parametrize("named", ["", 'graph = "safe.toml"\n'])
def test_a_graph_whose_tables_are_in_its_own_file_is_not_said_to_be_in_another(
    tmp_path: Path, named: str
) -> None:
    graph_file(tmp_path, OPEN).rename(tmp_path / "safe.toml")
    inside = (
        'definition = { format = 1, name = "i", start = "a", edges = [{ from = "a", to = "END" }], '
        'nodes = { a = { type = "tool", tools = "any" } } }'
    )
    found = graph(tmp_path, f'type = "subgraph"\n{named}{inside}')
    asked = (str(tmp_path / "g.toml"), "node a/a: any tool of your servers")
    assert trust_question(found).files == asked


def test_the_name_of_a_node_passes_for_no_other_address_in_the_question(tmp_path: Path) -> None:
    more = '[nodes."b: GET at good.com"]\ntype = "http"\nurl = "https://bad.com"\n'
    more += '[nodes."c: GET at good.com"]\ntype = "tool"\ntools = "any"\n'
    assert trust_question(graph(tmp_path, OPEN, more)).files[1:] == (
        "node 'b: GET at good.com': GET at bad.com",
        "node 'c: GET at good.com': any tool of your servers",
    )


def test_a_node_of_a_program_is_held_to_it_too() -> None:
    tools, server = serving()
    for node, asked in ((ToolNode(), []), (ToolNode(tools=["files/write"]), ["call write"])):
        built = StateGraph("built", start="a")
        built.add_key("tool_call", input=True)
        built.add_node("a", node)
        built.add_edge("a", END)
        ran(built, tools, tool_call=WRITE)
        assert server.asked == asked


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ('tool = "look"\ntools = ["look"]', "'tool' is the one tool that it calls: leave 'tools' out"),
        ("tools = []", "'tools' is a list of names, or \"any\""),
        ('tools = "all"', "'tools' is a list of names, or \"any\""),
        ("tools = [1]", "'tools' is a list of names, or \"any\""),
        ('tools = ["lok"]', "uses the tool 'lok', which the graph does not declare"),
    ],
)
def test_what_tools_may_be(tmp_path: Path, setting: str, said: str) -> None:
    found = graph(tmp_path, f"{OPEN}\n{setting}", "[tools.look]\nreturns = { found = true }\n")
    (problem,) = [each for each in check(found) if each.is_error]
    assert said in problem.message
    assert (problem.place.node, (problem.place.key or "tools").split(".")[0]) == ("a", "tools")


@pytest.mark.parametrize(
    ("node", "more", "warned"),
    [(OPEN, "", True), (ANY, "", False), (OPEN, "[tools.look]\nreturns = { found = true }\n", False)],
)
def test_a_node_that_can_call_nothing_is_a_warning(
    tmp_path: Path, node: str, more: str, warned: bool
) -> None:
    found = [problem for problem in check(graph(tmp_path, node, more)) if problem.code == "G113"]
    assert [problem.place.node for problem in found] == (["a"] if warned else [])


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
