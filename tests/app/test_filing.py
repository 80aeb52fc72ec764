"""The file of a graph that is edited: saving it, and what becomes of changes from elsewhere."""

from __future__ import annotations

import errno
from dataclasses import replace

import pytest
from textual.widgets import Input

from stepgraph import Breakpoint, Watch
from stepgraph.files import read_graph
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph_tui.dialogs.difference import DifferencePage
from stepgraph_tui.dialogs.questions import Confirm, DiskChanged
from stepgraph_tui.documents import buffer, disk
from tests.app.bench import (
    SMALL,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    text,
    workbench,
)
from tests.app.filling import fill
from tests.app.letters import (
    BROKEN,
    EDGES,
    LETTERS,
    OTHER,
    WITHOUT_SEND,
    delete_send,
    design,
    draw,
    edges,
    file_of,
    go,
    nodes,
    selected,
    stir,
)

# Saving


def test_a_save_writes_what_is_drawn_and_keeps_the_rest_of_the_file(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        await fill(pilot, prompt="Write it well.")
        assert "MODIFIED" in header(pilot)
        await press(pilot, "ctrl+s")
        assert header(pilot).startswith(" letters   DESIGN   SAVED")
        assert said(pilot) == "saved graph.toml"

    path = draw(bench, script, size=SMALL)
    assert path.read_text(encoding="utf-8") == OTHER
    assert not path.with_name("graph.toml.bak").exists()


def test_comments_that_cannot_be_kept_are_told_before_saving_and_the_old_file_stays_beside(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffer, "losses", lambda design: [f"line {n}: '# [red]'" for n in range(1, 9)])

    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "ctrl+s")
        question = dialog(pilot, Confirm).question
        assert "line 5: '# [red]'" in question
        assert "and 3 more" in question
        assert "# [red]" in text(pilot)
        await press(pilot, "enter")
        assert "MODIFIED" in header(pilot)
        assert file_of(pilot).read_text(encoding="utf-8") == LETTERS
        await press(pilot, "ctrl+s", "y")
        assert "SAVED" in header(pilot)
        assert "graph.toml.bak" in said(pilot)

    path = draw(bench, script)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert path.with_name("graph.toml.bak").read_text(encoding="utf-8") == LETTERS


def test_a_save_that_fails_says_why_and_loses_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def script(pilot: P) -> None:
        await delete_send(pilot)
        with monkeypatch.context() as patched:
            patched.setattr(disk, "write_atomically", fail)
            await press(pilot, "ctrl+s")
        assert "No space left on device" in said(pilot)
        assert "MODIFIED" in header(pilot)
        assert nodes(pilot) == WITHOUT_SEND
        assert file_of(pilot).read_text(encoding="utf-8") == LETTERS
        await press(pilot, "u")
        assert "SAVED" in header(pilot)
        await press(pilot, "U", "ctrl+s")
        assert "SAVED" in header(pilot)

    assert list(read_graph(draw(bench, script)).nodes) == WITHOUT_SEND


# Changes from elsewhere


