"""Graphs in Python modules: how they are named, found, trusted, loaded and copied."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stepgraph import (
    DebugSession,
    DefinitionChanged,
    Executor,
    GraphFileError,
    MemoryStore,
    StateGraph,
    TrustError,
)
from stepgraph.documents.loader import from_document
from stepgraph.files import (
    GraphRef,
    agreement,
    grant,
    graph_ref,
    is_trusted,
    load_graph,
    to_be_trusted,
    trust_folder,
    trust_question,
    unopened,
)
from stepgraph.runs import operations
from stepgraph.runs.views import open_run

from .conftest import WriteText

MODULE = """
from stepgraph import END, StateGraph

graph = StateGraph("mine", start="a", max_steps=7, note="a note")
graph.add_key("x", default=1, secret=True)
graph.add_tool("t", lambda: {})
graph.add_node("a", lambda state: {"ran": 1}, note="first", timeout="3s")
graph.declare_node("b", "router", {"key": "x", "threshold": 1, "high": "h", "low": "l"})
graph.add_edge("a", "b", when=lambda context: True, label="on")
graph.add_edge("a", END)
graph.add_edge("b", END, when="x == 2")
graph.add_edge("b", "a")
app = graph.compile()
"""


def trusted(path: Path, name: str = "graph") -> GraphRef:
    ref = GraphRef(path, name)
    grant(unopened(ref))
    return ref


# Names


@pytest.mark.parametrize(
    ("path", "file", "name"),
    [
        ("/x/agent.py:graph", "/x/agent.py", "graph"),
        ("/x/a b:c/agent.py:größe", "/x/a b:c/agent.py", "größe"),
        ("/x/../y/agent.py:g", "/y/agent.py", "g"),
        ("/x/my.agent.py:g", "/x/my.agent.py", "g"),
    ],
)
def test_a_path_names_a_graph_of_a_module(path: str, file: str, name: str) -> None:
    ref = graph_ref(path)
    assert ref == GraphRef(Path(file), name)
    assert graph_ref(ref.path) == ref


@pytest.mark.parametrize(
    "path",
    [None, "", "graph.toml", "/x/agent.py", "/x/agent.py:", "/x/agent.py:a b", "/x/agent.py:1a", ":graph",
     "/x/agent.py:a.b", "agent:graph", "C:/x/graph.toml", "/x/a.py:b/graph.toml"],
)  # fmt: skip
def test_every_other_path_names_none(path: str | None) -> None:
    assert graph_ref(path) is None


def test_a_module_has_the_name_that_its_packages_give_it(write: WriteText, tmp_path: Path) -> None:
    init = write("", "shop/__init__.py")
    sub = write("", "shop/parts/__init__.py")
    deep = GraphRef(write("", "shop/parts/agent.py"), "graph")
    assert (deep.folder, deep.module, deep.handler) == (
        tmp_path,
        "shop.parts.agent",
        "shop.parts.agent:graph",
    )
    assert deep.files == {"shop": init, "shop.parts": sub, "shop.parts.agent": deep.file}
    own = GraphRef(init, "graph")
    assert (own.folder, own.module, own.files) == (tmp_path, "shop", {"shop": init})
    plain = GraphRef(write("", "plain/agent.v2.py"), "graph")
    assert (plain.folder, plain.module) == (tmp_path / "plain", "agent_v2")


# Trust


def test_trust_covers_the_module_and_its_packages_and_nothing_else(write: WriteText) -> None:
    init = write("", "shop/__init__.py")
    path = write(MODULE, "shop/agent.py")
    helper = write("", "shop/helper.py")
    ref = GraphRef(path, "graph")
    assert not is_trusted(unopened(ref))
    with pytest.raises(TrustError) as caught:
        load_graph(ref)
    assert caught.value.files == (str(init), str(path))
    grant(unopened(ref))
    helper.write_text("# changed")
    graph = load_graph(ref)
    for same in (graph, graph.compile(), unopened(ref)):
        assert is_trusted(same)
        assert agreement(same) == agreement(unopened(ref))
    assert not is_trusted(unopened(GraphRef(path, "app")))
    init.write_text("# changed")
    assert not is_trusted(graph)


def test_a_trusted_folder_covers_its_modules_as_they_change(write: WriteText) -> None:
    ref = GraphRef(write(MODULE, "agent.py"), "graph")
    trust_folder(unopened(ref))
    assert load_graph(ref).name == "mine"
    ref.file.write_text(MODULE.replace('"mine"', '"other"'))
    assert load_graph(ref).name == "other"


# Loading


def test_both_are_one_definition_and_the_modules_own_graph_stays_as_it_is(write: WriteText) -> None:
    path = write(MODULE + "def own(): assert graph.source is None\n", "agent.py")
    graph, app = load_graph(trusted(path)), load_graph(trusted(path, "app"))
    assert graph.document == app.document
    with pytest.raises(GraphFileError, match="'own' returned nothing"):
        load_graph(trusted(path, "own"))


DECLARED = """
from stepgraph import END, StateGraph

