"""What LangChain's agents and deep agents need: each as LangGraph does it, or as its server would."""

from __future__ import annotations

import ast
import asyncio
import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph")

from stepgraph import Decision, Executor, NodeFailed, Run, RunStatus, SqliteStore, StateError, check
from stepgraph.extras.langgraph.conversion import notes
from stepgraph.extras.langgraph.event_loop import awaited
from stepgraph.files.graph_refs import graph_ref, names_of_graphs
from tests.langgraph.side_by_side import by_langgraph, here, loaded_of, opened, path_of


def executed() -> list[str]:
    """Give what was executed since it was asked last."""
    found: list[str] = []
    for module in (module for name, module in sys.modules.items() if name.endswith(".agents")):
        if hasattr(module, "done"):
            found += module.done
            module.done.clear()
    return found


def ran(name: str, **inputs: Any) -> Run:
    executor = Executor(opened(f"agents:{name}").compile())
    run = executor.run(executor.start(inputs))
    run.raise_for_status()
    return run


def test_untracked_keys_go_from_node_to_node() -> None:
    run = ran("counting")
    assert run.values["log"] == [None, "plain", 1, 2]
    assert run.values["calls"] == 3


def test_an_answer_forgets_them_as_in_langgraph() -> None:
    graph = opened("agents:asking")
    theirs = by_langgraph(loaded_of(graph).compiled, {}, ["yes"])
    assert theirs.values == {"log": [None, "yes", None, None]}
    played = here(graph, {}, ["yes"])
    assert (played.path, played.values["log"]) == (theirs.path, theirs.values["log"])


@pytest.mark.parametrize(("elsewhere", "seen"), [(False, "Session"), (True, "NoneType")])
def test_untracked_objects_stay_in_their_process(elsewhere: bool, seen: str) -> None:
    graph = opened("agents:sessions")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert (run.status, run.values["log"]) == (RunStatus.PAUSED, ["Session"])
    session: Any = run.values["session"]
    assert session["class"] == "Session"
    if elsewhere:
        loaded_of(graph)._held.clear()
    run = executor.resume(run.id, Decision.approve(by="ana"))
    run.raise_for_status()
    assert run.values["log"] == ["Session", seen]
    assert ("session" in run.values) is not elsewhere


def test_the_last_hundred_untracked_objects_are_held() -> None:
    loaded = loaded_of(opened("agents:sessions"))
    first, *_, last = [loaded.written({"session": object()}) for _ in range(101)]
    assert loaded.read(first) == {}
    assert list(loaded.read(last)) == ["session"]


def test_what_nodes_stream_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("streaming").values["log"] == ["written", "awaited"]
    assert capsys.readouterr().out == "by the parameter\n{'progress': 1}\nawaited\n"


def test_classes_beside_the_graph_are_written_and_read_elsewhere(tmp_path: Path) -> None:
    graph = opened("agents:structured")
    with SqliteStore(tmp_path / "runs.db") as store:
        executor = Executor(graph.compile(), store)
        run = executor.start({}, "r-1")
        executor.step(run)
        assert run.values["x"] == {"$type": "Answer", "city": "Oslo", "degrees": 3}
        loaded = loaded_of(graph)
        vars(loaded).pop("values")  # as another process has it, which has written no such object
        run = executor.run(run)
        assert run.values["log"] == ["Answer", "Oslo"]


def test_a_context_is_made_of_defaults_or_asked_for() -> None:
    assert ran("by_default").values["log"] == [{"model": "small"}]
    assert ran("by_default", context={"model": "big"}).values["log"] == [{"model": "big"}]
    assert ran("required", context={"user": "ana"}).values["log"] == [{"user": "ana", "model": "small"}]
    with pytest.raises(StateError, match="'context' is missing"):
        ran("required")
    graph = opened("agents:required")
    assert graph.keys["context"].note == "The context of LangGraph's runtime: user, model."
    assert [problem for problem in check(graph) if problem.is_error] == []


