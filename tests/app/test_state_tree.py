"""The pane with the state: what a step changed, and all of the state as a tree."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph.files import read_graph
from stepgraph.values.errors import StoreError
from stepgraph_tui.text.cells import cell_len
from tests.app.playing import play, widget_lines
from tests.app.state_panes import NARROW, REFUND, WIDE, Host, chain, made, refund, shown, stages


def test_the_changes_of_the_step_come_first_and_below_them_what_it_left_alone() -> None:
    host = Host(refund().now())
    assert shown(host, size=(40, 15)) == [
        " after step 4  amount_check",
        "",
        ' +   route        "high"',
        "",
        "   ▾ 6 unchanged",
        '     ticket       "I was charged twice…',
        "     payment      {}",
        '     category     "billing"',
        '     next_action  "RESPOND"',
        "   ▸ order        {5} id amount curren…",
        '     draft        "Hello,\\n\\nwe are so…',
        "",
        "   route was written by amount_check",
        "   at step 4",
        "   Which way the amount goes: high or …",
    ]
    assert host.informed == "diff"


def test_before_the_first_step_the_inputs_are_what_changed() -> None:
    lines = shown(Host(refund(0).now()))
    assert lines[:4] == [
        " at the start",
        "",
        ' +   ticket   "I was charged twice…',
        " +   payment  {}",
    ]
    assert "   ticket was there at the start" in lines


def test_without_a_run_the_declared_keys_are_shown_with_their_notes() -> None:
    keys = read_graph(REFUND).compile().keys
    host = Host(None, keys)
    lines = shown(host, "j", size=WIDE)
    assert lines[0] == " no run yet: the state will hold"
    assert lines[2] == '   ticket    text, input = "I was charged twice for order 88…'
    assert lines[3] == "   category  text"
    assert lines[-1] == "   What the ticket is about: billing or other."
    assert host.informed == ""


def test_secret_defaults_are_hidden_without_a_run_too() -> None:
    keys = chain({}, key={"type": "text", "default": "hunter2-secret", "secret": True}).compile().keys
    lines = shown(Host(None, keys))
    assert lines[2] == "   key  text, secret = ***"
    assert "hunter2" not in "".join(lines)


def test_without_keys_and_without_a_run_a_sentence_says_so() -> None:
    assert shown(Host())[2:] == ["   The graph declares no keys."]


def test_tables_are_compared_one_level_deep_and_values_before_and_after_stand_side_by_side() -> None:
    moment = made(
        {"order": {"id": 1, "amount": 240}, "old": True, "same": 1},
        {"order": {"id": 1, "amount": 90}, "old": None, "new": [1, 2]},
    )
    assert shown(Host(moment), size=WIDE)[2:7] == [
        " ~   order.amount  240 → 90",
        " -   old           true",
        " + ▸ new           [2] 1 2",
        "",
        "   ▾ 1 unchanged",
    ]


def test_long_texts_are_compared_where_they_differ() -> None:
    text = "All of this is the same in both, word by word. "
    moment = made({"draft": f"{text}Then one."}, {"draft": f"{text}Then two."})
    line = shown(Host(moment), size=WIDE)[2]
    assert "one." in line
    assert "two." in line


def test_a_step_that_changed_nothing_says_so() -> None:
    assert shown(Host(made({"a": 1}, {})))[2:5] == ["     nothing changed", "", "   ▾ 1 unchanged"]


def test_v_goes_from_the_difference_to_the_state_after_and_the_one_before() -> None:
    moment = made({"a": 1}, {"a": 2})
    host = Host(moment)
    after, before, changes = (lines for lines, _ in stages(host, "v", "v", "v"))
    assert after[:3] == [" after step 2  n2", "", "   a  2"]
    assert before[:3] == [" before step 2  n2", "", "   a  1"]
    assert changes[2] == " ~   a  1 → 2"
    assert host.informed == "diff"


def test_the_state_before_the_start_is_empty() -> None:
    lines = shown(Host(refund(0).now()), "v", "v")
    assert lines == [" before the start", "", "   empty"]


def test_declared_keys_without_a_value_are_listed_after_the_state() -> None:
    host = Host(made({"b": 1}, a={"type": "text"}))
    lines = shown(host, "v", "G")
    assert lines[2:4] == ["   b  1", "   a  (none)"]
    assert lines[-1] == "   a has no value yet"
    assert host.pane.copied() is None


def test_secret_values_are_never_shown_searched_or_copied() -> None:
    host = Host(made({"key": {"token": "hunter2-secret"}}, key={"secret": True}))

    async def script(pilot: Pilot[Any]) -> tuple[str, str]:
        found = host.pane.search.find("hunter2")
        await pilot.press("enter")
        await pilot.pause()
        return found, "\n".join(widget_lines(host.pane))

    found, text = play(host, script, NARROW)
    assert found == "not found"
    assert " +   key  ***" in text
    assert host.pane.copied() == '"***"'
    assert host.said == [("key", "***")]


@pytest.mark.parametrize("large", [[0] * 100_000, {f"k{i}": 0 for i in range(100_000)}])
def test_a_hundred_thousand_items_unfold_in_pages(large: object) -> None:
    host = Host(made({"large": large}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        await pilot.press("v", "l", "G")
        await pilot.pause()
        assert any(line.rstrip(" ▁▂▃▄▅▆▇█").endswith("… 99,800 more") for line in widget_lines(pane))
        await pilot.press("space")
        await pilot.pause()
        assert pane.copied_path() == ("large[200]" if isinstance(large, list) else "large.k200")
        await pilot.press("G")
        await pilot.pause()
        assert any("… 99,600 more" in line for line in widget_lines(pane))
        assert pane.lines.count < 500

    play(host, script, NARROW)


def test_a_state_with_many_keys_and_many_changes_unfolds_in_pages() -> None:
    host = Host(made({f"k{i}": 1 for i in range(1_000)}, {f"k{i}": 2 for i in range(500)}))
    lines = [row.name for row in rows_after(host) if row.kind == "more"]
    assert lines == ["… 300 more", "… 300 more"]


def rows_after(host: Host, *keys: str) -> list[Any]:
    shown(host, *keys)
    return host.pane.values.rows


def test_a_text_of_ten_megabytes_is_one_short_line() -> None:
    text = "x\x1b[31m" * 2_000_000
    host = Host(made({"text": text}))
    assert shown(host, "enter")[2] == ' +   text  "x\\u001b[31mx\\u001b[31m…'
    assert host.said == [("text", text)]


def test_what_a_state_holds_is_shown_as_data() -> None:
    hostile = {"\x1b[2J\n[red]": "[bold]\u202e\x07", "[/]": "\x9b"}
    lines = shown(Host(made(hostile)), "G", size=WIDE)
    assert ' +   \\x1b[2J\\n[red]  "[bold]\\u202e\\u0007"' in lines
    assert ' +   [/]             "\\u009b"' in lines


@pytest.mark.parametrize("size", [(36, 15), (9, 3), (2, 1)])
def test_wide_and_right_to_left_texts_keep_every_line_in_its_width(size: tuple[int, int]) -> None:
    state = {
        "日本語のキー": "漢字" * 40,
        "שלום": "עברית " * 20,
        "a" * 300: {"b" * 300: 1},
        "emoji": "👩‍👩‍👧 e\u0301 " * 9,
        "number": 10**300,
        "list": ["日本", None, True, 1.5],
    }
    host = Host(made(state, {**state, "emoji": "👩‍👩‍👧" * 30, "שלום": "אחר"}))

    async def script(pilot: Pilot[Any]) -> None:
        for key in ("v", "v", "v", "j", "space", "G", "space"):
            await pilot.press(key)
            await pilot.pause()
            for line in widget_lines(host.pane):
                assert cell_len(line) <= size[0]

    play(host, script, size)


def test_a_store_that_cannot_be_read_is_told_in_the_pane(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = made({"a": 1})

    def broken(*_: object) -> None:
        raise StoreError("the store is \x1b damaged")

    monkeypatch.setattr(moment.view.outlines, "between", broken)
    assert shown(Host(moment), "j", "enter", "L", "l", "h")[2] == "     the store is \\x1b damaged"


def test_an_empty_state_has_nothing_to_select() -> None:
    host = Host(made({}))
    assert shown(host, "j", "k", "G", "g", "l", "h", "space", "enter", "L")[2] == "     nothing changed"
    assert host.pane.copied() is None
    assert host.said == ["no value is selected"]
