"""A node that does not come back is abandoned: its visit fails, and what it still returns is thrown away."""

from __future__ import annotations

import threading

from stepgraph.stores.ledger import RunStatus
from tests.app.bench import Bench, P, press, said, settle, start, text, until
from tests.app.gates import WORK, Gate

HANGS = """
format = 1
name = "hangs"
start = "work"
[state.count]
default = 0
[nodes.work]
type = "handler"
handler = "work:wait"
[[edges]]
from = "work"
to = "END"
"""


def stepping() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "stepgraph-stepping"]


def test_a_node_that_hangs_is_abandoned_and_tried_again(bench: Bench, gate: Gate) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        before = len(stepping())
        await pilot.press("s")
        await gate.is_reached()
        await pilot.press("X")
        assert "stops after this node; X again abandons it" in said(pilot)
        await pilot.press("X")
        await settle(pilot)
        run = bench.load("r-1")
        assert (run.status, run.step) == (RunStatus.FAILED, 0)
        assert "node 'work' failed on visit 1: it was abandoned" in " ".join(text(pilot).split())
        assert "what it still returns is thrown away" in said(pilot)
        assert len(stepping()) == before + 1
        gate.open()
        await until(pilot, lambda: len(stepping()) == before)
        assert gate.passed == 1
        assert bench.load("r-1").version == run.version
        await press(pilot, "r")
        assert bench.load("r-1").values == {"count": 1}

    bench.play(script, bench.trusted(HANGS, work=WORK), size=(120, 40))


def test_a_node_that_comes_back_after_the_first_key_stops_the_run(bench: Bench, gate: Gate) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await pilot.press("c")
        await gate.is_reached()
        await pilot.press("X")
        gate.open()
        await settle(pilot)
        assert bench.load("r-1").values == {"count": 1}

    bench.play(script, bench.trusted(HANGS, work=WORK), size=(120, 40))
