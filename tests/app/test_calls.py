"""Calls as they are followed while they last, and what the log is told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from textual.message import Message

from stepgraph.models.client import CallBegan, CallEnded, CallEvent, CallPlace, CallWaits, TextCame
from stepgraph.values import Json
from stepgraph_tui.status_text import call_now_text
from stepgraph_tui.widgets.log import ReplyRow, WrappedReply
from stepgraph_tui.widgets.node.visit import call_lines
from stepgraph_tui.worker import Capture, Printed
from stepgraph_tui.worker.calls import CallFollower

PLACE = CallPlace("r-1", "draft", 1, "model", "default")


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


def test_what_a_model_thinks_is_not_taken_for_its_answer(followed: Followed) -> None:
    followed.hear(CallBegan(PLACE), TextCame(PLACE, "hm", is_thought=True))
    now = followed.follower.visit.now
    assert now is not None
    assert (now.text, now.characters, now.thinks) == ("hm", 2, True)
    assert call_now_text(now) == "asks default, thinking, 2 characters"
    followed.hear(TextCame(PLACE, "yes"))
    now = followed.follower.visit.now
    assert now is not None
    assert (now.text, now.characters, now.thinks) == ("yes", 3, False)
    followed.hear(CallEnded(PLACE, {"kind": "model", "name": "default", "text": "yes", "thoughts": "hm"}))
    assert followed.log()[:-1] == [
        ("call", "asks default\nthinks\n"),
        ("model", "hm\n"),
        ("call", "answers\n"),
        ("model", "yes\n"),
    ]


def test_thoughts_of_a_reply_that_nobody_may_see_are_hidden(followed: Followed) -> None:
    followed.follower.begin_visit(hides=True)
    followed.hear(CallBegan(PLACE), TextCame(PLACE, "sk-1", is_thought=True))
    followed.hear(CallEnded(PLACE, {"kind": "model", "name": "default", "text": "", "thoughts": "sk-1"}))
    assert "sk-1" not in str(followed.follower.visit)
    assert "sk-1" not in str(followed.log())


def test_the_calls_of_a_visit_show_what_the_model_thought() -> None:
    call: dict[str, Json] = {
        "kind": "model",
        "name": "default",
        "text": "yes",
        "thoughts": "hm\nso",
        "seconds": 1.0,
    }
    rows = ["".join(text for text, _ in line.parts) for line in call_lines([call])]
    assert rows[1:] == ["thinking", "hm", "so", "yes"]


# Rows of a reply


def wrapped(pieces: list[str], width: int, mask: Callable[[str], str] = str) -> list[ReplyRow]:
    """The rows that are there in the end."""
    reply, rows = WrappedReply(), list[ReplyRow]()
    for piece in pieces:
        del rows[len(rows) - reply.changeable :]
        rows += reply.add(piece, width, mask)
    return rows


def test_a_secret_that_comes_in_pieces_is_hidden() -> None:
    pieces = [*"the key is sk-12345-67890 and the rest"]
    rows = wrapped(pieces, 12, lambda text: text.replace("sk-12345-67890", "•••"))
    assert "".join(row.text for row in rows) == "the key is ••• and the rest"
