"""The forms of what a graph says beside its nodes and edges, and the lists of what it declares."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from textual.pilot import Pilot

from stepgraph.editing.parts import DeleteDeclaration, EditPart, EditSettings
from stepgraph_tui.dialogs.design import DeclaredDialog, KeyForm, SettingsForm, ToolForm
from stepgraph_tui.dialogs.forms.completing import Offer
from stepgraph_tui.dialogs.forms.formats import Misfit
from tests.app.forms import REFUND, Host, answers, design, filled, result, told
from tests.app.playing import screen_lines

SECRET = design('[state.token]\ntype = "text"\nsecret = true\ndefault = "hunter2"\n')
EMPTY = design("")
WRONG = design('name = 5\nmax_steps = "many"\nextra = [1]\nno_feedback = ["a"]\n')


def settings(graph: Any = REFUND, /, **texts: str) -> dict[str, Any]:
    """The settings that come of other texts in their form."""
    answer = result(SettingsForm(graph), **texts)
    assert isinstance(answer, EditSettings)
    return dict(answer.head)


def key(*presses: str) -> EditPart:
    """The new key that comes of some keys in its form."""
    answer = filled(KeyForm(EMPTY), *presses, "ctrl+j").answer
    assert isinstance(answer, EditPart)
    return answer


def test_the_settings_of_the_graph_are_changed_in_place() -> None:
    after = filled(SettingsForm(REFUND), *["tab"] * 3, "backspace", "backspace", "7", "ctrl+j").answer.head
    assert after == {**REFUND.head, "max_steps": 7}
    assert list(after) == list(REFUND.head)
    assert result(SettingsForm(REFUND)) is None


def test_settings_with_their_defaults_are_left_out() -> None:
    assert "max_steps" not in settings(max_steps="")
    assert settings(on_max_steps="flag")["on_max_steps"] == "flag"
    assert "on_max_steps" not in settings(on_max_steps="return_last", max_steps="300")
    assert settings(review="every")["review"] == "every"
    assert "review" not in settings(review="never", max_steps="300")


def test_nodes_are_completed_and_unknown_ones_told() -> None:
    fields = {field.name: field for field in SettingsForm(REFUND).contents.fields}
    assert fields["start"].completer is not None
    assert fields["start"].completer("loo") == Offer("loo", ("lookup",))
    assert "is not a node of the graph" in told(SettingsForm(REFUND), start="xclassify")["start"]


def test_nodes_without_feedback_are_a_list_and_completed_in_it() -> None:
    fields = {field.name: field for field in SettingsForm(REFUND).contents.fields}
    assert fields["no_feedback"].completer is not None
    assert fields["no_feedback"].completer('["draft", "ref') == Offer('"ref', ('"refuse"',))
    assert settings(no_feedback='["draft", "refuse"]')["no_feedback"] == ["draft", "refuse"]


def test_the_first_setting_is_seen_in_a_small_terminal_although_the_rest_is_unfolded() -> None:
    graph = design('name = "mine"\nno_feedback = ["a"]\n')

    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "name" in host.text
        assert "mine" in host.text

    filled(SettingsForm(graph), size=(40, 12), then=look)


def test_settings_of_the_wrong_kind_are_told_and_kept() -> None:
    wrong = told(SettingsForm(WRONG))
    assert "takes text, not the number 5" in wrong["name"]
    assert 'takes a whole number, not the text "many"' in wrong["max_steps"]
    assert settings(WRONG, note="n") == {"note": "n", **WRONG.head}


def test_a_graph_with_nothing_in_it_gets_its_settings() -> None:
    assert settings(EMPTY, name="new") == {"name": "new"}


def test_a_new_key_is_declared() -> None:
    made = key(*"total", "tab", "right", "right", "tab", *"12.5", "tab", "right")
    assert (made.name, made.new_name) == (None, "total")
    assert made.table == {"type": "number", "default": 12.5, "input": True}


@pytest.mark.parametrize(
    ("type_", "typed", "default"),
    [
        ("any", "12", 12),
        ("any", '"12"', "12"),
        ("text", "12", "12"),
        ("text", '""', ""),
        ("boolean", "true", True),
        ("list", '["a"]', ["a"]),
        ("table", "{ a = 1 }", {"a": 1}),
        ("any", '"2026-01-01"', "2026-01-01"),
    ],
)
def test_a_default_is_read_as_the_type_wants_it(type_: str, typed: str, default: object) -> None:
    table = result(KeyForm(EMPTY), name="k", type=type_, default=typed).table
    assert table["default"] == default
    assert type(table["default"]) is type(default)


@pytest.mark.parametrize(
    ("type_", "typed", "words"),
    [
        ("any", "twelve", 'write "twelve", in quotes'),
        ("any", "2026-01-01", 'write "2026-01-01", in quotes'),
        ("any", "inf", 'write "inf", in quotes'),
        ("number", "many", 'takes a number, not "many"'),
        ("list", "[1,", "not valid TOML"),
        ("table", "3", "takes a table"),
    ],
)
def test_a_default_that_does_not_suit_is_told_and_refused(type_: str, typed: str, words: str) -> None:
    assert words in told(KeyForm(EMPTY), name="k", type=type_, default=typed)["default"]
    with pytest.raises(Misfit):
        result(KeyForm(EMPTY), name="k", type=type_, default=typed)


def test_a_default_is_spelt_anew_for_another_type() -> None:
    for before, type_, after in (
        ('"hello"', "text", "hello"),
        ('""', "text", '""'),
        ('"""\na\nb"""', "text", "a\nb"),
    ):
        form = KeyForm(EMPTY)
        default = next(field for field in form.contents.fields if field.name == "default")
        assert form.refilled(answers(form, type=type_, default=before)) == {default: after}
        assert form.refilled(answers(form, type="any", default=after)) == {default: before}
        assert form.refilled(answers(form, type="any", default=before)) is None


def test_a_default_that_stands_there_must_suit_another_type() -> None:
    assert "takes a number" in told(KeyForm(REFUND, "ticket"), type="number")["default"]


def test_what_is_wrong_with_a_declaration_is_told_below_its_field() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        lines = screen_lines(host)
        at = next(number for number, line in enumerate(lines) if "┃ type" in line)
        assert 'has the type text, but its reducer "append" makes it a list' in lines[at + 1]

    filled(KeyForm(EMPTY), *"k", "tab", "right", *["tab"] * 3, "right", then=look, size=(120, 30))


def test_nothing_is_wrong_with_a_new_key_before_it_was_accepted_without_a_name() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "✗" not in host.text
        await pilot.press("ctrl+j")  # nothing was typed, but a new key needs a name
        await pilot.pause()
        assert "the key has no name" in host.text
        assert host.answers == []

    filled(KeyForm(EMPTY), then=look)


def test_a_key_is_edited_and_renamed() -> None:
    edit = result(KeyForm(REFUND, "ticket"), name="ticket2")
    assert (edit.name, edit.new_name, edit.table) == ("ticket", "ticket2", REFUND.keys["ticket"].table)


def test_a_secret_that_does_not_suit_is_not_quoted() -> None:
    wrong = told(KeyForm(SECRET, "token"), type="number", default="hunter3")
    assert wrong == {"default": "takes a number\n"}


def test_a_secret_default_is_never_seen() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "hunter2" not in host.text
        assert "F4" not in host.text
        await pilot.press("x")
        assert "hunter2" not in host.text
        await pilot.press("ctrl+j")

    answer = filled(KeyForm(SECRET, "token"), "tab", "tab", then=look).answer
    assert answer.table["default"] == "hunter2x"


def test_a_tool_with_canned_answers_is_declared() -> None:
    returns = "[{ found = 1 }, { found = 2 }]"
    made = result(ToolForm(REFUND), name="find", returns=returns, side_effects="yes")
    assert (made.name, made.new_name) == (None, "find")
    assert made.table == {"returns": [{"found": 1}, {"found": 2}], "side_effects": True}


def test_what_is_wrong_with_a_tool_is_told() -> None:
    assert (
        "not written as module:function" in told(ToolForm(REFUND, "pay"), handler="refund_tools")["handler"]
    )
    assert (
        result(ToolForm(REFUND, "pay"), handler="refund_tools:payx").table["handler"] == "refund_tools:payx"
    )


def listed(kind: Literal["state", "tools"], *presses: str, graph: Any = REFUND) -> Any:
    return filled(DeclaredDialog(graph, kind), *presses).answer


def test_the_list_shows_all_with_type_note_and_flags() -> None:
    async def keys(pilot: Pilot[None], host: Host) -> None:
        for words in ("State keys", "9 keys", "▸ ticket", "What the customer wrote", "input", "Enter Edit"):
            assert words in host.text

    async def none(pilot: Pilot[None], host: Host) -> None:
        assert "no tool is declared yet" in host.text
        assert "Delete" not in host.text
        await pilot.press("d", "enter")
        assert host.answers == []

    filled(DeclaredDialog(REFUND, "state"), then=keys)
    filled(DeclaredDialog(EMPTY, "tools"), then=none)


@pytest.mark.parametrize(("size", "rows"), [((80, 24), 14), ((80, 12), 12), ((80, 16), 12), ((20, 5), 5)])
def test_the_list_is_no_higher_than_it_must_be(size: tuple[int, int], rows: int) -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert sum(line.strip().startswith(("┏", "┃", "┗")) for line in screen_lines(host)) == rows
        assert "Enter Edit" in host.text

    filled(DeclaredDialog(REFUND, "state"), then=look, size=size)


def test_from_the_list_one_is_added_edited_and_deleted() -> None:
    assert listed("state", "a", *"new", "ctrl+j") == EditPart("state", None, "new", {})
    edit = listed("state", "j", "enter", *"2", "ctrl+j")
    assert (edit.name, edit.new_name) == ("category", "category2")
    assert listed("tools", "G", "d") == DeleteDeclaration("tools", "notify")
    assert listed("state", "G", "k", "d") == DeleteDeclaration("state", "payment")
    assert isinstance(listed("tools", "enter", *"2", "ctrl+j"), EditPart)


def test_a_form_that_is_left_leads_back_to_the_list() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert host.screen is host.form
        assert host.answers == []
        await pilot.press("escape")

    assert filled(DeclaredDialog(REFUND, "state"), "enter", "escape", then=look).answer is None


def test_the_list_begins_where_it_is_told() -> None:
    assert filled(DeclaredDialog(REFUND, "tools", selected="pay"), "d").answer == DeleteDeclaration(
        "tools", "pay"
    )


@pytest.mark.parametrize("size", [(80, 24), (1, 1)])
def test_hostile_declarations_are_data(size: tuple[int, int]) -> None:
    evil = "[red]\\u001b[31mred\\u202e \u4e2d\u6587"
    graph = design(f'[state."{evil}"]\nnote = "{evil}"\ndefault = "{evil}"\ntype = "{evil}"\n')
    (name,) = graph.keys

    async def look(pilot: Pilot[None], host: Host) -> None:
        for line in screen_lines(host):
            assert line.isprintable()
        await pilot.press("enter")
        await pilot.pause()
        for line in screen_lines(host):
            assert line.isprintable()
        await pilot.press("tab", "tab", "tab", "right", "ctrl+j")

    answer = filled(DeclaredDialog(graph, "state"), then=look, size=size).answer
    assert answer.new_name == name
    assert answer.table == {**graph.keys[name].table, "input": True}
