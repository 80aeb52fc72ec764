"""Graphs in Python modules on the command line: named, trusted, looked at, run, gone on with elsewhere."""

from __future__ import annotations

import pytest

from tests.cli.calling import COUNT, Cli

AGENT = """
print("imported")
from stepgraph import END, LLMNode, NodeResult, ReviewRequest, StateGraph


def work(state):
    print("working")
    return {"count": state["count"] + 1}


def ask(state):
    if state.decision is None:
        return NodeResult.pause(ReviewRequest("Pay?", allow=("approve", "reject")))
    return {"paid": state.decision.verb == "approve"}


def enough(context):
    return context.state["count"] >= 3


graph = StateGraph("agent", start="work")
graph.add_key("count", type="number", default=0)
graph.add_node("work", work)
graph.add_node("ask", ask)
graph.add_edge("work", "ask", when=enough, label="enough")
graph.add_edge("work", "work", label="again")
graph.add_edge("ask", END)
app = graph.compile()


def make():
    return graph
"""


def test_what_the_module_prints_is_quoted_and_the_data_stays_clean(cli: Cli) -> None:
    for number, command in enumerate(("check", "show", "tools", "breaks", "export --to json", "run")):
        cli.module(AGENT, f"agent{number}.py")
        result = cli(*command.split(), f"agent{number}.py:graph", "--trust", "--json")
        assert result.code in (0, 10), result.err
        assert "  | imported\n" in result.err
        assert result.json is not None
        assert "imported" not in result.out


@pytest.mark.parametrize(
    "words",
    [
        ["check", "agent.py:graph"],
        ["show", "agent.py:graph"],
        ["run", "agent.py:graph"],
        ["diff", "graph.toml", "agent.py:graph"],
        ["breaks", "agent.py:graph"],
        ["tools", "agent.py:graph"],
        ["export", "agent.py:graph", "--to", "json"],
    ],
)
def test_nothing_is_imported_before_somebody_has_agreed(cli: Cli, words: list[str]) -> None:
    cli.graph(COUNT)
    cli.module("from pathlib import Path\nPath('ran').touch()\n" + AGENT)
    result = cli(*words)
    assert result.code == 6
    assert "is Python code you haven't trusted yet" in result.err
    assert "--trust" in result.err
    assert str(cli.folder / "agent.py") in result.err
    assert not (cli.folder / "ran").exists()
    assert cli(*words, "--trust").code in (0, 1, 10)
    assert (cli.folder / "ran").exists()


def test_trust_holds_for_every_graph_name_by_itself_and_until_the_module_changes(cli: Cli) -> None:
    path = cli.module(AGENT)
    assert cli("check", "agent.py:graph", "--trust").code == 0
    assert cli("check", "agent.py:graph").code == 0
    path.write_text(AGENT + "# changed\n", encoding="utf-8")
    result = cli("check", "agent.py:graph")
    assert result.code == 6
    assert "has changed since you trusted it" in result.err
    assert f"{path} has changed" in result.err


def test_its_packages_belong_to_what_is_trusted(cli: Cli) -> None:
    init = cli.module("", "shop/__init__.py")
    cli.module(AGENT, "shop/agent.py")
    assert cli("check", "shop.agent:graph", "--trust").code == 0
    init.write_text("import os", encoding="utf-8")
    assert cli("check", "shop/agent.py:graph").code == 6


# Runs, in any process


# Other commands


@pytest.mark.parametrize(
    "words", [["fmt", "agent.py:graph"], ["new", "agent.py:graph"], ["schema", "--for", "agent.py:graph"]]
)
def test_what_makes_and_formats_files_leaves_python_alone(cli: Cli, words: list[str]) -> None:
    path = cli.module(AGENT)
    result = cli(*words)
    assert result.code == 1
    assert "agent.py:graph is a graph in a Python module, not a graph file" in result.err
    assert path.read_text(encoding="utf-8") == AGENT
    assert [each.name for each in cli.folder.iterdir() if each.suffix == ".toml"] == []


def test_a_run_whose_id_looks_like_a_module_is_still_a_run(cli: Cli) -> None:
    assert cli("run", cli.count(), "--run-id", "team:first", "--trust").code == 0
    assert cli("export", "team:first", "--to", "json").code == 0
