"""Bundles of parallel edges in the graph view, and graphs that are too large for a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from stepgraph import Executor, MemoryStore, StateGraph
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.drawing import lay_out
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.widgets.graph_view import GraphView
from tests.app.bench import SMALL, Bench, P, press, until, workbench
from tests.app.graph_host import GraphHost
from tests.app.graph_look import model_of, painter_of, pictured, styled
from tests.app.playing import play, screen_lines
from tests.app.test_node_info import page_of
from tests.app.turning import rest

COUNT = 40


def bundle(taken: int = 0, count: int = COUNT) -> StateGraph:
    graph = StateGraph("bundle", start="ask")
    graph.add_node("ask", lambda state: {"n": taken})
    graph.add_node("do", lambda state: {})
    for number in range(count):
        graph.add_edge("ask", "do", when=f"n == {number}", label=f"way {number}")
    graph.add_edge("do", "END")
    return graph


def after_a_step(graph: StateGraph) -> RunSnapshot:
    store = MemoryStore()
    executor = Executor(graph.compile(), store, clock=FakeClock(), ids=sequential_ids())
    run = executor.start({})
    executor.step(run)
    return RunSnapshot.now(RunView(store, run.id))


def clique(count: int) -> StateGraph:
    graph = StateGraph("clique", start="n0")
    for number in range(count):
        graph.add_node(f"n{number}", dict)
    for one in range(count):
        for other in range(count):
            if one != other:
                graph.add_edge(f"n{one}", f"n{other}")
    return graph


def clique_file(folder: Path, count: int) -> Path:
    names = [f"n{number}" for number in range(count)]
    nodes = [f'[nodes.{name}]\ntype = "llm"\nprompt = "hi"\nreplies = ["ok"]\n' for name in names]
    edges = [f'[[edges]]\nfrom = "{a}"\nto = "{b}"\n' for a in names for b in names if a != b]
    path = folder / "clique.toml"
    head = 'format = 1\nname = "clique"\nstart = "n0"\n'
    path.write_text("\n".join([head, *nodes, *edges]), encoding="utf-8")
    return path


def test_the_edges_of_a_bundle_are_selected_one_after_the_other_and_named_on_it() -> None:
    view, graph = GraphView(), bundle()

    async def script(pilot: Pilot[Any]) -> tuple[list[tuple[str | None, int | None]], str, str]:
        view.draw(graph)
        view.selection.select("ask")
        await pilot.press("o", "o", "o")
        await pilot.pause()
        host = pilot.app
        assert isinstance(host, GraphHost)
        return host.selections, "\n".join(screen_lines(host)), styled(view, "x40: 3")

    host = GraphHost(view)
    selections, screen, style = play(host, script, (60, 20))
    assert selections == [("ask", 0), ("ask", 1), ("ask", 2)]
    assert "x40: 3 way 2" in screen
    assert screen.count("way") == 1
    assert "reverse" in style


def test_a_search_finds_an_edge_within_a_bundle() -> None:
    view, graph = GraphView(), bundle()

    async def script(pilot: Pilot[Any]) -> tuple[str, int | None, str]:
        view.draw(graph)
        await pilot.pause()
        found = view.selection.find("way 37")
        await pilot.pause()
        return found, view.selection.edge, "\n".join(screen_lines(pilot.app))

    found, edge, screen = play(GraphHost(view), script, (60, 20))
    assert (found, edge) == ("1 of 1", 37)
    assert "x40: 38 way 37" in screen


def test_the_bundle_of_the_edge_that_was_taken_stands_out_and_names_it() -> None:
    graph = bundle(taken=33)
    assert "x40: 1 way 0, 2 way 1, …" in "\n".join(pictured(model_of(graph)))
    painter = painter_of(model_of(graph, moment=after_a_step(graph)))
    (line,) = (line for line, edges in painter.laid_out.drawing.drawn.bundles.items() if 33 in edges)
    assert painter.scene.tone(painter.scene.speaker(painter.laid_out.edges_of(line))) == "taken"
    text = "\n".join(painter.strip(y, 0, 40).text for y in range(painter.laid_out.picture.height))
    assert "x40: 34 way 33" in text
    assert "┰" in text


def test_after_an_edit_a_bundle_is_known_by_its_edges_as_they_are_now() -> None:
    view = GraphView()
    before, after = bundle(), bundle()
    after.add_node("new", dict)
    edges = [*after.edges]
    moved = StateGraph("bundle", start="ask")
    for name in ("ask", "do", "new"):
        moved.add_node(name, dict)
    moved.add_edge("ask", "new", when="n == -1", label="first")
    for edge in edges:
        moved.add_edge(edge.source, edge.target, when=edge.condition, label=edge.label)

    async def script(pilot: Pilot[Any]) -> tuple[int | None, str]:
        view.draw(before)
        view.selection.select_edge(20)
        await pilot.pause()
        view.draw(moved)
        await pilot.pause()
        return view.selection.edge, "\n".join(screen_lines(pilot.app))

    selected, screen = play(GraphHost(view), script, (60, 24))
    assert selected == 21
    assert "x40: 22 way 20" in screen


def test_node_lists_each_edge_of_a_bundle_with_its_condition() -> None:
    page = page_of(bundle(count=150), "ask", 149)
    assert "edge 150 of 150" in page
    assert "All 150 edges from ask to do" in page
    assert all(f"{number + 1} way {number} → do" in page for number in range(150))
    assert page.count("n == ") == 151  # the condition of the selected edge, and those of all


def test_a_graph_too_large_for_a_picture_shows_its_outline(bench: Bench, tmp_path: Path) -> None:
    path = clique_file(tmp_path, 60)

    async def script(pilot: P) -> None:
        outline, view = workbench(pilot).panes.outline, workbench(pilot).panes.graph_view
        await until(pilot, lambda: outline.display)
        await press(pilot, "1")
        lines = "\n".join(screen_lines(pilot.app))
        assert "[1 Outline]" in lines
        assert "↓ n1" in lines
        await press(pilot, "O")
        lines = " ".join(line[:41].strip() for line in screen_lines(pilot.app))
        assert "3,540 lines between 60 boxes are too many for a picture." in lines
        assert "O shows or hides its outline" in lines
        assert "not drawn" in lines
        view.action_toggle_map()
        for key in ("j", "l", "z", "v", "0", "pagedown", "o"):
            await press(pilot, key)
        assert not outline.display  # who closes it is not shown it again

    bench.play(script, path, size=SMALL)


def test_the_outline_stays_closed_while_the_graph_has_a_picture() -> None:
    view, small = GraphView(), clique(5)

    async def script(pilot: Pilot[Any]) -> list[str]:
        told: list[str] = []
        view.draw(clique(60))
        await rest(pilot)
        told.append(view.viewport.laid_out.refused if view.viewport.laid_out is not None else "")
        view.draw(small)
        await rest(pilot)
        told.append(view.viewport.laid_out.refused if view.viewport.laid_out is not None else "")
        return told

    refused, drawn = play(GraphHost(view), script, (60, 24))
    assert refused.startswith("3,540 lines")
    assert drawn == ""


def test_layouts_of_few_nodes_with_many_edges_keep_nobody_waiting() -> None:
    view, graph = GraphView(), clique(20)
    assert lay_out(model_of(graph).drawing.diagram()).boxes

    async def script(pilot: Pilot[Any]) -> bool:
        view.draw(graph)
        at_once = view.viewport.laid_out is not None
        await rest(pilot)
        return at_once

    assert not play(GraphHost(view), script, (60, 24))
