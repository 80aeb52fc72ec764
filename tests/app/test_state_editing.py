"""Editing the state of a run in the app: one value or all of it, with a review that waits, against others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph.reviews.inbox import Reviews
from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from stepgraph_tui import app
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.dialogs.state_edit import StateEditForm
from stepgraph_tui.screens.workbench import Workbench
from tests.app.bench import LARGE, Bench, P, dialog, press, said, text, until, workbench
from tests.app.filling import fill, form_on_top
from tests.app.writing_editor import WritingEditor

SHOP = """
format = 1
name = "shop"
start = "make"

[state.order]
type = "table"
default = { id = "8812", amount = 240 }
[state.category]
type = "text"
default = "billing"
[state.token]
secret = true
default = "hunter2-secret"

[nodes.make]
type = "router"
key = "order.amount"
threshold = 100
high = "much"
low = "little"

[nodes.ask]
type = "approval"
prompt = "Pay {{ order.amount }}?"
show = ["order.amount"]
allow = ["approve", "reject"]

[[edges]]
from = "make"
to = "ask"
[[edges]]
from = "ask"
to = "END"
"""


def edits(bench: Bench) -> list[Any]:
    return [row for row in bench.store.rows("r-1") if row.kind == "edit"]


async def at_key(pilot: P, name: str) -> None:
    """Go to a key in the state, as it is after the step."""
    await press(pilot, "2", "v", "g")
    pane = workbench(pilot).panes.state_pane
    for _ in range(20):
        if pane.copied_path() == name:
            return
        await press(pilot, "l" if pane.copied_path() == name.partition(".")[0] else "j")
    raise AssertionError(text(pilot))


def played(bench: Bench, script: Any, *, steps: int = 1) -> Path:
    path = bench.graph(SHOP)
    bench.run(path, steps=steps)
    bench.play(script, path, run="r-1", size=LARGE)
    return path


def test_a_value_is_edited_by_its_path_seen_as_a_difference_and_confirmed(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "order.amount")
        await press(pilot, "e")
        form_on_top(pilot, StateEditForm)
        await fill(pilot, **{"order.amount": "90", "comment": "too much"})
        dialog(pilot, Confirm)
        assert "~ order.amount 240 → 90" in text(pilot)
        assert edits(bench) == []
        await press(pilot, "y")
        assert "edited" in said(pilot)
        assert "edit by ana: ~ order: too much" in text(pilot)

    played(bench, script)
    (row,) = edits(bench)
    assert row.data == {"by": "ana", "comment": "too much", "source": "app"}
    assert row.updates == {"order": {"id": "8812", "amount": 90}}


def test_a_no_leads_back_to_what_was_typed(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "category")
        await press(pilot, "e")
        await fill(pilot, category="technical")
        await press(pilot, "escape")
        assert "technical" in form_on_top(pilot, StateEditForm).focused_view.text  # type: ignore[union-attr]
        await press(pilot, "escape", "y")
        dialog(pilot, Workbench)

    played(bench, script)
    assert edits(bench) == []


def test_a_value_of_another_type_or_none_at_all_is_refused_in_the_form(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "order")
        await press(pilot, "e")
        await fill(pilot, order="3")
        assert "takes a table, not the number 3" in text(pilot)
        await fill(pilot, order="{ amount = ")
        form_on_top(pilot, StateEditForm)
        await fill(pilot, order="{ amount = 1 }")
        dialog(pilot, Confirm)

    played(bench, script)


def test_a_secret_is_typed_anew_and_never_seen(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "token")
        await press(pilot, "e", "ctrl+j")
        dialog(pilot, Workbench)  # left empty, it stays
        await press(pilot, "e")
        assert "hunter2" not in text(pilot)
        await press(pilot, *"otherone", "ctrl+j")
        assert "~ token (secret)" in text(pilot)
        assert "otherone" not in text(pilot)
        await press(pilot, "y")

    played(bench, script)
    assert "otherone" in bench.load().values.values()


def test_the_whole_state_is_edited_as_text_and_its_masks_stay_secrets(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text.replace("240", "90").replace('category = "billing"\n', ""))

    async def script(pilot: P) -> None:
        await press(pilot, "2", "E")
        form_on_top(pilot, StateEditForm)
        assert "~ order.amount 240 → 90" in text(pilot)
        assert "- category" in text(pilot)
        await press(pilot, "ctrl+j", "y")

    played(bench, script)
    values = bench.load().values
    assert values["order"] == {"id": "8812", "amount": 90}
    assert "hunter2-secret" in values.values()
    assert "category" not in values


def test_a_text_that_is_wrong_is_kept_and_opened_again(bench: Bench) -> None:
    texts = iter(["order = oops", None, "order = oops\n# fixed", 'order = { id = "1" }'])
    seen: list[str] = []

    def write(text: str) -> str:
        seen.append(text)
        new = next(texts)
        return text if new is None else new

    bench.editor = WritingEditor(write)

    async def script(pilot: P) -> None:
        await press(pilot, "2", "E")
        dialog(pilot, Confirm)
        assert "no state of this run" in text(pilot)
        await press(pilot, "y")
        assert seen[1] == "order = oops"
        await press(pilot, "escape")
        assert "E opens it" in said(pilot)
        await press(pilot, "E", "y")
        assert "- category" in text(pilot)
        await press(pilot, "ctrl+j", "y")
        assert "edited" in said(pilot)

    played(bench, script)
    assert seen[2:] == ["order = oops", "order = oops\n# fixed"]
    assert bench.load().values == {"order": {"id": "1"}}


def test_what_is_refused_is_told_with_what_to_do_about_it_on_a_line_of_its_own(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text.replace('"billing"', "3"))

    async def script(pilot: P) -> None:
        await press(pilot, "2", "E")
        dialog(pilot, Confirm)
        lines = [line.strip(" ┃") for line in text(pilot).splitlines()]
        assert any(line.startswith("give it") for line in lines), text(pilot)

    played(bench, script)


def test_no_editor_is_said_and_nothing_is_edited(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text, error="there is no editor")

    async def script(pilot: P) -> None:
        await press(pilot, "2", "E")
        assert "there is no editor" in said(pilot)

    played(bench, script)


def test_a_review_is_withdrawn_and_asked_anew_and_that_is_said_before(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        if isinstance(pilot.app.screen, ReviewScreen):
            await press(pilot, "escape")
        await at_key(pilot, "order.amount")
        await press(pilot, "e")
        await fill(pilot, **{"order.amount": "90"})
        assert "is withdrawn; ask asks anew" in text(pilot)
        await press(pilot, "y")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
        assert "Pay 90?" in text(pilot)

    played(bench, script, steps=2)
    old, new = _reviews(bench)
    assert (old.status, new.status) == ("withdrawn", "pending")


def _reviews(bench: Bench) -> list[Any]:
    ids = [row.review for row in bench.store.rows("r-1") if row.kind == "review"]
    return [Reviews(bench.store).get(each) for each in ids if each is not None]


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app that does not look at its store by itself, and so meets what others did only when it acts."""
    monkeypatch.setattr(app, "EVERY", 3_600)


