"""The keys that run nodes, and those that look at what ran."""

from __future__ import annotations

from stepgraph_tui.dialogs.run_form import ExtendForm
from tests.app.bench import (
    Bench,
    P,
    header,
    press,
    text,
    workbench,
)
from tests.app.filling import form_on_top

# One node, and more


# Stopping


# While a node runs


# Starting over


# Looking back


def test_x_allows_more_steps_to_a_run_that_reached_its_cap(bench: Bench) -> None:
    path = bench.graph(ROUND)
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "x m")
        assert pilot.app.screen is workbench(pilot)  # it is not at its step limit yet
        await press(pilot, "c")
        assert "FAILED" in header(pilot)
        assert "before a; xd shows why, xm allows more steps" in text(pilot)
        await press(pilot, "x m")
        assert form_on_top(pilot, ExtendForm).model.heading == f"Extend run {run.id}"
        await press(pilot, "0", "enter")
        assert "takes a whole number from 1" in text(pilot)
        await press(pilot, "backspace", "3", "enter")
        assert "READY   step 4/7" in header(pilot)
        await press(pilot, "c")
        assert "FAILED   step 7/7" in header(pilot)

    bench.play(script, path, run=run.id)
    assert bench.nodes() == ["a", "b", "a", "b", "a", "b", "a"]


ROUND = """
format = 1
name = "round"
start = "a"
max_steps = 4
on_max_steps = "fail"

[nodes.a]
type = "llm"
prompt = "Go on"
replies = ["yes"]

[nodes.b]
type = "llm"
prompt = "Go on"
replies = ["yes"]

[[edges]]
from = "a"
to = "b"

[[edges]]
from = "b"
to = "a"
"""
