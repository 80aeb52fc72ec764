"""The pane that lists the steps of a run, and whose cursor is the moment that is viewed."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph import END, StateGraph
from stepgraph_tui.widgets.trace import TracePane
from tests.app.playing import play
from tests.app.tracing import Driven, shown


def test_secrets_are_hidden_wherever_the_trace_quotes_them() -> None:
    graph = StateGraph("secretive", start="leak")
    graph.add_key("token", secret=True)
    graph.add_node("leak", lambda state: {"told": f"it is {state['token']}"})
    graph.add_node("fail", lambda state: 1 / len(state["missing hunter2-secret"]))
    graph.add_edge("leak", "fail")
    graph.add_edge("fail", END)
    driven = Driven(graph, **{"token": "hunter2-secret"}).finish()

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "k", "enter", "g", "enter")
        text = shown(pilot)
        assert "hunter2" not in text
        assert "***" in text
        assert 'told = "it is ***"' in text
        assert pilot.app.query_one(TracePane).search.find("hunter2") == "not found"

    play(driven.host(), script, size=(100, 60))
