"""The pane that lists the steps of a run, and whose cursor is the moment that is viewed."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from stepgraph import END, Decision, Executor, StateGraph
from stepgraph.files import read_graph
from stepgraph.runs.forking import fork
from stepgraph.testing import FakeClock
from stepgraph_tui.run_view import RunView
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.lines import TextLine
from stepgraph_tui.widgets.trace import TracePane
from stepgraph_tui.widgets.trace.columns import TITLES, Needs, StepCells, step_spans
from tests.app.playing import play, screen_lines
from tests.app.tracing import REFUND, Driven, Host, refreshed, refund, ring, shown


def test_steps_are_listed_with_their_edges_and_changes_and_the_last_line_says_where_the_run_stands() -> None:
    async def script(pilot: Pilot[Any]) -> list[str]:
        await pilot.pause()
        return screen_lines(pilot.app)

    lines = play(refund().host(), script)
    assert lines[:7] == [
        "  #  node           edge taken             took  changed",
        "  0  start          → classify                   + ticket + payment",
        "  1  classify       1 billing → lookup   0.0 ms  + category + next_action",
        "  2  lookup         → draft              0.0 ms  + order ~ next_action",
        "  3  draft          → amount_check       0.0 ms  + draft ~ next_action",
        "  4  amount_check   1 high → review      0.0 ms  + route",
        "  ►  review         waits for a person, 1m",
    ]


def test_a_low_pane_has_no_titles_and_shows_the_last_lines() -> None:
    async def script(pilot: Pilot[Any]) -> list[str]:
        return screen_lines(pilot.app)

    lines = play(refund().host(), script, size=(80, 3))
    assert [line.split()[0] for line in lines] == ["3", "4", "►"]


def test_the_cursor_is_the_viewed_step() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.press("j")
        assert host.said == []  # it was at the last line already
        await pilot.press("k", "up", "j", "g", "k", "G")
        assert host.said == [4, 3, 4, 0, None]
        await pilot.press("k", "j")
        assert host.said[-2:] == [4, None]

    play(refund().host(), script)


def test_the_cursor_goes_where_the_moment_is() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        host.go(2)
        await pilot.pause()
        assert "▸ 2  lookup" in shown(pilot)
        assert host.informed == "step 2 of 4"
        assert host.said == []
        assert host.trace.copied() == "2  lookup  → draft  0.0 ms  + order ~ next_action"
        host.go(None)
        await pilot.pause()
        assert "▸" not in shown(pilot)
        assert host.informed == "4 steps"

    play(refund().host(), script)


def test_the_trace_follows_a_live_run_and_stays_with_a_past_step() -> None:
    driven = ring(40)

    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        for _ in range(9):
            driven.executor.step(driven.run)
            lines = (await refreshed(pilot)).splitlines()
            assert lines[-1].startswith("  ►")
            assert lines[-2].split()[0] == str(driven.run.step)
        host.go(1)
        await pilot.pause()
        assert screen_lines(pilot.app)[0].startswith("▸ 1  a")
        driven.executor.step(driven.run)
        host.view.refresh()
        host.go(1)
        await pilot.pause()
        assert screen_lines(pilot.app)[0].startswith("▸ 1  a")
        assert host.informed == "step 1 of 10"

    play(driven.host(), script, size=(80, 5))


def test_what_happened_between_the_steps_is_told() -> None:
    driven = refund()

    async def script(pilot: Pilot[Any]) -> None:
        decision = Decision.edit({"order.amount": 90}, by="ana", comment="half of it")
        driven.executor.decide(driven.run.id, decision)
        told = "►  review         next: approved with changes by ana; the next step uses it"
        assert told in await refreshed(pilot)
        driven.executor.edit(driven.run.id, {"note": "vip"}, by="bo", comment="for later")
        assert "·  edit by bo: + note: for later" in await refreshed(pilot)
        driven.executor.extend(driven.run.id, 5)
        lines = (await refreshed(pilot)).splitlines()
        assert "  ·  decision by ana: edit, order.amount = 90: half of it" in lines
        assert "  ·  extended by 5 steps" in lines
        await pilot.press("enter")
        assert "decided  edit by ana (library) at 2027-01-15" in shown(pilot)

    play(driven.host(), script)


def test_a_fork_is_told_as_one_and_an_edit_of_its_state_beside_it() -> None:
    driven = refund()
    fork(driven.run, at=1, values={"note": "vip"}, new_id="r-2", now=1_800_000_000.0, by="ana")
    host = Host(RunView(driven.store, "r-2"))

    async def script(pilot: Pilot[Any]) -> None:
        lines = (await refreshed(pilot)).splitlines()
        at = lines.index("  ·  forked by ana")
        assert lines[at + 1].startswith("  ·  edit by ana: + note")

    play(host, script)


def test_another_version_of_the_graph_is_told_with_what_differs() -> None:
    driven = ring(9)
    changed = StateGraph("ring", start="a", max_steps=7)
    changed.add_node("a", lambda state: {})
    changed.add_node("b", lambda state: {})
    changed.add_edge("a", "b", label="on")
    changed.add_edge("b", "a", label="back")

    async def script(pilot: Pilot[Any]) -> None:
        driven.executor.step(driven.run)
        driven.executor.step(driven.run)
        Executor(changed.compile(), driven.store, clock=FakeClock()).load(driven.run.id, adopt=True)
        lines = (await refreshed(pilot)).splitlines()
        assert lines[4].startswith("  ·  another version of the graph: max_steps")
        assert re.search(r"2  b +→ a", lines[3])  # routed by the edge as it was

    play(driven.host(), script)


def test_a_run_that_failed_at_its_cap_says_so_and_why_below() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        assert re.search(r"✗  b +did not run: its cap of 3 steps is reached", shown(pilot))
        assert "hint     extend the run" in shown(pilot)

    play(ring(3, on_max_steps="fail").finish().host(), script)


def test_a_failure_is_told_once_and_stays_in_the_trace_after_the_retry() -> None:
    broken = [True]

    def flaky(state: Any) -> dict[str, Any]:
        if broken:
            raise ValueError(broken.pop() and "the shop is closed")
        return {"open": True}

    graph = StateGraph("flaky", start="shop")
    graph.add_node("shop", flaky)
    graph.add_edge("shop", END)
    driven = Driven(graph).finish()
    told = "node 'shop' raised ValueError on visit 1: the shop is closed"

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert f"✗  shop    failed: {told}" in shown(pilot)
        assert shown(pilot).count("the shop is closed") == 1
        await pilot.press("enter")
        assert "trace    │ Traceback (most recent call last)" in shown(pilot)
        driven.executor.retry(driven.run.id)
        text = await refreshed(pilot)
        assert f"✗  shop  failed after 0.0 ms: {told}" in text
        assert "Traceback" not in text
        assert "✓  END     ended at END after 1 of 50 steps" in text
        await pilot.press("k", "enter")
        assert "trace    │ Traceback (most recent call last)" in shown(pilot)

    play(driven.host(), script, size=(110, 24))


def test_a_routing_that_failed_is_told_and_so_is_its_repetition() -> None:
    graph = StateGraph("stuck", start="a")
    graph.add_node("a", lambda state: {"n": 1})
    graph.add_edge("a", END, when="go == True")
    driven = Driven(graph).finish()

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert re.search(r"1  a +edge 1 failed", shown(pilot))
        driven.executor.edit(driven.run.id, {"go": True}, by="bo")
        driven.executor.retry(driven.run.id)
        text = await refreshed(pilot)
        assert "·  routed again: → END" in text
        assert re.search(r"1  a +go == True → END", text)

    play(driven.host(), script)


def test_nodes_to_pause_after_have_a_mark_and_a_word() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.press("space", "k", "space", "g", "space")
        assert host.said == ["review", 4, "amount_check", 0]  # the start is no node
        host.trace.pause_after = frozenset({"lookup", "review"})
        await pilot.pause()
        lines = screen_lines(pilot.app)
        assert re.search(r"lookup +‖ → draft .* pauses after  \+ order", lines[3])
        assert re.search(r"review +‖ waits for a person.*, pauses after", lines[6])
        assert sum("‖" in line for line in lines) == 2

    play(refund().host(), script)


def test_the_last_line_says_which_node_runs_and_for_how_long() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        host.trace.running = ("a", 2.1)
        await pilot.pause()
        assert re.search(r"►  a +runs 2\.1 s", shown(pilot))
        host.trace.running = None
        await pilot.pause()
        assert "runs 2" not in shown(pilot)
        assert re.search(r"►  a +next: python", shown(pilot))

    play(ring(9).host(), script)


def test_secrets_are_hidden_wherever_the_trace_quotes_them() -> None:
    graph = StateGraph("secretive", start="leak")
    graph.add_key("token", secret=True)
    graph.add_node("leak", lambda state: {"told": f"it is {state['token']}"})
    graph.add_node("fail", lambda state: 1 / len(state["missing hunter2-secret"]))
    graph.add_edge("leak", "fail")
    graph.add_edge("fail", END)
    driven = Driven(graph, **{"token": "hunter2-secret"}).finish()

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "k", "enter", "g", "enter")
        text = shown(pilot)
        assert "hunter2" not in text
        assert "***" in text
        assert 'told = "it is ***"' in text
        assert pilot.app.query_one(TracePane).search.find("hunter2") == "not found"

    play(driven.host(), script, size=(100, 60))


EVIL = "\x1b[2J[red]\u202eevil[/red]\r\n日本語 \u05e9\u05dc ﷽"


def evil() -> Driven:
    graph = StateGraph("evil", start="[b]\x1b日本\u202e")
    graph.add_key(EVIL)
    graph.add_node("[b]\x1b日本\u202e", lambda state: {EVIL: EVIL * 100, "big": "日" * 1_000_000})
    graph.add_edge("[b]\x1b日本\u202e", END, label=EVIL)
    return Driven(graph).finish()


@pytest.mark.parametrize("size", [(80, 24), (20, 5), (1, 1)])
def test_texts_from_a_run_are_data_and_no_line_is_wider_than_the_pane(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("k", "enter")
        pilot.app.query_one(TracePane).search.find("evil")
        await pilot.pause()
        lines = screen_lines(pilot.app)
        assert all(cell_len(line) <= size[0] for line in lines)
        assert not {"\x1b", "\u202e", "\r"} & set("".join(lines))
        if size[0] == 80:
            assert "\\x1b" in "".join(lines)
            assert "[b]" in "".join(lines)

    play(evil().host(), script, size=size)


def test_the_columns_fit_whatever_the_width() -> None:
    graph = Needs.of(read_graph(REFUND).compile())
    seen = (
        Needs()
        .with_step(TITLES)
        .with_step(StepCells("1", "classify", "1 billing → lookup", "10.0 ms", "+ a"))
    )
    for width in range(12, 200):
        columns = seen.fit(width, 12_345, graph)
        shown = step_spans(StepCells("12345", "node", "edge", "10.0 ms"), columns)
        assert sum(cell_len(text) for text, _ in shown) <= max(width, columns.indent + 7)
        assert (columns.took > 0) <= (columns.changed > 0) <= (columns.edge > 0)


@pytest.mark.parametrize(("width", "node"), [(63, "fetch_billing"), (80, "fetch_billing_record")])
def test_a_name_is_cut_no_sooner_than_the_signs_of_what_changed(width: int, node: str) -> None:
    changed = "~ billing ~ next_action + compliance + compliance_error"
    step = StepCells("2", node, "→ compliance", "115.7 ms", changed)
    columns = Needs().with_step(TITLES).with_step(step).fit(width, 9, Needs(13, 20))
    assert columns.node >= len(node)
    assert columns.edge >= len("→ compliance")


@pytest.mark.parametrize(("width", "least"), [(41, 8), (51, 12), (60, 16), (61, 17), (80, 21)])
def test_the_changes_have_the_room_that_there_is(width: int, least: int) -> None:
    """The widths of the pane at 80x24 with the divider moved, 100x30, 60x15, 120x40, 80x24."""
    changed = "+ letter + meta + log"
    step = StepCells("3", "rate_the_draft_carefully", "→ rate_the_draft_carefully", "0.2 ms", changed)
    columns = Needs().with_step(TITLES).with_step(step).fit(width, 8, Needs(24, 26))
    assert columns.changed >= least
    assert (
        "".join(text for text, _ in step_spans(step, columns)).rstrip().endswith(changed)
    )  # cut by the pane
    few = Needs().with_step(StepCells("3", "draft", "→ rate", "0.2 ms", changed))
    assert few.fit(width, 8, Needs(24, 26)).changed >= min(width - 34, 21)  # short names leave them more


async def columns_of(pilot: Pilot[Any]) -> tuple[int, ...]:
    await pilot.pause()
    host = cast(Host, pilot.app)
    trace = host.trace._trace
    assert trace is not None
    return trace.columns.node, trace.columns.edge, trace.columns.changed


def test_columns_grow_with_what_comes_into_view_and_do_not_jump_back() -> None:
    graph = StateGraph("long", start="a", max_steps=100)
    graph.add_node("a", lambda state: {"n": state.get("n", 0) + 1})
    graph.add_node("a_node_with_a_rather_long_name", lambda state: {"n": 0, "m": 1, "another_key": 2})
    graph.add_edge("a", "a_node_with_a_rather_long_name", when="step == 40")
    graph.add_edge("a", "a")
    graph.add_edge("a_node_with_a_rather_long_name", "a")

    async def script(pilot: Pilot[Any]) -> None:
        short = await columns_of(pilot)
        cast(Host, pilot.app).go(41)
        long = await columns_of(pilot)
        assert long[2] > short[2]  # the long name and all that its step has changed
        await pilot.press("G")
        assert await columns_of(pilot) == long

    play(Driven(graph).finish().host(), script, size=(50, 24))


def test_of_many_steps_only_those_in_view_are_made() -> None:
    made: list[int] = []

    class Counting(TracePane):
        def line(self, number: int) -> TextLine:
            made.append(number)
            return super().line(number)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("k", "g", "G")
        assert "3000  b" in shown(pilot)

    host = ring(3_000).finish().host()
    host.trace = Counting(now=lambda: 0.0)
    play(host, script)
    assert len(set(made)) < 100


def test_without_a_run_the_pane_says_what_it_is_for() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        host.trace.show(None)
        await pilot.press("j", "k", "g", "G", "enter", "space")
        await pilot.click(TracePane)
        assert "No run yet" in shown(pilot)
        assert host.said == []
        assert host.trace.copied() is None
        assert host.trace.copied_path() is None
        assert host.trace.search.find("x") == "not found"

    play(Host(None), script)


def test_a_run_without_steps_has_its_start_and_what_comes_next() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.pause()
        lines = [line for line in screen_lines(pilot.app) if line][1:]
        assert [line.split()[:2] for line in lines] == [["0", "start"], ["►", "classify"]]
        await pilot.press("enter", "k", "k", "enter")
        assert host.said == [0]
        assert 'changed  ticket = "I was charged' in shown(pilot)

    play(Driven(read_graph(REFUND)).host(), script)


def test_another_run_begins_with_a_clean_trace() -> None:
    first, second = refund(), ring(9)

    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.press("k", "enter")
        host.trace.search.find("e")
        host.view = RunView(second.store, second.run.id)
        host.go(None)
        await pilot.pause()
        text = shown(pilot)
        assert "visit" not in text
        assert "review" not in text
        assert re.search(r"►  a ", text)

    play(first.host(), script)
