"""A graph that goes round before it pays, to be run, forked and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.app.bench import LARGE, Bench

LOOP = """
format = 1
name = "loop"
start = "work"
max_steps = 9

[state.count]
type = "number"
default = 0
[state.token]
secret = true
default = "hunter2-secret"

[nodes.work]
type = "handler"
handler = "work:work"

[nodes.pay]
type = "handler"
handler = "work:pay"
side_effects = true

[[edges]]
from = "work"
to = "work"
when = "count < 3"

[[edges]]
from = "work"
to = "pay"

[[edges]]
from = "pay"
to = "END"
"""
CODE = """
def work(state):
    return {"count": state["count"] + 1}

def pay(state):
    if state.get("broke"):
        raise ValueError("no money")
    return {"paid": state["count"]}
"""


def graph(bench: Bench) -> Path:
    return bench.trusted(LOOP, work=CODE)


def runs(bench: Bench) -> list[str]:
    return sorted(stored.head.id for stored in bench.store.runs())


def played(bench: Bench, script: Any, steps: int) -> None:
    path = graph(bench)
    bench.run(path, steps=steps)
    bench.play(script, path, run="r-1", size=LARGE)
