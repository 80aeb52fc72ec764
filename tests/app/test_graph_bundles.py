"""Bundles of parallel edges in the graph view, and graphs that are too large for a picture."""

from __future__ import annotations

from pathlib import Path

from stepgraph import Executor, MemoryStore, StateGraph
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.run_view import RunSnapshot, RunView
from tests.app.bench import SMALL, Bench, P, press, until, workbench
from tests.app.graph_look import model_of, painter_of, pictured
from tests.app.playing import screen_lines

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


def test_the_bundle_of_the_edge_that_was_taken_stands_out_and_names_it() -> None:
    graph = bundle(taken=33)
    assert "x40: 1 way 0, 2 way 1, …" in "\n".join(pictured(model_of(graph)))
    painter = painter_of(model_of(graph, moment=after_a_step(graph)))
    (line,) = (line for line, edges in painter.laid_out.drawing.drawn.bundles.items() if 33 in edges)
    assert painter.scene.tone(painter.scene.speaker(painter.laid_out.edges_of(line))) == "taken"
    text = "\n".join(painter.strip(y, 0, 40).text for y in range(painter.laid_out.picture.height))
    assert "x40: 34 way 33" in text
    assert "┰" in text


def test_a_graph_too_large_for_a_picture_shows_its_outline(bench: Bench, tmp_path: Path) -> None:
    path = clique_file(tmp_path, 60)

    async def script(pilot: P) -> None:
        outline, view = workbench(pilot).panes.outline, workbench(pilot).panes.graph_view
        await until(pilot, lambda: outline.display)
        await press(pilot, "1")
        lines = "\n".join(screen_lines(pilot.app))
        assert "[1 Outline]" in lines
        assert "↓ n1" in lines
        await press(pilot, "z o")
        lines = " ".join(line[:41].strip() for line in screen_lines(pilot.app))
        assert "3,540 lines between 60 boxes are too many for a picture." in lines
        assert "zo shows or hides its outline" in lines
        assert "not drawn" in lines
        view.action_toggle_map()
        for key in ("j", "l", "minus", "z d", "0", "pagedown", "o"):
            await press(pilot, key)
        assert not outline.display  # who closes it is not shown it again

    bench.play(script, path, size=SMALL)
