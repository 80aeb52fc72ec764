"""What people type and paste that is not a graph: said, and nothing is lost."""

from __future__ import annotations

from tests.app.bench import LARGE, Bench, P, header, press, said, text, until, workbench
from tests.app.filling import paste, type_in
from tests.app.letters import (
    EDGES,
    draw,
    edges,
    nodes,
    selected,
)
from tests.app.turning import rest

BINARY = bytes(range(256)).decode("latin-1") * 20
HALF = '[nodes.half]\ntype = "llm"\nprompt = """\nbegun'


GARBAGE = {
    "binary": BINARY,
    "half a table": HALF,
    "1 MB": "x" * 1_000_000,
    "a word": "hello",
    "nothing": "",
    "escapes": "\x1b[2J\x1b]0;title\x07",
    "many tables": "[[edges]]\n" * 100_000,
    "a date": "a = 1979-05-27",
}


def test_pasted_garbage_is_refused_with_a_word_and_changes_nothing(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for name, garbage in GARBAGE.items():
            await press(pilot, "u")
            assert said(pilot) == "! there is nothing to undo"
            await paste(pilot, garbage)
            assert edges(pilot) == EDGES, name
            assert "SAVED" in header(pilot), name
            assert said(pilot).startswith("✗ "), name
            assert "\x1b" not in text(pilot), name
        await press(pilot, "j", "d", "d")  # and everything goes on
        assert nodes(pilot) == ["draft", "send"]

    draw(bench, script)


def many(count: int) -> str:
    """A chain of so many nodes."""
    parts = ['format = 1\nname = "many"\nstart = "n0"\n']
    parts += [f'[nodes.n{n}]\ntype = "llm"\nprompt = "{n}"\nreplies = ["{n}"]\n' for n in range(count)]
    ends = [*(f"n{n}" for n in range(count)), "END"]
    parts += [f'[[edges]]\nfrom = "{ends[n]}"\nto = "{ends[n + 1]}"\n' for n in range(count)]
    return "\n".join(parts)


def test_two_thousand_nodes_are_edited_while_the_picture_is_made(bench: Bench) -> None:
    path = bench.graph(many(2_000))

    async def arrives(pilot: P) -> None:
        graph = workbench(pilot).panes.graph_view
        await until(pilot, lambda: workbench(pilot).file.is_taken and graph.viewport.laid_out is not None)
        await rest(pilot)

    async def script(pilot: P) -> None:
        await pilot.press("6", "1")
        assert pilot.app.focused is workbench(pilot).panes.graph_view  # keys are answered meanwhile
        await arrives(pilot)
        await press(pilot, "a", "enter", "enter", "ctrl+j")
        assert len(nodes(pilot)) == 2_001
        await arrives(pilot)
        assert selected(pilot) == "llm"
        await press(pilot, "R")
        await type_in(pilot, "new")
        await press(pilot, "enter")
        await arrives(pilot)
        assert selected(pilot) == "new"
        await pilot.press("d", "d", "u", "U")  # faster than they can be checked
        await arrives(pilot)
        assert "new" not in workbench(pilot).file.design.nodes
        assert "node 'n0' has no edge that leaves it" in text(pilot)
        await pilot.press("u", "u", "u")
        await arrives(pilot)
        assert len(nodes(pilot)) == 2_000
        assert "n0" in text(pilot)
        assert "SAVED" in header(pilot)

    bench.play(script, path, design=True, size=LARGE)
