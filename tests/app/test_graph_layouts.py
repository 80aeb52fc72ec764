"""What an edited graph has laid out anew, and what is shown in the meantime."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph import StateGraph
from stepgraph_tui.drawing import Diagram, Picture, lay_out
from stepgraph_tui.widgets.graph_view import GraphView, layouts
from stepgraph_tui.widgets.graph_view.laid_out_graph import LaidOutGraph
from tests.app.graph_host import GraphHost, graph_from, refund
from tests.app.graph_look import styled
from tests.app.playing import play, screen_lines
from tests.app.test_graph_movement import cell_of
from tests.app.turning import rest

LARGE = workflow(200)


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[Diagram]:
    """What was laid out, in order."""
    diagrams: list[Diagram] = []

    def note(diagram: Diagram) -> Picture:
        diagrams.append(diagram)
        return lay_out(diagram)

    monkeypatch.setattr(layouts, "lay_out", note)
    return diagrams


@pytest.mark.parametrize("size", [20, 200])
def test_what_changes_no_box_and_no_line_is_not_laid_out_again(size: int, laid_out: list[Diagram]) -> None:
    view = GraphView()
    diagram = workflow(size)
    name = diagram.nodes[7].id
    other = "x" * len(name)

    async def script(pilot: Pilot[Any]) -> None:
        async def drawn(graph: StateGraph, renamed: dict[str, str] | None = None) -> None:
            view.draw(graph, (), renamed)
            await rest(pilot)

        await drawn(graph_from(diagram))
        assert len(laid_out) == 1
        await drawn(graph_from(diagram))  # a note or a prompt was edited
        await drawn(renamed_in(diagram, name, other), {name: other})
        assert len(laid_out) == 1
        assert view.viewport.laid_out is not None
        assert view.viewport.laid_out.has(other)
        assert not view.viewport.laid_out.has(name)
        await drawn(renamed_in(diagram, name, f"{other}_longer"), {other: f"{other}_longer"})
        assert len(laid_out) == 2
        await drawn(graph_from(diagram), {f"{other}_longer": name})
        assert laid_out[-1].previous

    play(GraphHost(view), script)


def test_edits_of_a_part_change_neither_it_nor_the_whole_more_than_they_must(laid_out: list[Diagram]) -> None:
    view = GraphView()
    diagram = workflow(20)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(diagram))
        assert view.viewport.laid_out is not None
        whole = view.viewport.laid_out.picture
        view.selection.choose(diagram.nodes[7].id)
        view.action_around()
        assert laid_out[-1].previous is whole
        graph = graph_from(diagram)
        for number in range(2):
            graph.add_node(f"extra{number}", dict)
            graph.add_edge(diagram.nodes[7].id, f"extra{number}")
            view.draw(graph)
            assert laid_out[-1].previous is whole
        assert view.back()
        assert len(laid_out[-1].nodes) == 22
        assert laid_out[-1].previous is whole
        view.action_around()
        view.draw(graph_from(diagram))  # undone
        assert view.back()
        assert view.viewport.laid_out.picture is whole

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
        await rest(pilot)


def test_of_edits_while_a_layout_runs_only_the_last_is_laid_out_and_nothing_older_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = GraphView()
    shown: list[int] = []
    put = view.viewport.put

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(LARGE))
        await idle(pilot, view)

        def note(sheet: LaidOutGraph) -> None:
            shown.append(len(sheet.boxes))
            put(sheet)

        monkeypatch.setattr(view.viewport, "put", note)
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
            small = view.viewport.laid_out
            assert small is not None
            await idle(pilot, view)
            assert view.viewport.laid_out is small

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
        old = view.viewport.laid_out
        with held(monkeypatch) as (go, begun, _):
            view.draw(after, (), renamed)
            while not begun:
                await pilot.pause()
            assert view.viewport.laid_out is old
            await look(view, pilot)
            go.set()
            await idle(pilot, view)
        assert view.viewport.laid_out is not old

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
        view.selection.select_edge(labelled + 1)
        await pilot.pause()
        assert view.viewport.laid_out is not None
        assert view.viewport.seen.contains_region(view.viewport.laid_out.place_of(labelled + 1))
        at = view.viewport.laid_out.place_of(labelled + 1).offset + view.viewport.shift
        view.selection.select(LARGE.nodes[0].id)
        await pilot.pause()
        view.selection.select(target.source)
        await pilot.pause()
        at = view.viewport.laid_out.place_of(labelled + 1).offset + view.viewport.shift
        await pilot.click(offset=at)
        assert view.selection.edge == labelled + 1

    host = while_it_is_laid_out(after, {}, look, monkeypatch)
    assert host.selections[-1] == (target.source, labelled + 1)


def test_in_a_picture_from_before_a_renaming_the_node_is_still_selected_and_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = LARGE.nodes[0].id

    async def look(view: GraphView, pilot: Pilot[Any]) -> None:
        view.selection.select("another_name")
        await pilot.pause()
        assert view.viewport.laid_out is not None
        assert view.viewport.laid_out.has("another_name")
        assert not view.viewport.laid_out.has(old)
        await pilot.press("j", "k")
        assert view.selection.node == "another_name"
        await pilot.press("o")
        assert view.selection.edge is not None
        await pilot.click(offset=cell_of(pilot, old[:6]))
        assert view.copied() == "another_name"
        assert view.search.find("another_n") == "1 of 1"
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
        view.selection.select(first)
        view.search.find(first)
        await pilot.pause()
        assert "reverse" in styled(view, first)
        with held(monkeypatch) as (go, _, _):
            view.draw(after)
            await pilot.pause()
            assert "reverse" not in styled(view, first)
            assert "underline" not in styled(view, first)
            await pilot.click(offset=cell_of(pilot, first))
            assert view.selection.node == second  # the neighbour that is nearest
            go.set()
            await idle(pilot, view)

    play(GraphHost(view), script)
