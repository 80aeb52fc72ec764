"""From a blank file to a graph that runs, by keys alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from stepgraph.documents.comparing import differences
from stepgraph.files import read_graph
from stepgraph.files.templates import create_graph
from stepgraph.graphs.parts import to_document
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.design import DeclaredDialog, EdgeForm, KeyForm, NodeForm, SettingsForm, ToolForm
from stepgraph_tui.dialogs.pick import Pick
from stepgraph_tui.dialogs.questions import TrustDialog
from stepgraph_tui.text.state_text import toml_lines, toml_text
from tests.app.bench import (
    GRAPHS,
    REFUND,
    Bench,
    P,
    choose,
    dialog,
    header,
    press,
    said,
    text,
    until,
    workbench,
)
from tests.app.filling import fill, form_on_top, type_in
from tests.app.letters import choose_edge, go

SHIPPED = to_document(read_graph(REFUND))
DOCUMENT: dict[str, Any] = SHIPPED


def test_the_refund_graph_is_drawn_from_nothing_with_keys_alone_and_runs(bench: Bench) -> None:
    path = bench.folder / "mine.toml"
    create_graph(path, "blank")
    for beside in ("refund_tools.py", "orders.json"):
        shutil.copy(GRAPHS / beside, bench.folder)

    async def script(pilot: P) -> str:
        assert "a adds the first node" in text(pilot)
        await write_settings(pilot)
        await declare(pilot)
        await draw_nodes(pilot)
        await draw_edges(pilot)
        assert workbench(pilot).file.checked.problems == ()
        assert "MODIFIED" in header(pilot)
        await press(pilot, "ctrl+s")
        assert "SAVED" in header(pilot)
        compare_with_shipped(path)
        return await run_to_the_review(pilot)

    run = bench.load(bench.play(script, path, design=True))
    assert run.status is RunStatus.PAUSED
    assert [record.node for record in run.history] == ["classify", "lookup", "draft", "amount_check"]


def compare_with_shipped(path: Path) -> None:
    """What was drawn means what the shipped file means."""
    drawn = to_document(read_graph(path))
    assert differences(SHIPPED, drawn) == []
    assert differences(drawn, SHIPPED) == []


async def write_settings(pilot: P) -> None:
    """The graph's own settings."""
    await press(pilot, "E")
    form_on_top(pilot, SettingsForm)
    await fill(pilot, name=DOCUMENT["name"], note=DOCUMENT["note"], max_steps=str(DOCUMENT["max_steps"]))


async def declare(pilot: P) -> None:
    """The keys of the state, and the tools."""
    await press(pilot, ", k")
    for name, table in DOCUMENT["state"].items():
        dialog(pilot, DeclaredDialog)
        await press(pilot, "a")
        form_on_top(pilot, KeyForm)
        await fill(pilot, name=name, **written(table))
    await press(pilot, "escape", ", t")
    for name, table in DOCUMENT["tools"].items():
        dialog(pilot, DeclaredDialog)
        await press(pilot, "a")
        form_on_top(pilot, ToolForm)
        await fill(pilot, name=name, **written(table))
    await press(pilot, "escape")


async def draw_nodes(pilot: P) -> None:
    """First the one that stands apart; then, from the new start on, each after the one before."""
    await add(pilot, "hand_over")
    await press(pilot, "G")
    await add(pilot, "classify")
    await choose(pilot, "Set start")
    assert "start at classify" in said(pilot)
    for name in ("lookup", "draft", "amount_check", "review", "pay", "notify"):
        await add(pilot, name)


async def draw_edges(pilot: P) -> None:
    """What leads elsewhere, and when; the order is that of the file."""
    await connect(pilot, "review", "notify", label="rejected")
    await add(pilot, "refuse")  # into the edge that is selected
    await go(pilot, "review")
    await choose_edge(pilot, "pay")
    await edit_edge(pilot, 'decision == "approve"', "approved")
    await press(pilot, "K")

    await connect(pilot, "amount_check", "pay", label="low")
    await press(pilot, "J")
    await choose_edge(pilot, "review")
    await edit_edge(pilot, 'route == "high"', "high")

    await connect(pilot, "classify", "hand_over", label="other")
    await press(pilot, "J")
    await choose_edge(pilot, "lookup")
    await edit_edge(pilot, 'category == "billing"', "billing")


async def run_to_the_review(pilot: P) -> str:
    """Run what was drawn, on its scripted replies and its own Python; returns the run's id."""
    await press(pilot, "c", "ctrl+j")
    dialog(pilot, TrustDialog)
    await press(pilot, "y")
    assert "DEBUG   READY   step 0/30" in header(pilot)
    await press(pilot, "c")
    dialog(pilot, ReviewScreen)
    assert "Refund 240 EUR to Ana for order 8812?" in text(pilot)
    run = workbench(pilot).runs.shown.run
    assert run is not None
    return run.id


async def add(pilot: P, name: str) -> None:
    """Add a node of the shipped graph where the selection is, and fill in its form."""
    table = dict(DOCUMENT["nodes"][name])
    type_ = table.pop("type")
    await press(pilot, "a")
    await type_in(pilot, type_)
    await press(pilot, "enter")
    if isinstance(pilot.app.screen, Pick):  # where it goes: between the selected node and the next one
        await press(pilot, "enter")
    form_on_top(pilot, NodeForm)
    await fill(pilot, name=name, **written(table))
    await until(pilot, lambda: workbench(pilot).panes.graph_view.selection.node == name)


async def connect(pilot: P, source: str, target: str, **values: str) -> None:
    """Lead an edge from one node to another, and fill in its form."""
    await go(pilot, source)
    await press(pilot, "C")
    await type_in(pilot, target)
    await press(pilot, "enter")
    form_on_top(pilot, EdgeForm)
    await fill(pilot, **values)


async def edit_edge(pilot: P, when: str, label: str) -> None:
    """Say when the selected edge is taken."""
    await press(pilot, "enter")
    form_on_top(pilot, EdgeForm)
    await fill(pilot, label=label, condition="expression", when=when)


def written(table: dict[str, Any]) -> dict[str, str]:
    """What is to stand in the fields of a form; notes are left out, for they mean nothing to runs."""
    return {key: field_text(value) for key, value in table.items() if key != "note"}


def field_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return toml_lines(value) or "{}"
    if isinstance(value, list):
        return toml_text(value)
    return str(value)
