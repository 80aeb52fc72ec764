"""Graphs in Python modules on the command line: named, trusted, looked at, run, gone on with elsewhere."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from textwrap import indent

import pytest

from stepgraph import open_store
from stepgraph_tui.cli.output import Output
from stepgraph_tui.cli.serve import _read
from tests.cli.calling import COMMAND, COUNT, Cli, call
from tests.cli.test_interrupts import ctrl_c_heard

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
FLAKY = AGENT.replace(
    '    print("working")\n', '    if state["count"] == 1:\n        raise ValueError("no")\n'
)


@pytest.mark.parametrize(
    "name", ["agent.py:graph", "agent.py:app", "agent.py:make", "agent:graph", "./agent.py:app"]
)
def test_a_graph_is_named_by_its_module_and_its_name_there(cli: Cli, name: str) -> None:
    cli.module(AGENT)
    result = cli("check", name, "--trust")
    assert result.code == 0
    assert "ok, 2 nodes, 3 edges" in result.err


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
    assert "is Python code that you have not trusted yet" in result.err
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


def test_at_a_terminal_somebody_is_asked(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.module(AGENT)
    monkeypatch.setattr("stepgraph_tui.cli.trust_prompt.can_ask", lambda: True)
    monkeypatch.setattr("stepgraph_tui.cli.trust_prompt.says_yes", lambda *_: False)
    result = cli("run", "agent.py:graph")
    assert result.code == 6
    assert "Graph 'agent.py:graph' is Python code that you have not trusted yet:" in result.err
    assert "imported" not in result.err


# Runs, in any process


def test_a_run_goes_on_in_other_processes_and_is_decided_there(cli: Cli) -> None:
    cli.module(AGENT)
    assert call("run", "agent.py:graph", "--trust", "--run-id", "r-1").code == 10
    review = cli("approvals", "--json").json[0]["id"]
    assert call("approvals", "decide", review, "--approve", "--as", "ana").code == 0
    result = cli("resume", "r-1", "--json")
    assert result.code == 0
    assert result.json["values"] == {"count": 3, "paid": True}
    assert result.json["source"] == str(cli.folder / "agent.py:graph")


def test_a_run_is_stepped_edited_forked_extended_and_looked_at(cli: Cli) -> None:
    cli.module(AGENT)
    assert cli("run", "agent.py:graph", "--trust", "--run-id", "r-1", "--break", "work").code == 0
    assert "work" in call("step", "r-1").err
    assert cli("step", "r-1", "--json").json["values"] == {"count": 2}
    assert cli("edit", "r-1", "--set", "count=9").code == 0
    assert cli("fork", "r-1", "--at", "1", "--run-id", "r-2").code == 0
    assert cli("extend", "r-2", "3").code == 0
    assert "agent.py:graph" in cli("runs", "show", "r-1").out
    assert cli("resume", "r-1").code == 10
    assert cli("edit", "r-1", "--set", "count=7").code == 0
    assert cli("resume", "r-2", "--json").json["values"]["count"] == 3


def test_a_failed_node_is_mended_in_the_module_and_retried(cli: Cli) -> None:
    path = cli.module(FLAKY)
    failed = cli("run", "agent.py:graph", "--trust", "--run-id", "r-1")
    assert failed.code == 1
    assert "ValueError" in failed.err
    path.write_text(AGENT, encoding="utf-8")
    assert cli("retry", "r-1").code == 6
    result = cli("retry", "r-1", "--trust", "--json")
    assert result.code == 10
    assert result.json["values"]["count"] == 3


def test_a_changed_structure_is_told_and_adopted_where_that_is_asked_for(cli: Cli) -> None:
    path = cli.module(AGENT)
    assert cli("run", "agent.py:graph", "--trust", "--run-id", "r-1", "--break", "ask").code == 0
    path.write_text(
        AGENT.replace('label="again"', 'label="once more"') + "graph.add_key('more')\n", encoding="utf-8"
    )
    for words in (["step", "r-1"], ["resume", "r-1"]):
        result = cli(*words, "--trust")
        assert result.code == 1
        assert "state key 'more' was added" in result.err
        assert f"--adopt moves it to the graph that {path}:graph has now" in result.err
    path.write_text(
        AGENT.replace('label="again"', 'label="once more"') + "graph.add_key('more')\n", encoding="utf-8"
    )
    result = cli("resume", "r-1", "--adopt", "--trust")
    assert result.code == 10
    assert "state key 'more' was added" in result.err


@pytest.mark.parametrize(
    ("words", "code"), [(["resume"], 1), (["edit", "--set", "count=1"], 1), (["resume", "--adopt"], 6)]
)
def test_nothing_is_recorded_of_a_run_that_cannot_go_on(cli: Cli, words: list[str], code: int) -> None:
    path = cli.module(AGENT)
    stop = ["--break", "ask"] if words[0] == "resume" else []
    cli("run", "agent.py:graph", "--trust", "--run-id", "r-1", *stop)
    path.write_text(AGENT + "graph.add_key('more')\n", encoding="utf-8")
    trust = ["--trust"] if code == 1 else []
    limit = ["--max-cost", "1"] if words[0] == "resume" else []
    with open_store(str(cli.folder / "runs.db")) as store:
        before = store.load("r-1").pointer
        for _ in range(2):
            result = cli(words[0], "r-1", *words[1:], *limit, *trust)
            assert result.code == code, result.err
        assert store.load("r-1").pointer == before


def test_a_function_may_make_the_graph_anew_where_it_is_the_same(cli: Cli) -> None:
    head, builds, rest = AGENT.partition("graph = StateGraph")
    made = (builds + rest).partition("app = ")[0] + "return graph"
    cli.module(f"{head}def fresh():\n" + indent(made, "    "))
    assert cli("run", "agent.py:fresh", "--trust", "--run-id", "r-1", "--break", "ask").code == 0
    assert cli("resume", "r-1").code == 10


def test_a_function_that_makes_another_graph_each_time_is_told_by_its_differences(cli: Cli) -> None:
    cli.module(
        "from itertools import count\nfrom pathlib import Path\nfrom stepgraph import END, StateGraph\n"
        "def make():\n"
        "    number = len(list(Path(__file__).parent.glob('call*')))\n"
        "    Path(__file__).with_name(f'call{number}').touch()\n"
        "    graph = StateGraph('other', start='a')\n"
        "    graph.add_node('a', lambda state: {})\n"
        "    graph.add_node(f'b{number}', lambda state: {})\n"
        "    graph.add_edge('a', f'b{number}')\n"
        "    graph.add_edge(f'b{number}', END)\n"
        "    return graph\n"
    )
    assert cli("run", "agent.py:make", "--trust", "--run-id", "r-1", "--break", "a").code == 0
    result = cli("resume", "r-1")
    assert result.code == 1
    assert "node 'b0' was removed; node 'b1' was added" in result.err
    assert cli("resume", "r-1", "--adopt").code == 0


def test_a_run_whose_module_is_gone_says_so_and_can_still_be_looked_at(cli: Cli) -> None:
    path = cli.module(AGENT)
    assert cli("run", "agent.py:graph", "--trust", "--run-id", "r-1", "--break", "ask").code == 0
    path.unlink()
    for words in (["step"], ["resume"], ["step", "--adopt"]):
        result = cli(words[0], "r-1", *words[1:])
        assert result.code == 1
        assert f"{path}: error F001: there is no such file" in result.err
    assert cli("runs", "show", "r-1").code == 0
    assert cli("fork", "r-1").code == 0


def test_a_run_of_one_module_never_runs_the_code_of_another(cli: Cli) -> None:
    other = AGENT.replace('state["count"] + 1', 'state["count"] + 100')
    cli.module(AGENT, "one/agent.py")
    cli.module(other, "two/agent.py")
    for name in ("one", "two"):
        assert cli("run", f"{name}/agent.py:graph", "--trust", "--run-id", name, "--break", "work").code == 0
    assert [cli("step", name, "--json").json["values"]["count"] for name in ("one", "two")] == [1, 100]


# Other commands


def test_a_file_is_compared_with_a_python_graph(cli: Cli) -> None:
    cli.module(AGENT)
    cli.graph(COUNT)
    result = cli("diff", "graph.toml", "agent.py:graph", "--trust")
    assert result.code == 1
    assert "node 'ask' was added" in result.out
    same = cli("diff", "agent.py:graph", "agent.py:app", "--trust")
    assert same.code == 0
    assert "the same by meaning" in same.err


def test_breakpoints_are_kept_for_a_python_graph(cli: Cli) -> None:
    cli.module(AGENT)
    assert cli("breaks", "agent.py:graph", "--add", "ask", "--trust").code == 0
    assert "before ask" in cli("breaks", "agent:graph").out
    result = cli("run", "agent.py:graph", "--kept")
    assert result.code == 0
    assert "ask comes next" in result.err


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


def test_without_a_terminal_the_app_says_how_to_run_it(cli: Cli) -> None:
    cli.module(AGENT)
    for name in ("agent.py:graph", "agent:graph"):
        result = cli(name)
        assert result.code == 2
        assert f"stepgraph run {name}" in result.err


def test_a_run_whose_id_looks_like_a_module_is_still_a_run(cli: Cli) -> None:
    assert cli("run", cli.count(), "--run-id", "team:first", "--trust").code == 0
    assert cli("export", "team:first", "--to", "json").code == 0


def test_a_folder_is_served_with_a_python_graph_beside(cli: Cli) -> None:
    cli.module(AGENT)
    assert cli("check", "agent.py:graph", "--trust").code == 0
    graphs = _read(Output(), [cli.graph(COUNT), Path("agent.py:graph")], False)
    assert list(graphs) == ["count", "agent"]
    assert graphs["agent"].source == cli.folder / "agent.py:graph"


def test_a_long_import_is_ended_by_ctrl_c(cli: Cli) -> None:
    cli.module(
        "from pathlib import Path\n"
        "here = Path(__file__).parent\n"
        "(here / 'began').write_text('x')\n"
        "(here / 'never').read_text()\n"
    )
    os.mkfifo(cli.folder / "began")
    os.mkfifo(cli.folder / "never")
    with ctrl_c_heard():
        process = subprocess.Popen(
            [*COMMAND, "run", "agent.py:graph", "--trust", "--run-id", "r-1"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
    (cli.folder / "began").read_text(encoding="utf-8")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err) == ("", "interrupted\n")
    assert cli("runs", "show", "r-1").code == 4


WITH_ALL = """
from functools import partial
from stepgraph import END, BaseNode, LLMNode, NodeResult, StateGraph, ToolNode


