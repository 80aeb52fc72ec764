"""Stopping a call: while text comes, while nothing comes, and before anything has come."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from stepgraph.models.live import LiveModel
from stepgraph.models.watch import CallStopped
from tests.models.asking import Watched, ask
from tests.models.fake_server import Answer, Endless, FakeServer, Said

Make = Callable[..., LiveModel]


@pytest.mark.parametrize(
    "answer",
    [Endless("on "), Said("one two three", gate=threading.Event()), Endless(comments=True)],
    ids=["text comes", "it waits in the middle", "only comments come"],
)
def test_a_call_ends_when_it_is_stopped_and_the_server_hears_of_it(
    server: FakeServer, make: Make, provider: str, answer: Answer
) -> None:
    server.then(answer)
    server.delay = 0.001
    stop = threading.Event()
    watched = Watched(lambda: stop.is_set() or bool(watched.pieces) or seen())
    looks: list[int] = []

    def seen() -> bool:
        looks.append(1)
        return len(looks) > 20 and bool(server.requests)  # comments bring no text to wait for

    with pytest.raises(CallStopped, match="the model 'default' was stopped before its answer was whole"):
        ask(make(provider), watched=watched)
    assert server.gone.wait(60)


def test_a_call_that_nobody_answers_can_be_stopped(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Endless(headers=False))
    looks: list[int] = []

    def stopped() -> bool:
        looks.append(1)
        return len(looks) > 3

    with pytest.raises(CallStopped):
        ask(make(provider), watched=Watched(stopped))


def test_what_a_stopped_call_took_is_known_as_far_as_it_was_said(server: FakeServer, make: Make) -> None:
    server.then(Endless("on "))
    server.delay = 0.001
    watched = Watched(lambda: bool(watched.pieces))
    with pytest.raises(CallStopped) as caught:
        ask(make("anthropic"), watched=watched)
    assert caught.value.spent["input_tokens"] == 12


def test_a_model_answers_again_after_it_was_stopped(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Endless("on "))
    server.delay = 0.001
    model = make(provider)
    watched = Watched(lambda: bool(watched.pieces))
    with pytest.raises(CallStopped):
        ask(model, watched=watched)
    assert ask(model, "again").text == "You said: again"
