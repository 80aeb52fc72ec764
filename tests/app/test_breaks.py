"""Breakpoints in the app: set by keys and a form, kept, shown where they wait, and told when they are met."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.graphs import LOOP
from stepgraph import Breakpoint, Watch
from stepgraph.editing.renaming import Rename
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph.runs.debug.spelling import spelled
from stepgraph_tui.dialogs.break_form import BreakForm
from tests.app import gates
from tests.app.bench import (
    LARGE,
    Bench,
    P,
    press,
    said,
    settle,
    start,
    text,
    until,
    workbench,
)
from tests.app.filling import fill, form_on_top, type_in
from tests.app.graph_look import styled
from tests.app.letters import LETTERS
from tests.app.playing import widget_lines

FIELDS = ("where", "condition", "after", "every", "log", "on")
COUNT = """
format = 1
name = "count"
start = "add"
[nodes.add]
type = "handler"
handler = "adding:add"
[[edges]]
from = "add"
to = "add"
"""
SECRET = LETTERS.replace("[nodes.draft]", '[state.letter]\ntype = "text"\nsecret = true\n\n[nodes.draft]', 1)


@pytest.fixture
def letters(bench: Bench) -> Path:
    return bench.graph(LETTERS, "letters.toml")


def kept(path: Path) -> list[str]:
    """What is kept for a graph, spelt as on the command line, with a minus before what is off."""
    return [("" if each.enabled else "-") + spelled(each) for each in KeptDebugging(path).breakpoints()]


def listed(pilot: P) -> list[str]:
    """The lines of the tab."""
    return [line.rstrip() for line in widget_lines(workbench(pilot).panes.breaks_pane) if line.strip()]


def logged(pilot: P) -> str:
    pane = workbench(pilot).panes.log_pane
    return "\n".join("".join(text for text, _ in pane.line(at).parts) for at in range(pane.lines.count))


def boxed(pilot: P, name: str) -> str:
    """The line of a node's box."""
    (line,) = [line for line in widget_lines(workbench(pilot).panes.graph_view) if f" {name}" in line]
    return line


async def pick(pilot: P, node: str | None, edge: int | None = None) -> None:
    workbench(pilot).surface.select(node, edge)
    await pilot.pause()


# By keys


