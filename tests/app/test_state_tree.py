"""The pane with the state: what a step changed, and all of the state as a tree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph import END, StateGraph
from stepgraph.errors import StoreError
from stepgraph.files import read_graph
from stepgraph.state import StateKey
from stepgraph_tui.viewing import Moment
from stepgraph_tui.widgets.pane import Pane
from stepgraph_tui.widgets.state_tree import StatePane
from tests.app.playing import play, widget_lines
from tests.app.telling import Driven

REFUND = Path("graphs/refund_triage.toml")
NARROW, WIDE = (36, 15), (62, 28)


class Host(App[None]):
    """Holds a state pane, and keeps what it says."""

    AUTO_FOCUS = "StatePane"

    def __init__(self, moment: Moment | None = None, keys: Mapping[str, StateKey] | None = None) -> None:
        super().__init__()
        self.pane = StatePane()
        self.pane.keys = keys or {}
        self.pane.moment = moment
        self.said: list[object] = []
        self.informed = ""

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_state_pane_writer_asked(self, message: StatePane.WriterAsked) -> None:
        self.said.append(message.step)

    def on_state_pane_whole_asked(self, message: StatePane.WholeAsked) -> None:
        self.said.append((message.title, message.value))

    def on_state_pane_told(self, message: StatePane.Told) -> None:
        self.said.append(message.text)

    def on_pane_informed(self, message: Pane.Informed) -> None:
        self.informed = message.text


def chain(*updates: Mapping[str, object], **keys: Any) -> StateGraph:
    """A graph whose first step makes the first updates, and so on."""
    graph = StateGraph("chain", start="n1")
    for name, declared in keys.items():
        graph.add_key(name, **declared)
    for number, update in enumerate(updates, 1):
        graph.add_node(f"n{number}", lambda state, update=update: dict(update))
        graph.add_edge(f"n{number}", f"n{number + 1}" if number < len(updates) else END)
    return graph


def made(*updates: Mapping[str, object], start: Mapping[str, object] | None = None, **keys: Any) -> Moment:
    """The moment after steps with these updates."""
    return Driven(chain(*updates, **keys), start or {}).step(len(updates)).now()


def refund(steps: int = 4) -> Driven:
    return Driven(read_graph(REFUND)).step(steps)


def shown(host: Host, *keys: str, size: tuple[int, int] = NARROW) -> list[str]:
    """What the pane shows after some keys, without its empty last lines."""

    async def press(pilot: Pilot[Any]) -> list[str]:
        await pilot.press(*keys)
        await pilot.pause()
        lines = [line[: size[0] - 1].rstrip() for line in widget_lines(host.pane)]  # without the scroll bar
        while lines and not lines[-1]:
            lines.pop()
        return lines

    return play(host, press, size)


def selected(host: Host, *keys: str, size: tuple[int, int] = NARROW) -> str | None:
    """The path of what is selected after some keys."""
    shown(host, *keys, size=size)
    return host.pane.copied_path()


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
    assert shown(Host(moment), "v")[:3] == [" after step 2  n2", "", "   a  2"]
    assert shown(Host(moment), "v", "v")[:3] == [" before step 2  n2", "", "   a  1"]
    host = Host(moment)
    assert shown(host, "v", "v", "v")[2] == " ~   a  1 → 2"
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
        found = host.pane.find("hunter2")
        await pilot.press("enter")
        await pilot.pause()
        return found, "\n".join(widget_lines(host.pane))

    found, text = play(host, script, NARROW)
    assert found == "not found"
    assert " +   key  ***" in text
    assert host.pane.copied() == '"***"'
    assert host.said == [("key", "***")]


def test_folding_and_unfolding_with_the_keys_of_a_tree() -> None:
    moment = made({"order": {"item": {"name": "mill"}, "amount": 240}, "z": 1})
    assert shown(Host(moment), "v", "l")[2:6] == [
        " ▾ order  {2} item amount",
        "   ▸ item    {1} name",
        "     amount  240",
        "   z      1",
    ]
    assert selected(Host(moment), "v", "l", "l", "space", "l") == "order.item.name"
    assert selected(Host(moment), "v", "l", "l", "l", "l", "h") == "order.item"
    assert selected(Host(moment), "v", "l", "l", "l", "l", "h", "h", "h") == "order"
    assert shown(Host(moment), "v", "l", "h") == shown(Host(moment), "v")


def test_what_did_not_change_can_be_folded_away() -> None:
    moment = made({"a": 1}, {"b": 2})
    assert shown(Host(moment), "j", "h")[4:] == ["   ▸ 1 unchanged"]
    assert shown(Host(moment), "j", "space", "enter")[4] == "   ▾ 1 unchanged"
    assert shown(Host(moment), "G", "h", "h")[4:] == ["   ▸ 1 unchanged"]


def test_folds_and_the_cursor_stay_with_their_paths_from_step_to_step() -> None:
    driven = Driven(chain({"order": {"id": 1, "amount": 240}}, {"a": 1}, {"b": 2}))
    host = Host()

    async def script(pilot: Pilot[Any]) -> None:
        host.pane.mode = "after"
        host.pane.moment = driven.step().now()
        await pilot.pause()
        await pilot.press("l", "j", "j")
        host.pane.moment = driven.step(2).now()
        await pilot.pause()
        assert host.pane.copied_path() == "order.amount"
        host.pane.mode = "before"
        await pilot.pause()
        assert host.pane.copied_path() == "order.amount"
        host.pane.moment = driven.at(0)
        await pilot.pause()
        assert host.pane.copied_path() is None
        host.pane.moment = driven.now()
        await pilot.pause()
        assert "   ▸ " not in "\n".join(widget_lines(host.pane))

    play(host, script, NARROW)


def test_a_cursor_on_the_first_change_goes_to_the_first_change_of_the_next_step() -> None:
    driven = Driven(chain({"a": 1}, {"b": 2}))
    host = Host(driven.step().now())

    async def script(pilot: Pilot[Any]) -> None:
        assert host.pane.copied_path() == "a"
        host.pane.moment = driven.step().now()
        await pilot.pause()
        assert host.pane.copied_path() == "b"
        await pilot.press("v")
        await pilot.pause()
        assert host.pane.copied_path() == "b"

    play(host, script, NARROW)


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
        assert len(pane._rows) < 500

    play(host, script, NARROW)


def test_a_state_with_many_keys_and_many_changes_unfolds_in_pages() -> None:
    host = Host(made({f"k{i}": 1 for i in range(1_000)}, {f"k{i}": 2 for i in range(500)}))
    lines = [row.name for row in rows_after(host) if row.kind == "more"]
    assert lines == ["… 300 more", "… 300 more"]


def rows_after(host: Host, *keys: str) -> list[Any]:
    shown(host, *keys)
    return host.pane._rows


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


@pytest.mark.parametrize("size", [(36, 15), (10, 8), (9, 3), (3, 2), (2, 1), (120, 40)])
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


def test_l_asks_for_the_step_that_last_wrote_the_key_and_says_who_did() -> None:
    host = Host(made({"a": 1}, {"b": 1}))
    shown(host, "G", "L")
    assert host.said == ["a was written by n1 at step 1", 1]


def test_l_says_when_the_start_wrote_the_key() -> None:
    host = Host(refund(0).now())
    shown(host, "L")
    assert host.said == ["ticket was there at the start", 0]


def test_l_says_when_a_person_wrote_the_key() -> None:
    driven = refund(3)
    driven.edit({"category": "other"})
    host = Host(driven.now())
    assert shown(host, "L", size=WIDE)[0] == " after step 3  draft, then an edit"
    assert host.said == ["category was written by ana after step 3"]


def test_a_removed_key_names_who_removed_it() -> None:
    moment = made({"a": 1}, {"a": None}, a={})
    assert shown(Host(moment))[-1] == "   a was removed by n2 at step 2"
    assert shown(Host(moment), "v")[-1] == "   a was removed by n2 at step 2"


def test_enter_asks_for_the_whole_value_by_its_path() -> None:
    host = Host(made({"my-key": [{"a": 1}], "step": 2}))
    shown(host, "enter", "l", "j", "l", "j", "enter", "j", "enter")
    assert host.said == [('state["my-key"]', [{"a": 1}]), ('state["my-key"][0].a', 1), ('state["step"]', 2)]


def test_enter_on_a_key_without_a_value_says_that_there_is_none() -> None:
    host = Host(made({"b": 1}, a={}))
    shown(host, "v", "G", "enter")
    assert host.said == ["a has no value yet"]


def test_values_are_copied_as_json_and_paths_as_conditions_write_them() -> None:
    moment = made({"docs": ["a", {"b": "é"}], "gone": 1}, {"gone": None})
    host = Host(moment)
    assert selected(host, "G", "l", "j", "j") == "docs[1]"
    assert host.pane.copied() == '{"b":"é"}'
    host = Host(moment)
    assert selected(host) == "gone"
    assert host.pane.copied() == "1"


def test_a_search_goes_to_keys_and_values_in_what_is_folded() -> None:
    host = Host(made({"order": {"item": {"name": "mill"}}, "docs": [0] * 500 + ["a mill"], "c": 1}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        assert pane.find("MILL") == "1 of 2"
        await pilot.pause()
        assert pane.copied_path() == "order.item.name"
        assert pane.find_next(1) == "2 of 2"
        await pilot.pause()
        assert pane.copied_path() == "docs[500]"
        assert '"a mill"' in "\n".join(widget_lines(pane))
        assert pane.find_next(1) == "1 of 2"
        assert pane.find_next(-1) == "2 of 2"
        assert pane.find("order") == "1 of 1"
        assert pane.find("nowhere") == "not found"
        assert pane.back()
        assert not pane.back()
        assert pane.find_next(1) == ""
        assert pane.find("") == ""

    play(host, script, NARROW)


def test_a_search_finds_the_value_before_the_step_what_was_removed_and_declared_keys() -> None:
    host = Host(made({"a": "low", "gone": "here"}, {"a": "high", "gone": None}, c={"note": "a note"}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        assert pane.find("low") == "1 of 1"
        assert pane.copied_path() == "a"
        assert pane.find("here") == "1 of 1"
        assert pane.copied_path() == "gone"
        pane.mode = "after"
        assert pane.find("c") == "1 of 1"
        assert pane.copied_path() == "c"
        pane.keys = chain({}, c={"note": "a note"}).compile().keys
        pane.moment = None
        await pilot.pause()
        assert pane.find("a note") == "1 of 1"

    play(host, script, NARROW)


def test_a_search_unfolds_what_did_not_change_and_pages_of_changes() -> None:
    first = {f"k{i}": 1 for i in range(500)} | {"order": {"items": ["a", "gold"]}}
    host = Host(made(first, {f"k{i}": {"at": i} for i in range(500)}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        await pilot.press("G", "h", "h")
        assert pane.find("gold") == "1 of 1"
        assert pane.copied_path() == "order.items[1]"
        assert pane.find("499") == "1 of 2"
        assert pane.copied_path() == "k499"
        pane.find_next(1)
        assert pane.copied_path() == "k499.at"

    play(host, script, NARROW)


def test_folding_in_a_gap_goes_to_what_it_is_in() -> None:
    moment = made({"large": [0] * 1_000})
    assert selected(Host(moment), "l", "G", "h") == "large"


def test_a_search_stays_on_when_the_moment_changes() -> None:
    driven = Driven(chain({"a": "x"}, {"b": "x"}))
    host = Host(driven.step().now())

    async def script(pilot: Pilot[Any]) -> str:
        assert host.pane.find("x") == "1 of 1"
        host.pane.moment = driven.step().now()
        await pilot.pause()
        return host.pane.find_next(1)

    assert play(host, script, NARROW).endswith("of 2")


@pytest.mark.parametrize("state", [{"l": list(range(200_000))}, {"t": "y" * 10_000_000}])
def test_a_search_that_was_cut_says_so(state: dict[str, Any]) -> None:
    host = Host(made(state))

    async def script(_: Pilot[Any]) -> str:
        return host.pane.find("not there")

    assert play(host, script, NARROW) == "not found, not all was searched"


def test_a_click_selects_and_one_on_the_mark_unfolds() -> None:
    host = Host(made({"a": 1, "order": {"b": 2}}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        await pilot.click(StatePane, offset=(8, 3))
        assert pane.copied_path() == "order"
        assert len(pane._rows) == 2
        await pilot.click(StatePane, offset=(3, 3))
        await pilot.pause()
        assert len(pane._rows) == 3
        await pilot.click(StatePane, offset=(8, 0))
        await pilot.click(StatePane, offset=(8, 9))
        assert pane.copied_path() == "order"
        await pilot.click(StatePane, offset=(8, 2), times=2)
        await pilot.pause()
        assert pane.copied_path() == "a"

    play(host, script, NARROW)
    assert host.said == [("a", 1)]


def test_pages_and_ends_are_reached_with_their_keys_and_stay_in_view() -> None:
    moment = made({f"k{i}": i for i in range(50)})
    host = Host(moment)
    assert any("k49" in line for line in shown(host, "G"))
    assert host.pane.copied_path() == "k49"
    assert selected(Host(moment), "pagedown") == "k10"
    assert selected(Host(moment), "pagedown", "pagedown", "pageup", "home", "j") == "k1"
    assert shown(Host(moment), "G", "g")[2] == " +   k0   0"


def test_the_wheel_scrolls_and_leaves_the_selection() -> None:
    host = Host(made({f"k{i}": i for i in range(50)}))

    async def script(pilot: Pilot[Any]) -> tuple[str | None, str]:
        host.pane.scroll_to(y=20, animate=False)
        await pilot.pause()
        return host.pane.copied_path(), widget_lines(host.pane)[2]

    path, line = play(host, script, NARROW)
    assert path == "k0"
    assert "k20" in line


def test_a_store_that_cannot_be_read_is_told_in_the_pane(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = made({"a": 1})

    def broken(*_: object) -> None:
        raise StoreError("the store is \x1b damaged")

    monkeypatch.setattr(moment.view, "state", broken)
    assert shown(Host(moment), "j", "enter", "L", "l", "h")[2] == "     the store is \\x1b damaged"


def test_an_empty_state_has_nothing_to_select() -> None:
    host = Host(made({}))
    assert shown(host, "j", "k", "G", "g", "l", "h", "space", "enter", "L")[2] == "     nothing changed"
    assert host.pane.copied() is None
    assert host.said == ["no value is selected"]


def test_without_a_run_no_key_asks_for_a_value() -> None:
    host = Host(None, read_graph(REFUND).compile().keys)
    shown(host, "enter", "L", "v", "space", "l")
    assert host.said == []
    assert host.pane.mode == "diff"
