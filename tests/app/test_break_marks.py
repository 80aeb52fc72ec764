"""The signs of breakpoints in the drawing and the outline, in every level of detail and in ASCII."""

from __future__ import annotations

from stepgraph_tui.drawing.model import Zoom
from stepgraph_tui.drawing.picture.glyphs import UNICODE, Glyphs
from stepgraph_tui.drawing.picture.run_marks import NO_BREAKS, BreakMarks
from tests.app.graph_host import refund
from tests.app.graph_look import listed, model_of, pictured


def drawn(marks: BreakMarks, zoom: Zoom = "compact", glyphs: Glyphs = UNICODE) -> str:
    model = model_of(refund(), glyphs=glyphs)
    model._put_breaks(NO_BREAKS, marks)
    return "\n".join(pictured(model, zoom))


def test_a_pause_mark_stands_beside_it() -> None:
    model = model_of(refund())
    model._put_breaks(NO_BREAKS, BreakMarks({"draft": "on"}))
    model._pause_after(frozenset(), frozenset({"draft"}))
    assert any("‖ ■L draft" in line for line in pictured(model))
    assert any("‖L■draft" in line for line in listed(model))


def test_a_part_that_the_graph_does_not_have_has_no_sign() -> None:
    assert drawn(BreakMarks({999: "on"})) == drawn(NO_BREAKS)
    assert drawn(BreakMarks({"gone": "on"}, "gone")) == drawn(NO_BREAKS)
