"""Ways through the state: folding, asking who wrote a key, copies, searches, the mouse."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph.files import read_graph
from stepgraph_tui.widgets.state import StatePane
from tests.app.playing import play, widget_lines
from tests.app.state_panes import NARROW, REFUND, WIDE, Host, chain, made, refund, selected, shown, stages
from tests.app.telling import Driven


def test_folding_and_unfolding_with_the_keys_of_a_tree() -> None:
    moment = made({"order": {"item": {"name": "mill"}, "amount": 240}, "z": 1})
    seen = stages(Host(moment), "v", "l", "h", "l l space l", "h", "h", "h h")
    lines, paths = zip(*seen, strict=True)
    assert lines[1][2:6] == [
        " ▾ order  {2} item amount",
        "   ▸ item    {1} name",
        "     amount  240",
        "   z      1",
    ]
    assert lines[2] == lines[0]
    assert paths[3:] == ("order.item.name", "order.item", "order.item", "order")


def test_what_did_not_change_can_be_folded_away() -> None:
    moment = made({"a": 1}, {"b": 2})
    lines = [lines for lines, _ in stages(Host(moment), "j h", "space", "space enter", "G h h")]
    assert lines[0][4:] == lines[3][4:] == ["   ▸ 1 unchanged"]
    assert lines[1][4] == lines[2][4] == "   ▾ 1 unchanged"


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


def test_l_asks_for_the_step_that_last_wrote_the_key_and_says_who_did() -> None:
    host = Host(made({"a": 1}, {"b": 1}))
    shown(host, "G", "L")
    assert host.said == ["a was written by n1 at step 1", 1]


def test_l_says_when_the_start_wrote_the_key() -> None:
    host = Host(refund(0).now())
    shown(host, "L")
    assert host.said == ["ticket was there at the start"]  # and that is what is shown


def landed(driven: Driven, *keys: str) -> tuple[str, str | None]:
    """The heading, and the path under the cursor, after keys in a pane that shows the step it asks for."""
    host = Host(driven.now())

    async def press(pilot: Pilot[Any]) -> tuple[str, str | None]:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
            asked = [said for said in host.said if isinstance(said, int)]
            host.said.clear()
            for step in asked:
                host.pane.moment = driven.at(step)
                await pilot.pause()
        return widget_lines(host.pane)[0].strip(), host.pane.copied_path()

    return play(host, press, WIDE)


def test_l_lands_on_the_value_where_that_very_part_was_written() -> None:
    order = {"order": {"id": 1, "amount": 5}}
    driven = Driven(chain({"order": {"id": 1, "amount": 1}}, order, {"order": {"id": 2, "amount": 5}})).step(
        3
    )
    # the amount was last written at step 2, though the last step wrote its table anew
    found = landed(driven, "v", "l", "j", "j", "L")
    assert found == ("after step 2  n2", "order.amount")


def test_l_lands_on_a_value_that_is_folded_or_gone_where_it_was_last_there() -> None:
    driven = Driven(chain({"docs": [1, 2]}, {"b": 1}, {"docs": None}, docs={})).step(3)
    assert landed(driven, "L") == ("after step 1  n1", "docs")
    assert landed(driven, "v", "G", "L") == ("after step 1  n1", "docs")


def test_after_a_step_its_changes_are_shown_wherever_the_cursor_was() -> None:
    driven = Driven(chain({"a": 1}, {f"k{n}": n for n in range(40)}, {"z": 1}), {}).step(2)
    host = Host(driven.now())

    async def script(pilot: Pilot[Any]) -> tuple[float, str | None, str | None]:
        await pilot.press("G")
        driven.step(1)
        host.pane.moment = driven.now()
        await pilot.pause()
        shown = host.pane.scroll_y, host.pane.copied_path()
        await pilot.press("G")
        host.pane.moment = driven.at(2)  # another moment is looked at: the value is followed
        await pilot.pause()
        return *shown, host.pane.copied_path()

    assert play(host, script, NARROW) == (0, "z", "k39")


def test_l_says_when_a_person_wrote_the_key() -> None:
    driven = refund(3)
    driven.edit({"category": "other"})
    host = Host(driven.now())
    assert shown(host, "L", size=WIDE)[0] == " after step 3  draft, then an edit"
    assert host.said == ["category was written by ana after step 3"]


def test_a_removed_key_names_who_removed_it() -> None:
    moment = made({"a": 1}, {"a": None}, a={})
    for lines, _ in stages(Host(moment), "", "v"):
        assert lines[-1] == "   a was removed by n2 at step 2"


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

    async def script(pilot: Pilot[Any]) -> None:
        assert (host.pane.copied_path(), host.pane.copied()) == ("gone", "1")
        await pilot.press("G", "l", "j", "j")
        assert (host.pane.copied_path(), host.pane.copied()) == ("docs[1]", '{"b":"é"}')

    play(host, script, NARROW)


def test_a_search_goes_to_keys_and_values_in_what_is_folded() -> None:
    host = Host(made({"order": {"item": {"name": "mill"}}, "docs": [0] * 500 + ["a mill"], "c": 1}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        assert pane.search.find("MILL") == "1 of 2"
        await pilot.pause()
        assert pane.copied_path() == "order.item.name"
        assert pane.search.next(1) == "2 of 2"
        await pilot.pause()
        assert pane.copied_path() == "docs[500]"
        assert '"a mill"' in "\n".join(widget_lines(pane))
        assert pane.search.next(1) == "1 of 2"
        assert pane.search.next(-1) == "2 of 2"
        assert pane.search.find("order") == "1 of 1"
        assert pane.search.find("nowhere") == "not found"
        assert pane.back()
        assert not pane.back()
        assert pane.search.next(1) == ""
        assert pane.search.find("") == ""

    play(host, script, NARROW)


def test_a_search_finds_the_value_before_the_step_what_was_removed_and_declared_keys() -> None:
    host = Host(made({"a": "low", "gone": "here"}, {"a": "high", "gone": None}, c={"note": "a note"}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        assert pane.search.find("low") == "1 of 1"
        assert pane.copied_path() == "a"
        assert pane.search.find("here") == "1 of 1"
        assert pane.copied_path() == "gone"
        pane.mode = "after"
        assert pane.search.find("c") == "1 of 1"
        assert pane.copied_path() == "c"
        pane.keys = chain({}, c={"note": "a note"}).compile().keys
        pane.moment = None
        await pilot.pause()
        assert pane.search.find("a note") == "1 of 1"

    play(host, script, NARROW)


def test_a_search_unfolds_what_did_not_change_and_pages_of_changes() -> None:
    first = {f"k{i}": 1 for i in range(500)} | {"order": {"items": ["a", "gold"]}}
    host = Host(made(first, {f"k{i}": {"at": i} for i in range(500)}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        await pilot.press("G", "h", "h")
        assert pane.search.find("gold") == "1 of 1"
        assert pane.copied_path() == "order.items[1]"
        assert pane.search.find("499") == "1 of 2"
        assert pane.copied_path() == "k499"
        pane.search.next(1)
        assert pane.copied_path() == "k499.at"

    play(host, script, NARROW)


def test_folding_in_a_gap_goes_to_what_it_is_in() -> None:
    moment = made({"large": [0] * 1_000})
    assert selected(Host(moment), "l", "G", "h") == "large"


def test_a_search_stays_on_when_the_moment_changes() -> None:
    driven = Driven(chain({"a": "x"}, {"b": "x"}))
    host = Host(driven.step().now())

    async def script(pilot: Pilot[Any]) -> str:
        assert host.pane.search.find("x") == "1 of 1"
        host.pane.moment = driven.step().now()
        await pilot.pause()
        return host.pane.search.next(1)

    assert play(host, script, NARROW).endswith("of 2")


@pytest.mark.parametrize("state", [{"l": list(range(200_000))}, {"t": "y" * 10_000_000}])
def test_a_search_that_was_cut_says_so(state: dict[str, Any]) -> None:
    host = Host(made(state))

    async def script(_: Pilot[Any]) -> str:
        return host.pane.search.find("not there")

    assert play(host, script, NARROW) == "not found, not all was searched"


def test_a_click_selects_and_one_on_the_mark_unfolds() -> None:
    host = Host(made({"a": 1, "order": {"b": 2}}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        await pilot.click(StatePane, offset=(8, 3))
        assert pane.copied_path() == "order"
        assert pane.lines.count == 2
        await pilot.click(StatePane, offset=(3, 3))
        await pilot.pause()
        assert pane.lines.count == 3
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
    seen = stages(Host(moment), "pagedown", "pagedown pageup home j", "G", "g")
    assert [path for _, path in seen] == ["k10", "k1", "k49", "k0"]
    assert any("k49" in line for line in seen[2][0])
    assert seen[3][0][2] == " +   k0   0"


def test_the_wheel_scrolls_and_leaves_the_selection() -> None:
    host = Host(made({f"k{i}": i for i in range(50)}))

    async def script(pilot: Pilot[Any]) -> tuple[str | None, str]:
        host.pane.scroll_to(y=20, animate=False)
        await pilot.pause()
        return host.pane.copied_path(), widget_lines(host.pane)[2]

    path, line = play(host, script, NARROW)
    assert path == "k0"
    assert "k20" in line


def test_without_a_run_no_key_asks_for_a_value() -> None:
    host = Host(None, read_graph(REFUND).compile().keys)
    shown(host, "enter", "L", "v", "space", "l")
    assert host.said == []
    assert host.pane.mode == "diff"
