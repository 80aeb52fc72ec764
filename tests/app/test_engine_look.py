"""What the app knows of who drives which run."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph.stores.engines import DrivenRun
from stepgraph.stores.memory import MemoryStore
from stepgraph.values.errors import StoreError
from stepgraph_tui import context as engine_look
from stepgraph_tui.context import ENGINE_EVERY, EngineLook


class OneEngine:
    """An engine that drives what it is told to."""

    def __init__(self) -> None:
        self.driven: list[DrivenRun] | None = []

    def runs(self) -> dict[str, DrivenRun]:
        """Find how each run stands."""
        if self.driven is None:
            raise StoreError("it does not answer")
        return {run.run: run for run in self.driven}


def test_it_is_read_in_a_thread_and_forgotten_while_an_engine_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, clock = OneEngine(), [100.0]
    engines: list[Any] = [engine]
    monkeypatch.setattr(engine_look, "engines_at", lambda _: engines)
    monkeypatch.setenv("STEPGRAPH_ENGINE", "temporal")
    monkeypatch.setattr(engine_look, "monotonic", lambda: clock[0])
    look = EngineLook(MemoryStore())

    def later() -> None:
        clock[0] += ENGINE_EVERY
        look.look()
        if look._thread is not None:
            look._thread.join()

    engine.driven = [
        DrivenRun("a", "doing", "w1"),
        DrivenRun("b", "todo", None, 4.0),
        DrivenRun("c", None, None),
    ]
    later()
    assert [look.words(run) for run in "abcd"] == [
        "running on worker w1",
        "tried again in 4 s",
        "driven by workers",
        "",
    ]
    engine.driven = None
    look.look()  # a moment ago
    assert look.words("a")
    later()
    assert look.words("a") == ""


def test_where_nothing_drives_runs_no_thread_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEPGRAPH_ENGINE", raising=False)
    look = EngineLook(MemoryStore())
    look.look()
    assert (look._thread, look.words("a")) == (None, "")
