"""The picture and the list of a graph while it is edited: what is looked at stays where it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.geometry import Offset
from textual.pilot import Pilot

from stepgraph import END, StateGraph
from stepgraph.editing import Part
from stepgraph_tui.screens.workbench.graph_edits import edge_in_words
from stepgraph_tui.widgets.graph_view import GraphPane, GraphView, OutlinePane
from stepgraph_tui.widgets.graph_view.part_mapping import PartMapping, join_renamings
from tests.app.graph_host import GraphHost, graph_of, refund
from tests.app.playing import play, screen_lines, widget_lines

LADDER = [f"n{number} n{number + 1}" for number in range(30)]


def place(view: GraphView, node: str) -> Offset:
    """Where a node is on the screen."""
    assert view.viewport.laid_out is not None
    return view.viewport.laid_out.place_of(node).offset + view.viewport.shift


def is_whole(view: GraphView, node: str) -> bool:
    """Whether the whole box of a node is seen."""
    assert view.viewport.laid_out is not None
    return view.viewport.seen.contains_region(view.viewport.laid_out.place_of(node))


def ladder(*edges: str) -> StateGraph:
    return graph_of(*LADDER, *edges, start="n0")


# What is kept


@pytest.mark.parametrize("pane", [GraphView, OutlinePane])
def test_a_renamed_node_stays_selected_and_so_does_an_edge_of_it(pane: type[GraphPane]) -> None:
    view = pane()

    async def script(pilot: Pilot[Any]) -> list[tuple[str | None, int | None]]:
        view.draw(graph_of("a b", "b c", "c END"))
        view.selection.select("b")
        view.selection.select_edge(1)
        view.draw(graph_of("a z", "z c", "c END"), (), {"b": "z"})
        kept = [(view.selection.node, view.selection.edge)]
        view.draw(graph_of("a z", "a c", "z c", "c END"))
        return [*kept, (view.selection.node, view.selection.edge)]

    assert play(GraphHost(view), script) == [("z", 1), ("z", 2)]


def test_the_way_back_leads_to_the_renamed_node() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> str | None:
        view.draw(graph_of("a b", "a c", "b d", "c d"))
        view.selection.select("c")
        await pilot.press("j")
        view.draw(graph_of("a b", "a z", "b d", "z d"), (), {"c": "z"})
        await pilot.press("k")
        return view.selection.node

    assert play(GraphHost(view), script) == "z"


@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_the_selected_node_stays_at_its_place_on_the_screen(direction: str) -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        if direction == "LR":
            view.action_turn()
        view.draw(ladder())
        view.selection.select("n15")
        await pilot.pause()
        at = place(view, "n15")
        view.draw(ladder("n3 x", "x n9", "n20 y", "y n22"))
        await pilot.pause()
        assert place(view, "n15") == at
        view.draw(graph_of("n0 n15", *LADDER[15:], start="n0"))
        await pilot.pause()
        assert is_whole(view, "n15")

    play(GraphHost(view), script, (50, 20))


def test_a_small_picture_grows_around_what_is_selected() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_of("a b", "b END"))
        view.selection.select("a")
        await pilot.pause()
        at = place(view, "a")
        view.draw(graph_of("a b", "a another_of_a_long_name", "b END", "another_of_a_long_name END"))
        await pilot.pause()
        assert place(view, "a") == at
        assert is_whole(view, "b")
        middle = view.viewport.shift
        await pilot.resize_terminal(90, 24)
        await pilot.pause()
        assert view.viewport.shift != middle  # in the middle again

    play(GraphHost(view), script)


def test_without_a_selection_in_view_the_topmost_node_stays_and_nothing_jumps() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(ladder())
        view.selection.select("n0")
        await pilot.pause()
        view.viewport.scroll(y=60)
        assert view.viewport.laid_out is not None
        top = view.viewport.laid_out.seen_nodes(view.viewport.seen)[0]
        at = place(view, top)
        view.draw(ladder("n2 x", "x n6"))
        await pilot.pause()
        assert place(view, top) == at

    play(GraphHost(view), script, (50, 20))


def test_what_is_selected_anew_comes_into_view() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(ladder())
        view.selection.select("n2")
        await pilot.pause()
        view.draw(ladder("n29 brand_new"))
        view.selection.select("brand_new")
        await pilot.pause()
        assert view.viewport.laid_out is not None
        assert view.viewport.seen.contains_region(view.viewport.laid_out.place_of("brand_new"))

    play(GraphHost(view), script, (50, 20))


def test_the_line_of_the_selected_node_stays_where_it_is_in_the_list() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> None:
        pane.draw(ladder())
        pane.selection.select("n15")
        await pilot.pause()
        row = pane.cursor - pane.scroll_offset.y
        pane.draw(ladder("n1 x", "n2 y", "n3 z"))
        await pilot.pause()
        assert pane.cursor - pane.scroll_offset.y == row
        assert pane.rows.lines[pane.cursor].node == "n15"

    play(GraphHost(pane), script, (50, 12))


def test_a_hidden_list_is_made_as_soon_as_it_is_seen() -> None:
    view = GraphView()
    pane = OutlinePane(beside=view)

    async def script(pilot: Pilot[Any]) -> list[str]:
        await pilot.app.mount(view)
        pane.display = False
        await pilot.pause()
        for graph in (graph_of("a b"), refund()):
            view.draw(graph)
            pane.draw(graph)
        assert len(pane.rows) == 0
        await pilot.press("h", "j", "k", "l")
        pane.action_move("down")
        pane.search.find("draft")
        pane.display = True
        await pilot.pause()
        assert pane.model.drawing is view.model.drawing
        return [line.rstrip("│┃").rstrip() for line in screen_lines(pilot.app)][:4]

    assert play(GraphHost(pane), script)[::3] == ["● L classify", "  T lookup  [1 billing]"]


# What is which


def test_edges_before_and_behind_an_edit_are_known_and_those_in_between_are_not() -> None:
    before = graph_of("a b", "b c", "c d", "d a").edges
    moved = PartMapping(before, graph_of("a b", "b x", "x c", "c d", "d a").edges, {})
    assert [moved.now(edge) for edge in range(4)] == [0, None, 3, 4]
    assert [moved.then(edge) for edge in range(5)] == [0, None, None, 2, 3]
    gone = PartMapping(before, graph_of("a b", "d a").edges, {})
    assert [gone.now(edge) for edge in range(4)] == [0, None, None, 1]
    renamed = PartMapping(before, graph_of("a z", "z c", "c d", "d a").edges, {"b": "z"})
    assert [renamed.now(edge) for edge in range(4)] == [0, 1, 2, 3]
    assert (renamed.now("b"), renamed.now("z"), renamed.then("z"), renamed.then("b")) == (
        "z",
        None,
        "b",
        None,
    )


names = st.dictionaries(st.sampled_from("abc"), st.sampled_from("abcdef"), max_size=3).filter(
    lambda found: (
        len(set(found.values())) == len(found) and not set(found.values()) & (set("abc") - set(found))
    )
)


@given(names, names)
def test_two_renamings_are_one(first: dict[str, str], second: dict[str, str]) -> None:
    both = join_renamings(first, second)
    there = {first.get(node, node) for node in "abc"}
    second = {old: new for old, new in second.items() if old in there}
    for node in "abc":
        once = first.get(node, node)
        assert join_renamings(first, second).get(node, node) == second.get(once, once)
    assert all(old != new for old, new in both.items())


@given(st.lists(st.sampled_from(["a b", "b a", "a a", "b END"]), max_size=8), st.data())
def test_what_an_edge_is_now_leads_back_to_what_it_was(edges: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(edges)))
    until = data.draw(st.integers(at, len(edges)))
    added = data.draw(st.lists(st.sampled_from(["a b", "b a", "a END"]), max_size=3))
    changed = [*edges[:at], *added, *edges[until:]]
    before, after = graph_of(*edges).edges, graph_of(*changed).edges
    moved = PartMapping(before, after, {})
    for position, edge in enumerate(before):
        now = moved.now(position)
        if now is not None:
            assert (after[now].source, after[now].target) == (edge.source, edge.target)
            assert moved.then(now) == position
    assert END not in (edge.source for edge in after)


def test_a_picture_that_leaned_to_a_side_stands_in_the_middle_of_a_pane_of_another_size() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        view.selection.select("hand_over")
        await pilot.pause()
        view.action_around()
        await pilot.pause()
        leaned = view.viewport.shift
        widget_lines(view)
        view.post_message(events.Resize(view.size, view.virtual_size))  # it may come after a frame
        await pilot.pause()
        assert view.viewport.shift != leaned
        seen = [view.render_line(y).text.rstrip() for y in range(view.size.height)]
        assert widget_lines(view) == seen

    play(GraphHost(view), script, (100, 40))


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (None, "a → b"),
        ({"key": "ok", "equals": True}, "a → b  when ok == True"),
        ("x > 1", "a → b  when x > 1"),
        ("x >", "a → b  when x >"),
        ({"predicate": "work:is_late"}, "a → b  when work:is_late"),
    ],
)
def test_an_edge_is_worded_as_its_condition_is_everywhere(when: object, said: str) -> None:
    table = {"from": "a", "to": "b"} | ({"when": when} if when is not None else {})
    assert edge_in_words(Part("edges", "", table)) == said
