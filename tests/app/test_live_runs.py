"""Runs in which real models answer: the switch, the question, the stream, stopping, what is told of it."""

from __future__ import annotations

import asyncio

import pytest

from stepgraph.runs.modes import RunMode, mode_of
from tests.app.bench import Bench, P, header, press, said, settle, start, text, until
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
    await press(pilot, "dollar_sign", "y")
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
        await press(pilot, "quotation_mark")
        assert "there is no run to replay" in said(pilot)
        await go_live(pilot)
        await asked(model)
        model.answer("Dear Ana")
        await settle(pilot)
        model.answer("good")
        await press(pilot, "s")
        assert "took     cost  changed" in text(pilot)  # the tokens come with more room
        assert text(pilot).count("ms  $0.0025  + ") == 2
        await press(pilot, "quotation_mark")
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
