"""Watches: values now and before, the strip over the steps, and what an error looks like."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import (
    END,
    BreakpointError,
    Executor,
    MemoryStore,
    StateGraph,
    Watch,
    open_run,
)
from stepgraph.runs.debug.watches import WatchHistory, read_watches
from stepgraph.stores.base import StateStore
from stepgraph.values.json_values import Json

TEXTS = [
    "n",
    "order.sum",
    "order.sum > 2",
    "log",
    "log[-1]",
    "visits.work",
    "step",
    "last_output",
    "gone",
    "n +",
]


def worked(script: list[dict[str, Any]], store: StateStore | None = None) -> Executor:
    graph = StateGraph("work", start="work", max_steps=100)
    graph.add_key("log", reducer="append")
    graph.add_node("work", lambda state: script[state.step - 1] if state.step <= len(script) else {})
    graph.add_edge("work", END, when=f"step >= {len(script)}")
    graph.add_edge("work", "work")
    return Executor(graph.compile(), store if store is not None else MemoryStore())


updates = st.fixed_dictionaries(
    {},
    optional={
        "n": st.sampled_from([0, 1, 1.5, True, "1", None, ["x" * 70]]),
        "order": st.none() | st.fixed_dictionaries({}, optional={"sum": st.integers(1, 3) | st.just("x")}),
        "log": st.integers(0, 1) | st.just([]),
    },
)


@given(st.lists(updates, min_size=1, max_size=8), st.integers(0, 7))
def test_the_strip_has_at_each_step_what_is_read_there(script: list[dict[str, Any]], edited: int) -> None:
    executor = worked(script)
    run = executor.start({}, "r")
    watches = [Watch(text) for text in TEXTS]
    history = WatchHistory(watches)
    while run.status == "ready":
        history.read(open_run(executor.store, "r"))  # piece by piece, as it grows
        if run.step == edited:
            run = executor.edit("r", {"n": 7, "log": [5]}, by="test")
        executor.step(run)
    seen = open_run(executor.store, "r")
    history.read(seen)
    whole = WatchHistory(watches).read(seen)
    assert [strip.points for strip in history.strips] == [strip.points for strip in whole.strips]
    for step in range(seen.step + 1):
        for reading, strip in zip(read_watches(seen, watches, step), history.strips, strict=True):
            assert strip.at(step).is_error == (reading.now.error is not None)
            if not strip.at(step).is_error:
                assert strip.at(step).text == reading.now.preview()
            assert reading.before is not None or step == 0
            assert (step in strip.changes) == reading.is_changed


def test_one_that_does_not_parse_says_so_wherever_it_is_asked() -> None:
    watch = Watch("n +")
    executor = worked([{"n": 1}])
    executor.run(executor.start({}, "r"))
    [reading] = read_watches(executor.load("r"), [watch])
    assert reading.now.error == watch.problem != ""
    assert "problem" not in reading.to_json()
    assert reading.to_json()["now"] == {"error": watch.problem}
    with pytest.raises(BreakpointError, match="'n \\+' does not parse"):
        watch.require()
    Watch("n").require()


def test_what_is_to_stay_hidden_is_hidden_before_it_is_cut() -> None:
    hidden = "hunter2-secret"
    padding = "x" * 55

    def hide(key: str, value: Json) -> Json:
        if key == "token":
            return "***"
        return value.replace(hidden, "***") if isinstance(value, str) else value

    executor = worked([{"token": hidden, "told": padding + hidden, "n": 3}])
    executor.run(executor.start({}, "r"))
    run = executor.load("r")
    watches = [Watch("token"), Watch("told"), Watch("token < 3"), Watch("n")]
    strips = WatchHistory(watches, hide).read(run).strips
    readings = [reading.hidden(hide) for reading in read_watches(run, watches)]
    shown = [strip.at(1).text for strip in strips]
    assert shown[0] == '"***"'
    assert shown[2:] == ["***", "3"]
    assert not any("hunter" in text for text in shown)
    assert not any("hunter" in str(reading) for reading in readings)
