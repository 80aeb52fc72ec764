"""Edits of a graph so large that a thread checks it: the frame that answers the key comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stepgraph.editing import Edit
from stepgraph.editing.nodes import AddNode, DeleteNodes
from stepgraph.editing.renaming import Rename
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.documents import opened_graph
from stepgraph_tui.documents.checked import Checker
from tests.app.bench import Bench, P, press, said, workbench
from tests.app.letters import draw, nodes
from tests.app.turning import rest

EDITS: list[tuple[Edit, str]] = [
    (AddNode("llm", name="fresh", after="draft"), "add fresh"),
    (Rename("nodes", "fresh", "renamed"), "rename fresh to renamed"),
    (DeleteNodes(["renamed"]), "delete renamed"),
]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The frames that were painted and the checks that began, in order."""
    found: list[str] = []

    def noted(kind: type, method: str, event: str, *, before: bool) -> None:
        real: Callable[..., Any] = getattr(kind, method)

        def note(*args: Any, **named: Any) -> Any:
            if before:
                found.append(event)
            answer = real(*args, **named)
            if not before:
                found.append(event)
            return answer

        monkeypatch.setattr(kind, method, note)

    monkeypatch.setattr(opened_graph, "AT_ONCE", 2)
    noted(StepgraphApp, "_display", "frame", before=False)
    noted(Checker, "check", "check", before=True)
    return found


def test_the_check_begins_when_the_answer_to_the_edit_is_painted(bench: Bench, events: list[str]) -> None:
    async def script(pilot: P) -> None:
        screen = workbench(pilot)
        for edit, words in EDITS:
            await rest(pilot)
            events.clear()
            screen.call_later(screen.design.edit, edit)
            await rest(pilot)
            assert events[:2] == ["frame", "check"]
            assert words in said(pilot)
        for key, word in (("u", "undid: delete renamed"), ("U", "redid: delete renamed")):
            events.clear()
            await press(pilot, key)
            await rest(pilot)
            assert events[0] == "frame"
            assert "check" in events
            assert word in said(pilot)
        assert screen.file.is_taken
        assert nodes(pilot) == ["draft", "check", "send"]

    draw(bench, script)


def test_of_edits_that_follow_one_another_the_last_is_shown(bench: Bench, events: list[str]) -> None:
    async def script(pilot: P) -> None:
        screen = workbench(pilot)
        for edit, _ in EDITS[:2]:
            screen.call_later(screen.design.edit, edit)
        await rest(pilot)
        assert screen.file.is_taken
        assert screen.file.checked.graph is not None
        assert [*screen.file.checked.graph.nodes] == nodes(pilot) == ["draft", "renamed", "check", "send"]
        assert screen.panes.graph_view.selection.node == "renamed"

    draw(bench, script)
