"""T: one node, with a state of one's choice; nothing is recorded, and what came of it is shown."""

from __future__ import annotations

import shutil
from pathlib import Path

from stepgraph.editing.edges import EditEdge
from stepgraph_tui.dialogs.forms.field_view import FieldView
from stepgraph_tui.dialogs.questions import Confirm, TrustDialog
from stepgraph_tui.dialogs.try_node import TriedDialog, TryForm
from stepgraph_tui.worker import Printed
from tests.app.bench import (
    REFUND,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    shown,
    text,
    until,
    workbench,
)
from tests.app.filling import form_on_top
from tests.app.gates import GATED, WORK, Gate

COUNT = """
format = 1
name = "count"
start = "work"

[state.count]
type = "number"
default = 0

[state.token]
secret = true
default = "swordfish"

[nodes.work]
type = "handler"
handler = "code:work"

[[edges]]
from = "work"
to = "work"
when = "count < 3"
label = "again"

[[edges]]
from = "work"
to = "END"
"""
CODE = """
def work(state):
    print("token", state["token"], "count", state["count"], "visit", state.visit)
    return {"count": state["count"] + 1, "said": f"{state.previous_output} {state['token']}"}
"""
BROKEN = """
def work(state):
    return helper(state)

def helper(state):
    raise ValueError(f"no {state['token']}")
"""


async def select(pilot: P, node: str) -> None:
    workbench(pilot).surface.select(node)
    await pilot.pause()


def fields(pilot: P) -> dict[str, str]:
    """What stands in the fields of the form, by name."""
    return {field.field.name: field.text for field in form_on_top(pilot, TryForm).query(FieldView)}


async def write(pilot: P, name: str, value: str) -> None:
    """Let something else stand in a field."""
    next(field for field in form_on_top(pilot, TryForm).query(FieldView) if field.field.name == name).put(
        value
    )
    await pilot.pause()


def test_two_keys_try_a_node_of_a_graph_without_a_run(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "T")
        assert fields(pilot)["ticket"].startswith("I was charged twice")
        assert "nothing is recorded" in text(pilot)
        await press(pilot, "enter")
        dialog(pilot, TriedDialog)
        assert "classify is done: lookup would be next" in text(pilot)
        assert '+ category  "billing"' in text(pilot)
        assert "Nothing was recorded" in text(pilot)
        assert "TAKEN  1 billing → lookup" in text(pilot)
        await press(pilot, "escape")
        assert workbench(pilot).runs.shown.run is None

    bench.play(script, REFUND)
    assert bench.store.runs() == []


def test_a_trial_begins_where_the_run_stands_and_leaves_it_there(bench: Bench) -> None:
    before = bench.run(REFUND, steps=3).version

    async def script(pilot: P) -> None:
        await select(pilot, "amount_check")
        await press(pilot, "T")
        assert "● now, after step 3" in text(pilot)
        assert "run r-1, as step 4, visit 1" in text(pilot)
        await press(pilot, "enter")
        assert "amount_check is done: review would be next" in text(pilot)
        assert '+ route  "high"' in text(pilot)
        await press(pilot, "q")
        assert "step 3/30" in header(pilot)

    bench.play(script, REFUND, run="r-1")
    assert bench.store.load("r-1").pointer.version == before


def test_past_states_are_chosen_by_the_arrows_and_what_is_typed_stays(bench: Bench) -> None:
    path = bench.trusted(COUNT, code=CODE)
    bench.run(path, steps=3)

    async def script(pilot: P) -> None:
        await select(pilot, "work")
        await press(pilot, "T")
        assert "● before step 3" in text(pilot)
        assert fields(pilot)["count"] == "2"
        assert "as step 3, visit 3, with feedback" in text(pilot)
        await press(pilot, "right")
        assert "● before step 2" in text(pilot)
        assert fields(pilot)["count"] == "1"
        await press(pilot, "right", "right", "right")
        assert "● the defaults" in text(pilot)
        assert fields(pilot)["count"] == "0"
        await press(pilot, "left", "enter")
        assert "count" in text(pilot)
        assert "~ count  3 → 4" in text(pilot)
        assert "the run would end" in text(pilot)
        await press(pilot, "escape", "T", "tab", "7", "shift+tab", "right")
        assert "● before step 2" in text(pilot)
        assert fields(pilot)["count"] == "7"
        await press(pilot, "ctrl+j")
        assert "~ count  7 → 8" in text(pilot)
        await press(pilot, "r")
        assert "● as last tried" in text(pilot)
        assert fields(pilot)["count"] == "7"
        assert "as step 2, visit 2" in text(pilot)
        await press(pilot, "escape", "escape", "[", "[", "T")
        assert "● viewed, after step 1" in text(pilot)
        assert fields(pilot)["count"] == "1"
        await press(pilot, "enter")
        assert "~ count  1 → 2" in text(pilot)
        assert "1 again → work" in text(pilot)

    bench.play(script, path, run="r-1")


