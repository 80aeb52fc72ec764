"""The graph as an indented list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log2
from typing import Any

import pytest
from hypothesis import given
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph import END, StateGraph
from stepgraph.graphs.validation import check
from stepgraph_tui.drawing import Diagram
from stepgraph_tui.drawing.outline.lines import OutlineLines
from stepgraph_tui.drawing.outline.wiring import Wiring
from stepgraph_tui.drawing.picture.glyphs import ASCII
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.graph_view import GraphView, OutlinePane
from tests.app.graph_host import GraphHost, graph_from, graph_of, refund, refund_at, refund_view
from tests.app.playing import play, screen_lines
from tests.drawing.diagrams import diagrams


def listed(pilot: Pilot[Any]) -> list[str]:
    """The lines on the screen, without the border at their right."""
    return [line.rstrip("│┃").rstrip() for line in screen_lines(pilot.app)]


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
        "    L hand_over  [2 other]",
        "      END",
        "✓ T lookup  done  [1 billing]",
        "✓ L draft  done",
        "✓ R amount_check  done",
        "  ► A review  NEXT  [1 high]",
        "      ↓ pay  [1 approved]",
        "    L refuse  [2 rejected]",
        "    ↓ notify",
        "    ↓ pay  [2 low]",
        "  T pay !",
        "  T notify",
        "    END",
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
        return [line for line in listed(pilot)[:5] if "hand_over" not in line and "END" not in line]

    assert play(GraphHost(pane), script) == [
        "✓ L classify  done",
        "► T lookup  NEXT  [1 billing]",
        "  L draft",
    ]


def test_what_is_not_reached_has_a_heading_and_what_is_wrong_its_mark() -> None:
    graph = graph_of("a a again", "a END", "lost lost2")
    graph.declare_node("typo", "toool", {})
    assert seen(graph) == [
        "● P a ▲2",
        "    ↑ a  [1 again]",
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
    own = Counter(line.node for line in lines if line.node not in {None, END} and not line.elsewhere)
    assert own == Counter([name for name in drawing.captions if name != END])


@given(diagrams())
def test_a_node_is_no_deeper_than_ways_part_around_it(diagram: Diagram) -> None:
    graph = graph_from(diagram)
    drawing = GraphDrawing(graph)
    lines = OutlineLines(drawing.names, Wiring(drawing.edges), graph.settings.start)
    nodes = [line for line in lines if line.node != END and not line.elsewhere]
    assert max((line.level for line in nodes), default=0) <= log2(max(1, len(nodes)))


def levels(*edges: str, start: str) -> dict[str | None, int]:
    """How far the own line of each node is indented."""
    drawing = GraphDrawing(graph_of(*edges, start=start))
    lines = OutlineLines(drawing.names, Wiring(drawing.edges), start)
    return {line.node: line.level for line in lines if line.node != END and not line.elsewhere}


@pytest.mark.parametrize(
    "aside",
    [(), ("n{0} n0 back",), ("n{0} END stop",), ("n{0} side{0} no", "side{0} END"), ("n{0} last no",)],
)
def test_a_long_chain_never_marches_to_the_right(aside: Sequence[str]) -> None:
    length = 200
    chain = [f"n{number} n{number + 1} on" for number in range(length)]
    others = [edge.format(number) for number in range(1, length) for edge in aside]
    found = levels(*chain, *others, start="n0")
    assert {found[f"n{number}"] for number in range(3, length)} == {found["n1"]}
    assert found["n1"] <= 1


def test_where_ways_meet_the_list_is_back_at_the_level_where_they_parted() -> None:
    assert levels("a b", "a c", "b d", "c d", "d e", start="a") == {"a": 0, "b": 1, "c": 1, "d": 0, "e": 0}


def test_keys_go_line_by_line_and_fold_the_blocks() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> list[str | None]:
        pane.draw(refund())
        await pilot.pause()
        found = []
        for key in ["j", "j", "k", "l", "j", "h", "h", "j", "k", "l", "l"]:
            await pilot.press(key)
            found.append(pane.selection.node)
        return found

    assert play(GraphHost(pane), script) == [
        "classify", "hand_over", "classify", "hand_over", END, "classify", "classify", "lookup",
        "classify", "classify", "hand_over",
    ]  # fmt: skip


def test_a_folded_block_says_how_much_it_holds_and_opens_for_what_is_selected_or_runs() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> None:
        pane.draw(refund())
        pane.moment = refund_at(3)
        pane.selection.select("amount_check")
        await pilot.press("h")
        assert "► R amount_check  NEXT  ▸ 5 lines" in listed(pilot)
        assert "review" not in "".join(listed(pilot))
        pane.draw(refund())  # as after an edit
        await pilot.pause()
        assert "review" not in "".join(listed(pilot))
        pane.moment = refund_at(4)
        await pilot.pause()
        assert any("A review  NEXT" in line for line in listed(pilot))
        await pilot.press("h", "h")
        pane.selection.select("refuse")
        await pilot.pause()
        assert any("L refuse" in line for line in listed(pilot))

    play(GraphHost(pane), script)


def test_pages_go_through_the_list_and_its_lines_are_read_to_their_ends() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> None:
        pane.draw(graph_of(*(f"n{n} n{n + 1} with_a_long_label_{n}" for n in range(100)), start="n0"))
        pane.selection.select("n0")
        await pilot.pause()
        found = []
        for key in ["ctrl+d", "pagedown", "ctrl+u", "pageup", "pageup"]:
            await pilot.press(key)
            found.append(pane.selection.node)
        assert found == ["n5", "n15", "n10", "n0", "n0"]
        assert not any("label_0" in line for line in listed(pilot))
        await pilot.press("L", "L")
        await pilot.pause()
        assert any("label_0" in line for line in listed(pilot))
        await pilot.press("H", "H")
        assert pane.scroll_offset.x == 0

    play(GraphHost(pane), script, (20, 10))


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
        assert pane.cursor == 12
        await pilot.click(offset=(6, 4), times=2)
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
        assert pane.search.find("t") == "4 of 5"
        pane.search.end()
        await pilot.pause()
        return app.selections

    assert play(GraphHost(pane), script) == [
        ("classify", None), ("classify", 0), ("classify", 1), ("classify", None), ("review", 7),
        ("review", 8),
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
