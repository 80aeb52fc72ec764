"""The form and the dialog of a trial: all kinds of nodes, of outcomes, and of what can go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen

from stepgraph import END, StateGraph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.masks import Mask
from stepgraph.runs.trial import try_node
from stepgraph.testing import FakeClock
from stepgraph.values.json_values import Json
from stepgraph.values.state import UNSET
from stepgraph_tui.dialogs.forms.formats import Misfit
from stepgraph_tui.dialogs.try_node import Beginning, TriedDialog, TryForm, answer_field, beginnings
from stepgraph_tui.view.trials import TrialStory
from stepgraph_tui.worker import Try
from tests.app.forms import Host, filled


def one(node: Any, when: str | None = None, **settings: Any) -> CompiledGraph:
    """A graph of one node, given as Python or as type and settings."""
    graph = StateGraph("one", start="work", **settings)
    if isinstance(node, tuple):
        graph.declare_node("work", *node)
    else:
        graph.add_node("work", node)
    graph.add_edge("work", END, when=when)
    graph.add_key("amount", type="number", default=5)
    graph.add_tool("pay", returns={}, side_effects=True)
    graph.add_tool("look", returns={})
    return graph.compile()


def seen(screen: TryForm | ModalScreen[Any], *presses: str, size: tuple[int, int] = (80, 24)) -> str:
    """What a form or a dialog shows after some keys."""
    texts: list[str] = []

    async def look(pilot: Pilot[None], host: Host) -> None:
        texts.append(host.text)

    filled(screen, *presses, size=size, then=look)
    return texts[0]


def told(app: CompiledGraph, values: Mapping[str, Json] | None = None) -> str:
    """What the dialog shows of a trial."""
    work = Try(app, "work", dict(values or {}))
    tried = try_node(app, "work", work.values, clock=FakeClock())
    dialog = TriedDialog(work, TrialStory(tried, Mask(app, tried.before)))
    shown = seen(dialog, size=(80, 50))
    assert "Nothing was recorded" in shown
    return shown


def form(app: CompiledGraph, *others: Beginning, **settings: Any) -> TryForm:
    return TryForm(app, "work", [*others, *beginnings(app, "work")], **settings)


# What came of it


def test_a_condition_that_fails_says_why() -> None:
    shown = told(one(lambda state: {}, "price > 9"))
    assert "the condition of edge 1 of node 'work' (to END, price > 9) failed" in " ".join(shown.split())
    assert "FAILED" in shown


def test_of_very_many_changes_some_are_told() -> None:
    app = one(lambda state: {f"k{number}": 1 for number in range(151)})
    tried = try_node(app, "work", {})
    dialog = TriedDialog(Try(app, "work", {}), TrialStory(tried, Mask(app)))
    assert "… 51 more values" in dialog.text()


# What a trial is asked with


# Side effects and answers


def test_no_answer_and_wrong_ones() -> None:
    field = answer_field(("approve", "edit", "respond"), "ana")
    assert field.read("") is UNSET
    with pytest.raises(Misfit, match="is one of: approve, respond"):
        field.read("edit")
    with pytest.raises(Misfit, match="takes a text: respond: TEXT"):
        field.read("respond:")


# The states of a run
