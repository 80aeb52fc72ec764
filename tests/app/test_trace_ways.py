"""Ways through the trace: keys, clicks, searches, copies."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph_tui.widgets.trace import TracePane
from tests.app.playing import play
from tests.app.tracing import refund


def test_what_is_copied_is_the_line_and_the_command_that_shows_the_step() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        trace = pilot.app.query_one(TracePane)
        assert trace.copied() == "► review  waits for a person, 1m"
        assert trace.copied_path() == "stepgraph runs show r-1"
        await pilot.press("k")
        assert trace.copied() == "4  amount_check  1 high → review  0.0 ms  + route"
        assert trace.copied_path() == "stepgraph runs show r-1 --step 4"

    play(refund().host(), script)
