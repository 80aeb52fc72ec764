"""The form of a node."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from stepgraph.editing import Design
from stepgraph.editing.parts import EditPart
from stepgraph.nodes.llm import LLMSettings
from stepgraph.values.problems import Place, Problem
from stepgraph_tui.dialogs.design import NodeForm, ToolForm
from stepgraph_tui.dialogs.forms.completing import Offer
from stepgraph_tui.dialogs.forms.formats import Misfit
from stepgraph_tui.text.toml import toml_lines
from tests.app.forms import (
    DEFAULTS,
    REFUND,
    Host,
    answers,
    design,
    erase,
    filled,
    paste,
    result,
    told,
)
from tests.app.playing import screen_lines

STRANGE = design("""
[nodes.x]
type = "llm"
promt = "hi"
model = 5
replies = ["one\\ntwo", "three"]

[nodes.later]
type = "from_tomorrow"
speed = 3
""")


def edited(graph: Design, node: str, /, **texts: str) -> dict[str, object]:
    """The table that comes of other texts in the form of a node."""
    answer = result(NodeForm(graph, node), **texts)
    assert isinstance(answer, EditPart)
    return dict(answer.table)


def test_all_settings_of_the_type_are_asked_for_with_what_stands_there() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        for words in (
            "Node review",
            "approval",
            "The run is stored",
            "order.customer",
            'order.amount = "number"',
        ):
            assert words in host.text
        assert "● high" in host.text
        assert "· approve" in host.text

    filled(NodeForm(REFUND, "review"), size=(120, 40), then=look)


def test_a_form_in_which_nothing_was_changed_hands_back_nothing() -> None:
    assert filled(NodeForm(REFUND, "classify"), "ctrl+j").answer is None


def test_what_was_not_touched_is_the_very_same_object_in_its_place() -> None:
    before = REFUND.nodes["review"].table
    after = edited(REFUND, "review", note=f"{before['note']} More.")
    assert list(after) == list(before)
    assert after["note"] == f"{before['note']} More."
    assert all(after[key] is before[key] for key in before if key != "note")


def test_typing_replaces_the_examples_in_a_new_node_and_adds_to_what_stands_in_another() -> None:
    keys = ("a", "tab", "tab", "b", "shift+tab", "tab", "c", "ctrl+j")
    for is_new, name, prompt in ((True, "a", "bc"), (False, "xa", "pbc")):
        answer = filled(NodeForm(DEFAULTS, "x", is_new=is_new), *keys).answer
        assert answer.new_name == name
        assert answer.table["prompt"] == prompt


def test_a_new_key_goes_where_its_type_has_it() -> None:
    assert list(edited(REFUND, "lookup", side_effects="yes")) == [
        *REFUND.nodes["lookup"].table,
        "side_effects",
    ]
    after = edited(DEFAULTS, "x", note="why", system="be brief")
    assert list(after) == ["output", "type", "note", "prompt", "system"]


def test_defaults_are_not_written_and_those_that_stand_there_stay() -> None:
    after = edited(DEFAULTS, "x", note="why")
    assert after["output"] == "response"
    assert "model" not in after
    # What was something else and becomes the default is left out.
    assert "output" not in edited(REFUND, "classify", output="response")
    assert "output" not in edited(REFUND, "classify", output="")


def test_another_name_is_part_of_the_edit() -> None:
    answer = result(NodeForm(REFUND, "draft"), name="draft2")
    assert (answer.name, answer.new_name, answer.table) == ("draft", "draft2", REFUND.nodes["draft"].table)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pay", "there is a node pay already"),
        ("", "has no name"),
        ("END", "no node may be named END"),
    ],
)
def test_a_name_that_cannot_be_used_is_told(name: str, words: str) -> None:
    assert words in told(NodeForm(REFUND, "draft"), name=name)["name"]
    with pytest.raises(Misfit, match=words):
        result(NodeForm(REFUND, "draft"), name=name)


def test_problems_stand_below_their_field_while_it_is_typed_and_are_no_hindrance() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        lines = screen_lines(host)
        at = next(number for number, line in enumerate(lines) if "{{ oops" in line)
        assert lines[at + 1].index("^") == lines[at].index("{{ oops") + len("{{ oops")
        assert "does not parse" in lines[at + 2]
        await pilot.press("ctrl+j")

    keys = ["tab", "tab", *erase("p"), *"{{ oops"]
    assert filled(NodeForm(DEFAULTS, "x"), *keys, then=look).answer.table["prompt"] == "{{ oops"


def test_what_stands_for_no_value_is_told_and_refused_until_it_is_mended() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert 'takes a number, not "100x"' in host.text
        await pilot.press("ctrl+j")
        assert host.answers == []
        await pilot.press("backspace", "5", *["shift+tab"] * 3, *erase("amount_check"))
        await pilot.pause()
        assert "has no name" in host.text
        await pilot.press("ctrl+j")
        assert host.answers == []
        await pilot.press(*"check", "enter", "tab", "ctrl+j")

    answer = filled(NodeForm(REFUND, "amount_check"), "tab", "tab", "tab", "x", then=look).answer
    assert (answer.new_name, answer.table["threshold"]) == ("check", 1005)


def test_the_callers_problems_are_shown_and_those_of_other_nodes_are_not() -> None:
    def problems(edit: EditPart) -> Iterable[Problem]:
        yield Problem(
            "G107", "warning", "node 'x' reads 'ordr', which nothing writes", Place(node=edit.new_name)
        )
        yield Problem("G100", "warning", "node 'y' is never reached", Place(node="y"))

    assert told(NodeForm(DEFAULTS, "x", problems_of=problems)) == {"": "reads 'ordr', which nothing writes\n"}


def test_unknown_settings_are_shown_as_they_are_and_kept() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        for words in ('promt = "hi"', "does not know the setting 'promt'", "takes text, not the number 5"):
            assert words in host.text

    filled(NodeForm(STRANGE, "x"), then=look, size=(120, 40))
    after = edited(STRANGE, "x", note="why")
    assert after == {**STRANGE.nodes["x"].table, "note": "why"}
    assert after["replies"] is STRANGE.nodes["x"].table["replies"]


def test_an_unknown_setting_can_be_corrected_in_place() -> None:
    after = edited(STRANGE, "x", others='prompt = "hi"\nmore = 1')
    assert after["prompt"] == "hi"
    assert after["more"] == 1
    assert "promt" not in after


def test_a_type_that_nobody_knows_is_edited_as_toml() -> None:
    form = NodeForm(STRANGE, "later")
    assert "there is no node type 'from_tomorrow'" in told(form)[""]
    assert answers(form).text(form.contents.fields[2]) == "speed = 3"
    assert edited(STRANGE, "later", others="speed = 30") == {"type": "from_tomorrow", "speed": 30}


def test_lists_are_written_as_files_have_them() -> None:
    assert edited(REFUND, "review", show='["order", "route"]')["show"] == ["order", "route"]
    after = edited(STRANGE, "x", replies='[\n  """one\ntwo""",\n  "thr",\n]')
    assert after["replies"] == ["one\ntwo", "thr"]
    wrong = told(NodeForm(REFUND, "classify"), replies="billing")
    assert wrong == {"replies": 'this is not TOML: write ["billing"]\n'}


def test_a_field_says_which_syntax_it_takes_with_an_example_of_its_own() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert 'such as ["billing", "other"]' in host.text
        help = "Canned replies, one a visit, the last repeated. TOML, such as"
        for _ in range(2 * len(LLMSettings._declared)):
            if help in host.text:
                return
            await pilot.press("tab")
            await pilot.pause()
        raise AssertionError("the help of canned replies never showed")

    filled(NodeForm(DEFAULTS, "x"), then=look, size=(120, 40))


def test_what_may_be_edited_takes_paths_without_quotes() -> None:
    after = edited(REFUND, "review", editable='order.amount = "number"\ndraft = "text"')
    assert after["editable"] == {"order.amount": "number", "draft": "text"}


def test_tables_are_lines_of_toml() -> None:
    before = REFUND.nodes["pay"].table["arguments"]
    lines = toml_lines(before)
    assert edited(REFUND, "pay", arguments=f"{lines}\nurgent = true")["arguments"] == {
        **before,
        "urgent": True,
    }
    wrong = told(NodeForm(REFUND, "pay"), arguments=f"{lines}\nurgent = very")
    assert "the value of 'urgent' is text without quotes" in wrong["arguments"]


def test_enter_breaks_the_line_where_there_are_lines() -> None:
    answer = filled(NodeForm(REFUND, "pay"), *["tab"] * 4, "enter", *"urgent=true", "ctrl+j").answer
    assert answer.table["arguments"] == {**REFUND.nodes["pay"].table["arguments"], "urgent": True}


def test_words_are_chosen_by_arrows_and_space() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "empty: approve, reject and, where something can be edited, edit" in host.text
        await pilot.press(*["tab"] * 6, "space")
        await pilot.pause()
        assert "empty:" not in host.text
        assert "✓ approve" in host.text
        await pilot.press("space")
        await pilot.pause()
        assert "empty:" in host.text
        await pilot.press("right", "right", "space", "left", "left", "space", "tab", "left")
        await pilot.pause()
        assert "● medium" in host.text
        await pilot.press("space", "space", "ctrl+j")

    answer = filled(NodeForm(REFUND, "review"), then=look, size=(120, 40)).answer
    assert answer.table["allow"] == ["approve", "reject"]
    assert "risk" not in answer.table  # unknown is the default
    assert edited(REFUND, "review", risk="medium")["risk"] == "medium"


def test_how_to_leave_a_form_is_said_where_it_is_narrow() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "Enter Next field   Esc Cancel" in host.text

    filled(NodeForm(REFUND, "review"), then=look, size=(40, 24))


def test_a_word_can_be_clicked() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        lines = screen_lines(host)
        row = next(number for number, line in enumerate(lines) if "○ low" in line)
        await pilot.click(offset=(lines[row].index("○ low") + 3, row))
        await pilot.press("ctrl+j")

    answer = filled(NodeForm(REFUND, "review"), then=look, size=(120, 40)).answer
    assert answer.table["risk"] == "low"


def test_what_is_folded_is_unfolded_where_something_stands_in_it() -> None:
    async def unfolded(pilot: Pilot[None], host: Host) -> None:
        assert "● yes" in host.text

    async def folded(pilot: Pilot[None], host: Host) -> None:
        assert "More: side_effects" in host.text
        assert "yes" not in host.text

    filled(NodeForm(REFUND, "pay"), then=unfolded, size=(120, 40))
    filled(NodeForm(REFUND, "lookup"), then=folded, size=(120, 40))


def test_the_help_of_a_field_is_there_while_it_has_the_focus() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "What the model is asked; a template." not in host.text
        await pilot.press("tab", "tab")
        assert "What the model is asked; a template." in host.text
        await pilot.press("tab")
        assert "What the model is asked; a template." not in host.text

    filled(NodeForm(DEFAULTS, "x"), then=look)


def test_names_of_the_state_are_completed_between_braces() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "▸ ticket" in host.text
        await pilot.press("tab", *" }} tick", "ctrl+j")

    form = NodeForm(DEFAULTS, "x", names=["order", "ticket"])
    answer = filled(form, "tab", "tab", *" {{ tick", then=look).answer
    assert answer.table["prompt"] == "p {{ ticket }} tick"


def test_mapped_keys_take_a_completion_and_close_the_list() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        host.set_keymap({"form.next": "f13", "form.cancel": "f14"})
        await pilot.press(*" {{ tick")
        assert "F13 Take" in host.text
        assert "F14 Close the list" in host.text
        await pilot.press("f13", *" }} {{ ord", "f14", *" }}", "ctrl+j")

    form = NodeForm(DEFAULTS, "x", names=["order", "ticket"])
    answer = filled(form, "tab", "tab", then=look).answer
    assert answer.table["prompt"] == "p {{ ticket }} {{ ord }}"


def test_tools_are_completed() -> None:
    tool = next(field for field in NodeForm(REFUND, "lookup").contents.fields if field.name == "tool")
    assert tool.completer is not None
    assert tool.completer("not") == Offer("not", ("notify",))


def test_the_tools_that_a_node_may_call_are_a_list_or_a_word() -> None:
    form = NodeForm(design('[nodes.x]\ntype = "tool"\n[tools.notify]\nreturns = {}\n'), "x")
    tools = next(field for field in form.contents.fields if field.name == "tools")
    assert tools.completer is not None
    assert tools.completer('["not') == Offer('"not', ('"notify"',))
    assert tools.format.read('["a", "b"]') == ["a", "b"]
    assert tools.format.read('"any"') == "any"
    with pytest.raises(Misfit, match='write "any", in quotes'):
        tools.format.read("any")


def test_esc_asks_only_when_something_was_changed() -> None:
    assert filled(NodeForm(DEFAULTS, "x"), "escape").answers == [None]

    async def answer(pilot: Pilot[None], host: Host) -> None:
        assert "Throw away what you changed?" in host.text
        await pilot.press("enter")
        assert host.screen is host.form
        await pilot.press("escape", "y")

    assert filled(NodeForm(DEFAULTS, "x"), "a", "escape", then=answer).answers == [None]


def test_every_printable_key_types() -> None:
    answer = filled(NodeForm(DEFAULTS, "x"), "tab", *"?:qym/ E1", "ctrl+j").answer
    assert answer.table["note"] == "?:qym/ E1"


@pytest.mark.parametrize("size", [(80, 24), (20, 5), (1, 1)])
def test_hostile_names_and_values_are_data(size: tuple[int, int]) -> None:
    evil = "[red]\\u001b[31mred\\u202e \u4e2d\u6587 [/nothing]"
    graph = design(
        f'[nodes."{evil}"]\ntype = "llm"\nprompt = "{evil}"\nreplies = ["{evil}"]\nmodel = "{evil}"\n'
    )
    (name,) = graph.nodes

    async def look(pilot: Pilot[None], host: Host) -> None:
        for line in screen_lines(host):
            assert line.isprintable()
        await pilot.press("tab", "a", "ctrl+j")

    answer = filled(NodeForm(graph, name), size=size, then=look).answer
    assert answer.table == {**graph.nodes[name].table, "note": "a"}
    assert answer.new_name == name


def test_a_name_with_control_characters_can_be_mended() -> None:
    form = NodeForm(design('[nodes."a\\u001b"]\ntype = "llm"\n'), "a\x1b")
    assert form.contents.fields[0].text == '"a\\u001b"'
    assert result(form, name='"b"').new_name == "b"


def test_what_is_pasted_stays_text() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        await paste(pilot, host, "a\x1b[2J\tb\r\nc")
        await pilot.press("ctrl+j")

    answer = filled(NodeForm(DEFAULTS, "x"), "tab", "tab", then=look).answer
    assert answer.table["prompt"] == "pa\\x1b[2J    b\nc"


def test_a_paste_of_a_megabyte_is_kept_aside_and_can_be_taken_away() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        await paste(pilot, host, "x {{ ticket }} " * 70_000)
        assert "1,050,001 characters, more than can be edited here" in " ".join(host.text.split())
        await pilot.press("tab", "shift+tab", "delete", *"short", "ctrl+j")

    answer = filled(NodeForm(DEFAULTS, "x"), "tab", "tab", then=look, size=(120, 40)).answer
    assert answer.table["prompt"] == "short"


def test_a_value_of_megabytes_is_kept_as_it_is() -> None:
    graph = design(f'[nodes.x]\ntype = "llm"\nprompt = "{"y" * 900_000}"\n')

    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "900,000 characters" in host.text
        await pilot.press("tab", "a", "ctrl+j")

    answer = filled(NodeForm(graph, "x"), then=look).answer
    assert answer.table["prompt"] is graph.nodes["x"].table["prompt"]


def test_the_field_with_the_focus_is_in_view_with_its_help() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        for _ in range(2 * len(LLMSettings._declared)):
            if "Canned replies" in host.text:
                return
            await pilot.press("tab")
            await pilot.pause()
            assert host.focused is not None
            area = host.focused.region
            assert 0 < area.y < area.bottom <= host.size.height - 2
        raise AssertionError("the field of canned replies was never reached")

    filled(NodeForm(REFUND, "draft"), "tab", "tab", then=look, size=(80, 14))


def test_every_shipped_node_passes_through_its_form_unharmed() -> None:
    for path in sorted(Path("graphs").glob("*.toml")):
        graph = design(path.read_text(encoding="utf-8"))
        for name, part in graph.nodes.items():
            answer = result(NodeForm(graph, name), note="x")
            assert {**answer.table, "note": ""} == {**part.table, "note": ""}


def test_gates_are_offered_and_can_be_taken_out() -> None:
    gated = design("""
[tools.pay]
handler = "shop:pay"
requires_approval = true

[tools.look]
handler = "shop:look"

[nodes.x]
type = "llm"
prompt = "hi"
review = "before"

[nodes.y]
type = "llm"
prompt = "hi"
""")
    for kind, there, not_there, key in (
        (NodeForm, "x", "y", "review"),
        (ToolForm, "pay", "look", "requires_approval"),
    ):
        fields = [[field.name for field in kind(gated, name).contents.fields] for name in (there, not_there)]
        assert [key in names for names in fields] == [True, True]
    assert edited(gated, "y", review="after")["review"] == "after"
    assert "review" not in edited(gated, "x", review="none")
