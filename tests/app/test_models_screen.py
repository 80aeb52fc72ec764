"""The list of models: what it says of each, adding one, and asking one for a word."""

from __future__ import annotations

import asyncio

from stepgraph.values.errors import ModelError
from stepgraph_tui.connections import Connections
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.settings import read_settings
from stepgraph_tui.text.system import settings_file
from tests.app.bench import Bench, P, dialog, press, text, until
from tests.app.live_models import ASKING, FedModel, connected


async def write(pilot: P, words: str) -> None:
    await pilot.press(*words)


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


def test_a_model_is_added_beside_settings_that_are_wrong(bench: Bench) -> None:
    bench.connections = Connections.of_user()
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text("[models]\nold = 3\n")

    async def script(pilot: P) -> None:
        await press(pilot, "f8", "a", "tab", "right", "right", "tab")
        await write(pilot, "tiny")
        await press(pilot, "ctrl+j")
        assert "models.old" in text(pilot) or "old" in text(pilot)
        assert "added to" not in text(pilot)

    bench.play(script)


def test_a_model_is_asked_for_a_word_in_the_background_and_can_be_left_alone(bench: Bench) -> None:
    model = FedModel()
    bench.connections = connected(default=model)

    async def script(pilot: P) -> None:
        await press(pilot, "f8", "T")
        await asyncio.to_thread(model.wait)
        assert "asks default" in text(pilot)
        model.answer("ready")
        await until(pilot, lambda: "1,200 + 34 tokens; $0.0025; ready" in text(pilot))
        await press(pilot, "T")
        await asyncio.to_thread(model.wait)
        await press(pilot, "X")
        await until(pilot, lambda: "was stopped before its answer was whole" in text(pilot))
        model.feed(ModelError("its key is refused (401)", hint="export another SMALL_KEY"))
        await press(pilot, "T")
        await until(pilot, lambda: "its key is refused (401) (export another SMALL_KEY)" in text(pilot))

    bench.play(script, size=(120, 40))


def test_the_question_leads_to_the_model_that_is_missing_and_back(bench: Bench) -> None:
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text('[models.default]\nprovider = "scripted"\nreplies = ["fine"]\n')
    bench.connections = Connections.of_user()
    other = ASKING.replace('prompt = "Write', 'model = "writer"\nprompt = "Write')

    async def script(pilot: P) -> None:
        await press(pilot, "x l", "g m")
        assert "writer" in text(pilot)
        dialog(pilot, FormDialog)
        await press(pilot, "tab", "tab")
        await write(pilot, "big")
        await press(pilot, "ctrl+j", "escape")
        assert "Let real models answer in the next run?" in text(pilot)
        assert "writer  openai big" in text(pilot)
        assert "not configured" not in text(pilot)

    bench.play(script, bench.graph(other), size=(120, 40))
