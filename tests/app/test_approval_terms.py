"""What the dialog tells of deadlines, votes and who may decide, and what it leaves to do then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph import Decision, ReviewTerms, RunStatus
from stepgraph.reviews.inbox import Reviews
from stepgraph.testing import FakeClock
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.screens.home_entries import Waiting
from stepgraph_tui.text.terms import term_rows
from tests.app import bench as app_bench
from tests.app.approving import Desk, Host, asking, pending, press, type_text
from tests.app.bench import Bench, P, header, said, settle, text, workbench
from tests.app.playing import play
from tests.engine.test_waiting import review

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
        assert "rejects itself in 3m 20s" in host.text
        assert "then it is rejected" in host.text
        assert "waiting" not in host.text
        assert "rejects itself in 3m 19s" in await looks(pilot, host, 1)
        assert "rejects itself in 59s" in await looks(pilot, host, 140)

    play(host, script)


@pytest.mark.parametrize(
    ("rule", "first", "last"),
    [
        ("reject", "rejects itself in", "already rejected by its deadline"),
        ("fail", "fails in", "failed by its deadline: nobody decided in time"),
        ("approve_unsafe", "APPROVES ITSELF in", "already APPROVED UNSEEN by its deadline (approve_unsafe)"),
    ],
)
def test_a_deadline_that_passes_while_it_is_open_leaves_only_reading(
    rule: str, first: str, last: str
) -> None:
    desk, host = on(deadline=200.0, on_timeout=rule)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "c")
        await type_text(pilot, "mine")
        await press(pilot, "enter", "y")
        assert first in host.text
        assert last in await looks(pilot, host, 200)
        assert first not in host.text
        assert "what you wrote is kept" in host.text
        await press(pilot, "n", "c", "e")
        assert host.open
        await press(pilot, "enter")
        assert not host.open

    play(host, script)
    assert desk.sent == []
    assert desk.reviews.get("a-1").status == "expired"


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


def test_who_may_not_decide_hears_who_may_and_finds_no_verb() -> None:
    desk, host = on({"allow": ["approve", "reject", "respond"]}, approvers=["ben", "chris"])

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert "ana may not decide review a-1 (ben or chris may decide it)" in host.text
        assert "Under another name: `stepgraph --as NAME`, or `name` in settings.toml" in host.text
        await press(pilot, "y", "n", "r", "c")
        assert not any(verb in host.text for verb in ("Approve", "Reject", "Respond"))
        await press(pilot, "escape")
        assert not host.open

    play(host, script)
    assert desk.sent == []


def test_who_has_voted_already_is_not_told_to_do_it_again_under_another_name() -> None:
    desk, host = on(approvals=2)
    desk.reviews.decide("a-1", Decision.approve(by="ana"))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert "you approved review a-1 already" in host.text
        assert "--as" not in host.text

    play(host, script)


@pytest.mark.parametrize(
    ("terms", "authors", "told"),
    [
        ({"allow_self": False}, ("ana",), "anybody but ana, who started the run or edited its state"),
        ({"allow_self": False}, ("ana", "zoe"), "anybody but ana, zoe, who started"),
        ({"allow_self": False, "approvals": 2}, ("ana",), "its state; 2 different people must approve"),
        ({"allow_self": False}, (), "somebody who has neither started the run nor edited its state"),
        ({"allow_self": False, "approvers": ["ana", "ben"]}, ("Ana",), "ana or ben; except Ana, who started"),
        ({"allow_self": False, "approvers": ["ana", "ben"]}, ("zoe",), "ana or ben"),
    ],
)
def test_who_decides_is_said_in_a_positive_sentence(
    terms: dict[str, Any], authors: tuple[str, ...], told: str
) -> None:
    asked = review(1, terms=ReviewTerms(**terms), authors=authors)
    ((heading, people),) = term_rows(asked, 0.0)
    assert heading == "decides"
    assert told in people
    assert "not who" not in people
    assert ("zoe" in people) == (told.startswith("anybody but ana, zoe"))


def test_one_of_several_approvals_is_sent_and_told_as_one() -> None:
    desk, host = on(approvals=2, approvers=["ana", "ben", "chris"])

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert "ana, ben or chris; 2 of them must approve" in host.text
        assert "once another person approves" in host.text
        await press(pilot, "y", "enter")
        host.dialog.recorded(desk.record())
        await pilot.pause()
        assert not host.open

    play(host, script)
    assert desk.said[0].startswith("approved by ana (")
    assert desk.said[0].endswith("; it needs one more of ben or chris")
    assert desk.reviews.get("a-1").status == "pending"


def test_votes_of_others_are_shown_as_they_come_and_our_own_leaves_the_reject() -> None:
    desk, host = on(approvals=3, approvers=["ana", "ben", "chris"])

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "y")
        desk.reviews.decide("a-1", Decision.approve(by="ben"))
        text = await looks(pilot, host, 1)
        assert "ben approved in the meantime" in text
        assert "ben approved; 2 more: ana or chris" in text
        await pilot.press("enter")  # it was meant for the question that was there
        assert host.open
        desk.reviews.decide("a-1", Decision.approve(by="ana"))
        text = await looks(pilot, host, 1)
        assert "you approved review a-1 already; it needs one more: chris" in " ".join(text.split())
        await press(pilot, "y")
        assert desk.sent == []
        await press(pilot, "n")
        assert "Why is it rejected?" in host.text

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


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 20), (40, 12), (30, 8)])
def test_terms_fit_on_every_screen(size: tuple[int, int]) -> None:
    terms: dict[str, Any] = {
        "approvals": 2,
        "approvers": ["ben", "chris"],
        "escalate_after": 60.0,
        "escalate_to": ["dora"],
    }
    desk, host = on(**TIMED, **terms)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert max(map(len, host.text.split("\n"))) <= size[0]
        assert ("rejects itself in 3m 20s" in host.text) is (size[0] >= 72)
        await press(pilot, "escape")
        assert not host.open

    play(host, script, size)
    assert desk.sent == []


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


@pytest.mark.parametrize(
    ("rule", "standing", "told"),
    [
        ("reject", "READY", "ask  rejected by its deadline"),
        ("approve_unsafe", "READY", "ask  APPROVED UNSEEN by its deadline"),
        ("fail", "FAILED", "nobody decided within 4h"),
    ],
)
def test_a_look_at_the_store_applies_what_is_overdue_and_each_place_names_it(
    bench: Bench, rule: str, standing: str, told: str
) -> None:
    path = bench.graph(ASKS.replace("TERMS", f'deadline = "4h"\non_timeout = "{rule}"'))
    run = bench.run(path, steps=1)

    async def script(pilot: P) -> None:
        app = pilot.app
        assert isinstance(app, StepgraphApp)
        clock = app.context.clock
        assert isinstance(clock, FakeClock)
        await app_bench.press(pilot, "escape")
        assert "AWAITING HUMAN" in header(pilot)
        assert " at " in said(pilot)
        assert said(pilot).startswith("WAITS ask asks a person: A opens the review; ")
        clock.advance(4 * 3600)
        assert workbench(pilot).runs.shown.look()
        await settle(pilot)
        assert standing in header(pilot)
        assert "A 0" in header(pilot)
        assert told in said(pilot)
        assert told.removeprefix("ask  ") in text(pilot)
        app._look()
        await pilot.pause()
        (toast,) = app._notifications
        assert toast.message.startswith("review a-1 was ")
        assert f"; run {run.id} " in toast.message

    bench.play(script, path, run=run.id, size=(120, 40))
    assert Reviews(bench.store).get("a-1").status == "expired"


def test_votes_and_escalations_are_lines_of_the_trace(bench: Bench) -> None:
    terms = 'approvals = 2\napprovers = ["ana", "ben"]\nescalate_after = "1h"\nescalate_to = ["chris"]'
    path = bench.graph(ASKS.replace("TERMS", terms))
    run = bench.run(path, steps=1)

    async def script(pilot: P) -> None:
        app = pilot.app
        assert isinstance(app, StepgraphApp)
        await app_bench.press(pilot, "A", "y", "enter")
        assert "it needs one more: ben" in text(pilot)
        assert "AWAITING HUMAN" in header(pilot)
        assert "vote by ana: approve" in text(pilot)
        assert isinstance(app.context.clock, FakeClock)
        app.context.clock.advance(3600)
        workbench(pilot).runs.shown.look()
        await settle(pilot)
        assert "escalated: nobody decided within 1h: chris may too" in text(pilot)
        Reviews(bench.store).decide("a-1", Decision.approve(by="ben"))
        workbench(pilot).runs.shown.look()
        await settle(pilot)
        await app_bench.press(pilot, "s")
        assert "ENDED" in header(pilot)

    bench.play(script, path, run=run.id, size=(120, 40))
    kinds = [row.kind for row in bench.store.rows(run.id)]
    assert kinds == ["start", "review", "vote", "escalation", "decision", "step"]


def test_home_applies_what_is_overdue_and_lists_it_no_more(bench: Bench) -> None:
    path = bench.graph(ASKS.replace("TERMS", 'deadline = "4h"\non_timeout = "reject"'))
    run = bench.run(path, steps=1)
    clock = FakeClock()
    waiting = Waiting(bench.store, clock.time)
    assert [entry.run for entry in waiting.section().entries] == [run.id]
    clock.advance(4 * 3600)
    assert waiting.section().entries == ()
    assert bench.load(run.id).status is RunStatus.READY


@pytest.mark.parametrize(("approvers", "may"), [(("ben", "chris"), False), (("ana", "ben"), True)])
def test_no_key_is_named_to_somebody_who_may_not_decide(approvers: tuple[str, ...], may: bool) -> None:
    _, host = on(approvers=approvers)

    async def script(pilot: Pilot[Any]) -> str:
        await pilot.pause()
        return host.text

    seen = play(host, script)
    assert "approve   → " in seen or "approve → " in seen
    for words in ("y approve", "n reject", "required to reject", "c write"):
        assert (words in seen) is may, words
