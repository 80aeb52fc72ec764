"""What the dialog tells of deadlines, votes and who may decide, and what it leaves to do then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph import ReviewTerms, RunStatus
from stepgraph.testing import FakeClock
from stepgraph_tui.screens.home import Waiting
from tests.app.approving import Desk, Host, asking, pending, press
from tests.app.bench import Bench
from tests.app.playing import play

TIMED: dict[str, Any] = {"deadline": 200.0, "on_timeout": "reject"}


def on(settings: dict[str, Any] | None = None, **terms: Any) -> tuple[Desk, Host]:
    """A review that waits on terms, and the dialog for ana."""
    desk, graph = Desk(), asking(**(settings or {}))
    graph.settings = replace(graph.settings, terms=ReviewTerms(**terms))
    return desk, Host(desk, pending(desk.run(graph)).id)


async def looks(pilot: Pilot[Any], host: Host, seconds: float) -> str:
    """Let time pass, have the dialog look, and give what is on the screen."""
    host.desk.clock.advance(seconds)
    host.dialog.look_again()
    await pilot.pause()
    return host.text


# acceptance 148
def test_a_deadline_counts_down_to_the_second() -> None:
    _, host = on(**TIMED)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert "auto-rejects in 3m 20s" in host.text
        assert "then it is rejected" in host.text
        assert "waiting" not in host.text
        assert "auto-rejects in 3m 19s" in await looks(pilot, host, 1)
        assert "auto-rejects in 59s" in await looks(pilot, host, 140)

    play(host, script)


def test_a_decision_that_comes_too_late_is_told_the_rule() -> None:
    desk, host = on(**TIMED)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y", "enter")
        desk.clock.advance(200)
        with pytest.raises(Exception, match="rejected by its deadline") as late:
            desk.record()
        host.dialog.refused(late.value)  # type: ignore[arg-type]  # AlreadyDecided
        await pilot.pause()
        assert "already rejected by its deadline" in host.text

    play(host, script)


def test_an_escalation_is_told_when_it_comes_and_lets_its_people_decide() -> None:
    desk, host = on(approvers=["ben"], escalate_after=60.0, escalate_to=["ana"])

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert "from then on ana may decide as well" in host.text
        await press(pilot, "y")
        text = await looks(pilot, host, 60)
        assert "it was escalated in the meantime" in text
        assert "ana may not decide" not in text
        await press(pilot, "y", "enter")

    play(host, script)
    assert desk.sent[0].decision.verb == "approve"


# The app around the dialog

ASKS = """
format = 1
name = "timed"
start = "ask"

[reviews]
TERMS

[nodes.ask]
type = "approval"
prompt = "Go on?"

[[edges]]
from = "ask"
to = "END"
"""


def test_home_applies_what_is_overdue_and_lists_it_no_more(bench: Bench) -> None:
    path = bench.graph(ASKS.replace("TERMS", 'deadline = "4h"\non_timeout = "reject"'))
    run = bench.run(path, steps=1)
    clock = FakeClock()
    waiting = Waiting(bench.store, clock.time)
    assert [entry.run for entry in waiting.section().entries] == [run.id]
    clock.advance(4 * 3600)
    assert waiting.section().entries == ()
    assert bench.load(run.id).status is RunStatus.READY
