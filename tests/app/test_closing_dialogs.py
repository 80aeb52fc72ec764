"""A dialog is closed once, and nothing but itself."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from stepgraph_tui.dialogs.export import ExportDialog
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.dialogs.help import HelpScreen
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.exports.work import ExportWork
from stepgraph_tui.screens.inbox import InboxScreen
from tests.app.bench import Bench, P, dialog, press, until, workbench
from tests.app.letters import LETTERS


def test_who_presses_escape_twice_closes_one_dialog(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "m", "e", "ctrl+u", "x")
        form = pilot.app.screen
        await press(pilot, "escape")
        question = dialog(pilot, Confirm)
        question.dismiss(False)
        question.dismiss(True)
        await pilot.pause()
        assert pilot.app.screen is form

    bench.play(script, bench.graph(LETTERS, "letters.toml"))


def test_escape_twice_in_one_burst_asks_once(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "m", "e", "ctrl+u", "x")
        form = dialog(pilot, FormDialog)
        form.action_cancel()
        form.action_cancel()
        await pilot.pause()
        await press(pilot, "n")
        assert pilot.app.screen is form

    bench.play(script, bench.graph(LETTERS, "letters.toml"))


def test_q_twice_in_one_burst_closes_the_inbox_only(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "g", "i")
        inbox = dialog(pilot, InboxScreen)
        inbox.action_close()
        inbox.action_close()
        await pilot.pause()
        assert pilot.app.screen is workbench(pilot)

    bench.play(script, bench.graph(LETTERS, "letters.toml"))


def test_an_export_that_is_done_while_the_help_is_read_closes_itself_later(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, run = threading.Event(), ExportWork.run

    def held(work: ExportWork) -> list[Path]:
        assert goes_on.wait(10)
        return run(work)

    async def script(pilot: P) -> None:
        monkeypatch.setattr(ExportWork, "run", held)
        await press(pilot, "f3")
        export = dialog(pilot, ExportDialog)
        await pilot.press("enter")
        await pilot.press("f1")
        dialog(pilot, HelpScreen)
        goes_on.set()
        await until(pilot, lambda: not [worker for worker in pilot.app.workers if worker.group == "export"])
        await pilot.pause()
        dialog(pilot, HelpScreen)
        assert export in pilot.app.screen_stack
        await press(pilot, "escape")
        assert pilot.app.screen is workbench(pilot)

    path = bench.graph(LETTERS, "letters.toml")
    bench.play(script, path, design=True)
    assert list(path.parent.glob("letters.*")) != [path]
