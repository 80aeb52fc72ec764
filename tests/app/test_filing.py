"""The file of a graph that is edited: saving, changes from elsewhere, drafts, the user's own editor."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from stepgraph.files import read_graph
from stepgraph.ledger import RunStatus
from stepgraph_tui.designing import Drafts, buffer, disk
from stepgraph_tui.dialogs.confirm import Confirm
from stepgraph_tui.dialogs.design import NodeForm
from stepgraph_tui.dialogs.difference import DifferencePage
from stepgraph_tui.dialogs.disk_changed import DiskChanged
from stepgraph_tui.dialogs.restore_draft import RestoreDraft
from stepgraph_tui.dialogs.unsaved import Unsaved
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.screens.workbench import Workbench
from tests.app.bench import (
    LARGE,
    SMALL,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    start,
    text,
    until,
    workbench,
)
from tests.app.filling import fill, go_to, paste
from tests.app.gates import GATED, WORK, Gate
from tests.app.letters import EDGES, LETTERS, design, edges, go, nodes, selected
from tests.app.playing import Script
from tests.app.writing_editor import WritingEditor

WITHOUT_SEND = ["draft", "check"]
OTHER = LETTERS.replace("Write.", "Write it well.")
BROKEN = LETTERS.replace("[nodes.check]", "[nodes.check")


def draw(bench: Bench, script: Script[None], size: tuple[int, int] = LARGE) -> Path:
    """Open the letters in Design, and play a script; returns the file."""
    path = bench.graph(LETTERS)
    bench.play(script, path, design=True, size=size)
    return path


async def delete_send(pilot: P) -> None:
    """An edit."""
    await go(pilot, "send")
    await press(pilot, "d")
    assert nodes(pilot) == WITHOUT_SEND


async def stir(pilot: P) -> None:
    """Let the app hear that something happened to the file, as who watches the folder would."""
    workbench(pilot).post_message(Workbench.DiskStirred())
    await pilot.pause()


def file_of(pilot: P) -> Path:
    path = workbench(pilot).file.path
    assert path is not None
    return path


# Saving


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
def test_a_save_writes_what_is_drawn_and_keeps_the_rest_of_the_file(
    bench: Bench, size: tuple[int, int]
) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        await fill(pilot, prompt="Write it well.")
        assert "MODIFIED" in header(pilot)
        await press(pilot, "ctrl+s")
        assert header(pilot).startswith(" letters   DESIGN   SAVED")
        assert said(pilot) == "saved graph.toml"

    path = draw(bench, script, size)
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


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "No space left on device"), (errno.EACCES, "Permission denied")]
)
def test_a_save_that_fails_says_why_and_loses_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, words)

    async def script(pilot: P) -> None:
        await delete_send(pilot)
        with monkeypatch.context() as patched:
            patched.setattr(disk, "write_atomically", fail)
            await press(pilot, "ctrl+s")
        assert words in said(pilot)
        assert "MODIFIED" in header(pilot)
        assert nodes(pilot) == WITHOUT_SEND
        assert file_of(pilot).read_text(encoding="utf-8") == LETTERS
        await press(pilot, "u")
        assert "SAVED" in header(pilot)
        await press(pilot, "U", "ctrl+s")
        assert "SAVED" in header(pilot)

    assert list(read_graph(draw(bench, script)).nodes) == WITHOUT_SEND


# Changes from elsewhere


def test_a_clean_graph_follows_the_file_and_keeps_the_selection(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        file_of(pilot).write_text(OTHER, encoding="utf-8")
        await stir(pilot)
        assert said(pilot) == "the file changed on disk: shown as it is now"
        assert workbench(pilot).file.design.nodes["draft"].table["prompt"] == "Write it well."
        assert "DESIGN   SAVED" in header(pilot)
        assert selected(pilot) == "send"

    draw(bench, script)


def test_edits_stand_against_the_file_and_it_is_said_that_it_changed(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        file_of(pilot).write_text(OTHER, encoding="utf-8")
        await stir(pilot)
        assert "CHANGED ON DISK" in header(pilot)
        assert "saving asks what to do" in said(pilot)
        assert nodes(pilot) == WITHOUT_SEND

    path = draw(bench, script)
    assert path.read_text(encoding="utf-8") == OTHER


async def come_into_conflict(pilot: P) -> None:
    """Edit here, write there, and try to save."""
    await delete_send(pilot)
    file_of(pilot).write_text(OTHER, encoding="utf-8")
    await press(pilot, "ctrl+s")
    dialog(pilot, DiskChanged)


def test_what_changed_on_disk_can_be_reloaded_and_undo_brings_the_edits_back(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await come_into_conflict(pilot)
        await press(pilot, "r")
        assert edges(pilot) == EDGES
        assert "DESIGN   SAVED" in header(pilot)
        await press(pilot, "u")
        assert nodes(pilot) == WITHOUT_SEND
        assert "MODIFIED" in header(pilot)

    path = draw(bench, script)
    assert path.read_text(encoding="utf-8") == OTHER


def test_what_changed_on_disk_can_be_overwritten_and_stays_as_a_copy(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await come_into_conflict(pilot)
        await press(pilot, "o")
        assert "DESIGN   SAVED" in header(pilot)
        assert "graph.toml.bak" in said(pilot)

    path = draw(bench, script)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert path.with_name("graph.toml.bak").read_text(encoding="utf-8") == OTHER


def test_the_difference_can_be_seen_before_anything_is_decided(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await come_into_conflict(pilot)
        await press(pilot, "equals_sign")
        dialog(pilot, DifferencePage)
        assert "node 'send' was removed" in text(pilot)
        await press(pilot, "escape")
        dialog(pilot, DiskChanged)
        await press(pilot, "escape")
        assert "MODIFIED" in header(pilot) or "CHANGED ON DISK" in header(pilot)
        assert nodes(pilot) == WITHOUT_SEND

    path = draw(bench, script)
    assert path.read_text(encoding="utf-8") == OTHER


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


def test_a_file_that_is_gone_is_written_anew(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        file_of(pilot).unlink()
        await stir(pilot)
        assert "NOT ON DISK" in header(pilot)
        assert edges(pilot) == EDGES
        await press(pilot, "ctrl+s")
        assert "DESIGN   SAVED" in header(pilot)

    assert draw(bench, script).read_text(encoding="utf-8") == LETTERS


def test_a_file_that_breaks_keeps_its_last_good_drawing_and_is_fine_when_mended(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        file_of(pilot).write_text(BROKEN, encoding="utf-8")
        await stir(pilot)
        assert "check" in "\n".join(line[:56] for line in text(pilot).split("\n"))
        assert "DESIGN   CANNOT BE READ" in header(pilot)
        assert "shown as it was" in said(pilot)
        assert "line 16: it is not valid TOML" in text(pilot)
        workbench(pilot).next_line.hush()
        assert said(pilot).startswith("BROKEN the file cannot be read at line 16: E opens it there")
        await press(pilot, "1", "d")
        assert "cannot be read" in said(pilot)
        await press(pilot, "c")
        assert pilot.app.screen is workbench(pilot)
        file_of(pilot).write_text(OTHER, encoding="utf-8")
        await stir(pilot)
        assert workbench(pilot).file.problems == ()
        assert workbench(pilot).graph_view.selected == "send"
        await press(pilot, "1", "d")
        assert nodes(pilot) == WITHOUT_SEND

    draw(bench, script)


# Leaving


def test_closing_with_edits_asks_and_who_stays_goes_on(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "q")
        dialog(pilot, Unsaved)
        await press(pilot, "enter")
        assert nodes(pilot) == WITHOUT_SEND
        await press(pilot, "q", "s")
        dialog(pilot, HomeScreen)

    assert list(read_graph(draw(bench, script)).nodes) == WITHOUT_SEND


def test_edits_that_are_not_wanted_are_gone_with_their_draft(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "q", "x")
        dialog(pilot, HomeScreen)

    path = draw(bench, script)
    assert path.read_text(encoding="utf-8") == LETTERS
    assert Drafts(bench.folder / "drafts").of(path) is None


def test_closing_with_edits_of_a_file_that_changed_asks_about_that_too(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        file_of(pilot).write_text(OTHER, encoding="utf-8")
        await press(pilot, "q", "s")
        dialog(pilot, DiskChanged)
        await press(pilot, "escape")
        assert nodes(pilot) == WITHOUT_SEND
        await press(pilot, "q", "s", "o")
        dialog(pilot, HomeScreen)

    assert list(read_graph(draw(bench, script)).nodes) == WITHOUT_SEND


def test_another_file_is_opened_above_and_the_edits_are_there_afterwards(bench: Bench) -> None:
    other = bench.graph(LETTERS.replace('"letters"', '"other"'), "other.toml")

    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "ctrl+o")
        await paste(pilot, str(other))
        await press(pilot, "enter")
        assert header(pilot).startswith(" other ")
        await press(pilot, "q")
        assert header(pilot).startswith(" letters *   DESIGN   MODIFIED")
        assert nodes(pilot) == WITHOUT_SEND

    draw(bench, script)


def test_closing_without_edits_asks_nothing(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "u", "q")
        dialog(pilot, HomeScreen)

    draw(bench, script)


def test_quitting_asks_once_keeps_the_edits_and_the_next_opening_offers_them(bench: Bench) -> None:
    async def leave(pilot: P) -> list[str] | None:
        await delete_send(pilot)
        await press(pilot, "ctrl+q")
        assert "edits that are not saved" in dialog(pilot, Confirm).question
        await press(pilot, "enter")
        assert nodes(pilot) == WITHOUT_SEND
        await press(pilot, "ctrl+q")
        await pilot.press("y")
        return pilot.app.return_value

    path = bench.graph(LETTERS)
    words = bench.play(leave, path, design=True, size=LARGE)
    assert words == [f"the edits of {path} are not saved: they are offered when it is opened again"]
    assert path.read_text(encoding="utf-8") == LETTERS

    async def come_back(pilot: P) -> None:
        dialog(pilot, RestoreDraft)
        await press(pilot, "equals_sign")
        assert "node 'send' was removed" in text(pilot)
        await press(pilot, "escape")
        dialog(pilot, RestoreDraft)
        await press(pilot, "r")
        assert nodes(pilot) == WITHOUT_SEND
        assert "DESIGN   MODIFIED" in header(pilot)
        await press(pilot, "u")
        assert edges(pilot) == EDGES
        await press(pilot, "U", "ctrl+s")
        assert "SAVED" in header(pilot)

    bench.play(come_back, path, size=LARGE)
    assert list(read_graph(path).nodes) == WITHOUT_SEND
    assert Drafts(bench.folder / "drafts").of(path) is None


def test_quitting_says_that_what_stands_in_a_form_is_lost(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        await fill(pilot, "", prompt="Write a lot of things.")
        await press(pilot, "ctrl+q")
        assert "typed into the form" in dialog(pilot, Confirm).question
        await press(pilot, "enter")
        dialog(pilot, NodeForm)

    draw(bench, script)


# The user's own editor


def test_e_opens_the_file_at_the_line_of_what_is_selected_and_reads_it_again(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text.replace("Write.", "Write it well."))

    async def script(pilot: P) -> None:
        await go(pilot, "check")
        await press(pilot, "E")
        assert workbench(pilot).file.design.nodes["draft"].table["prompt"] == "Write it well."
        assert (selected(pilot), workbench(pilot).file.is_dirty) == ("check", False)
        await press(pilot, "o", "E")

    path = draw(bench, script)
    lines = LETTERS.split("\n")
    first = lines.index("[[edges]]", lines.index("[[edges]]") + 1) + 1
    assert bench.editor.opened == [(path, lines.index("[nodes.check]") + 1), (path, first)]


def test_e_asks_to_save_edits_first(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await delete_send(pilot)
        await press(pilot, "E")
        dialog(pilot, Confirm)
        await press(pilot, "escape")
        assert bench.editor.opened == []
        await press(pilot, "E", "y")
        assert "SAVED" in header(pilot)
        assert len(bench.editor.opened) == 1

    assert list(read_graph(draw(bench, script)).nodes) == WITHOUT_SEND


def test_e_that_leaves_a_broken_file_shows_where_the_error_is_and_leads_there(bench: Bench) -> None:
    texts = iter([BROKEN, LETTERS])
    bench.editor = WritingEditor(lambda _: next(texts))

    async def script(pilot: P) -> None:
        await press(pilot, "E")
        assert "line 16" in text(pilot)
        assert edges(pilot) == EDGES
        await press(pilot, "E")
        assert workbench(pilot).file.problems == ()

    path = draw(bench, script)
    assert bench.editor.opened[1] == (path, LETTERS.split("\n").index("[nodes.check]") + 1)


def test_an_editor_that_cannot_be_opened_says_why(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text, "there is no editor")

    async def script(pilot: P) -> None:
        await press(pilot, "E")
        assert "there is no editor" in said(pilot)

    draw(bench, script)


def test_e_waits_for_the_node_that_runs_and_names_the_file(bench: Bench, gate: Gate) -> None:
    path = bench.trusted(GATED, work=WORK)

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        await pilot.press("s")
        await gate.is_reached()
        await until(pilot, lambda: workbench(pilot).busy)
        for mode in ("m", "m"):
            await pilot.press("E")
            assert "a node still runs" in said(pilot)
            await pilot.press(mode)
        gate.open()
        await settle(pilot)
        await press(pilot, "E")

    bench.play(script, path, size=(160, 40))
    assert [opened for opened, _ in bench.editor.opened] == [path]


def test_f4_edits_a_field_in_the_editor(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: f"{text} And well.\n")

    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        await go_to(pilot, "prompt")
        await press(pilot, "f4", "ctrl+j")
        assert workbench(pilot).file.design.nodes["draft"].table["prompt"] == "Write. And well."

    draw(bench, script)


# Runs of what is drawn


def test_a_run_of_an_unsaved_graph_runs_what_is_on_the_screen(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        await press(pilot, "a", "enter")
        await fill(pilot, name="thanks", replies="Thank you.")
        await start(pilot)
        assert "letters *   DEBUG   READY   step 0/50" in header(pilot)
        await press(pilot, "c")
        assert "ENDED" in header(pilot)
        run = workbench(pilot).view
        assert run is not None
        assert run.state()["response"] == "Thank you."
        assert "✓ L thanks" in text(pilot)

    path = draw(bench, script)
    assert path.read_text(encoding="utf-8") == LETTERS


def test_editing_while_a_run_is_paused_leaves_it_on_its_own_definition_and_says_so(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s", "m")
        assert "DESIGN   SAVED" in header(pilot)
        await go(pilot, "check")
        await press(pilot, "d")
        assert said(pilot) == "delete check and 3 edges; run r-1 keeps its own graph"
        await press(pilot, "u", "d")
        assert said(pilot) == "delete check and 3 edges"  # it was said of this run
        await press(pilot, "m")
        assert "DEBUG   READY   step 1/50" in header(pilot)
        assert "R check" in text(pilot)
        await press(pilot, "s")
        assert "step 2/50" in header(pilot)
        await press(pilot, "m")
        assert "R check" not in text(pilot)
        assert nodes(pilot) == ["draft", "send"]

    draw(bench, script)
    assert bench.load().status is RunStatus.READY


def test_designing_shows_no_marks_of_the_run_and_debugging_does(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        assert "✓ L draft" in text(pilot)
        await press(pilot, "m")
        assert "✓ L draft" not in text(pilot)
        assert "DESIGN   SAVED" in header(pilot)
        assert "[4 Node]" in text(pilot)
        assert "[6 Problems" in text(pilot)
        await press(pilot, "m")
        assert "✓ L draft" in text(pilot)
        assert "[2 State]" in text(pilot)
        assert "[5 Trace]" in text(pilot)

    draw(bench, script)
