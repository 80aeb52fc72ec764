"""Leaving a graph with unsaved edits."""

from __future__ import annotations

from stepgraph.files import read_graph
from stepgraph_tui.dialogs.questions import Confirm, RestoreDraft
from stepgraph_tui.documents import GraphDrafts
from tests.app.bench import (
    LARGE,
    Bench,
    P,
    dialog,
    header,
    press,
    text,
)
from tests.app.letters import (
    EDGES,
    LETTERS,
    WITHOUT_SEND,
    delete_send,
    edges,
    nodes,
)


def test_quitting_asks_once_keeps_the_edits_and_the_next_opening_offers_them(bench: Bench) -> None:
    async def leave(pilot: P) -> list[str] | None:
        await delete_send(pilot)
        await press(pilot, "ctrl+q")
        assert "unsaved edits" in dialog(pilot, Confirm).question
        await press(pilot, "enter")
        assert nodes(pilot) == WITHOUT_SEND
        await press(pilot, "ctrl+q")
        await pilot.press("y")
        return pilot.app.return_value

    path = bench.graph(LETTERS)
    words = bench.play(leave, path, design=True, size=LARGE)
    assert words == [f"the edits of {path} are not saved: you get them back when you open it again"]
    assert path.read_text(encoding="utf-8") == LETTERS

    async def come_back(pilot: P) -> None:
        dialog(pilot, RestoreDraft)
        await press(pilot, "equals_sign")
        assert "node 'send' was removed" in text(pilot)
        await press(pilot, "escape")
        dialog(pilot, RestoreDraft)
        await press(pilot, "y")
        assert nodes(pilot) == WITHOUT_SEND
        assert "DESIGN   MODIFIED" in header(pilot)
        await press(pilot, "u")
        assert edges(pilot) == EDGES
        await press(pilot, "U", "ctrl+s")
        assert "SAVED" in header(pilot)

    bench.play(come_back, path, size=LARGE)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert GraphDrafts(bench.folder / "drafts").of(path) is None
