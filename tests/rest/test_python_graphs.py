"""Runs of graphs in Python modules on the server: each is driven by the code of its own module."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Executor, GraphError, MemoryStore, StateGraph, TrustError
from stepgraph.files import GraphRef, grant, load_graph, unopened
from stepgraph.graphs.plan import CompiledGraph
from stepgraph_tui.server.driver import ThreadDriver
from stepgraph_tui.server.guard import RequestRefused
from stepgraph_tui.server.service import Service

MODULE = """
from stepgraph import END, StateGraph

graph = StateGraph("mine", start="work")
graph.add_node("work", lambda state: {"ran": "HERE"})
graph.add_edge("work", END)
"""


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is trusted away from the user's own folder."""
    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path / "home"))


def made(folder: Path, *, trusted: bool = True) -> GraphRef:
    """A module whose graph says where it is; all of them have one structure."""
    folder.mkdir()
    ref = GraphRef(folder / "mine.py", "graph")
    ref.file.write_text(MODULE.replace("HERE", folder.name), encoding="utf-8")
    if trusted:
        grant(unopened(ref))
    return ref


def run_on(driver: ThreadDriver, store: MemoryStore, app: CompiledGraph) -> object:
    """What a run says of the code that the server runs it with."""
    run = Executor(app, store).start({})
    driver.drive(run.id).result()
    return store.values(run.id, store.load(run.id).pointer.version).get("ran")


def test_a_run_of_a_program_is_not_driven_by_the_code_of_a_module_that_looks_the_same(tmp_path: Path) -> None:
    served = load_graph(made(tmp_path / "one")).compile()
    graph = StateGraph("mine", start="work")
    graph.add_node("work", lambda state: {"ran": "by the program"})
    graph.add_edge("work", "END")
    store = MemoryStore()
    driver = ThreadDriver(store, {served.definition_hash: served}, lambda *_: None)
    with pytest.raises(GraphError, match="Python objects that the store does not hold"):
        run_on(driver, store, graph.compile())
    driver.close()


def test_a_module_that_nobody_has_trusted_is_not_imported(tmp_path: Path) -> None:
    ref = made(tmp_path / "one")
    app = load_graph(ref).compile()
    ref.file.write_text("raise AssertionError('ran')", encoding="utf-8")
    store = MemoryStore()
    driver = ThreadDriver(store, {}, lambda *_: None)
    with pytest.raises(TrustError, match="is Python code that has changed since you trusted it"):
        run_on(driver, store, app)
    driver.close()


def test_a_python_graph_starts_where_its_module_says(tmp_path: Path) -> None:
    ref = made(tmp_path / "one", trusted=False)
    text = ref.file.read_text(encoding="utf-8")
    ref.file.write_text(text + "graph.add_node('other', lambda s: {})\ngraph.add_edge('other', END)\n")
    grant(unopened(ref))
    app, store = load_graph(ref).compile(), MemoryStore()
    driver = ThreadDriver(store, {app.definition_hash: app}, lambda *_: None)
    service = Service(store, {app.name: app}, driver, any_start=True)
    with pytest.raises(RequestRefused, match="graph 'mine' is Python, and starts where its module says"):
        service.start("mine", {}, start_node="other")
    assert store.runs() == []
    service.start("mine", {}).future.result()
    driver.close()
