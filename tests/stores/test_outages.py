"""Waiting for a server that is down: how often it is tried, who hears of it, and when it is given up."""

from __future__ import annotations

from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.stores.opening import without_password
from stepgraph.stores.serving import Outage, OutageListener, Unanswered, outlast, waiting_for
from stepgraph.values.errors import StoreUnreachable
from tests.examples import examples


class Waits(Event):
    """An event that waits for nothing, and keeps what it was asked to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout or 0.0)
        return self.is_set()


class Server:
    """A server that answers after some attempts."""

    def __init__(self, down_for: int) -> None:
        self.down_for = down_for
        self.attempts: list[int] = []

    def __call__(self, tries: int) -> str:
        self.attempts.append(tries)
        if len(self.attempts) <= self.down_for:
            raise Unanswered(f"is down ({tries})")
        return "done"


def patient(told: list[Outage]) -> OutageListener:
    def listen(outage: Outage) -> bool:
        told.append(outage)
        return True

    return listen


@pytest.mark.parametrize("down_for", [0, 1])
def test_a_cut_that_is_repaired_at_once_is_told_to_nobody(down_for: int) -> None:
    told: list[Outage] = []
    waits = Waits()
    assert outlast(Server(down_for), "db://here", lambda: patient(told), waits) == "done"
    assert (told, waits.seconds) == ([], [])


def test_a_server_that_is_down_is_told_before_each_wait_and_once_when_it_is_back() -> None:
    told: list[Outage] = []
    server, waits = Server(8), Waits()
    assert outlast(server, "db://here", lambda: patient(told), waits) == "done"
    assert server.attempts == [*range(9)]
    assert waits.seconds == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    assert [outage.tries for outage in told] == [2, 3, 4, 5, 6, 7, 8, 8]
    assert [outage.over for outage in told] == [False] * 7 + [True]
    assert {(outage.url, outage.since) for outage in told} == {("db://here", told[0].since)}
    assert str(told[0]) == "waiting for the store db://here: it is down (1)"
    assert str(told[-1]) == "the store db://here answers again after 0 s"


def test_who_gives_up_gets_an_error_that_says_what_is_wrong() -> None:
    server, waits = Server(99), Waits()
    with pytest.raises(StoreUnreachable, match=r"the store db://here is down \(3\)") as caught:
        outlast(server, "db://here", lambda: lambda outage: outage.tries < 4, waits)
    assert (caught.value.code, "start the server" in caught.value.hint) == ("S007", True)
    assert len(waits.seconds) == 2


def test_a_store_that_is_closed_waits_no_longer() -> None:
    waits = Waits()
    waits.set()
    server = Server(99)
    with pytest.raises(StoreUnreachable):
        outlast(server, "db://here", lambda: patient([]), waits)
    assert len(server.attempts) == 2


def test_the_listener_may_be_set_anew_during_an_outage() -> None:
    heard: list[str] = []

    def listener() -> OutageListener:
        name = "second" if heard else "first"
        return lambda outage: not heard.append(name)  # type: ignore[func-returns-value]

    outlast(Server(3), "db://here", listener, Waits())
    assert heard == ["first", "second", "second"]


def test_patience_is_measured_in_seconds_of_the_outage() -> None:
    listen = waiting_for(5.0)
    assert listen(Outage("is down", "db://here", 100.0, 7, 4.9))
    assert not listen(Outage("is down", "db://here", 100.0, 2, 5.0))


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ana:s3cret@host:5432/runs", "postgresql://ana@host:5432/runs"),
        ("postgresql://ana:p%40ss@host/runs?schema=x", "postgresql://ana@host/runs?schema=x"),
        ("postgresql://ana:a@b@host/runs", "postgresql://ana@host/runs"),
        ("postgresql://host/runs?password=s3cret&user=ana", "postgresql://host/runs?user=ana"),
        ("postgresql:///runs?host=/tmp&sslpassword=x", "postgresql:///runs?host=/tmp"),
        ("redis://:s3cret@host/0", "redis://@host/0"),
        ("redis://host:6379/0?durability=none", "redis://host:6379/0?durability=none"),
        ("postgresql://ana@[::1]:5432/runs", "postgresql://ana@[::1]:5432/runs"),
        ("postgresql://ana:s3cret@[::1/runs?x=1", "postgresql://ana@[::1/runs?x=1"),
        ("postgresql://ana:a/b@host/runs?x=1", "postgresql://ana@host/runs?x=1"),
        ("postgresql://ana:a?b#@host/runs", "postgresql://ana@host/runs"),
        ("postgresql://ana:1234@host/runs", "postgresql://ana@host/runs"),
        (
            "postgresql://host:5432/runs?user=ana@example.org",
            "postgresql://host:5432/runs?user=ana@example.org",
        ),
        ("postgresql://ana@host:5432", "postgresql://ana@host:5432"),
        ("postgresql://[::1]:5432/runs", "postgresql://[::1]:5432/runs"),
        ("memory:", "memory:"),
        ("postgresql://one:1,two:2/runs", "postgresql://one:1,two:2/runs"),
        ("rediss://host?ssl_password=s3cret&db=1", "rediss://host?db=1"),
        ("postgresql://host/runs?%70assword=s3cret", "postgresql://host/runs"),
        ("redis://host?passwrd=s3cret", "redis://host"),
        ("redis://host?pasword=s3cret&db=1", "redis://host?db=1"),
        ("redis://host?passfile=here", "redis://host?passfile=here"),
        ("postgresql://ana:12/s3cret@host/runs", "postgresql://ana@host/runs"),
        ("postgresql://a/na:s3cret@host/runs", "postgresql://a/na@host/runs"),
        ("postgresql://ana:s3@cr?et@host/runs?x=1", "postgresql://ana@host/runs?x=1"),
        ("redis://:s3cret@host?prefix=a@b", "redis://@host?prefix=a@b"),
        ("redis://[::1]:6379/0?prefix=a@b", "redis://[::1]:6379/0?prefix=a@b"),
        ("redis:ana:s3cret@host", "redis:ana@host"),
        ("redis://:s3cret", "redis://:..."),
        ("redis://ana:s3cret/0", "redis://ana:..."),
        ("redis://:s3\ncret@host", "redis://@host"),
        ("sqlite:////tmp/a:b@c.db", "sqlite:////tmp/a:b@c.db"),
        ("unix:///tmp/a:b@c", "unix:///tmp/a:b@c"),
        ("a:b.db", "a:b.db"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert without_password(address) == shown
    assert without_password(shown) == shown


@examples(200)
@given(parts=st.lists(st.sampled_from([*"@:/?#,%&[ \n", "12", "ab"]), max_size=6), at=st.integers(0, 6))
def test_no_part_of_a_password_is_shown_whatever_characters_it_has(parts: list[str], at: int) -> None:
    password = "".join([*parts[:at], "s3cret", *parts[at:]])
    for address in (f"postgresql://ana:{password}@host/runs?schema=x", f"redis://:{password}@host:6379/0"):
        assert "s3cret" not in without_password(address)
