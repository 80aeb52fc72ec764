"""The picture and the list of a graph while it is edited: what is looked at stays where it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Offset
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph import END, StateGraph
from stepgraph_tui.drawing import Diagram, Picture, lay_out
from stepgraph_tui.widgets.graph_view import GraphPane, GraphView, layouts
from stepgraph_tui.widgets.graph_view.moved import Moved, joined
from stepgraph_tui.widgets.graph_view.sheet import Sheet
from stepgraph_tui.widgets.outline import Outline
from tests.app.graph_host import GraphHost, graph_from, graph_of, refund
from tests.app.graph_look import styled
from tests.app.playing import play, screen_lines
from tests.app.test_graph_movement import cell_of

LADDER = [f"n{number} n{number + 1}" for number in range(30)]
LARGE = workflow(200)


def place(view: GraphView, node: str) -> Offset:
    """Where a node is on the screen."""
    assert view.sheet is not None
    return view.sheet.place_of(node).offset + view.shift


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[Diagram]:
    """What was laid out, in order."""
    diagrams: list[Diagram] = []

    def note(diagram: Diagram) -> Picture:
        diagrams.append(diagram)
        return lay_out(diagram)

    monkeypatch.setattr(layouts, "lay_out", note)
    return diagrams


def ladder(*edges: str) -> StateGraph:
    return graph_of(*LADDER, *edges, start="n0")


# What is kept


@pytest.mark.parametrize("pane", [GraphView, Outline])
def test_a_renamed_node_stays_selected_and_so_does_an_edge_of_it(pane: type[GraphPane]) -> None:
    view = pane()

    async def script(pilot: Pilot[Any]) -> list[tuple[str | None, int | None]]:
        view.draw(graph_of("a b", "b c", "c __END__"))
        view.select("b")
        view.select_edge(1)
        view.draw(graph_of("a z", "z c", "c __END__"), (), {"b": "z"})
        kept = [(view.selected, view.selected_edge)]
        view.draw(graph_of("a z", "a c", "z c", "c __END__"))
        return [*kept, (view.selected, view.selected_edge)]

    assert play(GraphHost(view), script) == [("z", 1), ("z", 2)]


def test_the_way_back_leads_to_the_renamed_node() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> str | None:
        view.draw(graph_of("a b", "a c", "b d", "c d"))
        view.select("c")
        await pilot.press("j")
        view.draw(graph_of("a b", "a z", "b d", "z d"), (), {"c": "z"})
        await pilot.press("k")
        return view.selected

    assert play(GraphHost(view), script) == "z"


@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_the_selected_node_stays_at_its_place_on_the_screen(direction: str) -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        if direction == "LR":
            view.action_turn()
        view.draw(ladder())
        view.select("n15")
        await pilot.pause()
        at = place(view, "n15")
        view.draw(ladder("n3 x", "x n9", "n20 y", "y n22"))
        await pilot.pause()
        assert place(view, "n15") == at
        view.draw(graph_of("n0 n15", *LADDER[15:], start="n0"))
        await pilot.pause()
        assert view.seen.contains_region(view.sheet.place_of("n15")) if view.sheet is not None else False

    play(GraphHost(view), script, (50, 20))


def test_a_small_picture_grows_around_what_is_selected() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_of("a b", "b __END__"))
        view.select("a")
        await pilot.pause()
        at = place(view, "a")
        view.draw(graph_of("a b", "a another_of_a_long_name", "b __END__", "another_of_a_long_name __END__"))
        await pilot.pause()
        assert place(view, "a") == at
        assert view.seen.contains_region(view.sheet.place_of("b")) if view.sheet is not None else False
        middle = view.shift
        await pilot.resize_terminal(90, 24)
        await pilot.pause()
        assert view.shift != middle  # in the middle again

    play(GraphHost(view), script)


def test_without_a_selection_in_view_the_topmost_node_stays_and_nothing_jumps() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(ladder())
        view.select("n0")
        await pilot.pause()
        view.scroll_at_once(y=60)
        assert view.sheet is not None
        top = view.sheet.seen_nodes(view.seen)[0]
        at = place(view, top)
        view.draw(ladder("n2 x", "x n6"))
        await pilot.pause()
        assert place(view, top) == at

    play(GraphHost(view), script, (50, 20))


def test_what_is_selected_anew_comes_into_view() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(ladder())
        view.select("n2")
        await pilot.pause()
        view.draw(ladder("n29 brand_new"))
        view.select("brand_new")
        await pilot.pause()
        assert view.sheet is not None
        assert view.seen.contains_region(view.sheet.place_of("brand_new"))

    play(GraphHost(view), script, (50, 20))


def test_the_line_of_the_selected_node_stays_where_it_is_in_the_list() -> None:
    pane = Outline()

    async def script(pilot: Pilot[Any]) -> None:
        pane.draw(ladder())
        pane.select("n15")
        await pilot.pause()
        row = pane.cursor - pane.scroll_offset.y
        pane.draw(ladder("n1 x", "n2 y", "n3 z"))
        await pilot.pause()
        assert pane.cursor - pane.scroll_offset.y == row
        assert pane.lines[pane.cursor].node == "n15"

    play(GraphHost(pane), script, (50, 12))


def test_a_hidden_list_is_made_as_soon_as_it_is_seen() -> None:
    view = GraphView()
    pane = Outline(beside=view)

    async def script(pilot: Pilot[Any]) -> list[str]:
        await pilot.app.mount(view)
        pane.display = False
        await pilot.pause()
        for graph in (graph_of("a b"), refund()):
            view.draw(graph)
            pane.draw(graph)
        assert len(pane.lines) == 0
        await pilot.press("h", "j", "k", "l")
        pane.action_move("left")
        pane.find("draft")
        pane.display = True
        await pilot.pause()
        assert pane.drawing is view.drawing
        return [line.rstrip("│").rstrip() for line in screen_lines(pilot.app)][:3]

    assert play(GraphHost(pane), script)[:2] == ["● L classify", "    T lookup  [1 billing]"]


# What is laid out


@pytest.mark.parametrize("size", [20, 200])
def test_what_changes_no_box_and_no_line_is_not_laid_out_again(size: int, laid_out: list[Diagram]) -> None:
    view = GraphView()
    diagram = workflow(size)
    name = diagram.nodes[7].id
    other = "x" * len(name)

    async def script(pilot: Pilot[Any]) -> None:
        async def drawn(graph: StateGraph, renamed: dict[str, str] | None = None) -> None:
            view.draw(graph, (), renamed)
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()

        await drawn(graph_from(diagram))
        assert len(laid_out) == 1
        await drawn(graph_from(diagram))  # a note or a prompt was edited
        await drawn(renamed_in(diagram, name, other), {name: other})
        assert len(laid_out) == 1
        assert view.sheet is not None
        assert view.sheet.has(other)
        assert not view.sheet.has(name)
        await drawn(renamed_in(diagram, name, f"{other}_longer"), {other: f"{other}_longer"})
        assert len(laid_out) == 2
        await drawn(graph_from(diagram), {f"{other}_longer": name})
        assert laid_out[-1].previous

    play(GraphHost(view), script)


def renamed_in(diagram: Diagram, old: str, new: str) -> StateGraph:
    graph = StateGraph("renamed", start=diagram.nodes[0].id)
    for node in diagram.nodes:
        graph.add_node(new if node.id == old else node.id, dict, side_effects=not node.framed)
    for edge in diagram.edges:
        source, target = (new if end == old else end for end in (edge.source, edge.target))
        graph.add_edge(source, target, label=edge.label or None)
    return graph


@contextmanager
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[Diagram], list[int]]]:
    """Layouts wait in their thread until they are let go; which were begun, and how many at once."""
    go, begun, running, most = threading.Event(), list[Diagram](), [0], [0]

    def wait(diagram: Diagram) -> Picture:
        begun.append(diagram)
        running[0] += 1
        most[0] = max(most[0], running[0])
        assert go.wait(30)
        running[0] -= 1
        return lay_out(diagram)

    monkeypatch.setattr(layouts, "lay_out", wait)
    try:
        yield go, begun, most
    finally:
        go.set()


async def idle(pilot: Pilot[Any], view: GraphView) -> None:
    """Wait until no layout is on its way."""
    while view._layouts._is_busy:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


def test_of_edits_while_a_layout_runs_only_the_last_is_laid_out_and_nothing_older_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = GraphView()
    shown: list[int] = []
    put = view.put

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(LARGE))
        await idle(pilot, view)

        def note(sheet: Sheet) -> None:
            shown.append(len(sheet.boxes))
            put(sheet)

        monkeypatch.setattr(view, "put", note)
        with held(monkeypatch) as (go, begun, most):
            for extra in range(1, 6):
                graph = graph_from(LARGE)
                for number in range(extra):
                    graph.add_node(f"extra{number}", dict)
                view.draw(graph)
                while not begun:
                    await pilot.pause()
            go.set()
            await idle(pilot, view)
            assert [len(diagram.nodes) for diagram in begun] == [201, 205]
            assert most == [1]
        assert shown == [205]

    play(GraphHost(view), script)


def test_a_small_graph_takes_the_place_of_a_large_one_that_is_still_laid_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        with held(monkeypatch) as (go, begun, _):
            view.draw(graph_from(LARGE))
            while not begun:
                await pilot.pause()
            go.set()
            view.draw(refund())
            small = view.sheet
            assert small is not None
            await idle(pilot, view)
            assert view.sheet is small

    play(GraphHost(view), script)


def while_it_is_laid_out(
    after: StateGraph,
    renamed: dict[str, str],
    look: Callable[[GraphView, Pilot[Any]], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> GraphHost:
    """Look at the old picture of the large graph, which has been edited meanwhile."""
    view = GraphView()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(LARGE))
        await idle(pilot, view)
        old = view.sheet
        with held(monkeypatch) as (go, begun, _):
            view.draw(after, (), renamed)
            while not begun:
                await pilot.pause()
            assert view.sheet is old
            await look(view, pilot)
            go.set()
            await idle(pilot, view)
        assert view.sheet is not old

    play(host, script)
    return host


def test_in_a_picture_from_before_an_edit_the_mouse_still_finds_the_right_edge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labelled = next(number for number, edge in enumerate(LARGE.edges) if edge.label and number > 3)
    target = LARGE.edges[labelled]
    after = StateGraph("edited", start=LARGE.nodes[0].id)
    for node in LARGE.nodes:
        after.add_node(node.id, dict)
    after.add_edge(LARGE.nodes[0].id, LARGE.nodes[9].id)  # before all others
    for edge in LARGE.edges:
        after.add_edge(edge.source, edge.target, label=edge.label or None)

    async def look(view: GraphView, pilot: Pilot[Any]) -> None:
        view.select_edge(labelled + 1)
        await pilot.pause()
        assert view.sheet is not None
        assert view.seen.contains_region(view.sheet.place_of(labelled + 1))
        at = view.sheet.place_of(labelled + 1).offset + view.shift
        view.select(LARGE.nodes[0].id)
        await pilot.pause()
        view.select(target.source)
        await pilot.pause()
        at = view.sheet.place_of(labelled + 1).offset + view.shift
        await pilot.click(offset=at)
        assert view.selected_edge == labelled + 1

    host = while_it_is_laid_out(after, {}, look, monkeypatch)
    assert host.selections[-1] == (target.source, labelled + 1)


def test_in_a_picture_from_before_a_renaming_the_node_is_still_selected_and_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = LARGE.nodes[0].id

    async def look(view: GraphView, pilot: Pilot[Any]) -> None:
        view.select("another_name")
        await pilot.pause()
        assert view.sheet is not None
        assert view.sheet.has("another_name")
        assert not view.sheet.has(old)
        await pilot.press("j", "k")
        assert view.selected == "another_name"
        await pilot.press("j")
        await pilot.click(offset=cell_of(pilot, old[:6]))
        assert view.selected == "another_name"
        assert view.find("another_n") == "1 of 1"
        view.marked = frozenset({"another_name"})
        await pilot.pause()
        assert any("▸" in line and old in line for line in screen_lines(pilot.app))

    while_it_is_laid_out(renamed_in(LARGE, old, "another_name"), {old: "another_name"}, look, monkeypatch)


def test_a_picture_from_before_an_edit_shows_no_selection_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = LARGE.nodes[0].id, LARGE.nodes[1].id
    view = GraphView()
    after = StateGraph("edited", start=second)
    for node in LARGE.nodes[1:]:
        after.add_node(node.id, dict)
    for edge in LARGE.edges:
        if first not in (edge.source, edge.target):
            after.add_edge(edge.source, edge.target)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(LARGE))
        await idle(pilot, view)
        view.select(first)
        view.find(first)
        await pilot.pause()
        assert "reverse" in styled(view, first)
        with held(monkeypatch) as (go, _, _):
            view.draw(after)
            await pilot.pause()
            assert "reverse" not in styled(view, first)
            assert "underline" not in styled(view, first)
            await pilot.click(offset=cell_of(pilot, first))
            assert view.selected is None
            go.set()
            await idle(pilot, view)

    play(GraphHost(view), script)


# What is which


def test_edges_before_and_behind_an_edit_are_known_and_those_in_between_are_not() -> None:
    before = graph_of("a b", "b c", "c d", "d a").edges
    moved = Moved(before, graph_of("a b", "b x", "x c", "c d", "d a").edges, {})
    assert [moved.now(edge) for edge in range(4)] == [0, None, 3, 4]
    assert [moved.then(edge) for edge in range(5)] == [0, None, None, 2, 3]
    gone = Moved(before, graph_of("a b", "d a").edges, {})
    assert [gone.now(edge) for edge in range(4)] == [0, None, None, 1]
    renamed = Moved(before, graph_of("a z", "z c", "c d", "d a").edges, {"b": "z"})
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
    both = joined(first, second)
    there = {first.get(node, node) for node in "abc"}
    second = {old: new for old, new in second.items() if old in there}
    for node in "abc":
        once = first.get(node, node)
        assert joined(first, second).get(node, node) == second.get(once, once)
    assert all(old != new for old, new in both.items())


@given(st.lists(st.sampled_from(["a b", "b a", "a a", "b __END__"]), max_size=8), st.data())
def test_what_an_edge_is_now_leads_back_to_what_it_was(edges: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(edges)))
    until = data.draw(st.integers(at, len(edges)))
    added = data.draw(st.lists(st.sampled_from(["a b", "b a", "a __END__"]), max_size=3))
    changed = [*edges[:at], *added, *edges[until:]]
    before, after = graph_of(*edges).edges, graph_of(*changed).edges
    moved = Moved(before, after, {})
    for position, edge in enumerate(before):
        now = moved.now(position)
        if now is not None:
            assert (after[now].source, after[now].target) == (edge.source, edge.target)
            assert moved.then(now) == position
    assert END not in (edge.source for edge in after)