def test_a_clean_graph_follows_the_file_and_one_that_is_gone_is_written_anew(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        file_of(pilot).write_text(OTHER, encoding="utf-8")
        await stir(pilot)
        assert said(pilot) == "the file changed on disk: this is the new version"
        assert workbench(pilot).file.design.nodes["draft"].table["prompt"] == "Write it well."
        assert "DESIGN   SAVED" in header(pilot)
        assert selected(pilot) == "send"
        file_of(pilot).unlink()
        await stir(pilot)
        assert "NOT ON DISK" in header(pilot)
        assert edges(pilot) == EDGES
        await press(pilot, "ctrl+s")
        assert "DESIGN   SAVED" in header(pilot)

    assert draw(bench, script).read_text(encoding="utf-8") == OTHER


async def come_into_conflict(pilot: P) -> None:
    """Edit here, write there, and try to save."""
    await delete_send(pilot)
    file_of(pilot).write_text(OTHER, encoding="utf-8")
    await stir(pilot)
    assert "CHANGED ON DISK" in header(pilot)
    assert "ctrl+s shows both" in said(pilot)
    assert nodes(pilot) == WITHOUT_SEND
    await press(pilot, "ctrl+s")
    dialog(pilot, DiskChanged)


def test_what_changed_on_disk_can_be_compared_and_reloaded_and_undo_brings_the_edits_back(
    bench: Bench,
) -> None:
    async def script(pilot: P) -> None:
        await come_into_conflict(pilot)
        await press(pilot, "equals_sign")
        dialog(pilot, DifferencePage)
        assert "node 'send' was removed" in text(pilot)
        await press(pilot, "escape")
        dialog(pilot, DiskChanged)
        await press(pilot, "escape")
        assert "CHANGED ON DISK" in header(pilot)
        assert nodes(pilot) == WITHOUT_SEND
        await press(pilot, "ctrl+s", "r")
        assert edges(pilot) == EDGES
        assert "DESIGN   SAVED" in header(pilot)
        await press(pilot, "u")
        assert nodes(pilot) == WITHOUT_SEND
        assert "MODIFIED" in header(pilot)

    path = draw(bench, script)
    assert path.read_text(encoding="utf-8") == OTHER


def test_what_changed_in_other_tables_on_disk_is_shown_beside_the_edits_and_merged(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await come_into_conflict(pilot)
        lines = text(pilot).splitlines()
        head = next(line for line in lines if "On disk" in line)
        there, here = head.index("On disk"), head.index("Here")
        first = lines[lines.index(head) + 1]
        assert first[there:here].strip() == "node draft: prompt"
        assert first[here:].startswith("node send: removed")
        await press(pilot, "m")
        assert "merged, not saved yet; u undoes the merge" in said(pilot)
        assert "MODIFIED" in header(pilot)
        assert nodes(pilot) == WITHOUT_SEND
        assert workbench(pilot).file.design.nodes["draft"].table["prompt"] == "Write it well."
        await press(pilot, "u")
        await stir(pilot)
        assert "CHANGED ON DISK" in header(pilot)
        assert workbench(pilot).file.design.nodes["draft"].table["prompt"] != "Write it well."
        await press(pilot, "U", "ctrl+s")
        assert "DESIGN   SAVED" in header(pilot)

    path = draw(bench, script)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert "Write it well." in path.read_text(encoding="utf-8")


def test_what_both_changed_is_named_and_not_merged(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        await fill(pilot, prompt="Write it badly.")
        file_of(pilot).write_text(OTHER, encoding="utf-8")
        await press(pilot, "ctrl+s")
        dialog(pilot, DiskChanged)
        assert "Both changed node draft" in text(pilot)
        assert "m Merge" not in text(pilot)
        await press(pilot, "m")
        dialog(pilot, DiskChanged)
        await press(pilot, "escape")

    draw(bench, script)


def test_what_changed_on_disk_can_be_overwritten_and_stays_as_a_copy(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await come_into_conflict(pilot)
        await press(pilot, "o")
        assert "DESIGN   SAVED" in header(pilot)
        assert "graph.toml.bak" in said(pilot)

    path = draw(bench, script)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert path.with_name("graph.toml.bak").read_text(encoding="utf-8") == OTHER


def test_a_broken_file_is_not_reloaded_over_edits_and_can_be_overwritten(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        file_of(pilot).write_text(BROKEN, encoding="utf-8")
        await press(pilot, "ctrl+s", "r")
        assert "was not reloaded: line 16" in said(pilot)
        assert nodes(pilot) == WITHOUT_SEND
        await press(pilot, "ctrl+s", "o")
        assert "DESIGN   SAVED" in header(pilot)

    path = draw(bench, script)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert path.with_name("graph.toml.bak").read_text(encoding="utf-8") == BROKEN


def test_a_file_that_changes_while_a_form_is_open_does_not_change_below_it(bench: Bench) -> None:
    swapped = LETTERS.replace('from = "draft"\nto = "check"\n\n[[edges]]\n', "", 1)

    async def script(pilot: P) -> None:
        await go(pilot, "check")
        await press(pilot, "o", "enter")
        await fill(pilot, "", label="once more")
        file_of(pilot).write_text(swapped, encoding="utf-8")
        await stir(pilot)
        await press(pilot, "ctrl+j")
        assert design(pilot).edges[1].table["label"] == "once more"
        assert edges(pilot) == EDGES
        await stir(pilot)
        assert "CHANGED ON DISK" in header(pilot)

    draw(bench, script)


def test_a_file_that_breaks_keeps_its_last_good_drawing_and_is_fine_when_mended(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        file_of(pilot).write_text(BROKEN, encoding="utf-8")
        await stir(pilot)
        assert "check" in "\n".join(line[:56] for line in text(pilot).split("\n"))
        assert "DESIGN   CANNOT BE READ" in header(pilot)
        assert "this is the old version" in said(pilot)
        assert "line 16: it is not valid TOML" in text(pilot)
        workbench(pilot).bottom.next_line.clear()
        assert said(pilot).startswith("BROKEN the file cannot be read at line 16: E opens it there")
        await press(pilot, "1", "d")
        assert "cannot be read" in said(pilot)
        await press(pilot, "c")
        assert pilot.app.screen is workbench(pilot)
        file_of(pilot).write_text(OTHER, encoding="utf-8")
        await stir(pilot)
        assert workbench(pilot).file.checked.problems == ()
        assert workbench(pilot).panes.graph_view.selection.node == "send"
        await press(pilot, "1", "d", "d")
        assert nodes(pilot) == WITHOUT_SEND

    draw(bench, script)


# A copy


def test_a_copy_is_opened_with_the_edits_the_breakpoints_the_watches_and_the_pause_marks(
    bench: Bench,
) -> None:
    path = bench.graph(LETTERS, "letters.toml")
    copy, other = path.with_name("copy.toml"), path.with_name("other.toml")
    for id, entry in (
        ("b2", Breakpoint("before", "check", enabled=False)),
        ("w1", Watch("count", enabled=False)),
    ):
        KeptDebugging(path).replace(replace(entry, id=id))
    KeptDebugging(other).add(Watch("letter"))

    async def save_copy(pilot: P, name: str) -> None:
        await press(pilot, "f12")
        pilot.app.screen.query_one(Input).value = str(path.with_name(name))
        await press(pilot, "enter")

    async def script(pilot: P) -> None:
        await go(pilot, "check")
        await press(pilot, "p", "m")
        await delete_send(pilot)
        await save_copy(pilot, "letters.toml")
        assert "there is a file of this name" in text(pilot)
        await press(pilot, "escape")
        await save_copy(pilot, "copy.toml")
        assert workbench(pilot).file.path == copy
        assert "send" not in read_graph(copy).nodes
        assert workbench(pilot).runs.pauses.nodes == {"check"}
        assert [(each.id, each.enabled) for each in workbench(pilot).runs.breaks.entries] == [("b2", False)]
        await press(pilot, "7")
        assert "▸ ○ count" in text(pilot)
        await press(pilot, "q")
        assert workbench(pilot).file.path == path
        assert workbench(pilot).file.is_dirty
        await save_copy(pilot, "other.toml")
        assert workbench(pilot).file.path == other
        assert workbench(pilot).runs.breaks.entries == ()

    bench.play(script, path)
    assert [each.text for each in KeptDebugging(other).watches()] == ["letter"]  # it had its own
    assert [each.id for each in KeptDebugging(path).breakpoints()] == ["b2"]


def test_a_copy_that_cannot_be_written_is_told_and_opens_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.graph(LETTERS, "letters.toml")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def script(pilot: P) -> None:
        monkeypatch.setattr(disk, "write_atomically", full)
        await press(pilot, "f12")
        pilot.app.screen.query_one(Input).value = str(path.with_name("copy.toml"))
        await press(pilot, "enter")
        assert workbench(pilot).file.path == path
        assert "was not saved: No space left on device" in said(pilot)

    bench.play(script, path, size=(120, 40))
    assert not path.with_name("copy.toml").exists()
