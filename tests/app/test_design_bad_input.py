"""What people type and paste that is no graph: said, and nothing is lost."""

from __future__ import annotations

import pytest

from stepgraph.editing.text import design_text, read_design
from stepgraph.files import read_graph
from stepgraph_tui.dialogs.design import EdgeForm, NodeForm
from stepgraph_tui.dialogs.pick import NamePrompt, Pick
from stepgraph_tui.dialogs.questions import Confirm
from tests.app.bench import LARGE, SMALL, Bench, P, dialog, header, press, said, text, until, workbench
from tests.app.filling import field_in_focus, fill, form_on_top, paste, type_in
from tests.app.forms import result, told
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
from tests.app.turning import rest

BINARY = bytes(range(256)).decode("latin-1") * 20
HALF = '[nodes.half]\ntype = "llm"\nprompt = """\nbegun'
LONG = "n" * 300


GARBAGE = {
    "binary": BINARY,
    "half a table": HALF,
    "1 MB": "x" * 1_000_000,
    "a word": "hello",
    "nothing": "",
    "escapes": "\x1b[2J\x1b]0;title\x07",
    "many tables": "[[edges]]\n" * 100_000,
    "a date": "a = 1979-05-27",
}


def test_pasted_garbage_is_refused_with_a_word_and_changes_nothing(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for name, garbage in GARBAGE.items():
            await press(pilot, "u")
            assert said(pilot) == "! there is nothing to undo"
            await paste(pilot, garbage)
            assert edges(pilot) == EDGES, name
            assert "SAVED" in header(pilot), name
            assert said(pilot).startswith("✗ "), name
            assert "\x1b" not in text(pilot), name
        await press(pilot, "j", "d", "d")  # and everything goes on
        assert nodes(pilot) == ["draft", "send"]

    draw(bench, script)


@pytest.mark.parametrize("when", ["count <", "count < 2 and", '"open', "count ~ 3", "x" * 5_000, "(" * 300])
def test_a_condition_that_does_not_parse_is_told_and_kept_as_it_was_typed(when: str) -> None:
    form = EdgeForm(read_design(LETTERS), 1)
    assert told(form, condition="expression", when=when)["when"]
    assert result(form, condition="expression", when=when).table["when"] == when


def test_a_graph_with_a_condition_that_does_not_parse_cannot_run(bench: Bench) -> None:
    when = "count < 2 and"

    async def script(pilot: P) -> None:
        await go(pilot, "check")
        await choose_edge(pilot, "draft")
        await press(pilot, "enter")
        await fill(pilot, "", when=when)
        await until(pilot, lambda: "✗ " in text(pilot))
        form_on_top(pilot, EdgeForm)
        await press(pilot, "ctrl+j")
        assert design(pilot).edges[1].table["when"] == when
        assert workbench(pilot).file.checked.errors >= 1
        assert "MODIFIED" in header(pilot)
        await press(pilot, "ctrl+s", "c")
        assert pilot.app.screen is workbench(pilot)  # it cannot run
        await press(pilot, "1", "u")
        assert workbench(pilot).file.checked.problems == ()

    draw(bench, script, size=SMALL)


NAMES = [
    'say "no"',
    "with spaces in it",
    "a.dotted.name",
    "größe_日本語_العربية",
    "it's",
    "[red]",
    "back\\slash",
    LONG,
    "visits",
    "true",
    "state",
    "0",
    "-",
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:20])
def test_every_name_that_is_text_can_be_given_in_the_form_and_read_again(name: str) -> None:
    before = read_design(LETTERS)
    edited = result(NodeForm(before, "draft"), name=name).apply(before).design
    graph = read_design(design_text(edited))
    assert next(iter(graph.nodes)) == name
    assert graph.start == name
    assert [edge.table["from"] for edge in graph.edges].count(name) == 1


def test_names_that_are_text_can_be_given_saved_and_read_again(bench: Bench) -> None:
    path = bench.graph(LETTERS)

    async def script(pilot: P) -> None:
        for name in ('say "no"', "größe_日本語_العربية"):
            await press(pilot, "r")
            dialog(pilot, NamePrompt)
            await paste(pilot, name)
            await press(pilot, "enter")
            assert selected(pilot) == name
            assert edges(pilot)[:2] == [f"{name} check", f"check {name}"]
            assert workbench(pilot).file.checked.problems == ()
            await press(pilot, "enter", "escape", "ctrl+s")
            assert "DESIGN   SAVED" in header(pilot)
            graph = read_graph(path)
            assert next(iter(graph.nodes)) == name
            assert graph.settings.start == name

    bench.play(script, path, design=True, size=SMALL)


REFUSED = {
    "": "has no name",
    "   ": "has no name",
    "END": "no node may be named END",
    "__END__": "no node may be named __END__",
    "check": "there is a node check already",
}