def price_of(item: str, count: int = 1) -> dict:
    \"\"\"Look up a price.\"\"\"
    return {"price": 3 * count}


class Total(BaseNode):
    def execute(self, state):
        return NodeResult({"total": state["context"]["price"] + 1})


def add(amount, state):
    return {"total": state["total"] + amount}


graph = StateGraph("all", start="ask")
graph.add_key("item", default="tea")
graph.add_tool("price_of", price_of)
graph.add_node("ask", LLMNode(prompt="Which of {{ item }}?", replies=["tea"]))
graph.add_node("look_up", ToolNode(tool="price_of", arguments={"item": "{{ item }}", "count": 2}))
graph.add_node("total", Total())
graph.add_node("more", partial(add, 10))
graph.declare_node("inside", "subgraph", {"graph": "child.toml"})
graph.declare_node("own", "handler", {"handler": "agent:own"})
for pair in ("ask look_up", "look_up total", "total more", "more inside", "inside own"):
    graph.add_edge(*pair.split(), when=lambda context: context.step >= 0)
    graph.add_edge(pair.split()[0], END)
graph.add_edge("own", END)


def own(state):
    return {"owned": True}
"""
CHILD = """
format = 1
name = "child"
start = "twice"

[nodes.twice]
type = "transform"
set = { double = "total" }

[[edges]]
from = "twice"
to = "END"
"""


def test_a_graph_may_have_everything_that_a_program_can_give_it(cli: Cli) -> None:
    cli.module(WITH_ALL)
    cli.graph(CHILD, "child.toml")
    assert "0 errors" not in cli("check", "agent.py:graph", "--trust").err
    (tool,) = cli("tools", "agent.py:graph", "--json").json
    assert (tool["name"], tool["from"], tool["description"]) == ("price_of", "Python", "Look up a price.")
    called = cli("tools", "call", "price_of", "--set", "item=tea", "--file", "agent.py:graph")
    assert called.code == 0, called.err
    assert called.json == {"price": 3}
    assert cli("run", "agent.py:graph", "--run-id", "r-1", "--break", "more").code == 0
    result = call("resume", "r-1", "--json")
    assert result.code == 0, result.err
    values = result.json["values"]
    assert (values["total"], values["owned"]) == (17, True)
