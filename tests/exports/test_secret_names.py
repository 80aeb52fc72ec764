"""A node whose name holds a secret is called by no format, wherever a run stands at it or leads to it."""

from __future__ import annotations

import json

import pytest

from stepgraph import END, Executor, StateGraph
from stepgraph.formats.export import Exportable, ExportFormat
from stepgraph.values.errors import ExportError
from stepgraph_tui.exports import FORMATS

SECRETS = ["hunter2-secret", 'quo"ted\\', "<b>&amp;", "pässwörd☃"]


def failing(secret: str) -> Exportable:
    graph = StateGraph(f"about {secret}", start="first")
    graph.add_key("token", default=secret, secret=True)
    graph.declare_node("first", "transform", {"set": {"seen": 1}})
    graph.declare_node(f"use {secret}", "transform", {"set": {"late": "{{ not_there }}"}})
    graph.add_edge("first", f"use {secret}", "seen == 1", f"with {secret}")
    graph.add_edge("first", END)
    graph.add_edge(f"use {secret}", END)
    executor = Executor(graph.compile())
    run = executor.start({})
    executor.run(run)
    assert executor.load(run.id).current == f"use {secret}"
    return Exportable.of_run(executor.load(run.id))


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("wanted", FORMATS, ids=lambda wanted: wanted.name)
def test_no_export_calls_a_node_by_a_secret(wanted: ExportFormat, secret: str) -> None:
    exported = wanted.write(failing(secret))
    for text in (exported.text, *(more.text for more in exported.beside.values())):
        for spelled in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
            assert spelled not in text


def test_a_script_that_cannot_be_written_says_so_without_the_secret() -> None:
    graph = StateGraph("about hunter2-secret", start="a")
    graph.add_key("token", default="hunter2-secret", secret=True)
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END)
    python = next(each for each in FORMATS if each.name == "python")
    with pytest.raises(ExportError) as caught:
        python.write(Exportable.of_graph(graph.compile()))
    assert "hunter2" not in str(caught.value)
