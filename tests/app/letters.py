"""A small graph that is edited in tests: letters are checked before they are sent."""

from __future__ import annotations

from pathlib import Path

from stepgraph.editing import Design
from tests.app.bench import LARGE, Bench, P, press, text, until, workbench
from tests.app.filling import type_in
from tests.app.playing import Script

LETTERS = """\
# Letters, checked before they are sent.
format = 1
name = "letters"
start = "draft"

[state.count]
type = "number"
default = 3

[nodes.draft]
type = "llm"
prompt = "Write."
output = "letter"
replies = ["Dear Ana", "Dear Ana again"]

[nodes.check]
type = "router"
key = "count"
threshold = 1
high = "many"
low = "few"

[nodes.send]
type = "llm"
prompt = "Send {{ letter }}"
replies = ["Sent."]

[[edges]]
from = "draft"
to = "check"

[[edges]]
from = "check"
to = "draft"
when = "visits.draft < 2"
label = "again"

[[edges]]
from = "check"
to = "send"

[[edges]]
from = "send"
to = "END"
"""
OTHER = LETTERS.replace("Write.", "Write it well.")
"""What somebody else makes of it."""
BROKEN = LETTERS.replace("[nodes.check]", "[nodes.check")
"""With an error in line 16."""
EDGES = ["draft check", "check draft", "check send", "send END"]
WITHOUT_SEND = ["draft", "check"]


def draw(bench: Bench, script: Script[None], graph: str = LETTERS, size: tuple[int, int] = LARGE) -> Path:
    """Open the graph in Design, and play a script; returns the file."""
    path = bench.graph(graph)
    bench.play(script, path, design=True, size=size)
    return path


def file_of(pilot: P) -> Path:
    """The file that is edited."""
    path = workbench(pilot).file.path
    assert path is not None
    return path


def design(pilot: P) -> Design:
    """What is drawn."""
    return workbench(pilot).file.design


def edges(pilot: P) -> list[str]:
    """The edges that are drawn, in order, each by its ends."""
    return [f"{edge.source} {edge.target}" for edge in design(pilot).edges]


def nodes(pilot: P) -> list[str]:
    """The nodes that are drawn, in file order."""
    return list(design(pilot).nodes)


def selected(pilot: P) -> str | int | None:
    """The selected node or edge."""
    graph = workbench(pilot).panes.graph_view
    return graph.selection.node if graph.selection.edge is None else graph.selection.edge


async def go(pilot: P, node: str) -> None:
    """Select a node by finding it."""
    await press(pilot, "slash")
    await type_in(pilot, node)
    await press(pilot, "enter", "escape")
    await until(pilot, lambda: selected(pilot) == node)


async def choose_edge(pilot: P, target: str) -> None:
    """Go through the edges of the selected node, to the one that leads to another."""
    for _ in design(pilot).edges:
        at = workbench(pilot).panes.graph_view.selection.edge
        if at is not None and design(pilot).edges[at].target == target:
            return
        await press(pilot, "o")
    raise AssertionError(f"no edge leads to {target}:\n{text(pilot)}")


async def delete_send(pilot: P) -> None:
    """Make an edit."""
    await go(pilot, "send")
    await press(pilot, "d", "d")
    assert nodes(pilot) == WITHOUT_SEND


async def stir(pilot: P) -> None:
    """Let the app hear that something happened to the file, as who watches the folder would."""
    workbench(pilot).files.look_at_disk()
    await pilot.pause()
