"""Burr with its SQLite persister."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from burr.core import ApplicationBuilder, default, expr
from burr.core.action import action
from burr.core.persistence import SQLitePersister

from . import ITEM, NUMBER_STATE, database_size

COLD = """
from burr.core import ApplicationBuilder
from burr.core.action import action
count = action(reads=["n"], writes=["n"])(lambda state: state.update(n=state["n"] + 1))
app = (
    ApplicationBuilder().with_actions(a=count, b=count).with_transitions(("a", "b"))
    .with_state(n=0).with_entrypoint("a").build()
)
assert app.run(halt_after=["b"])[2]["n"] == 2
"""


def _count(state: Any) -> Any:
    return state.update(n=state["n"] + 1)


def _append(state: Any) -> Any:
    return state.update(n=state["n"] + 1).append(items=ITEM)


def _stop(state: Any) -> Any:
    return state


def _run(steps: int, function: Any, values: dict[str, Any], persister: Any = None) -> float:
    node = action(reads=list(values), writes=list(values))(function)
    done = expr(f"n >= {steps}")
    builder: Any = (
        ApplicationBuilder()
        .with_actions(a=node, b=node, stop=action(reads=[], writes=[])(_stop))
        .with_transitions(("a", "stop", done), ("a", "b", default), ("b", "stop", done), ("b", "a", default))
        .with_state(**values)
        .with_entrypoint("a")
        .with_identifiers(app_id="r")
    )
    if persister is not None:
        builder = builder.with_state_persister(persister)
    app = builder.build()
    began = time.perf_counter()
    app.run(halt_after=["stop"])
    return (time.perf_counter() - began) / steps


def _saved(path: Path, steps: int, function: Any, values: dict[str, Any]) -> float:
    persister = SQLitePersister(str(path), "state")
    persister.initialize()
    took = _run(steps, function, values, persister)
    persister.connection.close()
    return took


def memory_step(steps: int) -> float:
    """A cycle of two nodes."""
    return _run(steps, _count, {"n": 0})


def durable_step(folder: Path, steps: int) -> float:
    """The same with the state saved in each step."""
    return _saved(folder / "burr.db", steps, _count, {"n": 0})


def number_size(folder: Path, steps: int) -> int:
    """One number of a large state changes."""
    _saved(folder / "burr.db", steps, _count, {"n": 0, "text": "x" * NUMBER_STATE})
    return database_size(folder)


def growing_size(folder: Path, steps: int) -> int:
    """A list grows."""
    _saved(folder / "burr.db", steps, _append, {"n": 0, "items": []})
    return database_size(folder)