def test_b_halts_a_run_before_the_node_and_says_so(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        await press(pilot, "b")
        assert said(pilot) == "breakpoint b1: a run halts before check"
        assert "■R check" in boxed(pilot, "check")
        await start(pilot)
        await press(pilot, "c")
        assert said(pilot) == "! b1 halts before check, step 2"
        assert bench.nodes() == ["draft"]
        graph = workbench(pilot).panes.graph_view
        assert "underline" in styled(graph, "■")  # the one that was hit
        await press(pilot, "8")
        assert listed(pilot) == ["▸ ■ b1  HALTED   before check"]
        await press(pilot, "c")  # it takes a step, and comes round
        assert bench.nodes() == ["draft", "check", "draft"]
        await press(pilot, "c")
        assert bench.nodes() == ["draft", "check", "draft", "check", "send"]
        assert listed(pilot) == ["▸ ■ b1  2 hits   before check"]

    bench.play(script, letters)
    assert kept(letters) == ["check"]


def test_b_again_takes_a_plain_one_away_and_f9_is_the_same_key(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        await press(pilot, "f9")
        assert kept(letters) == ["check"]
        await press(pilot, "b")
        assert said(pilot) == "breakpoint b1 removed: a run goes on before check"
        assert "■" not in text(pilot)
        await start(pilot)
        await press(pilot, "c")
        assert len(bench.nodes()) == 5

    bench.play(script, letters)
    assert kept(letters) == []


def test_what_took_work_to_write_is_switched_not_removed(bench: Bench, letters: Path) -> None:
    KeptDebugging(letters).add(Breakpoint("before", "check", when="count > 2"))

    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        assert "◊R check" in boxed(pilot, "check")
        await press(pilot, "b")
        assert said(pilot) == "breakpoint b1 switched off: before check"
        assert "□R check" in boxed(pilot, "check")
        assert kept(letters) == ["-check:count > 2"]
        await press(pilot, "b")
        assert kept(letters) == ["check:count > 2"]

    bench.play(script, letters)


def test_on_a_selected_edge_it_is_the_edge_and_two_between_the_same_nodes_are_told_apart(
    bench: Bench,
) -> None:
    twice = LETTERS.replace(
        '[[edges]]\nfrom = "send"',
        '[[edges]]\nfrom = "check"\nto = "send"\nlabel = "late"\n\n[[edges]]\nfrom = "send"',
    )
    path = bench.graph(twice, "letters.toml")

    async def script(pilot: P) -> None:
        await pick(pilot, "check", 1)
        await press(pilot, "b")
        assert said(pilot) == "breakpoint b1: a run halts on the edge check → draft"
        await pick(pilot, "check", 3)
        await press(pilot, "b")
        assert kept(path) == ["edge:check->draft", "edge:check->send#late"]
        await start(pilot)
        await press(pilot, "c")
        assert said(pilot) == "! b1 halts after check, step 2 (edge check → draft)"
        await pick(pilot, "check", 1)
        await press(pilot, "b")
        assert kept(path) == ["edge:check->send#late"]

    bench.play(script, path, size=LARGE)


def test_nothing_halts_at_the_end_and_b_in_the_trace_is_the_node_of_the_step(
    bench: Bench, letters: Path
) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "G", "b")
        assert said(pilot) == "! a run ends at END: it cannot halt there"
        await press(pilot, "5", "k", "b")
        assert said(pilot) == "breakpoint b1: a run halts before check"
        trace = widget_lines(workbench(pilot).panes.trace_pane)
        assert ["check ■" in line.replace("  ", " ") for line in trace if "  check" in line] == [True]

    bench.play(script, letters, run=bench.run(letters, steps=2).id)


def test_a_breakpoint_before_the_first_node_is_told_when_the_run_starts(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "g", "b")
        await start(pilot)
        assert said(pilot) == "! b1 halts before draft, step 1"
        assert bench.nodes() == []

    bench.play(script, letters)


def test_one_that_is_set_while_a_node_runs_counts_from_the_next_step_on(
    bench: Bench, gate: gates.Gate
) -> None:
    path = bench.trusted(gates.GATED, work=gates.WORK)

    async def script(pilot: P) -> None:
        await start(pilot)
        await pilot.press("c")
        await until(pilot, gate.reached.is_set)
        workbench(pilot).surface.select("last")
        await pilot.press("b")
        await until(pilot, lambda: kept(path) == ["last"])
        gate.open()
        await settle(pilot)
        assert bench.nodes() == ["first", "wait"]
        assert said(pilot) == "! b1 halts before last, step 3"

    bench.play(script, path)


# The tab and the form


def test_the_tab_says_what_to_do_and_its_keys_add_edit_switch_and_delete(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "8")
        assert "There are no breakpoints" in text(pilot)
        await press(pilot, "a")
        form_on_top(pilot, BreakForm)
        await fill(pilot, where="after:draft", condition="count > 2")
        assert listed(pilot) == ["▸ ◊ b1           after draft when count > 2"]
        await press(pilot, "a")
        await fill(pilot, where="key:letter; log wrote {{ count }}")
        await press(pilot, "j", "space")
        assert said(pilot) == "breakpoint b2 is off"
        assert listed(pilot)[1].startswith("▸ □ b2")
        await press(pilot, "k", "enter")
        await fill(pilot, condition="count > 5", on="no")
        assert kept(letters) == ["-after:draft:count > 5", "-key:letter; log wrote {{ count }}"]
        await press(pilot, "d")
        assert said(pilot) == "breakpoint b1 removed: after draft when count > 5, off"
        assert kept(letters) == ["-key:letter; log wrote {{ count }}"]

    bench.play(script, letters)


def test_the_mouse_selects_switches_and_opens(bench: Bench, letters: Path) -> None:
    for node in ("draft", "check"):
        KeptDebugging(letters).add(Breakpoint("before", node))

    async def script(pilot: P) -> None:
        await press(pilot, "8")
        pane = workbench(pilot).panes.breaks_pane
        await pilot.click(pane, offset=(2, 1))
        await settle(pilot)
        assert kept(letters) == ["draft", "-check"]
        await pilot.click(pane, offset=(20, 1), times=2)
        await settle(pilot)
        assert form_on_top(pilot, BreakForm).model.heading == "Breakpoint b2"

    bench.play(script, letters)


def test_big_b_opens_the_form_on_what_is_selected_and_refuses_what_can_never_be_met(
    bench: Bench, letters: Path
) -> None:
    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        await press(pilot, "B")
        await fill(pilot, where="chek")
        assert "no node 'chek'" in text(pilot)
        assert kept(letters) == []
        await fill(pilot, where="check", condition="count >")
        assert kept(letters) == []
        await fill(pilot, condition="count > 2", after="-1")
        assert kept(letters) == []
        await fill(pilot, after="1", every="2")
        assert kept(letters) == ["check:count > 2; after 1; every 2"]

    bench.play(script, letters, size=LARGE)


def test_what_the_form_refuses_is_told_at_its_field_and_that_field_has_the_keys(
    bench: Bench, letters: Path
) -> None:
    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        await press(pilot, "B")
        for field, wrong, reason in (
            ("where", "chek", "no node 'chek'"),
            ("condition", "count >", "incomplete"),
            ("every", "0", "every of a breakpoint is 0"),
            ("log", "{{ count", "the template 'log'"),
        ):
            await fill(pilot, **{field: wrong})
            lines = text(pilot).splitlines()
            (at,) = [number for number, line in enumerate(lines) if "✗" in line]
            above = [line.split()[1] for line in lines[:at] if line.startswith("┃ ")]
            assert [word for word in above if word in FIELDS][-1] == field
            assert reason in " ".join(lines[at : at + 2]), (reason, lines)
            focused = form_on_top(pilot, BreakForm).focused_view
            assert focused is not None
            assert focused.field.name == field
            await fill(pilot, "tab", **{field: {"where": "check", "every": "2"}.get(field, "")})
        await press(pilot, "ctrl+j")
        assert kept(letters) == ["check; every 2"]

    bench.play(script, letters)


def test_the_cursor_goes_to_a_breakpoint_that_was_added_and_the_head_tells_what_the_tab_does_not(
    bench: Bench, letters: Path
) -> None:
    place = KeptDebugging(letters)
    for node in ("draft", "check"):
        place.add(Breakpoint("before", node))

    async def script(pilot: P) -> None:
        await press(pilot, "8", "a")
        await fill(pilot, where="fail")
        assert listed(pilot)[2] == "▸ ■ b3           a failure"
        await press(pilot, "space")
        assert listed(pilot)[2] == "▸ □ b3           a failure, off"
        head = next(line for line in text(pilot).splitlines() if "[8 Breaks 3]" in line)
        assert head.endswith(" 1 off ──") or head.endswith(" 1 off ━━")
        (place.folder / "b4.json").write_text("[", encoding="utf-8")
        await until(pilot, lambda: "[8 Breaks 4]" in text(pilot))
        assert " 1 damaged, 1 off " in text(pilot)

    bench.play(script, letters)


def test_the_node_tab_tells_of_the_breakpoints_at_what_is_selected(bench: Bench, letters: Path) -> None:
    place = KeptDebugging(letters)
    place.add(Breakpoint("before", "check", when="count > 0"))
    place.add(Breakpoint("edge", "check", "draft", enabled=False))
    place.add(Breakpoint("fail"))

    async def script(pilot: P) -> None:
        node = workbench(pilot).panes.node_pane
        await press(pilot, "4")
        await pick(pilot, "check")
        page = node.copied() or ""
        assert "◊ b1  before check when count > 0\n" in page
        assert "□ b2  edge check → draft, off\n" in page
        assert "b3" not in page
        await start(pilot)
        await press(pilot, "c")
        assert "◊ b1  before check when count > 0  HALTED" in (node.copied() or "")
        graph = workbench(pilot).surface.graph
        assert graph is not None
        (back,) = [edge for edge in graph.edges if (edge.source, edge.target) == ("check", "draft")]
        await pick(pilot, None, back.index)
        page = node.copied() or ""
        assert "□ b2  edge check → draft, off" in page
        assert "b1" not in page
        await pick(pilot, "send")
        assert "b1" not in (node.copied() or "")

    bench.play(script, letters, size=LARGE)


def test_one_before_the_node_where_the_run_stands_says_that_it_counts_from_the_next_time(
    bench: Bench, letters: Path
) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await pick(pilot, "draft")
        await press(pilot, "b")
        assert said(pilot) == "breakpoint b1: a run halts before draft, this one when it comes there again"
        await press(pilot, "c")
        assert said(pilot) == "! b1 halts before draft, step 3"

    bench.play(script, letters)


# What is kept


def test_one_that_is_edited_by_hand_is_taken_within_a_second(bench: Bench, letters: Path) -> None:
    place = KeptDebugging(letters)
    place.add(Breakpoint("before", "check"))
    place.add(Watch("count"))

    async def script(pilot: P) -> None:
        await press(pilot, "8")
        await until(pilot, lambda: "7 Watches 1" in text(pilot))
        for id, old, new in (("b1", "check", "draft"), ("w1", '"count"', '"count > 1"')):
            file = place.folder / f"{id}.json"  # the same file: the folder is as old as it was
            file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        await until(pilot, lambda: listed(pilot) == ["▸ ■ b1           before draft"])
        assert "■" in boxed(pilot, "draft")
        await press(pilot, "7")
        await until(pilot, lambda: "▸   count > 1" in text(pilot))

    bench.play(script, letters)


def test_the_command_line_and_the_app_share_them_while_both_are_open(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "8")
        KeptDebugging(letters).add(Breakpoint("fail"))
        workbench(pilot).runs.breaks.look()
        await pilot.pause()
        assert listed(pilot) == ["▸ ■ b1           a failure"]
        KeptDebugging(letters).remove("b1")
        workbench(pilot).runs.breaks.look()
        await pilot.pause()
        assert "There are no breakpoints" in text(pilot)

    bench.play(script, letters)


@pytest.mark.parametrize("content", ["", "[", "{}", '{"version": 1, "breakpoint": {"kind": "before"}}'])
def test_a_damaged_entry_is_told_harms_no_other_and_can_be_deleted(
    bench: Bench, letters: Path, content: str
) -> None:
    place = KeptDebugging(letters)
    place.add(Breakpoint("before", "check"))
    (place.folder / "b2.json").write_text(content, encoding="utf-8")

    async def script(pilot: P) -> None:
        await press(pilot, "8")
        assert "1 kept breakpoint cannot be read" in said(pilot) or "b2" in text(pilot)
        lines = listed(pilot)
        assert lines[0] == "▸ ■ b1           before check"
        assert lines[1] == "  ¤ b2           damaged"
        await press(pilot, "j", "space", "enter", "d")
        assert len(listed(pilot)) == 1

    bench.play(script, letters, size=LARGE)
    assert place.breakpoints()
    assert place.damaged == ()


def test_one_whose_node_is_gone_stays_and_is_told_to_be_broken(bench: Bench, letters: Path) -> None:
    KeptDebugging(letters).add(Breakpoint("before", "gone"))
    KeptDebugging(letters).add(Breakpoint("before", "check", when="count >"))

    async def script(pilot: P) -> None:
        assert "¤R check" in boxed(pilot, "check")
        await press(pilot, "8")
        assert "¤ b1" in listed(pilot)[0]
        assert "can never be met: graph 'letters' has no node 'gone'" in " ".join(listed(pilot))

    bench.play(script, letters, size=LARGE)
    assert len(kept(letters)) == 2


def test_a_node_that_is_renamed_takes_its_breakpoints_along_and_undo_too(bench: Bench, letters: Path) -> None:
    KeptDebugging(letters).add(Breakpoint("after", "draft", when="visits.draft > 1"))
    KeptDebugging(letters).add(Breakpoint("edge", "check", "draft"))

    async def script(pilot: P) -> None:
        await press(pilot, "r")
        await type_in(pilot, "write")
        await press(pilot, "enter")
        assert kept(letters) == ["after:write:visits.write > 1", "edge:check->write"]
        await press(pilot, "u")
        assert kept(letters) == ["after:draft:visits.draft > 1", "edge:check->draft"]

    bench.play(script, letters, design=True, size=LARGE)


def test_a_key_that_is_renamed_takes_its_breakpoints_along_and_undo_too(bench: Bench, letters: Path) -> None:
    KeptDebugging(letters).add(Breakpoint("changes", path="count", when="count > 1"))

    async def script(pilot: P) -> None:
        design = workbench(pilot).design
        design.edit(Rename("state", "count", "number"))
        await settle(pilot)
        assert kept(letters) == ["key:number:number > 1"]
        await press(pilot, "u")
        assert kept(letters) == ["key:count:count > 1"]
        await press(pilot, "U")
        assert kept(letters) == ["key:number:number > 1"]

    bench.play(script, letters, design=True, size=LARGE)


def test_a_run_without_a_file_has_breakpoints_until_it_is_closed(bench: Bench, letters: Path) -> None:
    run = bench.run(letters)

    async def script(pilot: P) -> None:
        from stepgraph_tui.screens.workbench import Workbench

        pilot.app.push_screen(Workbench(pilot.app.context, None, run.id))  # type: ignore[attr-defined]
        await until(pilot, lambda: isinstance(pilot.app.screen, Workbench))
        await until(pilot, lambda: workbench(pilot).panes.graph_view.selection.node == "draft")
        await press(pilot, "j", "b")
        assert said(pilot) == "breakpoint b1: a run halts before check"
        await press(pilot, "c")
        assert bench.nodes() == ["draft"]

    bench.play(script)
    assert kept(letters) == []


# What is told


def test_a_condition_tells_its_values_and_a_change_what_changed(bench: Bench, letters: Path) -> None:
    KeptDebugging(letters).add(Breakpoint("before", "check", when="count > 2"))
    KeptDebugging(letters).add(Breakpoint("changes", path="letter", when='letter == "Dear Ana"'))

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "c")
        # The letter is not there yet, which the condition cannot answer: it halts, and says why.
        assert said(pilot).startswith('! b2 halts at draft, step 1: letter: nothing → "Dear Ana"')
        await press(pilot, "c")
        assert said(pilot) == (
            '! b2 halts at draft, step 3: letter: "Dear Ana" → "Dear Ana again"; letter == "Dear Ana"; '
            'letter = "Dear Ana"'
        )
        assert "b1 halts before check, step 4: count > 2; count = 3" in logged(pilot)

    bench.play(script, letters, size=(160, 40))


