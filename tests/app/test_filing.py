"""The file of a graph that is edited: saving it, and what becomes of changes from elsewhere."""

from __future__ import annotations

from dataclasses import replace

from textual.widgets import Input

from stepgraph import Breakpoint, Watch
from stepgraph.files import read_graph
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph_tui.dialogs.questions import DiskChanged
from tests.app.bench import (
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    text,
    workbench,
)
from tests.app.letters import (
    LETTERS,
    OTHER,
    WITHOUT_SEND,
    delete_send,
    draw,
    file_of,
    go,
    nodes,
    stir,
)

# Saving


# Changes from elsewhere


async def come_into_conflict(pilot: P) -> None:
    """Edit here, write there, and try to save."""
    await delete_send(pilot)
    file_of(pilot).write_text(OTHER, encoding="utf-8")
    await stir(pilot)
    assert "CHANGED ON DISK" in header(pilot)
    assert "ctrl+s shows both" in said(pilot)
    assert nodes(pilot) == WITHOUT_SEND
    await press(pilot, "ctrl+s")
    dialog(pilot, DiskChanged)


def test_what_changed_on_disk_can_be_overwritten_and_stays_as_a_copy(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await come_into_conflict(pilot)
        await press(pilot, "o")
        assert "DESIGN   SAVED" in header(pilot)
        assert "graph.toml.bak" in said(pilot)

    path = draw(bench, script)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert path.with_name("graph.toml.bak").read_text(encoding="utf-8") == OTHER


# A copy


def test_a_copy_is_opened_with_the_edits_the_breakpoints_the_watches_and_the_pause_marks(
    bench: Bench,
) -> None:
    path = bench.graph(LETTERS, "letters.toml")
    copy, other = path.with_name("copy.toml"), path.with_name("other.toml")
    for id, entry in (
        ("b2", Breakpoint("before", "check", enabled=False)),
        ("w1", Watch("count", enabled=False)),
    ):
        KeptDebugging(path).replace(replace(entry, id=id))
    KeptDebugging(other).add(Watch("letter"))

    async def save_copy(pilot: P, name: str) -> None:
        await press(pilot, ", a")
        pilot.app.screen.query_one(Input).value = str(path.with_name(name))
        await press(pilot, "enter")

    async def script(pilot: P) -> None:
        await go(pilot, "check")
        await press(pilot, "space", "m")
        await delete_send(pilot)
        await save_copy(pilot, "letters.toml")
        assert "there is a file of this name" in text(pilot)
        await press(pilot, "escape")
        await save_copy(pilot, "copy.toml")
        assert workbench(pilot).file.path == copy
        assert "send" not in read_graph(copy).nodes
        assert workbench(pilot).pauses.nodes == {"check"}
        assert [(each.id, each.enabled) for each in workbench(pilot).breaks.entries] == [("b2", False)]
        await press(pilot, "7")
        assert "▸ ○ count" in text(pilot)
        await press(pilot, "q")
        assert workbench(pilot).file.path == path
        assert workbench(pilot).file.is_dirty
        await save_copy(pilot, "other.toml")
        assert workbench(pilot).file.path == other
        assert workbench(pilot).breaks.entries == ()

    bench.play(script, path)
    assert [each.text for each in KeptDebugging(other).watches()] == ["letter"]  # it had its own
    assert [each.id for each in KeptDebugging(path).breakpoints()] == ["b2"]
