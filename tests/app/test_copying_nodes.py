"""Cutting, copying, pasting and duplicating nodes in the whole app."""

from __future__ import annotations

from stepgraph.editing.text import read_parts
from stepgraph_tui.dialogs.questions import GapQuestion
from tests.app.bench import (
    Bench,
    P,
    choose,
    dialog,
    header,
    press,
    said,
    until,
)
from tests.app.letters import (
    draw,
    edges,
    go,
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


def test_what_is_deleted_can_be_pasted_and_what_is_kept_after_all_takes_no_place(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        await press(pilot, "y")
        await go(pilot, "check")
        await press(pilot, "d")
        dialog(pilot, GapQuestion)
        await press(pilot, "escape", "P")
        assert "send_2" in nodes(pilot)  # nothing was deleted: what was copied before is pasted
        await press(pilot, "u")
        await go(pilot, "check")
        await press(pilot, "d", "d")
        assert "check" not in nodes(pilot)
        await press(pilot, "P")
        assert "check" in nodes(pilot)

    draw(bench, script)
