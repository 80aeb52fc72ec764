"""Runs of LangGraph graphs go on in other processes: after an answer at the command line, after a kill."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph")

from stepgraph import Decision, Executor, GraphError, RunStatus, SqliteStore, StateGraph, UnknownRun
from stepgraph.files import grant
from stepgraph_tui.cli import main
from tests.cli.calling import COMMAND
from tests.crash.children import Child
from tests.crash.deadly import DeadlyStore
from tests.langgraph.side_by_side import (
    GRAPHS,
    by_langgraph,
    loaded_of,
    opened,
    path_of,
    state_of,
    typed,
)


def called(folder: Path, *words: str, code: int = 0) -> str:
    """Run the command in a process of its own, in a folder with the modules."""
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def test_a_node_says_what_to_install_where_langgraph_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = opened("reflection:builder")
    monkeypatch.setattr("stepgraph.extras.langgraph.node.find_spec", lambda name: None)
    with pytest.raises(GraphError) as caught:
        Executor(graph.compile())
    (problem,) = caught.value.problems
    assert (problem.place.node, problem.hint) == ("generate", "pip install 'stepgraph[langgraph]'")


def test_a_node_that_the_graph_no_longer_has_is_named(tmp_path: Path) -> None:
    (tmp_path / "reflection.py").write_bytes((GRAPHS / "reflection.py").read_bytes())
    graph = opened("reflection:builder", tmp_path / "reflection")
    graph.declare_node("more", "langgraph", {"graph": "reflection:builder", "node": "generates"})
    graph.add_edge("more", "END")
    with pytest.raises(GraphError) as caught:
        Executor(graph.compile())
    (problem,) = caught.value.problems
    assert (problem.place.node, problem.place.key, problem.hint) == (
        "more",
        "node",
        "did you mean 'generate'?",
    )


def test_nodes_of_langgraph_may_be_a_subgraph_of_another_graph(tmp_path: Path) -> None:
    (tmp_path / "asking.py").write_bytes((GRAPHS / "asking.py").read_bytes())
    called(tmp_path, "import", "langgraph", "asking:approval", "-o", "approval.toml", "--trust")
    (tmp_path / "outer.toml").write_text(
        'format = 1\nname = "outer"\nstart = "ask"\n\n[nodes.ask]\ntype = "subgraph"\n'
        'graph = "approval.toml"\noutputs = { verdict = "decision" }\n\n[[edges]]\nfrom = "ask"\nto = "END"\n'
    )
    graph = StateGraph.from_file(tmp_path / "outer.toml")
    grant(graph)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    run = executor.resume(run.id, Decision.respond("approve", by="ana"))
    run.raise_for_status()
    assert (run.status, run.values["verdict"]) == (RunStatus.ENDED, "approved")


def test_nothing_is_imported_before_trust(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "from pathlib import Path\nPath('imported').touch()\nfrom langgraph.graph import *\n"
        "graph = StateGraph(MessagesState)\ngraph.add_node('a', lambda state: {})\n"
        "graph.add_edge(START, 'a')\n"
    )
    assert called(tmp_path, "import", "langgraph", "loud:graph", code=6) == ""
    assert not (tmp_path / "imported").exists()
    text = called(tmp_path, "import", "langgraph", "loud:graph", "--trust")
    assert 'type = "langgraph"' in text
    assert (tmp_path / "imported").exists()


def test_importing_says_that_a_store_in_memory_is_gone_with_the_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "carried.py").write_bytes((GRAPHS / "carried.py").read_bytes())
    for name, told in (("remembering", 1), ("few_threads", 0)):
        assert main(["import", "langgraph", f"{tmp_path / 'carried.py'}:{name}", "--trust"]) == 0
        assert capsys.readouterr().err.count("its store is an InMemoryStore") == told


KILLED: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("reflection:builder", {"messages": "Write."}, []),
    ("tool_calling:graph", {"messages": "Calculate."}, []),
    ("asking:talking", {"messages": "Hello"}, ["a hotel", "bye"]),
    ("asking:tool_review", {"messages": "A hotel!"}, [{"type": "edit", "args": {"hotel": "Ritz"}}]),
    ("carried:objects", {}, []),
    ("sending:two_calls", {"messages": "Calculate."}, []),
    ("sending:asking_tool", {"messages": "Ask."}, ["Ana", {"at": "home"}]),
    ("sending:reduced", {}, []),
    ("asking_inside:several", {}, ["one", {"two": 2}, [3]]),
    ("asking_inside:outer", {}, ["yes", True, "no", 0]),
]


def drive(graph: StateGraph, store: SqliteStore, inputs: dict[str, Any], answers: list[Any]) -> None:
    """Go on with the run until it ends, whoever began it."""
    executor = Executor(graph.compile(), store)
    try:
        run = executor.load("r-1")
    except UnknownRun:
        run = executor.start(inputs, "r-1")
    while run.status is not RunStatus.ENDED:
        if run.status is RunStatus.PAUSED:
            answered = len(store.rows("r-1", kinds=("decision",)))
            executor.decide("r-1", Decision.respond(typed(answers[answered]), by="ana"))
            run = executor.load("r-1")
        executor.run(run)
        run.raise_for_status()


@pytest.mark.crash
@pytest.mark.parametrize(("name", "inputs", "answers"), KILLED)
def test_a_run_whose_process_is_killed_again_and_again_ends_as_langgraphs(
    name: str, inputs: dict[str, Any], answers: list[Any], tmp_path: Path
) -> None:
    graph = opened(name)
    theirs = by_langgraph(loaded_of(graph).compiled, inputs, answers)
    file = tmp_path / "runs.db"
    for number in range(100):

        def work(tell: Any, moment: Any = ("before", "after")[number % 2]) -> None:
            with DeadlyStore(file, 2, moment) as store:
                drive(graph, store, inputs, answers)
            tell("done")

        if Child(work).wait() == ["done"]:
            break
    assert number > 1  # it was killed, and more than once
    with SqliteStore(file) as store:
        run = Executor(graph.compile(), store).load("r-1")
        assert (path_of(run), state_of(run, graph)) == (theirs.path, theirs.values)
