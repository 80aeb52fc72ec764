"""Gates in the approval dialog, and in what is told of a run."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph import END, RunStatus, StateGraph
from tests.app.approving import Desk, Host, pending, press, type_text
from tests.app.playing import play


def gated(review: Any) -> StateGraph:
    graph = StateGraph("mail", start="draft")
    graph.add_key("topic", default="tea")
    settings: Any = {"prompt": "About {{ topic }}.", "output": "draft", "replies": ["Dear Ana"]}
    graph.declare_node("draft", "llm", settings, review=review)
    graph.add_node("send", lambda state: {}, side_effects=True)
    graph.add_edge("draft", "send", when='draft == "Dear Ben"', label="sound")
    graph.add_edge("draft", END)
    graph.add_edge("send", END)
    return graph


def opened(review: Any) -> tuple[Desk, Host]:
    desk = Desk()
    return desk, Host(desk, pending(desk.run(gated(review))).id)


def test_a_gate_before_a_node_says_what_would_run() -> None:
    _, host = opened("before")

    async def script(pilot: Pilot[Any]) -> str:
        return host.text

    text = play(host, script)
    for part in (
        "May 'draft' run?",
        'run draft(prompt="About tea.")',
        'Shown     topic  "tea"',
        "y approve → draft → depends on what it does",
        "n reject  END: the run stops, and draft does not run",
    ):
        assert part in text, part


def test_a_gate_after_a_node_says_what_it_did_and_an_edit_starts_from_that() -> None:
    desk, host = opened("after")

    async def script(pilot: Pilot[Any]) -> str:
        text = host.text
        await press(pilot, "e")
        assert "Dear Ana" in host.text
        for _ in "Ana":
            await press(pilot, "backspace")
        await type_text(pilot, "Ben")
        await press(pilot, "ctrl+j")
        assert 'Now       merge(draft="Dear Ben"' in host.text
        assert "Then → send ! → END" in host.text
        await press(pilot, "enter")
        return text

    text = play(host, script)
    for part in (
        "Go on with what 'draft' did?",
        'merge(draft="Dear Ana", next_action="RESPOND", tool_call=null)',
        'Result    + draft "Dear Ana"',
        "e can edit draft (text), next_action (text)",
        "y approve → END",
        "n reject  END: the run stops, and its updates are merged",
    ):
        assert part in text, part
    assert dict(desk.sent[0].decision.values) == {"draft": "Dear Ben"}
    desk.record()
    executor = desk.executor(gated("after"))
    run = executor.run(executor.load("r-1"))
    assert (run.status, run.values["draft"], run.step) == (RunStatus.ENDED, "Dear Ben", 2)


def test_a_rejection_is_confirmed_as_what_it_is() -> None:
    desk, host = opened("before")

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "n")
        await type_text(pilot, "no")
        await press(pilot, "enter")
        assert "Stop the run at draft?" in host.text
        assert "Then END: the run stops, and draft does not run" in host.text
        await press(pilot, "enter")

    play(host, script)
    desk.record()
    executor = desk.executor(gated("before"))
    run = executor.run(executor.load("r-1"))
    assert (run.status, run.step) == (RunStatus.ENDED, 0)
