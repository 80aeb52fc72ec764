"""What led to a review: the messages of its own, else those of the conversation in the state."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Decision, Executor, MemoryStore, NodeResult, ReviewRequest, Reviews, StateGraph
from stepgraph_tui.text.reviews import conversation_json, so_far
from stepgraph_tui.view.reviews import ReviewStory

CHAT = [{"role": "user", "content": "A seat, please."}, {"type": "ai", "content": "Train 62 has some."}]


def asked(request: ReviewRequest, hidden: str = "") -> tuple[Executor, ReviewStory]:
    """A review of a run whose state has a conversation."""
    graph = StateGraph("g", start="ask")
    graph.add_key("chat", default=CHAT, secret=hidden == "chat")
    graph.add_key("token", default="Train", secret=hidden == "token")
    graph.add_node("ask", lambda state: {} if state.decision else NodeResult.pause(request))
    graph.add_edge("ask", END)
    executor = Executor(graph.compile(), MemoryStore())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    return executor, ReviewStory.of(run.pending, run)


@pytest.mark.parametrize(
    ("request_", "hidden", "told"),
    [
        (ReviewRequest("Book it?"), "", ["A seat, please.", "Train 62 has some."]),
        (ReviewRequest("Book it?"), "token", ["A seat, please.", "*** 62 has some."]),
        (ReviewRequest("Book it?"), "chat", []),
        (ReviewRequest("Book it?", show=("chat",)), "", []),
        (ReviewRequest("Book it?", conversation=({"role": "user", "content": "Own."},)), "", ["Own."]),
        (ReviewRequest("Book it?", conversation=({"role": "x", "content": "Train"},)), "token", ["***"]),
    ],
)
def test_the_messages_that_led_to_a_question_are_its_own_or_those_of_the_state(
    request_: ReviewRequest, hidden: str, told: list[str]
) -> None:
    assert [message.text for message in so_far(asked(request_, hidden)[1])] == told


def test_of_a_review_that_is_decided_only_its_own_messages_are_told() -> None:
    own: Any = ({"role": "user", "content": "Own."},)
    for request, told in ((ReviewRequest("?"), []), (ReviewRequest("?", conversation=own), ["Own."])):
        executor, story = asked(request)
        run = executor.resume(story.run.id, Decision.approve(by="ana"))
        decided = ReviewStory.of(Reviews(executor.store).read(story.review.id)[0], run)
        assert [message.text for message in so_far(decided)] == told


def test_messages_of_the_state_that_are_texts_are_written_as_tables() -> None:
    graph = StateGraph("g", start="ask")
    graph.add_key("chat", default=["Hello", {"role": "assistant", "content": "Yes?"}])
    graph.add_node("ask", lambda state: {} if state.decision else NodeResult.pause(ReviewRequest("Book it?")))
    graph.add_edge("ask", END)
    executor = Executor(graph.compile(), MemoryStore())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    assert conversation_json(ReviewStory.of(run.pending, run)) == [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Yes?"},
    ]
