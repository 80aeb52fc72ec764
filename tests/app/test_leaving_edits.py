"""Leaving a graph with unsaved edits."""

from __future__ import annotations

from stepgraph.files import read_graph
from stepgraph_tui.dialogs.design import NodeForm
from stepgraph_tui.dialogs.questions import Confirm, DiskChanged, RestoreDraft, Unsaved
from stepgraph_tui.documents import GraphDrafts
from stepgraph_tui.screens.home import HomeScreen
from tests.app.bench import (
    LARGE,
    Bench,
    P,
    dialog,
    header,
    press,
    text,
)
from tests.app.filling import fill, form_on_top, paste
from tests.app.letters import (
    EDGES,
    LETTERS,
    OTHER,
    WITHOUT_SEND,
    delete_send,
    draw,
    edges,
    file_of,
    nodes,
)


def test_edits_that_are_not_wanted_are_gone_with_their_draft(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "q", "x")
        dialog(pilot, HomeScreen)

    path = draw(bench, script)
    assert path.read_text(encoding="utf-8") == LETTERS
    assert GraphDrafts(bench.folder / "drafts").of(path) is None


def test_closing_with_edits_of_a_file_that_changed_asks_about_that_too(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        file_of(pilot).write_text(OTHER, encoding="utf-8")
        await press(pilot, "q", "s")
        dialog(pilot, DiskChanged)
        await press(pilot, "escape")
        assert nodes(pilot) == WITHOUT_SEND
        await press(pilot, "q", "s", "o")
        dialog(pilot, HomeScreen)

    assert list(read_graph(draw(bench, script)).nodes) == WITHOUT_SEND


def test_closing_asks_and_another_file_opens_above_the_edits_that_stay(
    bench: Bench,
) -> None:
    other = bench.graph(LETTERS.replace('"letters"', '"other"'), "other.toml")

    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "q")
        dialog(pilot, Unsaved)
        await press(pilot, "enter", "ctrl+o")  # who stays goes on
        await paste(pilot, str(other))
        await press(pilot, "enter")
        assert header(pilot).startswith(" other ")
        await press(pilot, "q")
        assert header(pilot).startswith(" letters *   DESIGN   MODIFIED")
        assert nodes(pilot) == WITHOUT_SEND
        await press(pilot, "q", "s")
        dialog(pilot, HomeScreen)

    assert list(read_graph(draw(bench, script)).nodes) == WITHOUT_SEND


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
        await press(pilot, "r")
        assert nodes(pilot) == WITHOUT_SEND
        assert "DESIGN   MODIFIED" in header(pilot)
        await press(pilot, "u")
        assert edges(pilot) == EDGES
        await press(pilot, "U", "ctrl+s")
        assert "SAVED" in header(pilot)

    bench.play(come_back, path, size=LARGE)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert GraphDrafts(bench.folder / "drafts").of(path) is None


def test_quitting_says_that_what_stands_in_a_form_is_lost(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        await fill(pilot, "", prompt="Write a lot of things.")
        await press(pilot, "ctrl+q")
        assert "typed into the form" in dialog(pilot, Confirm).question
        await press(pilot, "enter")
        form_on_top(pilot, NodeForm)

    draw(bench, script)
