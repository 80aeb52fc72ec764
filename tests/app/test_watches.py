"""The tab of watches: adding, editing and removing them, their values and strips, and what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Watch
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.screens.workbench import Workbench, watch_controller
from stepgraph_tui.widgets.watches import WatchesPane
from tests.app.bench import LARGE, REFUND, SIZES, Bench, P, dialog, press, said, shown, text, until, workbench
from tests.app.filling import fill

COUNT = """
format = 1
name = "count"
start = "add"
max_steps = 50
[state.n]
default = 0
[state.word]
default = "a"
[state.token]
default = "s3cret-1"
secret = true
[nodes.add]
type = "handler"
handler = "adding:add"
[[edges]]
from = "add"
to = "END"
when = "n >= 8"
[[edges]]
from = "add"
to = "add"
"""
ADDING = """
def add(state):
    n = state["n"] + 1
    return {"n": n, "word": "ab"[n // 3 % 2], "token": f"s3cret-{n}", "told": f"it is s3cret-{n}"}
"""


def counted(bench: Bench, *watches: str, steps: int = 8) -> Path:
    """A graph that counts up to eight, a run of it, and what is watched in it."""
    path = bench.trusted(COUNT, "count.toml", adding=ADDING)
    bench.run(path, steps=steps)
    for watch in watches:
        KeptDebugging(path).add(Watch(watch))
    return path


def kept(path: Path) -> list[str]:
    return [watch.text for watch in KeptDebugging(path).watches()]


def test_an_empty_tab_says_what_to_do(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "7")
        assert shown(pilot) == "watches"
        assert "Nothing is watched yet. a watches an expression" in text(pilot)

    bench.play(script, REFUND)


@SIZES
def test_a_watch_is_added_shown_over_the_steps_edited_and_removed(
    bench: Bench, size: tuple[int, int]
) -> None:
    path = counted(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "7", "a")
        await fill(pilot, "enter", expression="n")
        assert said(pilot) == "n is watched"
        assert kept(path) == ["n"]
        assert "7 Watches 1" in text(pilot)
        line = next(line for line in text(pilot).splitlines() if "▸   n" in line)
        assert line.split("▸")[1].split() == ["n", "~", "8", "7", "▁▁▂▃▄▅▆▇█"]
        await press(pilot, "enter")
        await press(pilot, *["backspace"] * 3)
        await fill(pilot, "enter", expression="n > 4")
        assert kept(path) == ["n > 4"]
        assert "true" in text(pilot)
        assert "·····●···" in text(pilot)
        await press(pilot, "d")
        assert said(pilot) == "n > 4 is watched no more"
        assert kept(path) == []
        assert "Nothing is watched yet" in text(pilot)

    bench.play(script, path, run="r-1", size=size)


@pytest.mark.parametrize("wrong", ["n +", "", "   ", "import os", "n = 3"])
def test_what_is_no_expression_is_not_taken(bench: Bench, wrong: str) -> None:
    path = counted(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "7", "a")
        await fill(pilot, "enter", expression=wrong)
        dialog(pilot, FormDialog)
        assert "✗" in text(pilot)
        await press(pilot, "escape")
        assert kept(path) == []

    bench.play(script, path, run="r-1")


def test_what_is_watched_already_is_not_watched_twice(bench: Bench) -> None:
    path = counted(bench, "n")

    async def script(pilot: P) -> None:
        await press(pilot, "7", "a")
        await fill(pilot, "enter", expression="n")
        assert said(pilot) == "n is watched already"
        assert kept(path) == ["n"]

    bench.play(script, path, run="r-1")


def test_values_are_those_of_the_viewed_step(bench: Bench) -> None:
    path = counted(bench, "n", "gone")

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        assert "!!!!!!!!!" in text(pilot)
        assert "the state has no" in text(pilot)
        await press(pilot, "[", "[")
        pane = workbench(pilot).panes.watches_pane
        assert pane.copied() == "n = 6"
        await press(pilot, "j")
        assert pane.copied() == 'gone = the state has no key "gone"'

    bench.play(script, path, run="r-1")


def test_names_have_the_room_that_values_leave(bench: Bench) -> None:
    path = bench.trusted(COUNT, "count.toml", adding="def add(state):\n    return {'n': state.step}\n")
    bench.run(path, steps=7)
    name = "visits.add > 2 and n < 20"
    KeptDebugging(path).add(Watch("n"))
    KeptDebugging(path).add(Watch(name))

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        rows = [line for line in text(pilot).splitlines() if "true" in line]
        assert any(f"{name}  " in line for line in rows)

    bench.play(script, path, run="r-1", size=LARGE)


def test_a_long_text_that_changed_is_told_from_where_it_did(bench: Bench) -> None:
    path = bench.trusted(
        COUNT, "count.toml", adding="def add(state):\n    return {'word': f'{\"alike \" * 30}{state.step}'}\n"
    )
    bench.run(path, steps=7)
    KeptDebugging(path).add(Watch("word"))

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        (line,) = [line for line in text(pilot).splitlines() if "▸   word" in line]
        assert 'alike 7"' in line
        assert 'alike 6"' in line
        assert workbench(pilot).panes.watches_pane.copied() == f'word = "{"alike " * 30}7"'

    bench.play(script, path, run="r-1")


def test_the_selected_value_of_the_state_is_watched_by_its_path(bench: Bench) -> None:
    path = counted(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "2", "v", "j", "w")
        assert said(pilot) == "word is watched: 7 shows it"
        assert kept(path) == ["word"]
        assert [command for _, command in workbench(pilot)._shared.log] == [
            f"stepgraph breaks {path} --watch word"
        ]
        await press(pilot, "w")
        assert said(pilot) == "word is watched already: 7 shows it"
        await press(pilot, "7")
        assert "··●··●··●" in text(pilot) or "···●··●··" in text(pilot)

    bench.play(script, path, run="r-1")


def test_secrets_are_masked_in_values_and_strips(bench: Bench) -> None:
    path = counted(bench, "token", "told", "token == 's3cret-8'")

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        assert "***" in text(pilot)
        assert "s3cret-8" not in text(pilot)
        assert "s3cret-7" not in text(pilot)
        await press(pilot, "5", "{")
        assert "token" in said(pilot)
        assert "s3cret" not in text(pilot)

    bench.play(script, path, run="r-1")


def test_a_watch_that_is_off_is_not_stopped_at(bench: Bench) -> None:
    path = counted(bench, "n", "word")

    async def script(pilot: P) -> None:
        await press(pilot, "7", "space")
        assert said(pilot) == "{ } pass over the changes of n"
        assert "▸ ○ n" in text(pilot)
        await press(pilot, "5", "{")
        assert said(pilot) == "step 6: word changed"

    async def later(pilot: P) -> None:
        await press(pilot, "7", "k")
        assert "▸ ○ n" in text(pilot)
        assert " 1 off " in text(pilot)
        await press(pilot, "enter")
        await fill(pilot, "enter", expression="n + 0")
        assert "✗" in text(pilot)
        await fill(pilot, "enter", expression="n > 6")
        assert "▸ ○ n > 6" in text(pilot)
        await press(pilot, "space", "5", "{")
        assert said(pilot) == "step 7: n > 6 changed"

    bench.play(script, path, run="r-1")
    bench.play(later, path, run="r-1")
    assert [watch.enabled for watch in KeptDebugging(path).watches()] == [True, True]


def test_a_damaged_entry_is_told_kept_and_removed_on_demand(bench: Bench) -> None:
    path = counted(bench, "n", "word")
    broken = KeptDebugging(path).folder / "w1.json"
    broken.write_text("{")

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        assert "w1 is damaged: its file is no JSON" in text(pilot)
        assert "7 Watches 2" in text(pilot)
        assert broken.exists()
        await press(pilot, "j", "enter")
        assert not isinstance(pilot.app.screen, FormDialog)
        await press(pilot, "d")
        assert said(pilot) == "w1 was removed"
        assert not broken.exists()
        assert kept(path) == ["word"]

    bench.play(script, path, run="r-1")


def test_a_watch_that_the_command_line_added_is_there_when_the_tab_is_opened(bench: Bench) -> None:
    path = counted(bench)

    async def script(pilot: P) -> None:
        KeptDebugging(path).add(Watch("n"))
        await press(pilot, "7")
        await pilot.pause()
        assert "▸   n" in text(pilot)

    bench.play(script, path, run="r-1")


def test_a_folder_that_cannot_be_written_is_told(bench: Bench) -> None:
    path = counted(bench)
    folder = KeptDebugging(path).folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file in the way")

    async def script(pilot: P) -> None:
        await press(pilot, "2", "v", "w")
        assert "cannot be" in said(pilot)
        assert folder.read_text() == "a file in the way"

    bench.play(script, path, run="r-1")


def test_the_mouse_selects_switches_edits_and_views(bench: Bench) -> None:
    path = counted(bench, "n", "word")

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        await pilot.click(WatchesPane, offset=(6, 2))
        pane = workbench(pilot).panes.watches_pane
        assert pane.copied_path() == "word"
        await pilot.click(WatchesPane, offset=(2, 2))
        assert "▸ ○ word" in text(pilot)
        line = next(line for line in text(pilot).splitlines() if "▸ ○ word" in line)
        await pilot.click(WatchesPane, offset=(line.index("●"), 2))
        assert said(pilot).startswith("VIEWING step 3 of 8")
        await pilot.click(WatchesPane, offset=(6, 1), times=2)
        dialog(pilot, FormDialog)

    bench.play(script, path, run="r-1")


LONG = (
    'n > 2 and (word == "a" or word == "b" or word == "a longer one" or word == "one that is longer still")'
)


@SIZES
def test_the_watch_with_the_cursor_is_told_whole_where_that_hides_no_other(
    bench: Bench, size: tuple[int, int]
) -> None:
    path = counted(bench, "n", "word", "token", LONG)

    async def script(pilot: P) -> None:
        await press(pilot, "7", "g")
        seen = text(pilot)
        assert all(f"   {name} " in seen for name in ("n", "word", "token", "n > 2 and"))
        await press(pilot, "plus", "G")
        assert f"{LONG}: changed at step 3; now true" in words(pilot)
        await press(pilot, "g")
        assert "changed at steps 8, 7, 6, 5, 4, 3, …; now 8" in words(pilot)

    bench.play(script, path, run="r-1", size=size)


def words(pilot: P) -> str:
    return " ".join(text(pilot).split())


def test_a_graph_without_a_run_lists_what_is_watched(bench: Bench) -> None:
    path = bench.trusted(COUNT, "count.toml", adding=ADDING)
    KeptDebugging(path).add(Watch("n"))

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        assert "▸   n" in text(pilot)

    bench.play(script, path)


@pytest.mark.parametrize("few", [0, 500])
def test_the_strip_grows_with_the_run(bench: Bench, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(watch_controller, "FEW", few)
    path = counted(bench, "n", steps=2)

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        await until(pilot, lambda: "▁▄█" in text(pilot))
        await press(pilot, "s", "s")
        await until(pilot, lambda: "▁▂▄▆█" in text(pilot))

    bench.play(script, path, run="r-1")


def test_the_watches_of_a_run_without_a_file_last_as_long_as_the_screen(bench: Bench) -> None:
    path = counted(bench)

    async def script(pilot: P) -> None:
        await pilot.app.push_screen(Workbench(workbench(pilot)._shared, None, "r-1"))
        await press(pilot, "2", "v", "w", "j", "w", "7", "k")
        pane = workbench(pilot).panes.watches_pane
        assert pane.copied() == "n = 8"
        await press(pilot, "space")
        assert "▸ ○ n" in text(pilot)
        await press(pilot, "d")
        assert pane.copied() == 'word = "a"'
        assert kept(path) == []

    bench.play(script, path, run="r-1")
