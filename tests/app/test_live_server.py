"""The app against a server that speaks the providers' protocols, by their own libraries."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from stepgraph_tui.connections import Connections
from stepgraph_tui.text.system import settings_file
from tests.app.bench import Bench, P, header, press, said, settle, start, text, until, workbench
from tests.app.live_models import ASKING
from tests.models.fake_server import FakeServer, Refused, Said

pytest.importorskip("openai")
pytest.importorskip("anthropic")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A server with the key ``sk-right``."""
    with FakeServer(key="sk-right") as server:
        yield server


@pytest.fixture(params=["openai", "anthropic"])
def live(
    request: pytest.FixtureRequest, bench: Bench, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> Bench:
    """The app with a model of the server, priced, by each of the two protocols."""
    url = server.openai_url if request.param == "openai" else server.address
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(
        f'[models.default]\nprovider = "{request.param}"\nmodel = "m"\nbase_url = "{url}"\n'
        'key_env = "THE_KEY"\ninput_price = 1000.0\noutput_price = 2000.0\n'
    )
    monkeypatch.setenv("THE_KEY", "sk-right")
    bench.connections = Connections.of_user()
    return bench


async def go_live(pilot: P) -> None:
    await press(pilot, "dollar_sign", "y")
    await start(pilot)
    await pilot.press("s")


def test_text_streams_x_stops_it_and_retry_asks_again(live: Bench, server: FakeServer) -> None:
    gate = threading.Event()
    server.then(Said("Dear Ana, how are you?", gate=gate), Said("Dear Ana"))

    async def script(pilot: P) -> None:
        await go_live(pilot)
        await pilot.press("4")
        await until(pilot, lambda: "│ Dear" in text(pilot))
        assert "RUNNING" in header(pilot)
        await press(pilot, "X")
        assert "FAILED" in header(pilot)
        assert "was stopped before its answer was whole" in text(pilot)
        await press(pilot, "r")
        assert live.load().values["letter"] == "Dear Ana"
        workbench(pilot).surface.select("draft")
        await settle(pilot)
        assert "12 + 7 tokens" in text(pilot)
        assert "$0.026" in text(pilot)

    try:
        live.play(script, live.graph(ASKING), size=(120, 40))
    finally:
        gate.set()
    assert server.gone.wait(10)


def test_a_refused_key_is_said_and_never_shown(live: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", "sk-wrong-and-secret")

    async def script(pilot: P) -> None:
        await go_live(pilot)
        await settle(pilot)
        assert "FAILED" in header(pilot)
        seen = said(pilot)
        for key in "123456789":
            await press(pilot, key)
            seen += text(pilot)
        assert "401" in seen
        assert "sk-wrong" not in seen

    live.play(script, live.graph(ASKING), size=(120, 40))
    assert all("sk-wrong" not in repr(row) for row in live.store.rows("r-1"))


def test_an_overloaded_server_is_asked_again_after_a_wait(live: Bench, server: FakeServer) -> None:
    server.then(Refused(529, "Overloaded", "overloaded_error", None, {"retry-after": "0"}), Said("At last"))

    async def script(pilot: P) -> None:
        await go_live(pilot)
        await settle(pilot)
        assert live.load().values["letter"] == "At last"
        await press(pilot, "9")
        assert "overloaded (529)" in text(pilot)

    live.play(script, live.graph(ASKING), size=(120, 40))