graph = StateGraph("g", start="a")
graph.declare_node("a", "transform", {"set": {"y": 1}})
graph.add_edge("a", END)
"""


def forged(source: Path) -> StateGraph:
    """A graph that says to be in a module, and runs a command."""
    graph = StateGraph("g", start="a")
    graph.declare_node("a", "tool", {"tool": "t"})
    graph.add_edge("a", "END")
    graph.tools["t"] = from_document(
        {"tools": {"t": {"command": ["touch", str(source.parent / "ran")]}}}
    ).tools["t"]
    graph.source = source
    return graph


def test_who_trusts_a_module_trusts_nothing_that_a_store_says_of_its_graph(write: WriteText) -> None:
    ref = trusted(write(DECLARED, "agent.py"))
    assert is_trusted(load_graph(ref))
    assert not is_trusted(forged(ref.path))
    with pytest.raises(TrustError, match="runs commands"):
        Executor(forged(ref.path).compile())
    store = MemoryStore()
    plain = forged(ref.path).compile()
    run = operations.start(plain, store, {}, "r-1", 0.0)
    with pytest.raises(TrustError):
        Executor(open_run(store, run.id).plan, store)
    with pytest.raises(DefinitionChanged, match="tool 't' was removed"):
        DebugSession.open(store, run.id)
    assert not (ref.file.parent / "ran").exists()


def test_what_is_asked_for_a_run_is_its_module(write: WriteText) -> None:
    ref = GraphRef(write(DECLARED, "agent.py"), "graph")
    assert trust_question(to_be_trusted(forged(ref.path))).files == (str(ref.file),)
    plain = StateGraph("plain", start="a")
    assert to_be_trusted(plain) is plain
    with pytest.raises(GraphFileError, match="there is no such file"):
        to_be_trusted(forged(ref.file.parent / "gone.py:graph"))


@pytest.mark.parametrize("name", ["agent.py", "__init__.py"])
def test_nobody_waits_for_a_module_that_is_a_pipe(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    graph = StateGraph("g", start="a").of_module(tmp_path / f"{name}:graph")
    assert not is_trusted(graph)
    assert trust_question(graph).files == (str(tmp_path / name),)


def test_a_builder_that_is_copied_keeps_up_with_neither() -> None:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {})
    assert graph.graph.number_of_nodes() == 1
    copy = graph.of_module(Path("/x/agent.py:graph"))
    copy.add_node("b", lambda state: {})
    graph.add_edge("a", "END")
    assert (list(graph.nodes), list(copy.nodes)) == (["a"], ["a", "b"])
    assert (len(graph.edges), len(copy.edges)) == (1, 0)
    assert (set(graph.graph), set(copy.graph)) == ({"a", "END"}, {"a", "b"})
    assert (graph.source, copy.source) == (None, Path("/x/agent.py:graph"))