def test_a_value_that_no_state_holds_is_refused_and_leaving_asks_when_something_was_typed(
    bench: Bench,
) -> None:
    path = bench.trusted(COUNT, code=CODE)

    async def script(pilot: P) -> None:
        await press(pilot, "T", "escape")
        assert pilot.app.screen is workbench(pilot)
        await press(pilot, "T", "tab", "x", "ctrl+j")
        assert 'takes a number, not "' in text(pilot)
        form_on_top(pilot, TryForm)
        await press(pilot, "escape")
        dialog(pilot, Confirm)
        await press(pilot, "y")
        assert pilot.app.screen is workbench(pilot)
        await press(pilot, "G", "T")
        assert pilot.app.screen is workbench(pilot)
        assert "select a node" in said(pilot)

    bench.play(script, path)


def test_a_node_with_side_effects_is_tried_by_y_alone(bench: Bench) -> None:
    bench.run(REFUND, steps=4)

    async def script(pilot: P) -> None:
        await select(pilot, "pay")
        await press(pilot, "T")
        assert "! This node has side effects: they will really happen" in text(pilot)
        await press(pilot, "enter")
        assert "Try pay?" in text(pilot)
        await press(pilot, "enter")
        form_on_top(pilot, TryForm)
        await press(pilot, "enter", "y")
        dialog(pilot, TriedDialog)
        assert "+ payment.receipt" in text(pilot)

    bench.play(script, REFUND, run="r-1")


def test_an_approval_shows_its_question_and_with_an_answer_where_it_leads(bench: Bench) -> None:
    bench.run(REFUND, steps=4)

    async def script(pilot: P) -> None:
        await press(pilot, "T", "enter")
        assert "review asks a person" in text(pilot)
        assert "Refund 240 EUR to Ana for order 8812?" in text(pilot)
        await press(pilot, "r")
        await write(pilot, "answer", "maybe")
        await press(pilot, "ctrl+j")
        assert "is one of: approve, reject" in text(pilot)
        await write(pilot, "answer", "reject: too much")
        await press(pilot, "ctrl+j")
        assert "review is done: refuse would be next" in text(pilot)
        assert "too much" in text(pilot)
        await press(pilot, "r")
        assert fields(pilot)["answer"] == "reject: too much"

    bench.play(script, REFUND, run="r-1")
    assert bench.store.load("r-1").pointer.review is None


def test_a_failure_shows_the_own_code_first_and_no_secret(bench: Bench) -> None:
    path = bench.trusted(COUNT, code=BROKEN)

    async def script(pilot: P) -> None:
        await press(pilot, "T", "enter")
        assert "✗ work failed" in text(pilot)
        assert "raised ValueError on visit 1: no ***" in text(pilot)
        assert "code.py:6" in text(pilot)
        assert "swordfish" not in text(pilot)

    bench.play(script, path, size=(100, 40))


def test_no_secret_is_shown_copied_or_logged(bench: Bench, tmp_path: Path) -> None:
    path = bench.trusted(COUNT, code=CODE)
    bench.run(path, steps=2)

    async def script(pilot: P) -> None:
        await press(pilot, "T")
        assert [fields(pilot)[key].rpartition(" ")[2] for key in ("token", "said")] == ["swordfish"] * 2
        assert "swordfish" not in text(pilot)
        await write(pilot, "token", "tuna-fish-9")
        await press(pilot, "ctrl+j")
        assert "tuna" not in text(pilot)
        assert "***" in text(pilot)
        tried = dialog(pilot, TriedDialog)
        assert "fish" not in tried.text()
        workbench(pilot).panes.log_pane.add(Printed("try-1", 3, "work", "swordfish and tuna-fish-9\n"))
        assert "*** and ***" in (workbench(pilot).panes.log_pane.copied() or "")

    bench.play(script, path, run="r-1", size=(100, 40))


