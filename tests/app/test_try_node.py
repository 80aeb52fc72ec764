"""T: one node, with a state of one's choice; nothing is recorded, and what came of it is shown."""

from __future__ import annotations

from stepgraph_tui.dialogs.forms.field_view import FieldView
from stepgraph_tui.dialogs.try_node import TriedDialog, TryForm
from tests.app.bench import (
    REFUND,
    Bench,
    P,
    dialog,
    press,
    text,
)
from tests.app.filling import form_on_top

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


def fields(pilot: P) -> dict[str, str]:
    """What stands in the fields of the form, by name."""
    return {field.field.name: field.text for field in form_on_top(pilot, TryForm).query(FieldView)}


async def write(pilot: P, name: str, value: str) -> None:
    """Let something else stand in a field."""
    next(
        field for field in form_on_top(pilot, TryForm).query(FieldView) if field.field.name == name
    ).set_text(value)
    await pilot.pause()


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
