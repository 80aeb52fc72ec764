"""Cutting, copying, pasting and duplicating nodes in the whole app."""

from __future__ import annotations

from stepgraph.editing.text import read_parts
from tests.app.bench import (
    Bench,
    P,
    choose,
    header,
    press,
    said,
    until,
)
from tests.app.letters import (
    draw,
    edges,
    nodes,
    selected,
)


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
        await press(pilot, "u", "g g", "o", "y")  # an edge is copied as its text
        await until(pilot, lambda: pilot.app.clipboard == "draft -> check")
        await press(pilot, "escape", "space", "j", "space")
        await choose(pilot, "Duplicate")
        assert {"draft_2", "check_2"} < set(nodes(pilot))
        assert "draft_2 check_2" in edges(pilot)
        assert "check_2 draft_2" in edges(pilot)
        assert "SAVED" not in header(pilot)

    draw(bench, script)
