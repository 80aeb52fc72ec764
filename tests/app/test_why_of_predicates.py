"""Why the predicates of a Python graph answered as they did, in the app: their code, and what it names."""

from __future__ import annotations

import pytest

from stepgraph.files import grant, read_graph
from tests.app.bench import SIZES, Bench, P, press, settle, text, workbench
from tests.app.python_graphs import AGENT, MENDED, line_of, module

LOOPED = MENDED.replace(
    'graph.add_edge("analyze", "look_up", when=is_long, label="long")',
    'for when in (is_long,):\n    graph.add_edge("analyze", "look_up", when=when, label="long")',
)
"""The text does not say which predicate the edge has: only the import does."""


def shown(pilot: P) -> str:
    """What the screen says, however it is wrapped."""
    return " ".join(text(pilot).replace("│", " ").replace("┃", " ").split())


@SIZES
@pytest.mark.parametrize("module_text", [MENDED, LOOPED])
def test_the_code_and_the_values_that_it_names_are_told(
    bench: Bench, size: tuple[int, int], module_text: str
) -> None:
    path = module(bench.folder, module_text, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "s", "enter", "s", "3", "plus")
        seen = shown(pilot)
        assert f"is_long, agent.py line {line_of(module_text, 'def is_long')}, not called again true" in seen
        assert 'return context.state["count"] > 2' in seen
        assert "it names, after this step: count 5" in seen
        assert "written by step 1, this node" in seen

    bench.play(script, path, size=size)


def test_the_editor_opens_at_the_predicate_that_the_cursor_is_at(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "s", "enter", "s", "3", "E")
        await press(pilot, "j", "E", "1", "E")
        file = bench.folder / "agent.py"
        places = [line_of(MENDED, part) for part in ("def is_long", "def look_up", "def look_up")]
        assert bench.editor.opened == [(file, line) for line in places]

    bench.play(script, path)


def test_new_code_of_the_module_is_told_once_it_is_imported(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "s", "enter", "s", "3", "plus")
        longer = MENDED.replace('["count"] > 2', '["count"] > len(context.state["question"])')
        for change in (longer, AGENT.replace("look_up", "search")):
            module(bench.folder, change, trusted=True)
            workbench(pilot).controllers.files.look_at_disk()
            await settle(pilot)
            assert ("it names" in shown(pilot)) is (change is longer)  # the other is not the run's graph
            assert ("question" in shown(pilot)) is (change is longer)

    bench.play(script, path)


FILED = """
format = 1
name = "filed"
start = "a"
nodes.a = { type = "llm", prompt = "Say it.", replies = ["one", "two"] }
edges = [
    { from = "a", to = "END", when = { predicate = "asks:is_said" } },
    { from = "a", to = "a" },
]
"""


def test_of_a_graph_file_the_code_is_that_which_lies_beside_it_by_now(bench: Bench) -> None:
    code = 'def is_said(context):\n    return context.state["response"] == "two"\n'
    path = bench.trusted(FILED, asks=code)
    run = bench.run(path, steps=1)

    async def script(pilot: P) -> None:
        await press(pilot, "3", "plus")
        assert "asks:is_said, asks.py line 1, not called again false" in shown(pilot)
        assert 'it names, after this step: response "one" written by step 1, this node' in shown(pilot)
        (bench.folder / "asks.py").write_text(f"\n\n{code}", encoding="utf-8")
        grant(read_graph(path))
        await press(pilot, "s")
        assert "asks:is_said, asks.py line 3, not called again true" in shown(pilot)

    bench.play(script, path, run=run.id)
