"""Asking again: where it makes sense, as late as the server says, and never longer than there is time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stepgraph.extras.providers.live import LiveModel, retry_after, with_retries
from stepgraph.extras.providers.wire import Unavailable
from stepgraph.models.client import CallStopped, CallWaits
from stepgraph.values.errors import ModelError
from tests.models.asking import Watched, ask
from tests.models.fake_server import FakeServer, Refused, Said

Make = Callable[..., LiveModel]
AT_ONCE = {"retry-after": "0"}


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_busy_server_is_asked_again(server: FakeServer, make: Make, provider: str, status: int) -> None:
    server.then(*[Refused(status, "Busy", "overloaded_error", None, AT_ONCE)] * 2, Said("At last."))
    watched = Watched()
    assert ask(make(provider, retries=2), watched=watched).text == "At last."
    assert [seconds for seconds, _ in watched.waits] == [0, 0]
    assert f"({status}): Busy" in watched.waits[0][1]


def test_the_last_refusal_says_how_often_it_was_tried(server: FakeServer, make: Make, provider: str) -> None:
    server.then(*[Refused(529, "Overloaded", "overloaded_error", None, AT_ONCE)] * 3)
    with pytest.raises(ModelError, match=r"it is overloaded \(529\): Overloaded, 3 times"):
        ask(make(provider, retries=2))
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
def test_a_refusal_that_stays_is_not_asked_again(
    server: FakeServer, make: Make, provider: str, status: int
) -> None:
    server.then(Refused(status, "no", headers=AT_ONCE))
    with pytest.raises(ModelError):
        ask(make(provider, retries=2))
    assert len(server.requests) == 1


def test_an_overload_told_in_the_stream_is_asked_again_only_before_any_text(
    server: FakeServer, make: Make
) -> None:
    server.then(Said("half of it", error="overloaded_error"), Said("whole"))
    watched = Watched()
    with pytest.raises(ModelError, match="it broke off"):
        ask(make("anthropic", retries=2), watched=watched)
    assert watched.text == "half of it"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("99 Foo 1", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(text: str, seconds: float | None) -> None:
    assert retry_after(text, now=10.0) == seconds


def refused(after: str) -> Callable[[], str]:
    def call() -> str:
        raise Unavailable("busy", hint="later", after=after)

    return call


@pytest.mark.parametrize("after", ["inf", "1e9"])
def test_an_endless_wait_is_not_begun(after: str) -> None:
    with pytest.raises(ModelError, match="it asks to wait"):
        with_retries(refused(after), 5, Watched().watch)


def test_nobody_waits_beyond_the_time_of_the_node() -> None:
    watched = Watched(left=3.0)
    with pytest.raises(ModelError, match="its node has no time left to ask again"):
        with_retries(refused("5"), 5, watched.watch)
    assert watched.waits == []


def test_a_wait_can_be_stopped() -> None:
    asked: list[bool] = []

    def stopped() -> bool:
        asked.append(True)
        return len(asked) > 2

    watched = Watched(stopped)
    with pytest.raises(CallStopped):
        with_retries(refused("50"), 5, watched.watch)
    assert [type(event) for event in watched.events] == [CallWaits]