def test_a_name_that_cannot_be_given_is_refused_where_it_is_typed(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for name, why in REFUSED.items():
            assert why in told(NodeForm(design(pilot), "draft"), name=name)["name"]
        for name, why in list(REFUSED.items())[1:3]:
            await press(pilot, "r", "backspace")
            await type_in(pilot, name)
            await press(pilot, "enter")
            dialog(pilot, NamePrompt)
            assert why in text(pilot)
            await press(pilot, "escape")
            assert pilot.app.screen is workbench(pilot)
        await press(pilot, "enter")
        await fill(pilot, name="check")
        form_on_top(pilot, NodeForm)
        assert REFUSED["check"] in text(pilot)
        await press(pilot, "escape")
        dialog(pilot, Confirm)
        await press(pilot, "y")
        assert pilot.app.screen is workbench(pilot)
        assert edges(pilot) == EDGES
        assert "SAVED" in header(pilot)

    draw(bench, script)


def test_half_a_character_never_gets_into_a_name(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "r")
        await paste(pilot, "a\ud800b")
        await press(pilot, "enter")
        if pilot.app.screen is not workbench(pilot):
            await press(pilot, "escape")
        assert all(name.isprintable() for name in nodes(pilot))
        await press(pilot, "ctrl+s")

    draw(bench, script)


def test_a_search_for_a_type_that_is_not_there_takes_nothing(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "a")
        await type_in(pilot, "[red]no such")
        await press(pilot, "enter")
        dialog(pilot, Pick)
        assert "Nothing here fits '[red]no such'" in text(pilot)
        await press(pilot, "escape")
        assert edges(pilot) == EDGES

    draw(bench, script)


def test_a_text_of_a_megabyte_in_a_field_is_kept_whole_and_undone(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        await fill(pilot, "", prompt="")
        await paste(pilot, "x" * 900_000)
        assert "900,000 characters" in text(pilot)
        assert len(field_in_focus(pilot).text) == 900_000
        await press(pilot, "ctrl+j")
        assert len(str(design(pilot).nodes["draft"].table["prompt"])) == 900_000
        await press(pilot, "u")
        assert "SAVED" in header(pilot)

    draw(bench, script)


def test_every_dialog_of_design_opens_in_any_size(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for keys in (("a",), ("C",), ("r",), ("t",), ("enter",), ("s",), ("f6",), ("f6", "a"), ("f7", "a")):
            await press(pilot, *keys)
            assert pilot.app.screen is not workbench(pilot)
            while pilot.app.screen is not workbench(pilot):
                await press(pilot, "escape")
        await press(pilot, "j", "d", "d", "u", "m", "m")
        assert edges(pilot) == EDGES

    draw(bench, script, size=(1, 1))


def many(count: int) -> str:
    """A chain of so many nodes."""
    parts = ['format = 1\nname = "many"\nstart = "n0"\n']
    parts += [f'[nodes.n{n}]\ntype = "llm"\nprompt = "{n}"\nreplies = ["{n}"]\n' for n in range(count)]
    ends = [*(f"n{n}" for n in range(count)), "END"]
    parts += [f'[[edges]]\nfrom = "{ends[n]}"\nto = "{ends[n + 1]}"\n' for n in range(count)]
    return "\n".join(parts)


def test_two_thousand_nodes_are_edited_while_the_picture_is_made(bench: Bench) -> None:
    path = bench.graph(many(2_000))

    async def arrives(pilot: P) -> None:
        graph = workbench(pilot).panes.graph_view
        await until(pilot, lambda: workbench(pilot).file.is_taken and graph.viewport.laid_out is not None)
        await rest(pilot)

    async def script(pilot: P) -> None:
        await pilot.press("6", "1")
        assert pilot.app.focused is workbench(pilot).panes.graph_view  # keys are answered meanwhile
        await arrives(pilot)
        await press(pilot, "a", "enter", "enter", "ctrl+j")
        assert len(nodes(pilot)) == 2_001
        await arrives(pilot)
        assert selected(pilot) == "llm"
        await press(pilot, "r")
        await type_in(pilot, "new")
        await press(pilot, "enter")
        await arrives(pilot)
        assert selected(pilot) == "new"
        await pilot.press("d", "d", "u", "U")  # faster than they can be checked
        await arrives(pilot)
        assert "new" not in workbench(pilot).file.design.nodes
        assert "node 'n0' has no edge that leaves it" in text(pilot)
        await pilot.press("u", "u", "u")
        await arrives(pilot)
        assert len(nodes(pilot)) == 2_000
        assert "n0" in text(pilot)
        assert "SAVED" in header(pilot)

    bench.play(script, path, design=True, size=LARGE)
