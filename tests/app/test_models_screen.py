"""The list of models: what it says of each, adding one, and asking one for a word."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from stepgraph.values.errors import ModelError
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.connections import Connections
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.screens.models import ModelsScreen
from stepgraph_tui.settings import read_settings
from stepgraph_tui.text.system import settings_file
from tests.app.bench import SIZES, Bench, P, dialog, press, settle, text, until, workbench
from tests.app.live_models import ASKING, FedModel, connected


async def write(pilot: P, words: str) -> None:
    await pilot.press(*words)


@SIZES
def test_each_model_is_listed_with_its_key_and_its_price(
    bench: Bench, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMALL_KEY", "sk-very-secret")
    bench.connections = connected(default=FedModel(), writer=FedModel())

    async def script(pilot: P) -> None:
        await press(pilot, "f8")
        shown = text(pilot)
        assert "2 models in" in shown
        assert "openai small-1" in shown
        assert "SMALL_KEY is set" in shown
        assert "$0.50 in, $2.00 out a million tokens" in shown
        assert "sk-very-secret" not in shown
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, ModelsScreen)

    bench.play(script, size=size)


def test_a_model_that_is_added_is_in_the_settings_and_can_be_asked_at_once(bench: Bench) -> None:
    bench.connections = Connections.of_user()
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text('# mine\nname = "ana"\n')

    async def script(pilot: P) -> None:
        await press(pilot, "f8")
        assert "No model is configured yet" in text(pilot)
        await press(pilot, "a")
        dialog(pilot, FormDialog)
        assert "default" in text(pilot)
        await press(pilot, "tab", "right", "right")
        assert "ollama" in text(pilot)
        await press(pilot, "tab")
        await write(pilot, "tiny")
        await press(pilot, "ctrl+j")
        assert "added to" in text(pilot)
        assert "openai tiny at localhost:11434" in text(pilot)

    bench.play(script)
    assert settings_file().read_text().startswith('# mine\nname = "ana"\n')
    settings, wrong = read_settings(settings_file())
    assert wrong == []
    assert settings.models["default"].base_url == "http://localhost:11434/v1"
    assert bench.connections.models.settings["default"].model == "tiny"


def test_in_a_browser_no_model_is_added_that_could_be_sent_any_variable_as_its_key(bench: Bench) -> None:
    bench.connections, bench.in_browser = Connections.of_user(), True

    async def script(pilot: P) -> None:
        await press(pilot, "f8", "a", "e")
        assert isinstance(pilot.app.screen, ModelsScreen)
        pilot.app.push_screen(ModelsScreen(cast(StepgraphApp, pilot.app).context, "writer"))
        await settle(pilot)
        assert isinstance(pilot.app.screen, ModelsScreen)
        assert "stepgraph models add writer" in text(pilot)

    bench.play(script)
    assert not settings_file().exists()


def test_what_would_not_be_read_again_is_not_written(bench: Bench) -> None:
    bench.connections = connected(taken=FedModel())

    async def script(pilot: P) -> None:
        await press(pilot, "f8", "a")
        await press(pilot, *["backspace"] * 7)
        await write(pilot, "taken")
        await press(pilot, "ctrl+j")
        assert "is a model already" in text(pilot)
        dialog(pilot, FormDialog)

    bench.play(script, size=(120, 40))
    assert not settings_file().exists()


def test_a_model_is_asked_for_a_word_in_the_background_and_can_be_left_alone(bench: Bench) -> None:
    model = FedModel()
    bench.connections = connected(default=model)

    async def script(pilot: P) -> None:
        await press(pilot, "f8", "t")
        await asyncio.to_thread(model.wait)
        assert "asks default" in text(pilot)
        model.answer("ready")
        await until(pilot, lambda: "1,200 + 34 tokens; $0.0025; ready" in text(pilot))
        await press(pilot, "t")
        await asyncio.to_thread(model.wait)
        await press(pilot, "X")
        await until(pilot, lambda: "was stopped before its answer was whole" in text(pilot))
        model.feed(ModelError("its key is refused (401)", hint="export another SMALL_KEY"))
        await press(pilot, "t")
        await until(pilot, lambda: "its key is refused (401) (export another SMALL_KEY)" in text(pilot))

    bench.play(script, size=(120, 40))


def test_the_question_leads_to_the_model_that_is_missing_and_back(bench: Bench) -> None:
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text('[models.default]\nprovider = "scripted"\nreplies = ["fine"]\n')
    bench.connections = Connections.of_user()
    other = ASKING.replace('prompt = "Write', 'model = "writer"\nprompt = "Write')

    async def script(pilot: P) -> None:
        await press(pilot, "dollar_sign", "m")
        assert "writer" in text(pilot)
        dialog(pilot, FormDialog)
        await press(pilot, "tab", "tab")
        await write(pilot, "big")
        await press(pilot, "ctrl+j", "escape")
        assert "Let real models answer in the next run?" in text(pilot)
        assert "writer  openai big" in text(pilot)
        assert "not configured" not in text(pilot)

    bench.play(script, bench.graph(other), size=(120, 40))


def test_what_a_model_lacks_is_a_problem_of_the_graph_until_it_is_added(bench: Bench) -> None:
    bench.connections = Connections.of_user()
    bare = ASKING.replace('replies = ["canned letter"]\n', "")

    async def script(pilot: P) -> None:
        await press(pilot, "6")
        assert "! G106 warning" in text(pilot)
        (problem,) = workbench(pilot).file.checked.problems
        assert problem.hint.startswith("type `stepgraph models add default`")
        await press(pilot, "f8", "a", "tab", "tab")
        await write(pilot, "big")
        await press(pilot, "ctrl+j", "escape")
        assert "Nothing is wrong." in text(pilot)
        assert not workbench(pilot).file.checked.problems

    bench.play(script, bench.graph(bare), size=(120, 40))