def test_a_long_text_that_changed_is_told_from_where_it_did(bench: Bench) -> None:
    adding = "def add(state):\n    return {'word': 'alike ' * 30 + str(state.step)}\n"
    path = bench.trusted(COUNT, "count.toml", adding=adding)
    bench.run(path, steps=1)
    KeptDebugging(path).add(Breakpoint("changes", path="word"))

    async def script(pilot: P) -> None:
        await press(pilot, "c")
        assert said(pilot) == '! b1 halts at add, step 2: word: … alike 1" → … alike 2"'

    bench.play(script, path, run="r-1")


def test_log_points_write_to_the_log_and_the_run_goes_on(bench: Bench, letters: Path) -> None:
    KeptDebugging(letters).add(Breakpoint("after", "check", log="count is {{ count }}"))

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "c", "9")
        assert len(bench.nodes()) == 5
        assert logged(pilot).count("b1: count is 3") == 2

    bench.play(script, letters)


def test_no_secret_is_told_logged_or_written_into_a_breakpoint(bench: Bench) -> None:
    path = bench.graph(SECRET, "letters.toml")
    KeptDebugging(path).add(Breakpoint("changes", path="letter"))
    KeptDebugging(path).add(Breakpoint("after", "check", log="it says {{ letter }}"))

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "c")
        assert said(pilot) == '! b1 halts at draft, step 1: letter: nothing → "***"'
        await press(pilot, "c", "9")
        assert "b2: it says ***" in logged(pilot)
        assert "Ana" not in logged(pilot)
        await press(pilot, "2", "v", "v")
        state = workbench(pilot).panes.state_pane
        state.values.go_to(("letter",))
        await press(pilot, "b")
        assert said(pilot) == "letter is secret: break on its change instead"
        await press(pilot, "W")
        assert said(pilot) == "breakpoint b1 is off"  # it is there already

    bench.play(script, path, size=LARGE)
    assert not any("Ana" in each.read_text() for each in KeptDebugging(path).folder.iterdir())


