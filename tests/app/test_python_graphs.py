"""Graphs in Python modules, in the app: trusted, imported, stepped, mended in the editor and adopted."""

from __future__ import annotations

from stepgraph_tui.dialogs.questions import TrustDialog
from tests.app.bench import (
    LARGE,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    start,
    text,
    workbench,
)
from tests.app.python_graphs import (
    AGENT,
    BROKEN_LINE,
    MENDED,
    MENDED_LINE,
    line_of,
    module,
)
from tests.app.writing_editor import WritingEditor


def test_a_failed_step_is_mended_in_the_editor_and_the_run_goes_to_its_end(bench: Bench) -> None:
    path = module(bench.folder, trusted=True)
    bench.editor = WritingEditor(lambda old: old.replace(BROKEN_LINE, MENDED_LINE))

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        await press(pilot, "s", "s")
        assert "FAILED" in header(pilot)
        assert "the shelf" in text(pilot)
        await press(pilot, ", e")
        assert bench.editor.opened == [(bench.folder / "agent.py", line_of(AGENT, "raise RuntimeError"))]
        assert "has changed since you trusted it" in dialog(pilot, TrustDialog).question
        question = text(pilot)
        assert '-    raise RuntimeError("the shelf is empty")' in question
        assert '+    return {"found": "a book"}' in question
        await press(pilot, "y")
        assert "imported again" in said(pilot)
        await press(pilot, "1", "o", ", e")  # of an edge it is the call that adds that
        assert bench.editor.opened[1:] == [
            (bench.folder / "agent.py", line_of(MENDED, 'add_edge("look_up", END'))
        ]
        await press(pilot, "r")
        assert "ENDED" in header(pilot)

    bench.play(script, path)
    (run,) = bench.store.runs()
    assert bench.store.values(run.head.id, run.pointer.version)["found"] == "a book"
    assert run.head.source == str(path)


def test_a_module_that_an_edit_has_broken_keeps_the_last_good_graph(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)
    broken = MENDED + "\ngraph.add_edge(nothing, END)\n"
    bench.editor = WritingEditor(lambda old: MENDED)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        module(bench.folder, broken, trusted=True)
        workbench(pilot).files.look_at_disk()
        await settle(pilot)
        shown = text(pilot)
        assert "NameError" in shown
        assert "analyze" in shown
        assert "look_up" in shown
        assert workbench(pilot).grid.groups[2].active == "problems"
        await press(pilot, "s")
        assert "READY" in header(pilot)
        await press(pilot, "m")
        assert "NOT IMPORTED" in header(pilot)
        trust_before = len(bench.editor.opened)
        await press(pilot, ", e")
        assert bench.editor.opened[trust_before:] == [
            (bench.folder / "agent.py", line_of(broken, "nothing, END"))
        ]
        assert "PYTHON" in header(pilot)
        await press(pilot, "m", "c")
        assert "ENDED" in header(pilot)

    bench.play(script, path, size=LARGE)


# Design


# Found again
