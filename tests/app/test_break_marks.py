"""The signs of breakpoints in the drawing and the outline, in every level of detail and in ASCII."""

from __future__ import annotations

from typing import get_args

import pytest

from stepgraph import Breakpoint
from stepgraph_tui.ascii import to_ascii
from stepgraph_tui.drawing.picture.break_marks import NO_BREAKS, BreakMarks, break_marks
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE, BreakSign, Glyphs
from stepgraph_tui.drawing.picture.node_content import Zoom
from stepgraph_tui.text.cells import cell_len
from tests.app.graph_host import refund
from tests.app.graph_look import listed, model_of, pictured

SIGNS: tuple[BreakSign, ...] = get_args(BreakSign)
DRAFT = Breakpoint("before", "draft", id="b1")


def drawn(marks: BreakMarks, zoom: Zoom = "compact", glyphs: Glyphs = UNICODE) -> str:
    model = model_of(refund(), glyphs=glyphs)
    model._put_breaks(NO_BREAKS, marks)
    return "\n".join(pictured(model, zoom))


@pytest.mark.parametrize("zoom", get_args(Zoom))
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("sign", SIGNS)
def test_each_sign_stands_at_its_node_and_moves_nothing(zoom: Zoom, glyphs: Glyphs, sign: BreakSign) -> None:
    plain = drawn(NO_BREAKS, zoom, glyphs)
    marked = drawn(BreakMarks({"draft": sign}), zoom, glyphs)
    differ = [(one, other) for one, other in zip(plain, marked, strict=True) if one != other]
    assert [other for _, other in differ] == [glyphs.breaks[sign]]
    (line,) = [line for line in marked.splitlines() if "draft" in line]
    assert glyphs.breaks[sign] in line


def test_a_pause_mark_stands_beside_it() -> None:
    model = model_of(refund())
    model._put_breaks(NO_BREAKS, BreakMarks({"draft": "on"}))
    model._pause_after(frozenset(), frozenset({"draft"}))
    assert any("‖ ■L draft" in line for line in pictured(model))
    assert any("‖L■draft" in line for line in listed(model))


def test_an_edge_has_it_at_its_head_and_in_the_outline_in_its_brackets() -> None:
    graph = refund()
    (edge,) = [edge for edge in graph.edges if (edge.source, edge.target) == ("lookup", "draft")]
    model = model_of(graph)
    plain = "\n".join(pictured(model))
    model._put_breaks(NO_BREAKS, BreakMarks({edge.index: "when"}))
    marked = "\n".join(pictured(model))
    assert [(a, b) for a, b in zip(plain, marked, strict=True) if a != b] == [("▼", "◊")]
    (line,) = [line for line in listed(model) if "draft" in line]
    assert line.endswith("◊]")


def test_signs_differ_are_one_cell_wide_and_have_a_form_in_ascii() -> None:
    for glyphs in (UNICODE, ASCII):
        assert len(set(glyphs.breaks.values())) == len(SIGNS)
        others = {*glyphs.marks.values(), glyphs.pause, glyphs.error, glyphs.warning, glyphs.picked}
        assert others.isdisjoint(glyphs.breaks.values())
    for sign in SIGNS:
        assert cell_len(UNICODE.breaks[sign]) == 1
        assert to_ascii(UNICODE.breaks[sign]) == ASCII.breaks[sign]


@pytest.mark.parametrize(
    ("entries", "broken", "sign"),
    [
        ([DRAFT], (), "on"),
        ([Breakpoint("after", "draft", id="b1")], (), "on"),
        ([Breakpoint("before", "draft", when="x", id="b1")], (), "when"),
        ([Breakpoint("before", "draft", skip=1, id="b1")], (), "when"),
        ([Breakpoint("before", "draft", every=2, id="b1")], (), "when"),
        ([Breakpoint("before", "draft", log="x", id="b1")], (), "when"),
        ([Breakpoint("before", "draft", enabled=False, id="b1")], (), "off"),
        ([DRAFT], ("b1",), "broken"),
        ([Breakpoint("before", "draft", enabled=False, id="b2"), DRAFT], (), "on"),
        ([DRAFT, Breakpoint("before", "draft", when="x", id="b2")], (), "on"),
    ],
)
def test_the_loudest_breakpoint_of_a_place_is_seen(
    entries: list[Breakpoint], broken: tuple[str, ...], sign: BreakSign
) -> None:
    assert break_marks(entries, (), broken).signs == {"draft": sign}


def test_only_what_waits_at_a_place_has_a_sign_and_the_hit_is_told() -> None:
    graph = refund()
    on_state = [Breakpoint("changes", path="order", id="b2"), Breakpoint("fail", id="b3")]
    assert break_marks(on_state, graph.edges) is NO_BREAKS
    assert break_marks([DRAFT, *on_state], graph.edges, (), DRAFT).hit == "draft"
    assert break_marks([DRAFT, *on_state], graph.edges, (), on_state[0]).hit is None
    edge = Breakpoint("edge", "lookup", "draft", id="b4")
    marks = break_marks([edge], graph.edges, (), edge)
    assert marks.hit in marks.signs


def test_a_part_that_the_graph_does_not_have_has_no_sign() -> None:
    assert drawn(BreakMarks({999: "on"})) == drawn(NO_BREAKS)
    assert drawn(BreakMarks({"gone": "on"}, "gone")) == drawn(NO_BREAKS)
