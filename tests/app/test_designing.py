"""Editing a graph in the whole app: nodes, undo, problems, and the way to the other mode."""

from __future__ import annotations

from dataclasses import replace

from stepgraph.files.templates import create_graph
from stepgraph_tui.dialogs.design import NodeForm
from stepgraph_tui.dialogs.help import HelpScreen
from stepgraph_tui.dialogs.pick import NamePrompt, Pick
from stepgraph_tui.dialogs.run_form import RunForm
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.widgets.chrome.key_line import KeyLine
from tests.app.bench import (
    LARGE,
    REFUND,
    SMALL,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    start,
    text,
    workbench,
)
from tests.app.filling import field_in_focus, fill, form_on_top, type_in
from tests.app.letters import (
    EDGES,
    LETTERS,
    choose_edge,
    design,
    draw,
    edges,
    go,
    nodes,
    selected,
)

# Nodes


def test_a_node_is_added_after_the_selected_one_or_into_the_edge_and_its_form_opens(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for key in ("a", "C", "t", "r"):  # who thinks better of it changes nothing
            await press(pilot, key, "escape")
            assert pilot.app.screen is workbench(pilot)
        assert "DESIGN   SAVED" in header(pilot)
        await press(pilot, "a")
        dialog(pilot, Pick)
        await type_in(pilot, "tool")
        await press(pilot, "enter", "enter")  # between draft and check
        form_on_top(pilot, NodeForm)
        assert nodes(pilot) == ["draft", "tool", "check", "send"]
        assert edges(pilot) == ["draft tool", "tool check", *EDGES[1:]]
        await fill(pilot, name="find")
        assert selected(pilot) == "find"
        assert "find" in text(pilot)
        await press(pilot, "u", "u")
        assert edges(pilot) == EDGES
        await go(pilot, "check")
        await choose_edge(pilot, "draft")
        await press(pilot, "a", "enter", "ctrl+j")
        assert edges(pilot) == ["draft check", "check llm", "check send", "llm draft", "send END"]
        assert design(pilot).edges[1].table["label"] == "again"
        assert "into check → draft" in said(pilot)

    draw(bench, script)


def test_the_first_node_of_an_empty_graph_is_where_runs_begin(bench: Bench) -> None:
    path = bench.folder / "new.toml"
    create_graph(path, "blank")

    async def script(pilot: P) -> None:
        assert "DESIGN   SAVED" in header(pilot)
        assert "a adds the first node" in said(pilot)
        for size in (SMALL, LARGE):
            await pilot.resize_terminal(*size)
            await press(pilot, "a", "enter", "ctrl+j")
            assert (nodes(pilot), edges(pilot), design(pilot).start) == (["llm"], ["llm END"], "llm")
            await press(pilot, "d")
            assert (nodes(pilot), edges(pilot)) == ([], [])
            assert "There are no nodes yet" in text(pilot)

    bench.play(script, path, size=SMALL)


def test_renaming_follows_into_edges_conditions_and_the_start_and_says_how_often(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for key in ("r", "f2"):
            await press(pilot, key)
            dialog(pilot, NamePrompt)
            await type_in(pilot, "letter")
            await press(pilot, "enter")
            assert edges(pilot)[:2] == ["letter check", "check letter"]
            assert design(pilot).edges[1].table["when"] == "visits.letter < 2"
            assert design(pilot).start == selected(pilot) == "letter"
            assert "rename draft to letter" in said(pilot)
            await press(pilot, "u")
            assert "undid: rename draft to letter" in said(pilot)
            assert edges(pilot) == EDGES
            assert selected(pilot) == "draft"

    draw(bench, script)


def test_a_mark_where_runs_pause_stays_on_a_node_that_is_renamed(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "m", "g", "p", "m", "r")
        await type_in(pilot, "letter")
        await press(pilot, "enter")
        assert workbench(pilot).runs.pauses.nodes == {"letter"}
        await press(pilot, "u")
        assert workbench(pilot).runs.pauses.nodes == {"draft"}
        await press(pilot, "U")
        assert workbench(pilot).runs.pauses.nodes == {"letter"}

    path = bench.graph(LETTERS)
    bench.play(script, path, run=bench.run(path).id, design=True, size=LARGE)


def test_a_node_gets_another_type_or_is_deleted_with_its_edges_and_comes_back(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "t")
        assert "▸ L  llm" in text(pilot)  # what it is has the cursor
        await type_in(pilot, "router")
        await press(pilot, "enter")
        assert design(pilot).nodes["draft"].table["type"] == "router"
        assert "make draft a router node without prompt" in said(pilot)
        assert selected(pilot) == "draft"
        await press(pilot, "u")
        for key in ("d", "delete"):
            await go(pilot, "check")
            await press(pilot, key, key)
            assert nodes(pilot) == ["draft", "send"]
            assert said(pilot) == "delete check and 3 edges"
            assert selected(pilot) == "draft"
            await press(pilot, "u")
            assert said(pilot) == "undid: delete check and 3 edges"
            assert edges(pilot) == EDGES
        await press(pilot, "U")
        assert said(pilot) == "redid: delete check and 3 edges"
        assert edges(pilot) == ["send END"]

    draw(bench, script)


def test_a_key_of_the_other_mode_says_so_as_it_is_mapped_now(bench: Bench) -> None:
    bench.settings = replace(bench.settings, keys={"debug.retry": "f9"})

    async def script(pilot: P) -> None:
        await press(pilot, "p")
        assert said(pilot) == "! nothing was copied: y copies, x cuts; or paste with your terminal"
        await press(pilot, "r")
        assert "Retry" not in said(pilot)
        await press(pilot, "f9")
        assert said(pilot) == "! F9 Retry: a key of Debug; m goes there"
        await press(pilot, "m", "a")
        assert said(pilot) == "! a Add: a key of Design; m goes there"

    bench.play(script, REFUND, design=True)


def test_nothing_is_deleted_where_there_is_nothing_to_delete(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "G")
        await press(pilot, "d")
        assert said(pilot) == "! select a node or an edge first"
        for key in ("x", "D", "r", "t", "C", "S", "space"):
            await press(pilot, key)
            assert said(pilot) == "! select a node in the graph first"
        await press(pilot, "enter")
        assert said(pilot) == "END cannot be edited"
        assert "SAVED" in header(pilot)

    draw(bench, script)


def test_several_nodes_are_marked_and_deleted_in_one_go(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        graph = workbench(pilot).panes.graph_view
        await press(pilot, "space")
        assert said(pilot) == "1 node marked"
        await press(pilot, "j", "space")
        assert said(pilot) == "2 nodes marked"
        await press(pilot, "d")
        assert nodes(pilot) == ["send"]
        assert "runs now start at send" in said(pilot)
        assert graph.marked == frozenset()
        await press(pilot, "u", "g")
        assert nodes(pilot) == ["draft", "check", "send"]

    draw(bench, script)


def test_esc_ends_a_search_then_takes_marks_off_before_it_leaves_anything_else(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        graph = workbench(pilot).panes.graph_view
        await press(pilot, "space", "slash")
        await type_in(pilot, "check")
        await press(pilot, "enter", "escape")
        assert graph.marked == {"draft"}
        assert not workbench(pilot).bottom.is_searching
        await press(pilot, "+", "o", "escape")
        assert (graph.marked, graph.selection.edge is None) == (frozenset(), False)
        await press(pilot, "escape")
        assert graph.selection.edge is None
        assert workbench(pilot).grid.enlarged
        await press(pilot, "escape")
        assert not workbench(pilot).grid.enlarged

    draw(bench, script)


# Undo, and what is unsaved


def test_the_dirty_mark_goes_where_undo_and_redo_reach_what_was_saved(bench: Bench) -> None:
    saved, modified = " letters   DESIGN   SAVED", " letters *   DESIGN   MODIFIED"

    async def script(pilot: P) -> None:
        assert header(pilot).startswith(saved)
        await press(pilot, "j", "d", "d", "6")
        for key in ("d", "a", "x", "r", "D"):  # keys of the graph alone
            await press(pilot, key)
            assert nodes(pilot) == ["draft", "send"]
            assert pilot.app.screen is workbench(pilot)
        assert header(pilot).startswith(modified)
        await press(pilot, "u")
        assert edges(pilot) == EDGES
        assert header(pilot).startswith(saved)
        await press(pilot, "U", "ctrl+s")
        assert header(pilot).startswith(saved)
        await press(pilot, "ctrl+z")
        assert header(pilot).startswith(modified)
        await press(pilot, "ctrl+y")
        assert header(pilot).startswith(saved)
        await press(pilot, "q")  # nothing is asked
        dialog(pilot, HomeScreen)

    draw(bench, script)


# Problems


def test_problems_are_gone_through_and_the_obvious_is_mended(bench: Bench) -> None:
    broken = LETTERS.replace('[[edges]]\nfrom = "send"\nto = "END"\n', "").replace(
        'count"\nthr', 'cuont"\nthr'
    )

    async def script(pilot: P) -> None:
        assert "errors" in text(pilot) or "error" in text(pilot)
        await press(pilot, "full_stop")
        first = selected(pilot)
        await press(pilot, "full_stop", "comma")
        assert selected(pilot) == first
        for _ in range(6):
            await press(pilot, "exclamation_mark", "enter", "full_stop")
        assert edges(pilot) == EDGES
        assert workbench(pilot).file.checked.problems == ()
        await press(pilot, "full_stop")
        assert "SAVED" not in header(pilot)

    draw(bench, script, broken)


def test_fixes_are_a_menu_that_shows_the_lines_each_would_change(bench: Bench) -> None:
    guarded = LETTERS.replace('from = "send"\nto = "END"\n', 'from = "send"\nto = "END"\nwhen = "step > 1"\n')

    async def script(pilot: P) -> None:
        await press(pilot, "full_stop")
        assert "! has 3 fixes" in said(pilot)
        assert "! add a last edge from send to END, or 2 more" in text(pilot)
        await press(pilot, "exclamation_mark")
        menu = text(pilot)
        for words in (
            "▸ add a last edge",
            "  take send -> END when",
            '+to = "END"',
            "Enter Fix",
            "Esc Cancel",
        ):
            assert words in menu, menu
        await press(pilot, "j", "j")
        assert '+on_no_match = "end"' in text(pilot)
        await press(pilot, "escape")
        assert "SAVED" in header(pilot)
        await press(pilot, "exclamation_mark", "j", "enter")
        assert workbench(pilot).file.checked.problems == ()
        await press(pilot, "u")
        assert "SAVED" in header(pilot)

    path = draw(bench, script, guarded)
    assert path.read_text(encoding="utf-8") == guarded


def test_a_fix_is_one_of_what_is_selected(bench: Bench) -> None:
    broken = (
        LETTERS.replace('[[edges]]\nfrom = "send"\nto = "END"\n', "")
        .replace('cuont"\nthr', "")
        .replace('count"\nthr', 'cuont"\nthr')
    )

    async def script(pilot: P) -> None:
        await press(pilot, "full_stop")
        problems = workbench(pilot).file.checked.problems
        other = next(one for one in problems if one.place.node not in (None, selected(pilot)))
        workbench(pilot).surface.select(other.place.node)
        await press(pilot, "exclamation_mark")
        assert f"Fix {other.code}" in text(pilot)
        await press(pilot, "escape", "6", "j", "exclamation_mark")
        gone_to = workbench(pilot).panes.problems_pane.selected
        assert gone_to is not None
        assert f"Fix {gone_to.code}" in text(pilot)
        await press(pilot, "escape")

    draw(bench, script, broken)


# What the keys are called


def test_the_footer_names_save_run_and_mode_when_they_matter(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        footer = text(pilot).splitlines()[-1]
        assert "c Run" in footer
        assert "m Mode" in footer
        assert "Save" not in footer
        await press(pilot, "D")
        footer = text(pilot).splitlines()[-1]
        for key in ("ctrl+s Save", "c Run", "m Mode"):
            assert key in footer

    draw(bench, script, size=SMALL)


def test_the_footer_behind_a_form_is_that_of_the_form(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        keys = workbench(pilot).query_one(KeyLine)
        await press(pilot, "enter")
        form_on_top(pilot, NodeForm)
        footer = keys.line(80).plain
        assert "ctrl+j Apply" in footer
        assert "Esc Cancel" in footer
        assert "Add" not in footer
        await press(pilot, "escape")
        assert "a Add" in keys.line(80).plain

    draw(bench, script, size=LARGE)


def test_help_answers_over_a_dialog_and_says_what_enter_does_in_the_mode(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "question_mark")
        assert "Edit the node or edge in a form" in text(pilot)
        await press(pilot, "question_mark", "enter", "f1")
        dialog(pilot, HelpScreen)
        assert "THIS FORM" in text(pilot)
        await press(pilot, "escape", "question_mark")
        assert field_in_focus(pilot).text.endswith("?")
        await press(pilot, "escape", "y", "m", "question_mark")
        assert "Show the node or edge in the Node tab" in text(pilot)

    draw(bench, script, size=LARGE)


def test_a_key_is_called_by_what_it_does_now_and_more_detail_is_gone_where_there_is_none(
    bench: Bench,
) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "m")
        assert "c Run " in text(pilot).splitlines()[-1]
        await press(pilot, "z", "z", "z", "z")
        assert "More detail" not in text(pilot).splitlines()[-1]
        await press(pilot, "Z")
        assert "More detail" in text(pilot).splitlines()[-1]
        await start(pilot)
        assert "c Continue" in text(pilot).splitlines()[-1]

    draw(bench, script, size=(200, 50))


# The other mode


def test_m_goes_to_the_other_mode_and_back_and_each_has_its_own_keys(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        assert "a Add" in text(pilot)
        await press(pilot, "m")
        assert "DEBUG   NO RUN" in header(pilot)
        assert "s Step" in text(pilot)
        for key in ("d", "a", "u", "x", "D", "K", "C", "exclamation_mark"):
            await press(pilot, key)
        assert nodes(pilot) == ["draft", "check", "send"]
        assert pilot.app.screen is workbench(pilot)
        await press(pilot, "m")
        assert "DESIGN   SAVED" in header(pilot)
        await press(pilot, "t", "escape", "p")
        assert "nothing was copied" in said(pilot)
        for key in ("c", "f5"):
            await press(pilot, key)
            form_on_top(pilot, RunForm)
            await press(pilot, "escape")
            assert "DESIGN" in header(pilot)

    draw(bench, script)
