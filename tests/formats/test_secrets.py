"""No format gives a secret away, wherever a graph or a run quotes it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, Decision, Executor, Run, StateGraph
from stepgraph.formats.export import FORMATS, Exportable, ExportFormat
from tests.examples import examples

SECRETS = st.text(st.characters(codec="utf-8", exclude_characters="{}*"), min_size=4, max_size=12).filter(
    lambda text: text == text.strip() and len(set(text)) > 3 and not text.isascii()
) | st.sampled_from(["s3cret-one", 'quo"ted\\', "multi\nline", "<b>&amp;", "tab\tbed", "it's-mine"])


def telling(secret: str) -> StateGraph:
    """A graph that quotes a secret wherever it can."""
    graph = StateGraph(f"about {secret}", start="first", note=f"It is {secret}.")
    graph.add_key("token", default=secret, secret=True, note=f"Not {secret}")
    graph.add_key("copy", default=[{"of": secret}])
    graph.add_tool("look", returns={"token": secret}, note=secret)
    asks: dict[str, Any] = {
        "prompt": f"{secret} is {{{{ token }}}}",
        "replies": [f"say {secret}"],
        "system": secret,
    }
    graph.declare_node("first", "llm", asks, note=f"Knows {secret}", side_effects=True)
    graph.declare_node("ask", "approval", {"prompt": "Use {{ token }}?", "action": secret, "show": ["token"]})
    graph.declare_node("set", "transform", {"set": {"late": "x{{ token }}x"}}, note=secret)
    graph.add_conditional_edge("first", "ask", "response", f"say {secret}", label=f"to {secret}", note=secret)
    graph.add_edge("first", END)
    graph.add_edge("ask", "set")
    graph.add_edge("set", END, "late == 1", secret)
    graph.add_edge("set", "first", "not_there == 1")
    return graph


def failed(graph: StateGraph, secret: str) -> Run:
    """A run of it that was decided, edited, and then failed."""
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"given": secret}))
    assert run.pending is not None
    decision = Decision.approve(by=f"ana {secret}", comment=secret)
    executor.resume(run.id, decision, review=run.pending.id, expect_hash=run.pending.hash)
    executor.edit(run.id, {"more": secret}, by="ana", comment=f"was {secret}")
    run = executor.load(run.id)
    assert run.error is not None
    return run


@pytest.mark.parametrize("wanted", FORMATS, ids=lambda wanted: wanted.name)
@given(secret=SECRETS)
@examples(40, deadline=None)
def test_a_secret_is_in_no_export(wanted: ExportFormat, secret: str) -> None:
    graph = telling(secret)
    sources = [Exportable.of_run(failed(graph, secret))]
    if not wanted.needs_run:
        sources.append(Exportable.of_graph(graph.compile()))
    for source in sources:
        exported = wanted.write(source)
        for text in (exported.text, *(more.text for more in exported.beside.values())):
            assert secret not in text
            assert repr(secret)[1:-1] not in text
