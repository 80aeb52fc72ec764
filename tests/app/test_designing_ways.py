"""Building a graph in the whole app: where new nodes go, what deleted ones leave, what stays in place."""

from __future__ import annotations

from textual.geometry import Offset

from stepgraph_tui.dialogs.design import NodeForm
from tests.app.bench import SMALL, Bench, P, header, press, said, text, workbench
from tests.app.filling import form_on_top, type_in
from tests.app.letters import EDGES, design, draw, edges, go, nodes, selected


def test_an_edge_is_led_to_a_node_that_is_not_there_yet(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        await press(pilot, "C")
        assert "▸ +  new node..." in text(pilot)
        await type_in(pilot, "router")
        assert "new router node" in text(pilot)
        await press(pilot, "enter")
        form_on_top(pilot, NodeForm)
        await press(pilot, "escape")
        assert (edges(pilot), selected(pilot)) == (EDGES, "send")
        assert said(pilot) == "undid: add router on a branch of send"
        assert "SAVED" in header(pilot)
        assert not workbench(pilot).file.history.can_redo
        await press(pilot, "C")
        await type_in(pilot, "archive")
        await press(pilot, "enter")
        assert "The type of archive" in text(pilot)
        await press(pilot, "enter", "ctrl+j", "ctrl+j")  # its form, then that of the edge
        assert edges(pilot)[3:] == ["send archive", "send END", "archive END"]
        assert design(pilot).nodes["archive"].table["type"] == "llm"
        await press(pilot, "u")
        assert (nodes(pilot), edges(pilot)) == (["draft", "check", "send"], EDGES)

    draw(bench, script, size=SMALL)


# What stays in place


def place(pilot: P, node: str) -> Offset:
    """Where a node is on the screen."""
    viewport = workbench(pilot).panes.graph_view.viewport
    assert viewport.laid_out is not None
    return viewport.laid_out.place_of(node).offset + viewport.shift
