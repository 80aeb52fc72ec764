"""What each verb leads to, in words; and requests with very many parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.pilot import Pilot

from stepgraph import END, NodeResult, ReviewRequest, State, StateGraph
from stepgraph_tui.commands.hints import UNMAPPED
from stepgraph_tui.dialogs.approval.pages import details, summary
from stepgraph_tui.dialogs.approval.rows import ReviewRow
from stepgraph_tui.dialogs.approval.subject import Subject
from tests.app.approving import Desk, Host, pending, press
from tests.app.playing import play


def asked(*edges: tuple[Any, ...], nodes: tuple[str, ...] = (), **settings: Any) -> str:
    """The first page about a node ``ask`` with these edges."""
    graph = StateGraph("ways", start="ask", **settings)
    graph.declare_node("ask", "approval", {"prompt": "Go on?", "allow": ["approve", "respond"]})
    for name in nodes:
        graph.add_node(name, lambda state: {})
    for source, target, *when in edges:
        graph.add_edge(source, target, *when)
    return first_page(graph)


def subject_of(graph: StateGraph) -> Subject:
    desk = Desk()
    return Subject.read(desk.store, pending(desk.run(graph)).id)


def text_of(rows: Sequence[ReviewRow]) -> str:
    return "\n".join("".join(text for text, _ in (*row.parts, *filter(None, [row.right]))) for row in rows)


def first_page(graph: StateGraph) -> str:
    return text_of(summary(subject_of(graph), 96, UNMAPPED))


def test_the_way_goes_as_far_as_it_is_certain() -> None:
    text = asked(("ask", "a"), ("a", END, "step > 9"), ("a", "ask"), nodes=("a",))
    assert "approve → a → decided by its code" in text
    again = asked(("ask", "a"), ("a", "ask"), nodes=("a",))
    assert "approve → a → ask asks a person" in again


def test_what_cannot_be_known_or_would_fail_is_said() -> None:
    text = asked(("ask", END, '"no" in last_output'), ("ask", END, "missing.key > 1"))
    assert "cannot be known: edge 1" in text
    failing = asked(("ask", END, "missing.key > 1"), ("ask", "ask", "step > 5"))
    assert "fails: the condition of edge 1" in failing


def test_the_end_and_the_cap_are_said() -> None:
    no_edge = asked(("ask", END, "step > 5"), ("ask", "ask", "step > 9"), on_no_match="end")
    assert "END: no edge matches" in no_edge
    capped = asked(("ask", "a"), ("a", END), nodes=("a",), max_steps=1)
    assert "the run stops at its step limit before a" in capped


def pausing(request: ReviewRequest, **state: Any) -> StateGraph:
    graph = StateGraph("python", start="ask")
    for name, value in state.items():
        graph.add_key(name, default=value)

    def ask(state: State) -> NodeResult:
        return NodeResult.pause(request) if state.decision is None else NodeResult({})

    graph.add_node("ask", ask)
    graph.add_edge("ask", END)
    return graph


def test_a_request_of_python_code_shows_its_arguments() -> None:
    graph = pausing(ReviewRequest("Pay?", "pay", {"amount": 240, "to": "Ana"}, risk_reason="money"))
    text = text_of(details(subject_of(graph), 96))
    assert "unknown: money" in text
    for part in ("amount", "240", "to", '"Ana"'):
        assert part in text


def test_thousands_of_arguments_and_values_are_cut_and_said() -> None:
    arguments = {f"argument{number}": number for number in range(9000)}
    shown = {f"key{number}": number for number in range(60)}
    subject = subject_of(pausing(ReviewRequest("Pay?", "pay", arguments, show=tuple(shown)), **shown))
    assert subject.acts.left_out
    assert "and 10 more" in text_of(summary(subject, 96, UNMAPPED))
    told = text_of(details(subject, 96))
    assert "key59" in told
    assert "8,000 more, not shown here" in told


def test_the_difference_tells_words_and_walks_the_steps_that_made_it() -> None:
    graph = StateGraph("letters", start="draft")
    graph.add_key("letter", default="Dear Ana, we are sorry.")
    graph.add_node("draft", lambda state: {"letter": "Dear Ana, we are very sorry.", "tries": state.visit})
    graph.add_node("sign", lambda state: {"letter": f"{state['letter']} The shop"})
    graph.add_edge("draft", "sign")
    graph.add_edge("sign", "review")
    graph.declare_node("review", "approval", {"prompt": "Send it?"})
    graph.add_edge("review", END)
    desk = Desk()
    host = Host(desk, pending(desk.run(graph)).id)

    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "left_square_bracket")  # on the summary it does nothing
        assert "Asks" in host.text
        await press(pilot, "equals_sign")
        assert "since the start" in host.text
        assert "we are {+very +}sorry.{+ The shop+}" in host.text
        await press(pilot, "left_square_bracket")
        assert "3 of 3: sign, step 2, visit 1" in host.text
        assert "very sorry.{+ The shop+}" in host.text
        await press(pilot, "left_square_bracket")
        assert "2 of 3: draft, step 1, visit 1" in host.text
        assert "+ tries" in host.text
        await press(pilot, "left_square_bracket", "left_square_bracket")
        assert "1 of 3: the start" in host.text
        await press(pilot, "right_square_bracket", "right_square_bracket", "right_square_bracket")
        assert "since the start" in host.text
        await press(pilot, "left_square_bracket", "equals_sign")
        assert "Asks" in host.text

    play(host, script)