@pytest.mark.parametrize(
    ("name", "edges", "log"),
    [("by_name", ["b", "END"], ["named", "b"]), ("by_code", ["a", "b", "c", "END"], ["computed", "b", "b"])],
)
def test_commands_that_nobody_declared_lead_where_the_code_says(
    name: str, edges: list[str], log: list[str]
) -> None:
    graph = opened(f"agents:{name}")
    assert [edge.target for edge in graph.edges if edge.source == "a"] == edges
    assert ran(name).values["log"] == log
    ref = graph_ref(graph.source)
    assert ref is not None
    (told,) = notes(loaded_of(graph).compiled, ref)
    assert told.startswith(f"'a' does not declare where its Command leads, so edges lead to {edges[0]}, ")


def test_a_store_is_there_where_none_was_given() -> None:
    assert ran("remembering").values["log"] == ["kept"]


@pytest.mark.parametrize(
    ("name", "executes"),
    [
        ("calling", ["plain hi", "shout hi"]),
        ("sending", ["plain hi", "shout hi"]),
        ("nested", ["does", "waits"]),
        ("sequence", ["does", "waits"]),
        ("delegated", ["does", "waits"]),
        ("fallback", ["refused", "waits", "waits"]),
    ],
)
def test_what_can_only_be_awaited_inside_is_awaited_and_nothing_runs_twice(
    name: str, executes: list[str]
) -> None:
    executed()
    ran(name, **({} if name in ("nested", "sequence", "fallback") else {"messages": []}))
    assert sorted(executed()) == sorted(executes)


def test_what_one_node_connects_another_uses() -> None:
    assert ran("connected").values["log"] == ["connected", "answered"]


def test_it_does_where_a_loop_runs_already_and_in_all_threads_of_a_pool() -> None:
    executor = Executor(opened("agents:connected").compile())
    run = executor.start({})

    async def within() -> None:
        executor.step(run)

    asyncio.run(within())
    with ThreadPoolExecutor(1) as pool:
        pool.submit(executor.run, run).result()
    assert run.values["log"] == ["connected", "answered"]


def test_a_thread_leaves_no_loop_open() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def note() -> None:
        loops.append(asyncio.get_running_loop())

    thread = threading.Thread(target=awaited, args=(note,), daemon=True)
    thread.start()
    thread.join()
    del thread
    gc.collect()
    awaited(note)
    assert [loop.is_closed() for loop in loops] == [True, False]


def test_what_a_person_has_not_implemented_is_not_tried_again() -> None:
    executed()
    with pytest.raises(NodeFailed, match="to do"):
        ran("never")
    assert executed() == ["not yet"]


def test_an_agent_behind_a_tool_goes_on_where_it_asked(tmp_path: Path) -> None:
    graph = opened("agents:deltas")
    executed()
    with SqliteStore(tmp_path / "runs.db") as store:
        run = Executor(graph.compile(), store).run(
            Executor(graph.compile(), store).start({"messages": []}, "r-1")
        )
        assert run.status is RunStatus.PAUSED
        run = Executor(graph.compile(), store).resume("r-1", Decision.respond("yes", by="ana"))
        run.raise_for_status()
        assert path_of(run) == ["model", "tools"]
        messages: Any = run.values["messages"]
    assert messages[-1]["content"] == "['hi', 1, 2, 'yes', 3, 5]"
    assert executed() == ["say", "say", "say"]


def test_what_a_run_asks_for_says_whether_it_is_a_text_a_list_or_a_table() -> None:
    keys = opened("agents:mail").keys.values()
    assert {key.name: key.type for key in keys if key.input} == {
        "mail": "table",
        "tags": "list",
        "size": None,
        "about": "text",
    }


@pytest.mark.parametrize("name", ["later", "by_config"])
def test_a_function_that_makes_a_graph_is_awaited_or_given_a_config(name: str) -> None:
    assert ran(name).values["log"] == [None, "plain", 1, 2]


def test_functions_that_make_a_graph_are_found_without_importing_them() -> None:
    code = "async def later(config):\n    return create_agent(model, await get())\n"
    assert names_of_graphs(ast.parse(code)) == ["later"]
