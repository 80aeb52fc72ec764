"""Debugging a run of the support example, from its first halt to its fork, by keys alone."""

from __future__ import annotations

from pathlib import Path

from stepgraph.reviews.inbox import Reviews
from stepgraph.runs.debug.breakpoint import format_breakpoint
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.dialogs.run_form import ForkForm, RunForm
from stepgraph_tui.dialogs.state_edit import StateEditForm
from stepgraph_tui.screens.runs import RunsScreen
from tests.app.bench import GRAPHS, SMALL, Bench, P, dialog, header, press, said, text, until, workbench
from tests.app.filling import fill, form_on_top

SUPPORT = GRAPHS / "support_triage.toml"


def _letter(bench: Bench, run_id: str) -> str:
    return str(bench.load(run_id).values["draft"])


async def _halts_when_the_check_says_something_else(pilot: P) -> None:
    await press(pilot, "2", *"jjjjjj", "B")
    assert said(pilot) == "breakpoint b1: a run halts when compliance_error changes"
    await press(pilot, "c")
    form_on_top(pilot, RunForm)
    await press(pilot, "ctrl+j", "c")
    assert "READY   step 4/30" in header(pilot)
    assert said(pilot).startswith('! b1 halts at compliance, step 4: compliance_error: "" → "- The')
    assert '"failed"' in text(pilot)


async def _watches_two_values(pilot: P) -> None:
    await press(pilot, "2", "g g", "w")
    assert said(pilot) == "compliance_error is watched: 7 shows it"
    await press(pilot, "7", "a")
    await fill(pilot, "enter", expression="draft")
    assert said(pilot) == "draft is watched"


async def _tells_at_which_attempt_the_draft_changed(pilot: P) -> None:
    await press(pilot, "c")
    assert said(pilot).startswith("! b1 halts at compliance, step 6: compliance_error:")
    await press(pilot, "c")
    assert "READY   step 8/30" in header(pilot)
    assert said(pilot).startswith("! b1 halts at compliance, step 8: compliance_error:")
    assert "changed at steps 7, 5, 3; now" in text(pilot)
    seen = []
    for _ in range(3):
        await press(pilot, "left_curly_bracket")
        seen.append(said(pilot))
    assert seen == [f"step {step}: draft changed" for step in (7, 5, 3)]
    assert "VIEWING 3" in header(pilot)
    await press(pilot, "left_curly_bracket")
    assert said(pilot) == "! draft does not change before step 3"
    await press(pilot, "right_curly_bracket", "5", "right_curly_bracket")
    assert said(pilot) == "step 6: compliance_error changed; b1 hit: compliance_error changes"


async def _edits_the_letter(pilot: P, letter: str) -> None:
    await press(pilot, "escape", "2", "g g", *"jjjjjj")
    assert workbench(pilot).panes.state_pane.copied_path() == "draft"
    await press(pilot, "e")
    form_on_top(pilot, StateEditForm)
    await fill(pilot, draft=letter, comment="10 is more than we give")
    assert "→ …ou a credit of 5 EUR on your next invoice." in dialog(pilot, Confirm).question
    await press(pilot, "y")
    assert said(pilot) == "State edited (recorded in the run's history)"
    await press(pilot, "c")
    assert "ENDED   step 9/30" in header(pilot)


async def _forks_for_another_customer(pilot: P) -> None:
    await press(pilot, "5", "g g", "j")
    assert said(pilot).startswith("VIEWING step 1 of 9")
    await press(pilot, "f")
    form_on_top(pilot, ForkForm)
    assert "! send has side effects: they happen again" in text(pilot)
    await fill(pilot, customer="C-219")
    assert '~ customer "C-104" → "C-219"' in dialog(pilot, Confirm).question
    await press(pilot, "y")
    assert said(pilot) == "run r-2 forks r-1@1: fetch_billing comes next"
    await press(pilot, "8", "space")
    assert said(pilot) == "breakpoint b1 is off"
    await press(pilot, "c")
    assert "Three letters to Tomás failed the compliance check." in text(pilot)
    dialog(pilot, ReviewScreen)
    await press(pilot, "escape")
    assert said(pilot) == "WAITS escalate asks a person: c opens the review"


async def _compares_both(pilot: P) -> None:
    await press(pilot, "g r")
    dialog(pilot, RunsScreen)
    await until(pilot, lambda: "└─ r-2" in text(pilot))
    first, second = (line.split() for line in text(pilot).splitlines() if "/30" in line)
    assert first[:5] == ["▾", "r-1", "support-triage", "ended", "9/30"]
    assert second[:6] == ["▸", "└─", "r-2", "support-triage", "paused", "8/30"]
    await press(pilot, "space", "k", "space", "equals_sign")
    await until(pilot, lambda: "r-2 was forked from r-1 after step 1." in text(pilot))
    assert "SAME      step 1" in text(pilot)
    assert "DIVERGE   at step 2" in text(pilot)
    await press(pilot, "G")
    assert '"C-219"' not in text(pilot)
    assert "delivery" in text(pilot)


def test_a_run_is_halted_looked_back_on_edited_forked_and_compared(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await _halts_when_the_check_says_something_else(pilot)
        await _watches_two_values(pilot)
        await _tells_at_which_attempt_the_draft_changed(pilot)
        await _edits_the_letter(pilot, _letter(bench, "r-1").replace("10 EUR", "5 EUR"))
        await _forks_for_another_customer(pilot)
        await _compares_both(pilot)

    before = SUPPORT.read_bytes()
    bench.play(script, SUPPORT, size=SMALL)
    ended, waits = bench.load("r-1"), bench.load("r-2")
    assert ended.status is RunStatus.ENDED
    assert "a credit of 5 EUR" in str(ended.values["delivery"])
    [edit] = [row for row in bench.store.rows("r-1") if row.kind == "edit"]
    assert edit.data is not None
    assert edit.data["comment"] == "10 is more than we give"
    assert (waits.status, waits.values["customer"]) == (RunStatus.PAUSED, "C-219")
    assert [review.node for review in Reviews(bench.store).pending()] == ["escalate"]
    assert _kept(SUPPORT) == ["key:compliance_error", "compliance_error", "draft"]
    assert SUPPORT.read_bytes() == before


def _kept(path: Path) -> list[str]:
    kept = KeptDebugging(path)
    return [
        *(format_breakpoint(each) for each in kept.breakpoints()),
        *(watch.text for watch in kept.watches()),
    ]