@pytest.mark.usefixtures("unwatched")
def test_an_edit_that_was_overtaken_is_shown_anew_against_the_state_as_it_is_then(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "order.amount")
        await press(pilot, "e")
        await fill(pilot, **{"order.amount": "90"})
        other = open_run(bench.store, "r-1")
        operations.edit(other, {"order": {"id": "8812", "amount": 100}, "category": "x"}, "ben", "", 0.0)
        await press(pilot, "y")
        dialog(pilot, Confirm)
        assert "Another process moved the run on" in text(pilot)
        assert "~ order.amount 100 → 90" in text(pilot)
        assert len(edits(bench)) == 1
        await press(pilot, "y", "at")
        assert text(pilot).count("stepgraph edit r-1 --set order.amount=90") == 1

    played(bench, script)
    values = bench.load().values
    assert values["order"] == {"id": "8812", "amount": 90}
    assert values["category"] == "x"


@pytest.mark.usefixtures("unwatched")
def test_an_edit_that_leads_nowhere_since_says_so(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "order.amount")
        await press(pilot, "e")
        await fill(pilot, **{"order.amount": "90"})
        operations.edit(open_run(bench.store, "r-1"), {"order": None}, "ben", "", 0.0)
        await press(pilot, "y")
        assert "moved the run on, and nothing was edited" in said(pilot)

    played(bench, script)
    assert len(edits(bench)) == 1


def test_the_key_says_why_nothing_can_be_edited(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "category")
        await press(pilot, "left_square_bracket", "e")
        assert "the past stays as it was" in said(pilot)
        await press(pilot, "E")
        assert "the past stays as it was" in said(pilot)

    played(bench, script)


def test_a_run_that_has_ended_is_not_edited(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await at_key(pilot, "category")
        await press(pilot, "e")
        assert "the run has ended: view an earlier step" in said(pilot)
        await press(pilot, "left_square_bracket", "e")
        assert "the past stays as it was: f goes on from here" in said(pilot)

    path = bench.graph(SHOP.replace('to = "ask"', 'to = "END"'))
    bench.run(path, steps=1)
    bench.play(script, path, run="r-1", size=LARGE)
