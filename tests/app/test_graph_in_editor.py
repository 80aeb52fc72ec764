"""The user's own editor, opened from the app on the graph file and on fields."""

from __future__ import annotations

from stepgraph.files import read_graph
from stepgraph_tui.dialogs.questions import Confirm
from tests.app.bench import (
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    start,
    text,
    until,
    workbench,
)
from tests.app.filling import go_to
from tests.app.gates import GATED, WORK, Gate
from tests.app.letters import (
    BROKEN,
    EDGES,
    LETTERS,
    WITHOUT_SEND,
    delete_send,
    draw,
    edges,
    go,
    selected,
)
from tests.app.writing_editor import WritingEditor


def test_e_opens_the_file_at_the_line_of_what_is_selected_and_reads_it_again(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text.replace("Write.", "Write it well."))

    async def script(pilot: P) -> None:
        await go(pilot, "check")
        await press(pilot, "E")
        assert workbench(pilot).file.design.nodes["draft"].table["prompt"] == "Write it well."
        assert (selected(pilot), workbench(pilot).file.is_dirty) == ("check", False)
        await press(pilot, "o", "E")

    path = draw(bench, script)
    lines = LETTERS.split("\n")
    first = lines.index("[[edges]]", lines.index("[[edges]]") + 1) + 1
    assert bench.editor.opened == [(path, lines.index("[nodes.check]") + 1), (path, first)]


def test_e_asks_to_save_edits_first(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "E")
        dialog(pilot, Confirm)
        await press(pilot, "escape")
        assert bench.editor.opened == []
        await press(pilot, "E", "y")
        assert "SAVED" in header(pilot)
        assert len(bench.editor.opened) == 1

    assert list(read_graph(draw(bench, script)).nodes) == WITHOUT_SEND


def test_e_that_leaves_a_broken_file_shows_where_the_error_is_and_leads_there(bench: Bench) -> None:
    texts = iter([BROKEN, LETTERS])
    bench.editor = WritingEditor(lambda _: next(texts))

    async def script(pilot: P) -> None:
        await press(pilot, "E")
        assert "line 16" in text(pilot)
        assert edges(pilot) == EDGES
        await press(pilot, "E")
        assert workbench(pilot).file.checked.problems == ()

    path = draw(bench, script)
    assert bench.editor.opened[1] == (path, LETTERS.split("\n").index("[nodes.check]") + 1)


def test_an_editor_that_cannot_be_opened_says_why(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text, "there is no editor")

    async def script(pilot: P) -> None:
        await press(pilot, "E")
        assert "there is no editor" in said(pilot)

    draw(bench, script)


def test_e_waits_for_the_node_that_runs_and_names_the_file(bench: Bench, gate: Gate) -> None:
    path = bench.trusted(GATED, work=WORK)

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        await pilot.press("s")
        await gate.is_reached()
        await until(pilot, lambda: workbench(pilot).runs.busy)
        for mode in ("m", "m"):
            await pilot.press("E")
            assert "a node is still running" in said(pilot)
            await pilot.press(mode)
        gate.open()
        await settle(pilot)
        await press(pilot, "E")

    bench.play(script, path, size=(160, 40))
    assert [opened for opened, _ in bench.editor.opened] == [path]


def test_f4_edits_a_field_in_the_editor(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: f"{text} And well.\n")

    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        await go_to(pilot, "prompt")
        await press(pilot, "f4", "ctrl+j")
        assert workbench(pilot).file.design.nodes["draft"].table["prompt"] == "Write. And well."

    draw(bench, script)
