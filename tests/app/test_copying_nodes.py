"""Cutting, copying, pasting and duplicating nodes in the whole app."""

from __future__ import annotations

from stepgraph.editing.text import read_parts
from tests.app.bench import (
    Bench,
    P,
    header,
    press,
    said,
    until,
)
from tests.app.filling import paste
from tests.app.letters import (
    EDGES,
    draw,
    edges,
    go,
    nodes,
    selected,
)

TWO = '[nodes.one]\ntype = "llm"\nprompt = "1"\n\n[nodes.two]\ntype = "llm"\nprompt = "2"\n'


def test_a_node_is_cut_and_pasted_behind_another(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "p")
        assert "nothing was copied" in said(pilot)
        await go(pilot, "send")
        await press(pilot, "x")
        assert nodes(pilot) == ["draft", "check"]
        assert said(pilot).startswith("cut send")
        await go(pilot, "draft")
        await press(pilot, "p")
        assert "draft send" in edges(pilot)
        assert "paste send" in said(pilot)
        assert selected(pilot) == "send"
        await press(pilot, "u", "u")
        assert edges(pilot) == EDGES

    draw(bench, script)


def test_copied_nodes_are_toml_and_marked_ones_are_duplicated_with_their_edges(
    bench: Bench,
) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "y")
        await until(pilot, lambda: said(pilot).startswith("copied"))
        parts = {(part.kind, part.name): part for part in read_parts(pilot.app.clipboard)}
        assert parts["nodes", "draft"].table["prompt"] == "Write."
        await press(pilot, "P")
        assert "draft_2" in nodes(pilot)
        assert not [edge for edge in edges(pilot) if edge.endswith("draft_2")]
        assert selected(pilot) == "draft_2"
        await press(pilot, "u", "g", "o", "y")  # an edge is copied as its text
        await until(pilot, lambda: pilot.app.clipboard == "draft -> check")
        await press(pilot, "escape", "space", "j", "space", "D")
        assert {"draft_2", "check_2"} < set(nodes(pilot))
        assert "draft_2 check_2" in edges(pilot)
        assert "check_2 draft_2" in edges(pilot)
        assert "SAVED" not in header(pilot)

    draw(bench, script)


def test_what_the_terminal_pastes_are_nodes_where_the_graph_has_the_keys(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        await paste(pilot, TWO)
        assert {"one", "two"} < set(nodes(pilot))
        assert "send one" in edges(pilot)
        assert selected(pilot) == "one"
        await press(pilot, "u", "6")
        await paste(pilot, TWO)
        assert "one" not in nodes(pilot)
        await press(pilot, "1", "m")
        await paste(pilot, TWO)
        assert "one" not in nodes(pilot)

    draw(bench, script)
