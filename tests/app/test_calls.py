"""Calls as they are followed while they last, and what the log is told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual.message import Message

from stepgraph.models.watch import CallBegan, CallEnded, CallEvent, CallPlace, CallWaits, TextCame
from stepgraph.runs.spending import spending_of
from stepgraph_tui.text.calls import ended_text, spent_briefly, spent_text
from stepgraph_tui.widgets.log.replies import ReplyRow, WrappedReply
from stepgraph_tui.worker import Capture, Printed
from stepgraph_tui.worker.calls import KEPT, CallFollower

PLACE = CallPlace("r-1", "draft", 1, "model", "default")
TOOL = CallPlace("r-1", "draft", 1, "tool", "look")


class Followed:
    """A follower, and all that the log was told."""

    def __init__(self) -> None:
        self.told: list[Message] = []
        self.capture = Capture(prints=False)
        self.follower = CallFollower(self.capture, self.told.append)

    def hear(self, *events: CallEvent) -> None:
        for event in events:
            self.follower.hear(event)

    def log(self) -> list[tuple[str, str]]:
        """What was said, with who said it; pieces of the same one after another are one."""
        self.capture.flush()
        found: list[tuple[str, str]] = []
        for message in self.told:
            assert isinstance(message, Printed)
            if found and found[-1][0] == message.source:
                found[-1] = (message.source, found[-1][1] + message.text)
            else:
                found.append((message.source, message.text))
        return found


@pytest.fixture
def followed() -> Iterator[Followed]:
    followed = Followed()
    yield followed
    followed.capture.close()


def model_call(**told: Any) -> dict[str, Any]:
    return {"kind": "model", "name": "default", "source": "live", "seconds": 1.5, **told}


def test_a_reply_stands_between_who_was_asked_and_what_it_took(followed: Followed) -> None:
    followed.hear(
        CallBegan(PLACE),
        TextCame(PLACE, "Dear "),
        TextCame(PLACE, "Ana"),
        CallEnded(PLACE, model_call(text="Dear Ana", model="small-1", cost=0.5)),
    )
    assert followed.log() == [
        ("call", "asks default\n"),
        ("model", "Dear Ana\n"),
        ("call", "default, small-1 answered in 1.5 s; $0.50\n"),
    ]


def test_a_reply_that_came_whole_or_from_a_recording_is_told_once(followed: Followed) -> None:
    followed.hear(CallBegan(PLACE), CallEnded(PLACE, model_call(text="All\n", source="replay")))
    assert followed.log() == [
        ("call", "asks default\n"),
        ("model", "All\n"),
        ("call", "default answered from the recording\n"),
    ]


def test_what_came_before_a_wait_is_not_taken_for_the_next_answer(followed: Followed) -> None:
    followed.hear(CallBegan(PLACE), TextCame(PLACE, "half"), CallWaits(PLACE, 4, "rate limited (429)"))
    now = followed.follower.visit.now
    assert now is not None
    assert (now.text, now.why) == ("", "rate limited (429)")
    followed.hear(TextCame(PLACE, "whole"))
    now = followed.follower.visit.now
    assert now is not None
    assert (now.text, now.characters, now.again) == ("whole", 5, None)
    assert ("call", "waits 4 s: rate limited (429)\n") in followed.log()


def test_a_tool_is_told_of_where_a_model_asked_for_it(followed: Followed) -> None:
    tool: dict[str, Any] = {
        "kind": "tool",
        "name": "look",
        "source": "live",
        "seconds": 0.0,
        "arguments": {"a": 1},
        "result": 2,
    }
    followed.hear(CallBegan(TOOL), CallEnded(TOOL, tool))
    assert followed.log() == []
    wants = [{"name": "look", "arguments": {"a": 1}}]
    followed.hear(CallBegan(PLACE), CallEnded(PLACE, model_call(text="", tool_calls=wants)))
    followed.hear(CallBegan(TOOL), CallEnded(TOOL, tool))
    assert followed.log() == [
        (
            "call",
            "asks default\ndefault answered in 1.5 s; asks for look(a=1)\n"
            "calls look\nlook(a=1) answered in 0.0 ms\n",
        )
    ]
    assert [call["kind"] for call in followed.follower.visit.ended] == ["tool", "model", "tool"]


def test_many_pieces_are_few_messages_and_a_bounded_memory(followed: Followed) -> None:
    followed.hear(CallBegan(PLACE), *(TextCame(PLACE, f"{number:09}\n") for number in range(20_000)))
    now = followed.follower.visit.now
    assert now is not None
    assert (len(now.text), now.characters) == (KEPT, 200_000)
    said = "".join(text for source, text in followed.log() if source == "model")
    assert said.split() == [f"{number:09}" for number in range(20_000)]
    assert len(followed.told) < 2_000


def test_what_may_become_a_secret_is_neither_told_nor_kept(followed: Followed) -> None:
    followed.follower.begin_visit(hides=True)
    wants = [{"name": "look", "arguments": {"word": "hunter2"}}]
    followed.hear(
        CallBegan(PLACE),
        TextCame(PLACE, "hunter2"),
        CallEnded(PLACE, model_call(text="hunter2", tool_calls=wants)),
        CallBegan(TOOL),
        CallEnded(
            TOOL, {"kind": "tool", "name": "look", "arguments": {"word": "hunter2"}, "result": "hunter2"}
        ),
        CallBegan(PLACE),
        CallEnded(PLACE, model_call(error="no 'hunter2'")),
    )
    assert "hunter2" not in repr(followed.log())
    assert "hunter2" not in repr(followed.follower.visit)


# Words


@pytest.mark.parametrize(
    ("calls", "told", "briefly"),
    [
        ([], "", []),
        ([model_call(error="stopped")], "", []),
        (
            [model_call(text="a", input_tokens=1_000, output_tokens=20, cost=0.25)],
            "1 call, 1,000 + 20 tokens, $0.25",
            ["$0.25", "1,020 tokens"],
        ),
        (
            [model_call(text="a", input_tokens=1, output_tokens=1)],
            "1 call, 1 + 1 token, 1 call at an unknown price",
            ["cost not known", "2 tokens"],
        ),
        (
            [model_call(text="a", source="replay", input_tokens=9, output_tokens=9)],
            "1 call, all replayed",
            [],
        ),
        (
            [model_call(text="a", input_tokens=3, output_tokens=4, cost=0.00002)] * 2,
            "2 calls, 6 + 8 tokens, <$0.0001",
            ["<$0.0001", "14 tokens"],
        ),
    ],
)
def test_what_was_spent_is_told_as_far_as_it_is_known(
    calls: list[dict[str, Any]], told: str, briefly: list[str]
) -> None:
    spent = spending_of(calls)
    assert (spent_text(spent), spent_briefly(spent)) == (told, briefly)


def test_words_of_a_call_are_safe_to_show() -> None:
    said = ended_text({"kind": "model", "name": "a\x1b[2J", "error": "boom\n\x07"})
    assert "\x1b" not in said
    assert "\n" not in said
    assert "\x07" not in said


# Rows of a reply


def wrapped(pieces: list[str], width: int, mask: Callable[[str], str] = str) -> list[ReplyRow]:
    """The rows that are there in the end."""
    reply, rows = WrappedReply(), list[ReplyRow]()
    for piece in pieces:
        del rows[len(rows) - reply.changeable :]
        rows += reply.add(piece, width, mask)
    return rows


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 10_000])
@pytest.mark.parametrize("width", [8, 20, 79])
def test_a_reply_is_wrapped_the_same_in_whatever_pieces_it_comes(size: int, width: int) -> None:
    text = "One two three.\n\n" + "word " * 300 + "\n漢字" + "x" * 500 + "\r\nend \x1b[31m"
    text = text.replace("\r\n", "\n")
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    rows = wrapped(pieces, width)
    assert rows == wrapped([text], width)
    lines = "".join(("" if row.goes_on else "\n") + row.text for row in rows).removeprefix("\n")
    assert lines == text.replace("\x1b", "\\x1b")


def test_a_secret_that_comes_in_pieces_is_hidden() -> None:
    pieces = [*"the key is sk-12345-67890 and the rest"]
    rows = wrapped(pieces, 12, lambda text: text.replace("sk-12345-67890", "•••"))
    assert "".join(row.text for row in rows) == "the key is ••• and the rest"
