"""What is wrong with nodes and edges, and which nodes somebody has marked, in the picture and in the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph import END, StateGraph
from stepgraph.graphs.validation import check
from stepgraph.values.problems import Place, Problem
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE, Glyphs
from stepgraph_tui.drawing.picture.node_content import Zoom
from stepgraph_tui.widgets.graph_view import GraphPane, GraphView, OutlinePane
from stepgraph_tui.widgets.graph_view.marked_graph import MarkedGraph
from stepgraph_tui.widgets.graph_view.marks import Badge
from tests.app.graph_host import GraphHost, graph_of, refund
from tests.app.graph_look import listed, model_of, pictured, styled
from tests.app.playing import play, screen_lines


def problem(severity: str, node: str | None = None, edge: int | None = None) -> Problem:
    return Problem("G999", "error" if severity == "error" else "warning", "x", Place(node=node, edge=edge))


ERROR, WARNING = problem("error", "draft"), problem("warning", "draft")


def marked_graph(
    problems: Sequence[Problem] = (),
    *,
    graph: StateGraph | None = None,
    dimmed: Mapping[int, str] = {},
    marked: frozenset[str] = frozenset(),
    glyphs: Glyphs = UNICODE,
) -> MarkedGraph:
    model = model_of(graph or refund(), problems, glyphs=glyphs)
    model.dim(dimmed)
    model.pick(frozenset(), marked)
    return model


def seen(problems: Sequence[Problem] = (), *, zoom: Zoom = "compact", **said: Any) -> str:
    """The picture."""
    return "\n".join(pictured(marked_graph(problems, **said), zoom))


def told(problems: Sequence[Problem] = (), **said: Any) -> str:
    """The list."""
    return "\n".join(listed(marked_graph(problems, **said)))


@pytest.mark.parametrize(
    ("problems", "mark", "counts"),
    [
        ([], "", ""),
        ([ERROR], "✗", ""),
        ([WARNING], "▲", ""),
        ([ERROR, WARNING], "✗", "✗1▲1─┐"),
        ([ERROR] * 3, "✗", "✗3─┐"),
        ([WARNING] * 2, "▲", "▲2─┐"),
    ],
)
def test_a_node_shows_the_worst_of_its_problems_and_how_many_there_are(
    problems: list[Problem], mark: str, counts: str
) -> None:
    compact = seen(problems)
    assert f"│   L draft {mark or ' '}│" in compact
    assert counts in compact
    assert f"│   L draft {mark or ' '}" in seen(problems, zoom="card")
    assert f"[L draft {mark or ']'}" in seen(problems, zoom="chip")
    assert (f"L draft {counts.removesuffix('─┐') or mark}".rstrip()) in told(problems)
    assert ("✗" in compact, "▲" in compact) == ("✗" in mark + counts, "▲" in mark + counts)


def test_a_node_answers_for_the_edges_that_leave_it() -> None:
    text = seen([problem("error", edge=1)])
    assert "● L classify ✗" in text
    assert text.count("✗") == 2  # and the edge itself


def test_an_edge_with_an_error_ends_in_its_mark_whatever_its_label_says() -> None:
    graph = graph_of("a b fine", "b END")
    graph.add_edge("a", END, when="1 +", label="odd")
    text = seen(check(graph), graph=graph)
    assert "2 odd" in text
    assert "✗" in text
    assert text.count("▼") == 2
    assert "[2 odd ✗1▲1]" in told(check(graph), graph=graph)


def test_counts_of_problems_make_no_box_wider_and_keep_clear_of_its_ports() -> None:
    graph = graph_of("a b", *(f"b c{n}" for n in range(5)), *(f"c{n} b" for n in range(5)), "b END")
    many = [problem("error", "b")] * 12 + [problem("warning", "a")] * 123
    before, after = seen(graph=graph).splitlines(), seen(many, graph=graph).splitlines()
    assert [len(line) for line in before] == [len(line) for line in after]
    assert sum("▲123─" in line for line in after) == 1
    ports = set("┴├┬┤")
    assert [[char for char in line if char in ports] for line in before] == [
        [char for char in line if char in ports] for line in after
    ]


def test_other_problems_are_shown_without_another_layout() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund(), [ERROR])
        await pilot.pause()
        before = view.viewport.laid_out
        view.draw(refund(), [problem("warning", "review")])
        await pilot.pause()
        after = view.viewport.laid_out
        assert before is not None
        assert after is not None
        assert after.picture is before.picture
        text = "\n".join(screen_lines(pilot.app))
        assert "L draft ✗" not in text
        assert "A review ▲" in text

    play(GraphHost(view), script, (70, 40))


def test_what_is_wrong_stays_where_it_was_said_until_somebody_knows_better() -> None:
    view = GraphView()
    before = graph_of("a b", "b c", "c END")
    after = graph_of("a new", "new b", "a b", "b c", "c END")

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(before, [problem("error", edge=2), problem("warning", "b")])
        view.dimmed = {1: "because"}
        view.draw(after, None)
        assert view.model.scene.badges == {4: Badge(1, 0), "c": Badge(1, 0), "b": Badge(0, 1)}
        assert (view.model.reason_of(1), view.model.reason_of(3)) == (None, "because")
        view.draw(after)
        assert view.model.scene.badges == {}

    play(GraphHost(view), script)


def test_problems_are_found_where_the_file_has_edges_that_could_not_be_built() -> None:
    graph = graph_of("a b", "b END")
    graph.skip_edge()
    graph.add_edge("b", "a", label="again")
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, GraphHost)
        view.draw(graph, [problem("error", edge=2), problem("error", edge=3), problem("error", edge=9)])
        assert set(view.model.scene.badges) == {"b", 2}
        view.dimmed = {3: "because", 2: "not there"}
        assert (view.model.reason_of(3), view.model.reason_of(2)) == ("because", None)
        view.selection.select_edge(2)
        assert view.copied_path() is None
        view.selection.select_edge(3)
        assert (view.selection.node, view.selection.edge, view.copied_path()) == ("b", 3, "edges[3]")
        await pilot.press("g", "i")
        assert app.selections[-1] == ("a", 3)

    play(GraphHost(view), script)


@pytest.mark.parametrize(("glyphs", "dot"), [(UNICODE, "·"), (ASCII, ".")], ids=["unicode", "ascii"])
def test_an_edge_that_is_never_taken_is_dotted_and_says_so_in_the_list(glyphs: Any, dot: str) -> None:
    graph = graph_of("a b", "b c", "c d", "a d late", "d END")
    assert dot not in seen(graph=graph, glyphs=glyphs).replace("'.", "").replace(".-", "")
    text = seen(graph=graph, glyphs=glyphs, dimmed={3: "edge 1 always matches before it"})
    assert sum(line.strip().endswith(dot) for line in text.splitlines()) >= 3
    assert "↓ d  [2 late, never taken]" in told(graph=graph, dimmed={3: "edge 1 always matches before it"})


def test_a_faint_edge_that_is_selected_or_taken_stands_out_all_the_same() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_of("a b", "b c", "c d", "a d late", "d END"))
        view.dimmed = {3: "why"}
        await pilot.pause()
        assert "·" in "\n".join(screen_lines(pilot.app))
        view.selection.select_edge(3)
        await pilot.pause()
        text = "\n".join(screen_lines(pilot.app))
        assert "·" not in text
        assert "┃" in text

    play(GraphHost(view), script, (70, 40))


@pytest.mark.parametrize("zoom", ["card", "compact", "chip"])
def test_marked_nodes_bear_a_mark_in_every_detail(zoom: Zoom) -> None:
    marked = frozenset({"lookup", "classify"})
    text = seen(zoom=zoom, marked=marked)
    assert text.count("▸") == 2
    assert "▸T lookup" in text if zoom == "chip" else "│▸  T lookup" in text
    assert seen(zoom=zoom).replace("▸", "") == seen(zoom=zoom)


def test_marked_nodes_bear_a_mark_in_the_list_and_on_a_plain_terminal() -> None:
    marked = frozenset({"lookup", "classify"})
    lines = told(marked=marked).splitlines()
    assert lines[:4:3] == ["●▸L classify", " ▸T lookup  [1 billing]"]
    plain = seen([ERROR] * 2, glyphs=ASCII, marked=marked, dimmed={1: "why"})
    assert plain.isascii()
    assert "|>* L classify" in plain
    assert "-x2-+" in plain


def test_a_mark_is_more_than_a_colour_and_changes_only_its_own_node() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        assert "bold" not in styled(view, "T lookup")
        rows = [view.render_line(y) for y in range(40)]
        view.marked = frozenset({"lookup"})
        await pilot.pause()
        again = [view.render_line(y) for y in range(40)]
        assert "bold" in styled(view, "T lookup")
        assert sum(one is not other for one, other in zip(rows, again, strict=True)) == 3
        view.marked = frozenset()
        await pilot.pause()
        assert "▸" not in "\n".join(screen_lines(pilot.app))

    play(GraphHost(view), script, (70, 40))


@pytest.mark.parametrize("pane", [GraphView, OutlinePane])
def test_marks_of_nodes_that_are_gone_vanish_and_those_of_renamed_ones_stay(pane: type[GraphPane]) -> None:
    view = pane()

    async def script(pilot: Pilot[Any]) -> frozenset[str]:
        view.draw(graph_of("a b", "b c"))
        view.marked = frozenset("abc")
        view.draw(graph_of("a b2"), (), {"b": "b2"})
        await pilot.pause()
        return view.marked

    assert play(GraphHost(view), script) == {"a", "b2"}


@pytest.mark.parametrize("pane", [GraphView, OutlinePane])
def test_an_empty_graph_says_what_its_owner_says(pane: type[GraphPane]) -> None:
    view = pane()

    async def script(pilot: Pilot[Any]) -> str:
        view.empty_hint = "Nothing is here yet: a adds the first node, [p] pastes some."
        view.draw(StateGraph("new", start=""))
        await pilot.pause()
        return " ".join(" ".join(line.strip("│┃ ") for line in screen_lines(pilot.app)).split())

    assert play(GraphHost(view), script, (30, 12)) == view.empty_hint
