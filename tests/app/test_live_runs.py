"""Runs in which real models answer: the switch, the question, the stream, stopping, what is told of it."""

from __future__ import annotations

import asyncio

import pytest

from stepgraph.runs.modes import SCRIPTED, RunMode, mode_of
from stepgraph.values.errors import ModelError
from stepgraph_tui.dialogs.live import LiveQuestion
from stepgraph_tui.worker import SteppingThread
from tests.app.bench import Bench, P, dialog, header, press, said, settle, start, text, until, workbench
from tests.app.hearing import PATIENCE
from tests.app.live_models import ASKING, FedModel, Wait, connected


@pytest.fixture
def model(bench: Bench) -> FedModel:
    """The model ``default`` of the user's settings."""
    model = FedModel()
    bench.connections = connected(default=model)
    return model


async def asked(model: FedModel) -> None:
    await asyncio.to_thread(model.wait)


async def go_live(pilot: P) -> None:
    """Start a run in which models answer, and step it."""
    await press(pilot, "dollar_sign", "y")
    await start(pilot)
    await pilot.press("s")


def test_a_run_is_scripted_until_somebody_switches_and_agrees(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        assert "SCRIPTED" in header(pilot)
        await start(pilot)
        await press(pilot, "s")
        assert bench.load().values["letter"] == "canned letter"
        await press(pilot, "dollar_sign")
        question = dialog(pilot, LiveQuestion)
        shown = text(pilot)
        assert "Let real models answer in run r-1?" in shown
        assert "default  openai small-1" in shown
        assert "$0.50 in, $2.00 out a million tokens; SMALL_KEY is not set" in shown
        assert "asked by draft, check" in shown
        assert "Nothing bounds what it spends" in shown
        await press(pilot, "enter")
        assert question is not pilot.app.screen
        assert "SCRIPTED" in header(pilot)
        await press(pilot, "dollar_sign", "y")
        assert "MIXED, LIVE" in header(pilot)
        assert mode_of(bench.store, "r-1") == RunMode(live=True)
        await press(pilot, "dollar_sign")
        assert "SCRIPTED" in header(pilot)
        await press(pilot, "s")
        assert bench.load().values["verdict"] == "canned verdict"

    bench.play(script, bench.graph(ASKING))
    assert model.asked == []
    assert mode_of(bench.store, "r-1") == SCRIPTED


def test_the_next_run_is_agreed_to_once_and_the_one_after_it_anew(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "dollar_sign", "y")
        assert "LIVE" in header(pilot)
        model.answer("one")
        model.answer("fine")
        await start(pilot)
        await press(pilot, "c")
        assert "ENDED" in header(pilot)
        assert bench.load("r-1").values["letter"] == "one"
        await press(pilot, "S")
        assert "Let real models answer in the next run?" in text(pilot)
        await press(pilot, "n")
        assert "no model is asked" in said(pilot)
        assert bench.store.runs()[0].head.id == "r-1"
        await press(pilot, "S", "y", "dollar_sign")
        assert "SCRIPTED" in header(pilot)

    bench.play(script, bench.graph(ASKING))
    assert len(model.asked) == 2


def test_a_live_run_that_was_begun_elsewhere_asks_before_its_first_call(
    bench: Bench, model: FedModel
) -> None:
    path = bench.graph(ASKING)
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "dollar_sign", "y")

    bench.play(script, path, run=run.id)

    async def later(pilot: P) -> None:
        assert "LIVE" in header(pilot)
        for key in ("s", "c", "t"):
            await press(pilot, key)
            dialog(pilot, LiveQuestion)
            await press(pilot, "escape")
        await press(pilot, "s")
        model.answer("agreed")
        await press(pilot, "y")
        model.answer("at once")
        await press(pilot, "s")
        assert "ENDED" in header(pilot)

    bench.play(later, path, run=run.id)
    assert bench.load(run.id).values["letter"] == "agreed"