def test_b_and_w_in_state_break_on_the_value_and_b_in_why_on_the_edge(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "2")
        workbench(pilot).panes.state_pane.values.go_to(("letter",))
        await press(pilot, "b")
        assert said(pilot) == 'breakpoint b1: a run halts when letter becomes "Dear Ana"'
        await press(pilot, "W")
        assert said(pilot) == "breakpoint b2: a run halts when letter changes"
        await press(pilot, "b")
        assert said(pilot) == "breakpoint b1 is off"
        await press(pilot, "3", "b")
        assert said(pilot) == "breakpoint b3: a run halts on the edge draft → check"

    bench.play(script, letters, run=bench.run(letters, steps=1).id, size=LARGE)
    assert kept(letters) == ['-key:letter="Dear Ana"', "key:letter", "edge:draft->check"]


def test_the_hits_of_a_viewed_step_are_those_until_then(bench: Bench, letters: Path) -> None:
    KeptDebugging(letters).add(Breakpoint("after", "draft", log="x"))

    async def script(pilot: P) -> None:
        await press(pilot, "8")
        assert listed(pilot)[0].startswith("▸ ◊ b1  2 hits")
        await press(pilot, "left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert listed(pilot)[0].startswith("▸ ◊ b1  1 hit ")

    bench.play(script, letters, run=bench.run(letters, steps=5).id)


def test_hits_of_a_long_run_are_counted_piece_by_piece(bench: Bench) -> None:
    path = bench.graph(LOOP, "loop.toml")
    run = bench.run(path, steps=1_201)
    KeptDebugging(path).add(Breakpoint("after", "think"))

    async def script(pilot: P) -> None:
        await press(pilot, "8")
        await until(pilot, lambda: "601 hits" in text(pilot))

    bench.play(script, path, run=run.id)


def test_keys_are_noted_as_the_commands_that_do_the_same(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        await press(pilot, "b", "b", "b")
        noted = [command for _, command in workbench(pilot)._shared.log]
        assert [command.split("letters.toml ")[1] for command in noted] == [
            "--add check",
            "--remove b1",
            "--add check",
        ]

    bench.play(script, letters)


# What it costs


def test_without_breakpoints_nothing_is_read_made_or_told(
    bench: Bench, letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object) -> None:
        raise AssertionError("something was read")

    monkeypatch.setattr(KeptDebugging, "breakpoints", read)

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "c", "8")
        for _ in range(3):
            workbench(pilot).runs.breaks.look()
        assert len(bench.nodes()) == 5
        assert workbench(pilot).runs.breaks._compiled == (None, (), {})

    bench.play(script, letters)
    assert not KeptDebugging(letters).folder.exists()


def test_a_kept_breakpoint_is_plain_json_that_the_command_line_reads(bench: Bench, letters: Path) -> None:
    async def script(pilot: P) -> None:
        await pick(pilot, "check")
        await press(pilot, "b")

    bench.play(script, letters)
    data = json.loads((KeptDebugging(letters).folder / "b1.json").read_text())
    assert data["breakpoint"] == {"kind": "before", "node": "check"}
