"""The form of an edge: where it leads, its condition with completion, caret and preview."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph.editing.edges import EditEdge
from stepgraph_tui.dialogs.design import EdgeForm
from stepgraph_tui.dialogs.forms.completing import Offer
from tests.app.forms import REFUND, Host, design, filled, paste, result, told
from tests.app.playing import screen_lines

NAMES = ["category", "order", "order.amount", "order.id", 'state["my key"]', "last_output", "visits.draft"]
CONDITION = ["tab"] * 2  # from the target to the condition
LABEL = [*CONDITION, "tab"]
BILLING, OTHER = 0, 1
ODD = design("""
[nodes.a]
[[edges]]
from = "a"
when = { predicate = "rules:go", extra = 1 }
colour = "red"
[[edges]]
from = "a"
to = 5
when = 7
[[edges]]
from = "a"
to = "END"
when = { key = "n", equals = 3 }
""")


def form(edge: int = BILLING, graph: Any = REFUND, **more: Any) -> EdgeForm:
    return EdgeForm(graph, edge, names=NAMES, **more)


def edited(edge: int = BILLING, graph: Any = REFUND, /, **texts: str) -> EditEdge | None:
    """The edit that comes of other texts."""
    answer = result(form(edge, graph), **texts)
    assert answer is None or isinstance(answer, EditEdge)
    return answer


def table(edge: int = BILLING, graph: Any = REFUND, /, **texts: str) -> dict[str, Any]:
    """The edge that comes of other texts."""
    answer = edited(edge, graph, **texts)
    assert answer is not None
    return dict(answer.table)


def completed(name: str, before: str) -> Offer | None:
    """The names that are offered in a field."""
    field = next(field for field in form().contents.fields if field.name == name)
    assert field.completer is not None
    return field.completer(before)


def test_the_edge_stands_in_the_form_with_its_place_in_the_order() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        for words in ("Edge from classify", "edge 1 of 2", "lookup", "billing", 'category == "billing"'):
            assert words in host.text
        assert "● expression" in host.text

    assert filled(form(), then=look).answers == []
    assert filled(form(), "ctrl+j").answer is None


def test_the_form_of_a_new_edge_begins_where_its_condition_is_typed() -> None:
    graph = design('[nodes.a]\n[[edges]]\nfrom = "a"\nto = "END"\n')
    answer = filled(form(0, graph, is_new=True), *"last_output", "ctrl+j").answer
    assert answer.table == {"from": "a", "to": "END", "when": "last_output"}
    always = filled(form(0, graph, is_new=True), "ctrl+j").answer
    assert always.table == {"from": "a", "to": "END"}
    assert filled(form(0, graph, is_new=True), "escape").answer is None


def test_what_was_not_touched_stays_as_it_was() -> None:
    before = REFUND.edges[BILLING].table
    answer = edited(label="billing!")
    assert answer is not None
    assert (answer.edge, answer.table) == (BILLING, {**before, "label": "billing!"})
    assert list(answer.table) == list(before)
    assert answer.table["when"] is before["when"]
    assert edited() is None


def test_the_condition_stands_before_the_label() -> None:
    names = [field.name for field in form().contents.fields]
    assert names == ["to", "condition", "when", "key", "equals", "predicate", "label", "note"]


def test_label_and_note_come_and_go() -> None:
    after = table(label="", note="why")
    assert "label" not in after
    assert list(after)[-1] == "note"


def test_the_target_is_completed_and_an_unknown_one_told() -> None:
    assert completed("to", "han") == Offer("han", ("hand_over",))
    assert completed("to", "en") == Offer("en", ("END",))
    assert "there is no such node (did you mean 'lookup'?)" in told(form(), to="looku")["to"]
    assert "does not say where the edge leads" in told(form(), to="")["to"]


def test_names_are_offered_while_a_condition_is_typed() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        for words in ("▸ order", "  order.amount", "  order.id", "Tab Take"):
            assert words in host.text
        await pilot.press("down", "down", "up")
        assert "▸ order.amount" in host.text
        await pilot.press("tab", *" > 3", "ctrl+j")

    answer = filled(form(), *CONDITION, *" and ord", then=look).answer
    assert answer.table["when"] == 'category == "billing" and order.amount > 3'


def test_after_one_letter_tab_goes_on_unless_a_name_was_marked() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "order.amount" in host.text
        assert "▸" not in host.text
        assert "Tab Next" in host.text
        await pilot.press("down")
        await pilot.pause()
        assert "▸ order" in host.text
        assert "Tab Take" in host.text
        await pilot.press("tab", *" or o", "up", "tab", *" or o", "tab", "!", "ctrl+j")

    answer = filled(form(), *CONDITION, *" or o", then=look).answer
    assert answer.table["when"] == 'category == "billing" or order or last_output or o'
    assert answer.table["label"] == "billing!"


def test_enter_takes_a_name_that_was_chosen_and_else_goes_on() -> None:
    keys = (*" or ord", "down", "enter", *" or ord", "enter", "enter", "x", "ctrl+j")
    answer = filled(form(), *CONDITION, *keys).answer
    assert answer.table["when"] == 'category == "billing" or order.amount or ord'
    assert answer.table["note"] == "x"


def test_a_name_can_be_clicked() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        lines = screen_lines(host)
        row = next(number for number, line in enumerate(lines) if "order.id" in line)
        await pilot.click(offset=(lines[row].index("order.id"), row))
        await pilot.press(*" > 1", "ctrl+j")

    answer = filled(form(), *CONDITION, *" and ord", then=look).answer
    assert answer.table["when"] == 'category == "billing" and order.id > 1'


def test_no_odd_name_is_lost_and_where_none_can_stand_none_is_offered() -> None:
    assert completed("when", 'category == "billing" and my') == Offer("my", ('state["my key"]',))
    for before in ('category == "billing" or category == "cat', "x and rde", "x and order", "x and step"):
        assert completed("when", before) is None


def test_esc_closes_the_list_then_asks() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        await pilot.press("escape")
        await pilot.pause()
        assert "▸" not in host.text
        assert host.screen is host.form
        await pilot.press("escape")
        await pilot.pause()
        assert "Throw away what you changed?" in host.text

    filled(form(), *CONDITION, *" and ord", then=look)


def test_a_caret_stands_right_below_the_error() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        lines = screen_lines(host)
        at = next(number for number, line in enumerate(lines) if "&& x" in line)
        assert lines[at + 1].index("^") == lines[at].index("&&")
        assert "'&&' is not an operator here (write: and)" in lines[at + 2]

    filled(form(), *CONDITION, *" && x", then=look)


def test_in_a_condition_of_lines_the_wrong_one_is_shown_once_more() -> None:
    graph = design('[[edges]]\nfrom = "a"\nto = "END"\nwhen = """\nfirst == 1 and\nsecond = 2"""\n')

    async def look(pilot: Pilot[None], host: Host) -> None:
        lines = [line.strip("┃ ") for line in screen_lines(host)]
        at = lines.index("^")
        assert lines[at - 1] == "second = 2"
        assert "a single '=' assigns" in lines[at + 1]

    filled(form(0, graph), then=look)


def test_a_broken_condition_can_be_accepted() -> None:
    assert table(when='category == "billing" and')["when"] == 'category == "billing" and'


def test_visits_of_no_node_and_likely_slips_are_told() -> None:
    visits = told(form(), when="visits.nowhere > 1")["when"]
    assert 'visits of "nowhere", which is not a node' in visits
    assert "did you mean category?" in told(form(OTHER), condition="expression", when="categry == 1")["when"]


def test_an_empty_condition_is_none() -> None:
    assert "when" not in table(when="")
    assert "when" not in table(condition="always")


def test_the_preview_follows_each_change() -> None:
    asked: list[object] = []

    def preview(condition: object) -> str:
        asked.append(condition)
        return f"matched {len(str(condition))} of 7 visits"

    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "matched 21 of 7 visits" in host.text
        await pilot.press("backspace")  # a broken one is not asked
        await pilot.pause()
        assert "of 7 visits" not in host.text
        await pilot.press('"')
        await pilot.pause()
        assert "matched 21 of 7 visits" in host.text
        await pilot.press("shift+tab", "left")
        await pilot.pause()
        assert "matched 4 of 7 visits" in host.text

    filled(form(preview=preview), *CONDITION, then=look)
    assert set(asked) == {'category == "billing"', None}


@pytest.mark.parametrize(
    ("typed", "equals"),
    [("'billing'", "billing"), ("3", 3), ('"3"', "3"), ("true", True), ("[1, 2]", [1, 2])],
)
def test_a_key_can_be_compared_with_any_value(typed: str, equals: object) -> None:
    after = table(OTHER, REFUND, condition="key equals", key="category", equals=typed)
    assert after["when"] == {"key": "category", "equals": equals}


def test_what_is_wrong_with_a_comparison_is_told() -> None:
    wrong = told(form(OTHER), condition="key equals", key="category", equals="billing")
    assert wrong == {"equals": 'this is not TOML: write "billing", in quotes\n'}
    assert told(form(OTHER), condition="key equals", equals="3") == {"key": "there is no 'key'\n"}
    assert told(form(OTHER), condition="key equals", key="category") == {"equals": "there is no 'equals'\n"}


def test_the_fields_of_the_chosen_kind_are_there_and_python_is_named_as_module_and_function() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "is not written as module:function" in host.text
        await pilot.press(*":go")
        await pilot.pause()
        assert "is not written" not in host.text
        await pilot.press("ctrl+j")

    keys = ["tab", *["right"] * 3, "tab", *"rules"]
    assert filled(form(OTHER), *keys, then=look).answer.table["when"] == {"predicate": "rules:go"}


def test_odd_edges_are_shown_and_what_is_not_touched_is_kept() -> None:
    for edge in range(3):
        before = ODD.edges[edge].table
        after = table(edge, ODD, label="x")
        assert after == {**before, "label": "x"}
        assert after["when"] is before["when"]
    assert "a condition is text or a table, not 7" in told(form(1, ODD))["when"]


@pytest.mark.parametrize("size", [(80, 24), (1, 1)])
def test_garbage_in_a_condition_stays_text(size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        await paste(pilot, host, "[red]\x1b[2J\u202e\x00 {{ order }} \u4e2d" * 20)
        for line in screen_lines(host):
            assert line.isprintable()
        await pilot.press("ctrl+j")

    answer = filled(form(), *CONDITION, then=look, size=size).answer
    assert "\\x1b[2J\\u202e\\x00" in answer.table["when"]


def test_a_megabyte_of_condition_does_no_harm() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        await paste(pilot, host, "x or " * 200_000)
        assert "1,000,021 characters" in host.text
        assert "at most 1,000 are allowed" in " ".join(host.text.split())

    filled(form(), *CONDITION, then=look, size=(120, 40))


def test_an_edge_from_nowhere_opens() -> None:
    assert form(0, design('[[edges]]\nto = "x"\n')).heading == "Edge from "