def test_a_reply_streams_into_the_node_tab_and_the_log(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        await go_live(pilot)
        await asked(model)
        await until(pilot, lambda: "draft asks default" in said(pilot))
        assert "X stops it now" in said(pilot)
        await pilot.press("4")
        model.feed("Dear [b]Ana[/b],\n", "how \x1b[31mare")
        await until(pilot, lambda: "how \\x1b[31mare" in text(pilot))
        assert "│ Dear [b]Ana[/b]," in text(pilot)
        assert "29 characters" in said(pilot)
        model.feed(" you?")
        await until(pilot, lambda: "mare you?" in text(pilot))
        await pilot.press("9")
        await until(pilot, lambda: "m│ how \\x1b[31mare you?" in text(pilot))
        assert "m│ Dear [b]Ana[/b]," in text(pilot)
        model.answer("Dear [b]Ana[/b],\nhow \x1b[31mare you?")
        await settle(pilot)
        told = workbench(pilot).panes.log_pane.copied() or ""
        assert told.startswith("default, small-1-0801 answered in")
        assert told.endswith("; 1,200 + 34 tokens; $0.0025")

    bench.play(script, bench.graph(ASKING), size=(120, 40))


def test_x_stops_in_the_middle_of_a_reply_and_retry_asks_again(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        await go_live(pilot)
        await asked(model)
        model.feed("Dear An")
        await until(pilot, lambda: "7 characters" in said(pilot))
        await press(pilot, "X")
        assert "FAILED" in header(pilot)
        assert "the model 'default' was stopped before its answer was whole" in text(pilot)
        await pilot.press("r")
        await asked(model)
        model.answer("Dear Ana")
        await settle(pilot)
        assert "READY" in header(pilot)
        assert bench.load().values["letter"] == "Dear Ana"

    bench.play(script, bench.graph(ASKING), size=(120, 40))


def test_waits_and_failures_are_told_as_they_come(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        await go_live(pilot)
        await asked(model)
        model.feed("half an ans", Wait(90, "rate limited (429)"))
        await until(pilot, lambda: "rate limited (429)" in said(pilot))
        assert "draft waits 1m" in said(pilot)
        model.feed("whole", ModelError("it is overloaded (529)", hint="retry in a while"))
        await settle(pilot)
        assert "FAILED" in header(pilot)
        await press(pilot, "9")
        shown = text(pilot)
        assert "m│ half an ans" in shown
        assert "▸ waits 1m 30s: rate limited (429)" in shown
        assert "m│ whole" in shown
        assert "▸ no answer of default after" in shown
        assert "it is overloaded (529)" in shown

    bench.play(script, bench.graph(ASKING), size=(120, 40))


def test_what_may_become_a_secret_is_not_shown_while_it_comes(bench: Bench, model: FedModel) -> None:
    secret = ASKING.replace('[state.letter]\ntype = "text"', '[state.letter]\ntype = "text"\nsecret = true')

    async def script(pilot: P) -> None:
        await go_live(pilot)
        await asked(model)
        model.feed("hunter2")
        await pilot.press("4")
        await until(pilot, lambda: "(hidden: it may become a secret of the state)" in text(pilot))
        model.answer("hunter2")
        await settle(pilot)
        for key in "123456789":
            await press(pilot, key)
            assert "hunter2" not in text(pilot)

    bench.play(script, bench.graph(secret), size=(120, 40))


def test_a_missing_model_is_said_before_anything_is_asked_and_by_the_failure(
    bench: Bench, model: FedModel
) -> None:
    other = ASKING.replace('prompt = "Write', 'model = "writer"\nprompt = "Write')

    async def script(pilot: P) -> None:
        await press(pilot, "dollar_sign")
        assert "writer  not configured: stepgraph models add writer" in text(pilot)
        await press(pilot, "y")
        await start(pilot)
        await press(pilot, "s", "4")
        assert "FAILED" in header(pilot)
        assert "stepgraph models add writer" in text(pilot)
        assert workbench(pilot).runs.thread.calls is None

    bench.play(script, bench.graph(other), size=(120, 40))


def test_a_trial_says_who_answers_and_asks_the_same_way(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "T")
        assert "models" in text(pilot)
        await press(pilot, "ctrl+j")
        assert "canned letter" in text(pilot)
        assert "live, visit" not in text(pilot)
        await press(pilot, "r", "tab", "right", "ctrl+j")
        assert "Let real models answer in this trial of draft?" in text(pilot)
        model.answer("tried letter")
        await press(pilot, "y")
        assert "tried letter" in text(pilot)
        assert "live, visit 1" in text(pilot)
        assert "default, small-1-0801 answered in" in text(pilot)
        await press(pilot, "escape")
        assert "SCRIPTED" in header(pilot)

    bench.play(script, bench.graph(ASKING), size=(120, 40))
    assert len(model.asked) == 1
    assert bench.store.runs() == []


def test_what_was_spent_is_told_in_trace_why_node_and_list_of_runs(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        await go_live(pilot)
        await asked(model)
        model.answer("Dear Ana")
        await settle(pilot)
        model.answer("good", cost=None)
        await press(pilot, "s")
        assert "work, $0.0025 and more, 2,468 tokens" in text(pilot)
        await press(pilot, "5", "g", "j", "enter")
        assert "1 call, 1,200 + 34 tokens, $0.0025, in" in text(pilot)
        await press(pilot, "3")
        assert "models: 1 call, 1,200 + 34 tokens, $0.0025" in text(pilot)
        await press(pilot, "4")
        workbench(pilot).surface.select("draft")
        await settle(pilot)
        assert "spent       1 call, 1,200 + 34 tokens, $0.0025" in text(pilot)
        assert "default, small-1-0801 answered in" in text(pilot)
        await press(pilot, "R")
        assert "LIVE, 2 calls, 2,400 + 68 tokens, $0.0025" in text(pilot)

    bench.play(script, bench.graph(ASKING), size=(140, 40))


def test_a_run_is_replayed_by_a_key_and_a_miss_shows_what_differs(bench: Bench, model: FedModel) -> None:
    path = bench.graph(ASKING)

    async def script(pilot: P) -> None:
        await press(pilot, "quotation_mark")
        assert "there is no run to replay" in said(pilot)
        await go_live(pilot)
        await asked(model)
        model.answer("Dear Ana")
        await settle(pilot)
        model.answer("good")
        await press(pilot, "s", "quotation_mark")
        assert "REPLAY" in header(pilot)
        assert mode_of(bench.store, "r-2") == RunMode(replay="r-1")
        await press(pilot, "c")
        assert bench.load("r-2").values["verdict"] == "good"
        path.write_text(ASKING.replace("Check {{", "Judge {{"))
        await press(pilot, "quotation_mark", "c", "3")
        assert mode_of(bench.store, "r-3") == RunMode(replay="r-1")  # of what was recorded, not of the replay
        assert "- user: Check Dear Ana" in text(pilot)
        assert "+ user: Judge Dear Ana" in text(pilot)
        assert len(model.asked) == 2
        await press(pilot, "S", "enter")
        assert "SCRIPTED" in header(pilot)  # what comes after a replay is none by itself

    bench.play(script, path, size=(120, 40))


def test_a_failure_for_want_of_a_model_names_the_key_that_helps(bench: Bench, model: FedModel) -> None:
    bare = ASKING.replace('replies = ["canned letter"]\n', "").replace(
        'prompt = "Check', 'model = "critic"\nprompt = "Check'
    )

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        assert "$ lets real models answer" in said(pilot)
        model.answer("from the model")
        await press(pilot, "dollar_sign", "y", "r", "s")
        assert bench.load().values["letter"] == "from the model"
        assert "F8 adds the model critic" in said(pilot)
        await press(pilot, "f8")
        assert "Add a model to your settings" in text(pilot)
        assert "critic" in text(pilot)

    bench.play(script, bench.graph(bare), size=(120, 40))


def test_who_leaves_in_the_middle_of_a_reply_leaves_the_run_ready(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        await go_live(pilot)
        await asked(model)
        model.feed("half")
        await until(pilot, lambda: "4 characters" in said(pilot))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: "draft is still running" in text(pilot))
        threads.append(workbench(pilot).runs.thread)
        await pilot.press("y")

    threads: list[SteppingThread] = []
    bench.play(script, bench.graph(ASKING), size=(120, 40))
    assert [row.kind for row in bench.store.rows("r-1")] == ["start"]
    model.answer("whole")  # a process that is not over yet records it
    assert threads[0].idle.wait(PATIENCE)
    assert bench.load().step == 1
