"""Big values in a run: conditions, templates, nodes, tools and people see them whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Executor, SqliteStore, StateGraph, ToolRegistry
from stepgraph.runs.views import open_run
from stepgraph.stores.base import StateStore
from stepgraph.stores.memory import MemoryStore

PAGE = "All of the report. " * 5_000


def _read(path: str) -> dict[str, str]:
    return {"text": PAGE + path}


def _count(text: str) -> dict[str, int]:
    return {"length": len(text)}


def _app(seen: list[Any]) -> Any:
    def look(state: Mapping[str, Any]) -> dict[str, Any]:
        seen.append(state["page"]["text"])
        return {"pages": {"first": state["page"]}, "looked": state.get("looked", 0) + 1}

    graph = StateGraph("reading", start="read", max_steps=9)
    graph.declare_node("read", "tool", {"tool": "read", "arguments": {"path": "a.txt"}, "output": "page"})
    graph.declare_node(
        "count", "tool", {"tool": "count", "arguments": {"text": "{{ page.text }}"}, "output": "count"}
    )
    graph.add_node("look", look)
    graph.add_edge("read", "count", when="'a.txt' in page.text")
    graph.add_edge("count", "look")
    graph.add_edge("look", "look", when="looked < 3 and pages.first == page")
    graph.add_edge("look", END)
    return graph.compile()


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> StateStore:
    return (
        MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "runs.db", durability="normal")
    )


# acceptance 108
def test_a_run_with_a_big_value_goes_as_any_other(store: StateStore, tmp_path: Path) -> None:
    seen: list[Any] = []
    tools = ToolRegistry()
    tools.register("read", _read)
    tools.register("count", _count)
    with store:
        executor = Executor(_app(seen), store, tools=tools)
        run = executor.run(executor.start({"doc": PAGE}, run_id="r-1"))
        run.raise_for_status()
        assert run.values["count"] == {"length": len(PAGE) + 5}
        assert seen == [PAGE + "a.txt"] * 3
        again = executor.load("r-1")
        assert dict(again.values) == dict(run.values)
        assert again.outputs == run.outputs
        assert [record.updates for record in again.history] == [record.updates for record in run.history]
        forked = executor.fork("r-1", at=2, new_run_id="r-2")
        assert dict(executor.run(forked).values) == dict(run.values)
        assert open_run(store, "r-2").values_at(1)["page"] == {"text": PAGE + "a.txt"}
    if isinstance(store, SqliteStore):
        assert (tmp_path / "runs.db").stat().st_size < 10 * len(PAGE)