def test_it_runs_what_is_on_the_screen_once_that_is_trusted(bench: Bench) -> None:
    path = bench.trusted(COUNT, code=CODE)

    async def script(pilot: P) -> None:
        workbench(pilot).design.edit(EditEdge(0, {"from": "work", "to": "END", "when": "count < 3"}))
        await select(pilot, "work")
        await press(pilot, "T", "enter")
        dialog(pilot, TrustDialog)
        await press(pilot, "x", "y")
        assert "work is done: the run would end" in text(pilot)
        assert "count < 3" in text(pilot)
        await press(pilot, "escape")
        assert workbench(pilot).file.is_dirty

    bench.play(script, path, design=True)
    assert bench.store.runs() == []


def test_a_graph_with_errors_is_not_tried(bench: Bench, tmp_path: Path) -> None:
    path = Path(shutil.copy(REFUND, tmp_path / "mine.toml"))

    async def script(pilot: P) -> None:
        await select(pilot, "notify")
        await press(pilot, "d", "d")
        await select(pilot, "classify")
        await press(pilot, "T")
        assert pilot.app.screen is workbench(pilot)
        assert "error" in said(pilot)

    bench.play(script, path, design=True)


def test_code_that_nobody_has_trusted_is_asked_about_first(bench: Bench) -> None:
    path = bench.graph(COUNT, code=CODE)

    async def script(pilot: P) -> None:
        await press(pilot, "T", "enter")
        dialog(pilot, TrustDialog)
        await press(pilot, "n")
        assert "not trusted: nothing ran" in said(pilot)
        await press(pilot, "T", "enter", "x", "y")
        dialog(pilot, TriedDialog)
        assert "~ count  0 → 1" in text(pilot)

    bench.play(script, path)


def test_the_app_stays_usable_while_a_trial_takes_its_time(bench: Bench, gate: Gate) -> None:
    path = bench.trusted(GATED, work=WORK)

    async def script(pilot: P) -> None:
        await select(pilot, "wait")
        await pilot.press("T")
        await pilot.press("enter")
        await gate.is_reached()
        await until(pilot, lambda: "TRYING" in header(pilot))
        assert "nothing is recorded, and it cannot be stopped" in said(pilot)
        await pilot.press("T")
        assert "still running" in said(pilot)
        await pilot.press("3")
        assert shown(pilot) == "why"
        await pilot.press("question_mark")
        await pilot.pause()
        gate.open()
        await settle(pilot)
        assert not isinstance(pilot.app.screen, TriedDialog)
        await press(pilot, "escape")
        dialog(pilot, TriedDialog)
        assert "~ count  0 → 1" in text(pilot)
        await press(pilot, "escape")
        assert "NO RUN" in header(pilot)

    bench.play(script, path)


def test_a_run_of_another_version_is_tried_as_it_is_drawn(bench: Bench) -> None:
    path = bench.trusted(COUNT, code=CODE)
    bench.run(path, steps=1)
    bench.trusted(COUNT.replace("count < 3", "count < 1"), code=CODE)

    async def script(pilot: P) -> None:
        await press(pilot, "T", "enter")
        assert "1 again → work" in text(pilot)
        assert "true" in text(pilot)
        await press(pilot, "escape", "m", "T", "enter")
        assert "the run would end" in text(pilot)

    bench.play(script, path, run="r-1")


def test_any_terminal_has_room_for_a_trial(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "T", "enter")
        assert dialog(pilot, TriedDialog).text().startswith("✓ classify is done")

    bench.play(script, REFUND, size=(20, 5))


def test_hostile_values_are_shown_as_data(bench: Bench) -> None:
    path = bench.trusted(
        COUNT, code='def work(state):\n    return {"x": "\\x1b[31m[red]" + "a" * 10**6, "[b]": "\\u202e"}\n'
    )

    async def script(pilot: P) -> None:
        await press(pilot, "T", "enter")
        assert "\\u001b[31m[red]aaa" in text(pilot)
        assert "+ [b]" in text(pilot)

    bench.play(script, path)
