"""Runs in which real models answer: the switch, the question, the stream, stopping, what is told of it."""

from __future__ import annotations

import asyncio

import pytest

from stepgraph.runs import NO_LIMITS, SpendingLimits, set_mode
from stepgraph.runs.modes import RunMode, mode_of
from stepgraph.runs.spending import limits_of
from stepgraph_tui.text.calls import limits_text, read_limits
from tests.app.bench import Bench, P, header, press, said, settle, start, text, until
from tests.app.filling import fill
from tests.app.live_models import ASKING, FedModel, connected


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
    await press(pilot, "x l", "y")
    await start(pilot)
    await pilot.press("s")


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


def test_a_run_is_replayed_by_a_key_and_a_miss_shows_what_differs(bench: Bench, model: FedModel) -> None:
    path = bench.graph(ASKING)

    async def script(pilot: P) -> None:
        await press(pilot, "x r")
        assert "there is no run to replay" in said(pilot)
        await go_live(pilot)
        await asked(model)
        model.answer("Dear Ana")
        await settle(pilot)
        model.answer("good")
        await press(pilot, "s")
        assert "took     cost  changed" in text(pilot)  # the tokens come with more room
        assert text(pilot).count("ms  $0.0025  + ") == 2
        await press(pilot, "x r")
        assert "REPLAY" in header(pilot)
        assert mode_of(bench.store, "r-2") == RunMode(replay="r-1")
        await press(pilot, "c")
        assert bench.load("r-2").values["verdict"] == "good"
        path.write_text(ASKING.replace("Check {{", "Judge {{"))
        await press(pilot, "x r", "c", "3")
        assert mode_of(bench.store, "r-3") == RunMode(replay="r-1")  # of what was recorded, not of the replay
        assert "- user: Check Dear Ana" in text(pilot)
        assert "+ user: Judge Dear Ana" in text(pilot)
        assert len(model.asked) == 2
        await press(pilot, "x n", "enter")
        assert "SCRIPTED" in header(pilot)  # what comes after a replay is none by itself

    bench.play(script, path, size=(120, 40))


def test_a_model_that_is_not_there_is_added_before_it_is_asked(bench: Bench, model: FedModel) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        assert "gm adds the model critic, then xl asks it; or give the node replies" in said(pilot)
        await press(pilot, "f8")
        assert "Add a model to your settings" in text(pilot)

    unknown = ASKING.replace('replies = ["scripted letter"]', 'model = "critic"')
    bench.play(script, bench.graph(unknown), size=(120, 40))


def test_nobody_says_yes_where_no_model_is_there_to_answer(bench: Bench) -> None:
    bench.connections = connected()

    async def script(pilot: P) -> None:
        await press(pilot, "x l", "y")
        assert "Tab Limit   gm Models   n Cancel  " in text(pilot)
        assert "LIVE" not in header(pilot)

    bench.play(script, bench.graph(ASKING), size=(120, 40))


def test_a_failure_for_want_of_a_model_names_the_key_that_helps(bench: Bench, model: FedModel) -> None:
    bare = ASKING.replace('replies = ["scripted letter"]\n', "").replace(
        'prompt = "Check', 'model = "critic"\nprompt = "Check'
    )

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        assert "xl lets real models answer" in said(pilot)
        model.answer("from the model")
        await press(pilot, "x l", "y", "r", "s")
        assert bench.load().values["letter"] == "from the model"
        assert "gm adds the model critic" in said(pilot)
        await press(pilot, "f8")
        assert "Add a model to your settings" in text(pilot)
        assert "critic" in text(pilot)

    bench.play(script, bench.graph(bare), size=(120, 40))


# What a live run may spend


def test_what_nothing_sets_is_asked_for_at_the_start_and_its_lack_is_no_want_of_a_model(
    bench: Bench, model: FedModel
) -> None:
    path = bench.graph(ASKING.replace("Write a letter.", "Write to {{ who }}."))

    async def script(pilot: P) -> None:
        await press(pilot, "c")
        assert "A node reads it, and no node sets it." in text(pilot)
        await press(pilot, "enter", "s")
        assert "the template 'prompt' needs" in text(pilot)
        assert "real models" not in said(pilot)
        await press(pilot, "x n")
        await fill(pilot, "enter", who="Noor")
        await press(pilot, "s")
        assert bench.load("r-2").values["letter"] == "scripted letter"

    bench.play(script, path)


