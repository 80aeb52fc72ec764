"""The graph as an indented list."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph import END, StateGraph
from stepgraph.graphs.validation import check
from stepgraph_tui.drawing import Diagram
from stepgraph_tui.drawing.picture.glyphs import ASCII
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.graph_view import GraphView, OutlinePane
from stepgraph_tui.widgets.graph_view.outline_lines import OutlineLines
from stepgraph_tui.widgets.graph_view.wiring import Wiring
from tests.app.graph_host import GraphHost, graph_from, graph_of, refund, refund_at, refund_view
from tests.app.playing import play, screen_lines
from tests.drawing.diagrams import diagrams


def listed(pilot: Pilot[Any]) -> list[str]:
    """The lines on the screen, without the border at their right."""
    return [line.rstrip("│").rstrip() for line in screen_lines(pilot.app)]


def seen(graph: StateGraph, moment: RunSnapshot | None = None, pane: OutlinePane | None = None) -> list[str]:
    pane = pane or OutlinePane()

    async def script(pilot: Pilot[Any]) -> list[str]:
        pane.draw(graph, check(graph))
        pane.moment = moment
        await pilot.pause()
        return [line for line in listed(pilot) if line]

    return play(GraphHost(pane), script)


def test_the_list_tells_status_type_name_and_the_edge_that_leads_there() -> None:
    assert seen(refund(), refund_at(4)) == [
        "✓ L classify  done",
        "  ✓ T lookup  done  [1 billing]",
        "  ✓ L draft  done",
        "  ✓ R amount_check  done",
        "    ► A review  NEXT  [1 high]",
        "        T pay !  [1 approved]",
        "        T notify",
        "          END",
        "        L refuse  [2 rejected]",
        "          ^notify",
        "        ^pay  [2 low]",
        "    L hand_over  [2 other]",
        "      END",
    ]


def test_a_past_moment_shows_the_marks_as_they_were() -> None:
    view = refund_view(4)
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> list[str]:
        pane.draw(refund())
        pane.moment = RunSnapshot.now(view)
        await pilot.pause()
        pane.moment = RunSnapshot.at(view, 1)
        await pilot.pause()
        return listed(pilot)[:3]

    assert play(GraphHost(pane), script) == [
        "✓ L classify  done",
        "  ► T lookup  NEXT  [1 billing]",
        "    L draft",
    ]


def test_what_is_not_reached_has_a_heading_and_what_is_wrong_its_mark() -> None:
    graph = graph_of("a a again", "a END", "lost lost2")
    graph.declare_node("typo", "toool", {})
    assert seen(graph) == [
        "● P a ▲2",
        "      ^a  [1 again]",
        "      END  [2 else ▲]",
        "Not reached from the start:",
        "  P lost ▲",
        "  P lost2 ✗1▲1",
        "  T typo ✗2▲1",
    ]


def test_a_plain_terminal_gets_plain_characters_only() -> None:
    assert all(line.isascii() for line in seen(refund(), refund_at(4), OutlinePane(glyphs=ASCII)))


@given(diagrams())
def test_every_edge_has_one_line_and_so_has_every_node(diagram: Diagram) -> None:
    graph = graph_from(diagram)
    drawing = GraphDrawing(graph)
    lines = OutlineLines(drawing.names, Wiring(drawing.edges), graph.settings.start)
    assert sorted(line.edge for line in lines if line.edge is not None) == list(range(len(graph.edges)))
    own = Counter(line.node for line in lines if line.node not in {None, END} and not line.again)
    assert own == Counter([name for name in drawing.captions if name != END])


@given(diagrams())
def test_the_first_of_several_edges_goes_one_level_deeper_and_a_single_one_stays(diagram: Diagram) -> None:
    graph = graph_from(diagram)
    drawing = GraphDrawing(graph)
    wiring = Wiring(drawing.edges)
    lines = OutlineLines(drawing.names, wiring, graph.settings.start)
    own = {line.node: line for line in lines if not line.again}
    for line in lines:
        if line.edge is not None:
            source = drawing.edges[line.edge].source
            several = len(wiring.at(source, "out")) > 1
            assert line.level == own[source].level + several


@pytest.mark.parametrize("length", [2_000])
def test_a_long_chain_is_no_deeper_than_a_short_one(length: int) -> None:
    graph = graph_of(*(f"n{number} n{number + 1}" for number in range(length)), start="n0")
    drawing = GraphDrawing(graph)
    assert {line.level for line in OutlineLines(drawing.names, Wiring(drawing.edges), "n0")} == {0}


def test_keys_go_line_by_line_and_level_by_level() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> list[str | None]:
        pane.draw(refund())
        await pilot.pause()
        found = []
        for key in ["j", "j", "l", "l", "h", "h", "h", "k", "l", "down", "G", "right", "up", "left", "g"]:
            await pilot.press(key)
            found.append(pane.selection.node)
        return found

    assert play(GraphHost(pane), script) == [
        "classify", "lookup", "review", "pay", "review", "amount_check", "classify", "classify", "lookup",
        "draft", END, END, "notify", "review", "classify",
    ]  # fmt: skip


def test_a_line_of_a_node_that_stands_above_selects_it_and_keeps_the_cursor_there() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, GraphHost)
        pane.draw(refund())
        await pilot.pause()
        await pilot.click(offset=(12, 9))
        assert (pane.selection.node, pane.cursor) == ("notify", 9)
        pane.selection.select("notify")
        assert pane.cursor == 9
        pane.selection.select("draft")
        pane.selection.select("notify")
        assert pane.cursor == 6
        await pilot.click(offset=(12, 2), times=2)
        assert app.selections == [("notify", None), ("draft", None)]
        assert isinstance(app.heard[-1], GraphView.Inspected)
        await pilot.click(offset=(12, 20))
        assert pane.selection.node == "draft"

    play(GraphHost(pane), script)


def test_edges_are_selected_as_in_the_picture_and_found_by_their_text() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> list[tuple[str | None, int | None]]:
        app = pilot.app
        assert isinstance(app, GraphHost)
        pane.draw(refund())
        await pilot.press("g", "o", "o", "escape")
        pane.back()
        assert pane.search.find("approved") == "1 of 1"
        assert pane.search.find("t") == "3 of 5"
        pane.search.end()
        await pilot.pause()
        return app.selections

    assert play(GraphHost(pane), script) == [
        ("classify", None), ("classify", 0), ("classify", 1), ("classify", None), ("review", 7),
        ("notify", None),
    ]  # fmt: skip


def test_keys_of_the_picture_alone_are_no_keys_here() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> set[str]:
        pane.draw(refund())
        await pilot.press("z", "Z", "0", "v")
        return set("zZ0vjO") & pane._bindings.key_to_bindings.keys()

    assert play(GraphHost(pane), script) == {"j", "O"}


def test_the_cursor_and_the_next_node_stay_in_view() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> None:
        pane.draw(graph_from(workflow(2_000)))
        await pilot.pause()
        for key in ["g", *"j" * 9, *"k" * 5]:
            await pilot.press(key)
            assert pane.scroll_offset.y <= pane.cursor < pane.scroll_offset.y + pane.size.height
        pane.draw(refund())
        pane.moment = refund_at(4)
        await pilot.pause()
        assert any("NEXT" in line for line in screen_lines(pilot.app))

    play(GraphHost(pane), script, (40, 5))


def test_a_line_far_to_the_right_comes_into_view_and_the_first_one_again() -> None:
    graph = StateGraph("deep", start="n0")
    for number in range(40):
        graph.add_node(f"n{number}", lambda state: {})
        graph.add_edge(f"n{number}", f"n{number + 1}" if number < 39 else END, label="on")
        graph.add_edge(f"n{number}", "n0", label="back")
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> None:
        pane.draw(graph)
        await pilot.pause()
        pane.selection.select("n39")
        await pilot.pause()
        assert "n39" in "".join(listed(pilot))
        pane.selection.select("n0")
        await pilot.pause()
        assert pane.scroll_offset.x == 0

    play(GraphHost(pane), script, (20, 10))


def test_nothing_to_list_is_said() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> list[str]:
        pane.draw(StateGraph("empty", start="a"))
        await pilot.press(*"jkhlgGoi")
        await pilot.press("enter")
        pane.search.find("x")
        return listed(pilot)

    assert "".join(play(GraphHost(pane), script)) == "There is no graph to list."


def test_a_graph_that_was_given_before_the_pane_is_on_screen_is_listed_then() -> None:
    pane = OutlinePane()
    pane.draw(refund())
    pane.selection.select("draft")

    async def script(pilot: Pilot[Any]) -> list[str]:
        return listed(pilot)

    assert play(GraphHost(pane), script)[0] == "● L classify"


def test_hostile_and_wide_names_stay_data_on_one_line_each() -> None:
    names = ["\x1b[31mred", "[bold]x[/]", "検討する", "a\nb", "n" * 300]
    graph = StateGraph("hostile", start=names[0])
    for name in names:
        graph.add_node(name, dict)
        graph.add_edge(names[0], name, label=name)
    lines = seen(graph)
    assert len(lines) == 6
    assert not any("\x1b" in line for line in lines)
    assert any("P 検討する ✗1▲1  [3 検討する ▲]" in line for line in lines)
