"""The Node pane: all about the selected node or edge, or about the graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.events import MouseScrollDown
from textual.pilot import Pilot

from stepgraph import END, Decision, StateGraph
from stepgraph.files import read_graph
from stepgraph.graphs.parts import NodeEntry
from stepgraph.graphs.validation import check
from stepgraph.values.json_values import Json
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.status_text import FileState, Situation, next_step_text
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.node import NodePane
from stepgraph_tui.widgets.node.traceback import read_traceback, traceback_lines
from tests.app.approving import asking
from tests.app.playing import play, widget_lines
from tests.app.telling import REFUND, Driven, Host, pressed, rows_at, told

ACTION = "pay(amount={{ order.amount }}, why={{ title }})"


def page_of(
    graph: Any,
    node: str | None = None,
    edge: int | None = None,
    moment: RunSnapshot | None = None,
    **more: Any,
) -> str:
    """The whole page, as it is copied."""
    pane = NodePane()
    pane.about(graph, node, edge, **more)
    pane.moment = moment
    return "\n".join(line.plain for line in pane.page_lines())


def words(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())


def failing(state: object) -> dict[str, Any]:
    """Fails in a library, called from here."""
    result: dict[str, Any] = json.loads("[\x1b[31m")
    return result


def failed() -> Driven:
    """A run whose only node raised in a library."""
    graph = StateGraph("g", start="a")
    graph.add_node("a", failing)
    graph.add_edge("a", END)
    return Driven(graph).step()


def test_with_nothing_selected_it_tells_of_the_graph() -> None:
    page = words(page_of(read_graph(REFUND)))
    for fact in (
        "refund-triage graph Refunds of 100 or more go to a person before any money moves.",
        "start classify",
        "cap 30 steps; reaching it ends the run",
        "size 9 nodes, 12 edges",
        "ticket text, input What the customer wrote",
        "pay ! side effects Sends money back",
        "Select a node or an edge in the graph",
    ):
        assert fact in page


def test_without_a_graph_it_says_what_is_wrong_with_the_file(tmp_path: Path) -> None:
    assert "There is no readable graph." in page_of(None)
    graph = StateGraph(
        "g", start="nowhere", feedback=True, no_feedback=["x"], max_seconds=2, on_no_match="end"
    )
    page = words(page_of(graph, problems=check(graph)))
    assert "error" in page
    assert "at most 2 s of work" in page
    assert "but not x" in page


def test_a_node_tells_its_type_note_settings_edges_and_effects() -> None:
    page = page_of(read_graph(REFUND), "pay")
    for fact in (
        "pay tool call Takes the amount from the state",
        "effects ! changes the world outside the state, by its tool pay",
        "writes next_action, payment, tool_call",
        "out, the only one → notify",
        'amount_check 2 low review 1 approved decision == "approve"',
        "arguments.order_id {{ order.id }}",
    ):
        assert fact in words(page), page


def test_a_prompt_keeps_its_line_breaks() -> None:
    lines = page_of(read_graph(REFUND), "classify").splitlines()
    at = lines.index(
        "  Answer `billing` if the customer was charged wrongly, charged twice, or asks for a refund."
    )
    assert lines[at + 1].startswith("  Answer `other`")
    assert lines[at + 2 : at + 4] == ["", "  Ticket:"]


def test_a_visited_node_tells_its_last_visit_and_what_it_changed() -> None:
    driven = Driven().step(4)
    page = words(page_of(driven.view.plan, "amount_check", moment=driven.now()))
    assert "visits 1 last step 4, 0.0 ms" in page
    assert "then review" in page
    assert "output high" in page
    assert 'changed route "high"' in page
    past = words(page_of(driven.view.plan, "amount_check", moment=driven.at(2)))
    assert "visits none up to step 2" in past
    assert "now comes next" in words(page_of(driven.view.plan, "review", moment=driven.now()))
    assert "visits none so far" in words(page_of(driven.view.plan, "notify", moment=driven.now()))


def test_a_reviewers_words_are_seen_in_the_prompt_of_the_next_node() -> None:
    driven = Driven().step(5)
    driven.decide(Decision.reject(by="ana", comment="the bank shows one payment"))
    driven.step(2)
    page = page_of(driven.view.plan, "refuse", moment=driven.now())
    _, asked = page.split("\nasked\n")
    assert "The colleague's reason" in asked
    assert "    the bank shows one payment\n" in asked.split("─ Edges")[0]


def test_a_past_question_tells_what_was_decided_and_hides_what_is_secret() -> None:
    graph = asking(secret=("title",), editable={"title": "text", "order.amount": "number"}, action=ACTION)
    driven = Driven(graph).step()
    edited: dict[str, Json] = {"title": "hunter22", "order.amount": 90}
    driven.decide(Decision.edit(edited, by="ana", comment="not hunter22"))
    page = page_of(driven.view.plan, "review", moment=driven.step(2).now())
    decided = page.split("\ndecided\n")[1]
    assert decided.startswith("  edit by ana (library) at ")
    assert "as edited\n  action      pay(amount=90, why=***)" in decided
    assert "pay(amount=240, why=***)" in page
    assert "hunter22" not in page


def test_updates_say_what_was_removed_appended_or_merged() -> None:
    graph = StateGraph("g", start="a")
    graph.add_key("log", reducer="append", default=[])
    graph.add_key("facts", reducer="merge", default={})
    graph.add_node("a", lambda state: {"log": "hello", "facts": {"x": 1}, "gone": None, "never": None})
    graph.add_edge("a", END)
    driven = Driven(graph, {"gone": 1}).step()
    page = words(page_of(driven.view.plan, "a", moment=driven.now()))
    assert 'log appended "hello"' in page or 'log appended ["hello"]' in page
    assert 'facts merged {"x": 1}' in page
    assert "gone removed" in page
    assert "never" not in page.split("─ Edges")[0]


def test_a_failure_comes_first_with_the_users_own_code_before_libraries() -> None:
    driven = failed()
    page = page_of(driven.view.plan, "a", moment=driven.now())
    own, library = page.index("in your code, the last call first"), page.index("through libraries")
    assert own < page.index("test_node_info.py") < library < page.index("decoder.py")
    assert page.splitlines()[2] == "─ Failed"
    assert page.index("decoder.py") < page.index("─ About") < page.index("runs start here")
    assert page.index("─ About") < page.index("─ This run")
    assert "now         failed" in page
    assert 'json.loads("[\\x1b[31m")' in page


def test_a_note_stands_below_the_failure() -> None:
    graph = StateGraph("g", start="a")
    graph.add_node("a", failing, note="Reads the reply")
    graph.add_edge("a", END)
    lines = page_of(graph, "a", moment=Driven(graph).step().now()).splitlines()
    at = lines.index("─ About")
    assert lines.index("─ Failed") < at
    assert lines[at - 1 : at + 4] == ["", "─ About", "Reads the reply", "", "start       runs start here"]


def test_an_exception_whose_words_the_message_ends_with_is_not_told_twice() -> None:
    page = page_of(failed().view.plan, "a", moment=failed().now())
    assert page.count("Expecting value: line") == 1
    text = "Traceback (most recent call last):\n  File \"/srv/rules.py\", line 3, in ask\nKeyError: 'x'\n"
    for above, first in (
        ("node 'a' raised KeyError on visit 1: 'x'", "in your code, the last call first"),
        ("node 'a' raised KeyError on visit 1: x", "in your code, the last call first"),
        ("node 'a' raised LookupError on visit 1: 'x'", "KeyError: 'x'"),
        ("node 'a' raised KeyError on visit 1: the key", "KeyError: 'x'"),
        ("", "KeyError: 'x'"),
    ):
        assert next(line.plain for line in traceback_lines(text, None, above)) == first


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (Decision.approve(by="ana"), "approved by ana"),
        (Decision.edit({"order.amount": 90}, by="ana"), "approved with changes by ana"),
        (Decision.reject(by="ana", comment="no"), "rejected by ana"),
        (Decision.respond("ask Ben"), "answered by somebody"),
    ],
)
def test_a_decision_that_no_step_has_used_is_told(decision: Decision, said: str) -> None:
    graph = read_graph(REFUND)
    if decision.verb == "respond":
        graph = asking(allow=["approve", "respond"])
    driven = Driven(graph).step(5)
    driven.decide(decision)
    page = page_of(driven.view.plan, "review", moment=driven.now())
    assert f"now {said}; the next step uses it" in words(page)
    assert (
        next_step_text(Situation(FileState(), moment=driven.now())).text
        == f"review  {said}: s takes the next step, c continues"
    )


def test_a_routing_failure_is_told_at_its_node_now_and_when_it_is_viewed_later() -> None:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {"n": 1})
    graph.add_edge("a", END, when="n == 2")
    driven = Driven(graph).step()
    for moment in (driven.now(), driven.at(1)):
        page = words(page_of(driven.view.plan, "a", moment=moment))
        assert "none of the edges of node 'a' matched" in page
        assert "then nowhere: its routing failed" in page
    assert "─ Failed" not in page_of(driven.view.plan, "a", moment=driven.at(0))


def test_chained_exceptions_begin_with_the_one_that_was_raised_last() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/srv/app/rules.py", line 3, in ask\n'
        "    one()\n    ~~~^^\n"
        "KeyError: 'x'\n\nThe above exception was the direct cause of the following exception:\n\n"
        'Traceback (most recent call last):\n  File "/srv/app/rules.py", line 5, in ask\n    raise Broken\n'
        '  File "/usr/lib/python3.11/json/x.py", line 9, in load\n'
        '  File "/home/u/.venv/lib/python3.12/site-packages/lib/y.py", line 1, in go\n'
        '  File "<frozen importlib._bootstrap>", line 1, in _find\n'
        "  [Previous line repeated 9 more times]\nBroken: line one\nline two\n"
    )
    lines = [line.plain for line in traceback_lines(text, Path("/srv/app"))]
    assert lines == [
        "Broken: line one",
        "line two",
        "in your code, the last call first",
        "  rules.py:5  ask",
        "    raise Broken",
        "through libraries",
        "  <frozen importlib._bootstrap>:1  _find",
        "    [Previous line repeated 9 more times]",
        "  /home/u/.venv/lib/python3.12/site-packages/lib/y.py:1  go",
        "  /usr/lib/python3.11/json/x.py:9  load",
        "caused by:",
        "KeyError: 'x'",
        "in your code, the last call first",
        "  rules.py:3  ask",
        "    one()",
    ]
    assert read_traceback("") == []
    assert [line.plain for line in traceback_lines("no\x1btraceback", None)] == ["no\\x1btraceback"]


def test_an_edge_tells_its_place_condition_and_how_often_it_was_taken() -> None:
    driven = Driven().step(4)
    plan = driven.view.plan
    high = next(edge.index for edge in plan.edges if edge.label == "high")
    page = words(page_of(plan, edge=high, moment=driven.now()))
    assert "amount_check → review edge 1 of 2 label high" in page
    assert 'condition route == "high" reads route' in page
    assert "taken 1 time, last at step 4" in page
    assert "taken never" in words(page_of(plan, edge=high, moment=driven.at(3)))
    second = words(page_of(plan, edge=high + 1, moment=driven.now()))
    assert "tried when edge 1 does not match taken never" in second
    assert "All edges of amount_check" in second


def test_an_edge_that_is_never_tried_says_why_and_shows_its_problems() -> None:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END)
    graph.add_edge("a", END, when="x == 1 and visits.a < 2")
    graph.add_edge("a", END, when="x ==")
    graph.add_edge("a", "nowhere", when=lambda context: True)
    problems = check(graph)
    page = words(page_of(graph, edge=1, problems=problems))
    assert "shadowed ! never tried: edge 1 before it always matches" in page
    assert "counts visits of a" in page
    assert "warning" in page
    assert "x ==" in page_of(graph, edge=2, problems=problems)
    assert "Python code" in page_of(graph, edge=3, problems=problems)
    assert "no edge 9" in page_of(graph, edge=9)
    node = words(page_of(graph, "a", problems=problems))
    assert "error" in node
    assert "3 x == → END" in node or "3 a broken condition → END" in node


def test_what_only_edges_name_is_told_as_far_as_it_is_known() -> None:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {}, review="before", note="two\nlines")
    graph.add_edge("a", "ghost")
    graph.add_edge("a", END)
    assert "no node has this name: only edges lead here" in page_of(graph, "ghost")
    assert "where a run ends" in page_of(graph, END)
    page = words(page_of(graph, "a"))
    assert "Python object two lines" in page
    assert "gate ? a person must agree before it runs" in page
    assert "runs <lambda>" in page


@pytest.mark.parametrize(
    ("review", "policy", "told"),
    [
        ("before", "never", "gate ? a person must agree before it runs"),
        ("after", "never", "gate ? a person must agree to what it did"),
        (None, "every", "gate ? a person must agree to what it did"),
        (None, "last", "gate ? a person must agree to what it did, where that leads to END"),
        (None, "never", ""),
        ("never", "every", ""),
    ],
)
def test_a_node_tells_of_its_gate_and_of_a_tool_that_requires_approval(
    review: Any, policy: Any, told: str
) -> None:
    graph = StateGraph("g", start="pay", review=policy)
    graph.add_tool("pay", returns={}, requires_approval=True, note="money")
    settings: Any = {"tool": "pay", "arguments": {}}
    graph.declare_node("pay", "tool", settings, review=review)
    graph.add_edge("pay", END)
    page = words(page_of(graph, "pay"))
    assert told in page
    assert page.count("a person must agree") == (2 if told else 1)
    assert "gate ? a person must agree to its tool pay" in page
    of_graph = words(page_of(graph))
    assert "pay asks a person money" in of_graph
    assert ("review a person is asked" in of_graph) == (policy != "never")


def test_the_end_tells_whether_the_run_has_reached_it() -> None:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END)
    driven = Driven(graph)
    assert "reached not so far" in words(page_of(graph, END, moment=driven.now()))
    assert "reached after 1 step" in words(page_of(graph, END, moment=driven.step().now()))


def test_secrets_are_hidden_on_every_page() -> None:
    graph = StateGraph("g", start="a")
    graph.add_key("token", secret=True)
    graph.add_node("a", lambda state: {"token": "hunter22", "said": "it is hunter22"}, note="hunter22")
    graph.declare_node("ask", "llm", {"prompt": "{{ token }} {{ pin }} {{ last_output }}", "replies": ["."]})
    graph.add_key("pin", secret=True)
    graph.add_edge("a", "ask", when='token == "hunter22"', label="hunter22")
    graph.add_edge("ask", END)
    driven = Driven(graph, {"token": "hunter22", "pin": "7"}).step(2)
    assert "asked\n  prompt      *** *** {" in page_of(driven.view.plan, "ask", moment=driven.now())
    for selected in ({"node": "a"}, {"node": "ask"}, {"edge": 0}):
        page = page_of(driven.view.plan, moment=driven.now(), **selected)
        assert "hunter22" not in page
        assert "***" in page


@pytest.mark.parametrize("nasty", ["[red]x[/]", "\x1b[31mx\x07", "\u202eabc", "日本語" * 40, "x" * 5_000])
def test_texts_of_a_graph_are_data_and_fit_any_width(nasty: str) -> None:
    graph = StateGraph(nasty, start="a", note=nasty)
    graph.add_key(nasty[:50], note=nasty)
    graph.add_node("a", lambda state: {nasty: nasty}, note=nasty)
    graph.add_node(nasty, lambda state: {})
    graph.add_edge("a", nasty, label=nasty)
    graph.add_edge(nasty, END)
    driven = Driven(graph).step()
    for node, edge in (("a", None), (nasty, None), (None, 0), (None, None)):
        pane = NodePane()
        pane.about(driven.view.plan, node, edge, check(graph))
        pane.moment = driven.now()
        for width in (60, 35, 18):
            lines = rows_at(pane.page_lines(), width)
            assert all(cell_len(line) <= width for line in lines)
            assert not any(char in "".join(lines) for char in "\x1b\u202e\x07")
            if nasty.startswith("["):
                assert "[red]x[/]" in " ".join(lines)


def test_a_tiny_pane_shows_what_it_can() -> None:
    pane = NodePane()
    pane.about(read_graph(REFUND), "review")
    assert len(told(pane, Driven().step(3).now(), (1, 1))) == 1


def test_very_long_texts_and_very_many_edges_are_cut_with_a_remark() -> None:
    graph = StateGraph("hub", start="a")
    graph.add_node("a", lambda state: {"big": "y" * 10_000_000, **{f"k{n}": n for n in range(300)}})
    for n in range(500):
        graph.add_edge("a", "a", when=f"big == {n}")
    graph.add_edge("a", END)
    driven = Driven(graph).step()
    page = page_of(driven.view.plan, "a", moment=driven.now())
    assert "… 401 more" in page
    assert "… 201 more" in page
    assert len(page) < 60_000
    loud = StateGraph("loud", start="a")
    settings: dict[str, Json] = {"prompt": "p\n" * 100_000, "replies": ["one", "two\nlines"], "n": [1, {}]}
    loud.add_entry(NodeEntry("a", None, "llm", settings))
    page = page_of(loud, "a")
    assert "… 200,000 characters in all" in page
    assert "replies 1   one" in page.splitlines()
    assert "n           [1, {}]" in page.splitlines()


def test_another_selection_is_shown_from_its_top_and_a_new_step_where_it_was() -> None:
    pane = NodePane()
    host = Host(pane)
    driven = Driven().step(2)

    async def scroll(pilot: Pilot[None]) -> None:
        pane.moment = driven.now()
        pane.about(driven.view.plan, "classify")
        pane.focus()
        await pilot.pause()
        await pilot.press("j", "j", "j", "k")
        assert pane.scroll_offset.y == 2
        pane.moment = driven.step().now()
        await pilot.pause()
        assert pane.scroll_offset.y == 2
        await pilot.press("G")
        assert pane.scroll_offset.y == pane.max_scroll_y > 0
        await pilot.press("g")
        assert pane.scroll_offset.y == 0
        await pilot.press("pagedown")
        assert pane.scroll_offset.y > 2
        pane.about(driven.view.plan, "draft")
        await pilot.pause()
        assert pane.scroll_offset.y == 0
        assert "draft" in widget_lines(pane)[0]

    play(host, scroll, (37, 12))


def test_it_copies_the_page_and_the_path_in_the_file() -> None:
    graph = read_graph(REFUND)
    pane = NodePane()
    assert pane.copied_path() is None
    pane.about(graph, "review")
    assert pane.copied_path() == "nodes.review"
    pane.about(graph, "review", 7)
    assert pane.copied_path() == "edges[7]"
    told(pane)
    assert "label       approved" in (pane.copied() or "").splitlines()


def test_a_wheel_scrolls_and_a_click_changes_nothing() -> None:
    pane = NodePane()
    host = Host(pane)

    async def roll(pilot: Pilot[None]) -> None:
        pane.about(read_graph(REFUND))
        await pilot.pause()
        before = widget_lines(pane)
        await pilot.click(NodePane, offset=(3, 3))
        assert widget_lines(pane) == before
        await pilot._post_mouse_events([MouseScrollDown], NodePane, offset=(3, 3))
        await pilot.pause()
        assert pane.scroll_offset.y > 0

    play(host, roll, (37, 12))
    assert host.heard == []


def test_its_keys_do_nothing_bad_before_it_is_told_what_to_show() -> None:
    assert "no readable graph" in pressed(NodePane(), None, "j", "G", "g", "pageup").seen[0]
