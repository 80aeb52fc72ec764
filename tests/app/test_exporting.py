"""Exporting from the app: the graph as it is drawn, or the run that is shown."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from textual.widgets import Input

import stepgraph_tui.exports
from stepgraph.files import atomic
from stepgraph_tui.dialogs import export
from stepgraph_tui.dialogs.export import ExportDialog
from stepgraph_tui.dialogs.pick import PickList
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.exports import FORMATS
from tests.app import slow_exports
from tests.app.bench import REFUND, Bench, P, dialog, press, said, text, until, workbench
from tests.app.letters import LETTERS, delete_send
from tests.app.slow_exports import LACKING, SLOW
from tests.app.turning import rest

PLAIN = [each.name for each in FORMATS if not each.extra]


async def choose(pilot: P, name: str) -> None:
    """Open the dialog, and go to a format."""
    await press(pilot, "f3")
    asked = dialog(pilot, ExportDialog)
    names = list(asked._formats)
    await press(pilot, *["down"] * names.index(name))


async def take(pilot: P) -> None:
    """Write it, and wait until that is over."""
    asked = dialog(pilot, ExportDialog)
    await press(pilot, "enter")
    await until(pilot, lambda: asked._work is None or pilot.app.screen is not asked)
    await until(pilot, lambda: pilot.app.screen is not asked or asked._work is None)


def commands(pilot: P) -> list[str]:
    return [command for _, command in workbench(pilot)._shared.log]


def test_a_graph_is_written_beside_its_file_in_any_format(bench: Bench) -> None:
    path = bench.graph(REFUND.read_text("utf-8"), "refunds.toml")
    names = [each for each in FORMATS if each.name in PLAIN and not each.needs_run]

    async def script(pilot: P) -> None:
        for each in names:
            out = path.with_name(f"{each.name}{each.suffix}")
            await choose(pilot, each.name)
            assert dialog(pilot, ExportDialog).query_one(Input).value == str(
                path.with_name(f"refunds{each.suffix}")
            )
            dialog(pilot, ExportDialog).query_one(Input).value = str(out)
            await take(pilot)
            assert out.stat().st_size > 100, each.name
            assert commands(pilot)[-1].startswith(f"stepgraph export {path} --to {each.name} -o {out}")

    bench.play(script, path)


def test_the_run_that_is_shown_is_written_and_the_command_that_does_the_same_is_noted(bench: Bench) -> None:
    path = bench.trusted(REFUND.read_text("utf-8"), "refunds.toml", refund_tools=TOOLS)
    run = bench.run(path, steps=1)

    async def script(pilot: P) -> None:
        await choose(pilot, "markdown")
        assert "Export run r-1" in text(pilot)
        await take(pilot)
        assert said(pilot).startswith("exported to ")
        assert commands(pilot)[-1].startswith(
            f"stepgraph export r-1 --to markdown -o {path.with_name('r-1.md')}"
        )

    bench.play(script, path, run=run.id)
    assert "## Run `r-1`: ready" in path.with_name("r-1.md").read_text("utf-8")


TOOLS = (REFUND.parent / "refund_tools.py").read_text("utf-8")


def test_a_format_of_runs_is_greyed_without_one_and_says_why(bench: Bench) -> None:
    path = bench.graph(LETTERS, "letters.toml")

    async def script(pilot: P) -> None:
        await choose(pilot, "jsonl")
        assert "jsonl" in text(pilot)
        assert "needs a run: show one in Debug first" in text(pilot)
        await press(pilot, "enter")
        assert "✗ jsonl needs a run: show one in Debug first" in text(pilot)
        await press(pilot, "escape")
        assert pilot.app.screen is workbench(pilot)

    bench.play(script, path)
    assert not path.with_name("letters.jsonl").exists()


def test_a_file_that_is_there_is_written_over_only_when_that_is_wanted(bench: Bench) -> None:
    path = bench.graph(LETTERS, "letters.toml")
    out, beside = path.with_name("letters.dag.json"), path.with_name("letters.trace.json")
    run = bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "m")  # the graph, not the run
        out.write_text("mine", encoding="utf-8")
        await choose(pilot, "dag")
        await take(pilot)
        assert "letters.dag.json is there already. Write over it?" in text(pilot)
        dialog(pilot, Confirm)
        await press(pilot, "n")
        assert out.read_text("utf-8") == "mine"
        await take(pilot)
        await press(pilot, "y")
        await until(pilot, lambda: pilot.app.screen is workbench(pilot))
        assert json.loads(out.read_text("utf-8"))
        assert commands(pilot)[-1].endswith("--force")

    bench.play(script, path, run=run.id)
    assert not beside.exists()


def test_what_belongs_to_a_file_is_asked_about_too(bench: Bench) -> None:
    path = bench.graph(LETTERS, "letters.toml")
    run = bench.run(path)
    out, beside = path.with_name("r-1.dag.json"), path.with_name("r-1.trace.json")
    beside.write_text("mine", encoding="utf-8")

    async def script(pilot: P) -> None:
        await choose(pilot, "dag")
        await take(pilot)
        assert "r-1.trace.json is there already. Write over it?" in text(pilot)
        assert not out.exists()
        await press(pilot, "y")
        await until(pilot, lambda: pilot.app.screen is workbench(pilot))

    bench.play(script, path, run=run.id)
    assert json.loads(out.read_text("utf-8"))
    assert json.loads(beside.read_text("utf-8"))


def test_in_design_the_graph_is_written_as_it_is_drawn(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await choose(pilot, "text")
        await take(pilot)
        assert commands(pilot)
        await delete_send(pilot)
        before = commands(pilot)
        await choose(pilot, "text")
        await take(pilot)
        await press(pilot, "y")
        await until(pilot, lambda: pilot.app.screen is workbench(pilot))
        assert commands(pilot) == before  # no command knows of unsaved edits

    path = bench.graph(LETTERS, "letters.toml")
    bench.play(script, path, design=True)
    assert "send" not in path.with_name("letters.txt").read_text("utf-8")
    assert "send" in path.read_text("utf-8")


def test_the_name_follows_the_format_until_somebody_ends_it_otherwise(bench: Bench) -> None:
    path = bench.graph(LETTERS, "letters.toml")

    async def script(pilot: P) -> None:
        await press(pilot, "f3")
        field = dialog(pilot, ExportDialog).query_one(Input)
        seen = []
        for each in FORMATS:
            seen.append(Path(field.value).name == f"letters{each.suffix}")
            await press(pilot, "down")
        assert all(seen)
        field.value = "mine.picture"
        await press(pilot, "up", "up")
        assert field.value == "mine.picture"

    bench.play(script, path)


def test_what_cannot_be_written_is_told_and_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.graph(LETTERS, "letters.toml")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def script(pilot: P) -> None:
        await choose(pilot, "svg")
        field = dialog(pilot, ExportDialog).query_one(Input)
        for wrong, why in (
            ("", "write the path of the file"),
            (str(path.parent), "this is a folder: name a file in it"),
            (str(path.parent / "no" / "a.svg"), "there is no such folder"),
        ):
            field.value = wrong
            await press(pilot, "enter")
            assert f"✗ {why}" in text(pilot)
        field.value = "a\0b"
        await take(pilot)
        assert "cannot be written: embedded null byte" in " ".join(text(pilot).split())
        field.value = str(path.with_name("a.svg"))
        monkeypatch.setattr(atomic, "write_atomically", full)
        await take(pilot)
        assert "No space left on device" in text(pilot)

    bench.play(script, path)
    assert not path.with_name("a.svg").exists()


def test_a_long_export_says_how_far_it_is_and_can_be_stopped(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.graph(LETTERS, "letters.toml")
    monkeypatch.setattr(stepgraph_tui.exports, "FORMATS", (SLOW, LACKING))
    monkeypatch.setattr(export, "_SLOW", 1)
    slow_exports.begun.clear()
    slow_exports.going_on.clear()

    async def script(pilot: P) -> None:
        await press(pilot, "f3")
        await pilot.press("enter")
        await until(pilot, slow_exports.begun.is_set)
        await until(pilot, lambda: "6 bytes so far; closing this stops it" in " ".join(text(pilot).split()))
        first = dialog(pilot, ExportDialog)._work
        await pilot.press("enter")  # it writes already
        assert dialog(pilot, ExportDialog)._work is first
        await pilot.press("escape")
        assert "stopped; nothing was written" in text(pilot)
        slow_exports.going_on.set()
        await rest(pilot)
        assert not path.with_name("letters.slow").exists()
        await take(pilot)
        assert said(pilot).endswith("letters.slow: 13 bytes")
        await choose(pilot, "lacking")
        await take(pilot)
        assert "lacking needs no_such_package, which is not installed" in " ".join(text(pilot).split())

    bench.play(script, path)
    assert path.with_name("letters.slow").read_text("utf-8") == "first\nsecond\n"
    assert not [each for each in path.parent.iterdir() if each.suffix == ".tmp"]


def test_a_double_click_writes_what_is_clicked(bench: Bench) -> None:
    path = bench.graph(LETTERS, "letters.toml")

    async def script(pilot: P) -> None:
        await press(pilot, "f3")
        row = list(dialog(pilot, ExportDialog)._formats).index("svg")
        await pilot.click(PickList, offset=(4, row))
        await pilot.pause()
        assert dialog(pilot, ExportDialog).query_one(Input).value.endswith("letters.svg")
        await pilot.click(PickList, offset=(4, row), times=2)
        await until(pilot, lambda: pilot.app.screen is workbench(pilot))

    bench.play(script, path)
    assert path.with_name("letters.svg").read_text("utf-8").startswith("<svg")


def test_a_graph_with_errors_says_so_and_asks_nothing(bench: Bench) -> None:
    path = bench.graph(LETTERS.replace('to = "END"', 'to = "nowhere"'), "letters.toml")

    async def script(pilot: P) -> None:
        await press(pilot, "f3")
        assert pilot.app.screen is workbench(pilot)
        assert "error" in said(pilot)

    bench.play(script, path)