@pytest.mark.parametrize(
    ("text_", "limits"),
    [
        ("$1", SpendingLimits(1.0)),
        ("0.50 USD", SpendingLimits(0.5)),
        ("20,000 tokens", SpendingLimits(None, 20_000)),
        ("$0.0004 and 1 token", SpendingLimits(0.0004, 1)),
        ("", NO_LIMITS),
    ],
)
def test_a_limit_is_read_as_it_is_written(text_: str, limits: SpendingLimits) -> None:
    assert read_limits(text_) == limits
    assert read_limits(limits_text(limits)) == limits


@pytest.mark.parametrize("text_", ["much", "$0", "-1", "inf", "nan", "1.5 tokens", "$1 or so"])
def test_what_is_no_limit_is_refused(text_: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_limits(text_)


def test_going_live_asks_how_much_may_be_spent_and_offers_a_dollar(bench: Bench, model: FedModel) -> None:
    path = bench.graph(ASKING)

    async def script(pilot: P) -> None:
        await press(pilot, "x l")
        assert "It may spend at most $1" in " ".join(text(pilot).split())
        await press(pilot, "tab", *"much", "enter", "y")
        assert "Write an amount such as $1" in text(pilot)
        await press(pilot, "ctrl+u", *"$0.25", "enter", "y")
        await start(pilot)

    bench.play(script, path)
    assert limits_of(bench.store, "r-1") == SpendingLimits(0.25)


def test_a_limit_of_the_graph_is_offered_and_not_said_again(bench: Bench, model: FedModel) -> None:
    path = bench.graph(ASKING.replace('start = "draft"', 'start = "draft"\nmax_cost = 0.5'))

    async def script(pilot: P) -> None:
        await press(pilot, "x l")
        assert "It may spend at most $0.50" in " ".join(text(pilot).split())
        await press(pilot, "y")
        await start(pilot)

    bench.play(script, path)
    assert limits_of(bench.store, "r-1") == NO_LIMITS


def test_a_run_that_goes_live_later_is_bound_too(bench: Bench, model: FedModel) -> None:
    path = bench.graph(ASKING)
    bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "x l", "y")
        await settle(pilot)
        assert "LIVE" in header(pilot)

    bench.play(script, path, run="r-1")
    assert limits_of(bench.store, "r-1") == SpendingLimits(1.0)


def test_a_live_run_of_somebody_else_is_bound_before_its_first_call(bench: Bench, model: FedModel) -> None:
    path = bench.graph(ASKING)
    run = bench.run(path)
    set_mode(run, RunMode(live=True), "ana", 1.0)

    async def script(pilot: P) -> None:
        await press(pilot, "s")
        await pilot.press("y")
        await asked(model)
        model.answer("Dear Ana")
        await settle(pilot)

    bench.play(script, path, run="r-1")
    assert limits_of(bench.store, "r-1") == SpendingLimits(1.0)
    assert bench.store.load("r-1").pointer.step == 1


def test_the_words_of_an_answer_come_below_the_running_row_of_the_trace_and_in_the_state(
    bench: Bench, model: FedModel
) -> None:
    async def script(pilot: P) -> None:
        await go_live(pilot)
        await asked(model)
        await pilot.press("5")
        model.feed("Dear Ana, \n" + "it is on its way. " * 20)
        await until(pilot, lambda: "│ it is on its way." in trace(pilot))
        assert "asks default" in trace(pilot)
        above = text(pilot).partition("[5 Trace]")[0]
        assert "asks default" in above
        assert "it is on its way." in above
        model.answer("Dear Ana, it is there.")
        await settle(pilot)
        assert "it is on its way" not in text(pilot)
        assert "asks default" not in text(pilot)
        await until(pilot, lambda: "draft" in trace(pilot))

    def trace(pilot: P) -> str:
        return text(pilot).partition("[5 Trace]")[2]

    bench.play(script, bench.graph(ASKING), size=(120, 40))
