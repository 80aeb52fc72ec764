"""The app itself in a browser: its screen comes through, and only its own page opens it."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession, CookieJar, WSServerHandshakeError

from stepgraph.stores import open_store
from stepgraph.values.errors import StepgraphError
from stepgraph_tui.cli.output import Output
from stepgraph_tui.cli.serve import _browser_app
from stepgraph_tui.server import browser_app
from stepgraph_tui.server import listening as connections
from stepgraph_tui.server.browser_app import refuse_remote
from stepgraph_tui.server.guard import AccessRules
from stepgraph_tui.server.listening import bound
from tests.cli.calling import ASK
from tests.rest.serving import Running, serving
from tests.servers.postgres import PostgresServer

TOKEN = "a-token-of-many-letters"  # noqa: S105 - of the tests alone


async def status_of(session: ClientSession, url: str, **settings: Any) -> int:
    """Ask for a page, and read all of it."""
    async with session.get(url, **settings) as answer:
        await answer.read()
        return answer.status


async def opened(
    session: ClientSession, url: str, until: bytes, then: Callable[[], object] = lambda: None, **headers: str
) -> None:
    """Open the app as its page does, until it shows something, and do something while it runs."""
    async with session.ws_connect(f"{url}/ws?width=80&height=24", headers={"Origin": url, **headers}) as app:
        painted = b""
        while until not in painted:
            message = await app.receive()
            assert isinstance(message.data, (bytes, str)), painted
            painted += message.data if isinstance(message.data, bytes) else b""
        then()


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for what processes have as Linux tells it")
def test_without_a_token_one_is_made_which_opens_the_app_and_is_nowhere_but_in_its_address(
    tmp_path: Path,
) -> None:
    graph = tmp_path / "ask.toml"
    graph.write_text(ASK, encoding="utf-8")

    async def look(server: Running) -> None:
        url = f"http://127.0.0.1:{server.ports[1]}"
        async with asyncio.timeout(60), ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:
            for path in (
                "/",
                "/?token=",
                "/?token=another-token-of-many-letters",
                "/ws",
                "/static/js/textual.js",
            ):
                sent = await session.get(url + path, headers={"Origin": url}, allow_redirects=False)
                assert (sent.status, sent.headers["Location"]) == (302, f"{server.url}/login")
            with pytest.raises(WSServerHandshakeError):
                await session.ws_connect(f"{url}/ws", headers={"Origin": url})
            assert await status_of(session, f"{server.url}/api/v1/reviews") == 401
            logged_in = await session.get(f"http://localhost:{server.ports[1]}/?token={server.token}")
            assert (logged_in.status, str(logged_in.url)) == (200, f"{url}/")
            await opened(session, url, b"NO RUN", then=lambda: known(server))
            assert await status_of(session, f"{server.url}/api/v1/reviews") == 200

    def known(server: Running) -> None:
        """Look at the server and the app while both run."""
        for pid in (server.process.pid, youngest(server.process.pid)):
            for part in ("cmdline", "environ"):
                assert server.token.encode() not in Path(f"/proc/{pid}/{part}").read_bytes()

    store, home = tmp_path / "runs.db", str(tmp_path / "home")
    with serving(graph, store, "--web", STEPGRAPH_HOME=home, STEPGRAPH_TOKEN="") as server:
        assert len(server.token) == 32
        asyncio.run(look(server))
        assert server.stop() == 0
        assert "".join(server.said).count(server.token) == 1


EVIL = """
import pathlib
from stepgraph import END, StateGraph

pathlib.Path(__file__).with_name("it-ran").touch()
graph = StateGraph("evil", start="only")
graph.add_node("only", lambda state: {})
graph.add_edge("only", END)
"""


def test_who_has_the_token_gets_no_code_of_his_own_to_run(tmp_path: Path) -> None:
    graph = tmp_path / "ask.toml"
    graph.write_text(ASK, encoding="utf-8")
    (tmp_path / "evil.py").write_text(EVIL, encoding="utf-8")

    async def attack(url: str, shows_token: dict[str, str]) -> bytes:
        async with (
            asyncio.timeout(60),
            ClientSession(headers=shows_token) as session,
            session.ws_connect(f"{url}/ws?width=160&height=40", headers={"Origin": url}) as app,
        ):
            painted = b""
            for keys, shown in (
                ("\x0f", b"NO RUN"),
                (f"{tmp_path}/evil.py:graph\r", b"Open a graph"),
                ("yf", b"stepgraph run"),
                ("\x1b", b"Esc"),
            ):
                while shown not in painted:
                    painted += (await app.receive()).data
                await app.send_json(["stdin", keys])
            while b"not trusted" not in painted:
                painted += (await app.receive()).data
        return painted

    with serving(graph, tmp_path / "runs.db", "--web", STEPGRAPH_HOME=str(tmp_path / "home")) as server:
        painted = asyncio.run(attack(f"http://127.0.0.1:{server.ports[1]}", server.shows_token))
    assert b"Nothing can be trusted in a browser" in painted
    assert not (tmp_path / "it-ran").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes as Linux lists them")
def test_the_app_ends_with_its_server_also_when_that_is_killed(tmp_path: Path) -> None:
    graph = tmp_path / "ask.toml"
    graph.write_text(ASK, encoding="utf-8")
    handles: list[int] = []

    async def look(server: Running) -> None:
        def kill() -> None:
            handles.append(os.pidfd_open(youngest(server.process.pid)))
            os.kill(server.process.pid, signal.SIGKILL)

        async with asyncio.timeout(60), ClientSession(headers=server.shows_token) as session:
            await opened(session, f"http://127.0.0.1:{server.ports[1]}", b"NO RUN", then=kill)

    with serving(graph, tmp_path / "runs.db", "--web", STEPGRAPH_HOME=str(tmp_path / "home")) as server:
        asyncio.run(look(server))
        ended, _, _ = select.select(handles, [], [], 60)
        os.close(handles[0])
    assert ended


def youngest(pid: int) -> int:
    """Follow a process to the last of its children's children: the app, behind a shell or not."""
    started = [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text("ascii").split()
    ]
    return youngest(started[-1]) if started else pid


def test_with_a_token_the_app_asks_for_it_too(tmp_path: Path) -> None:
    graph = tmp_path / "ask.toml"
    graph.write_text(ASK, encoding="utf-8")

    async def look(url: str) -> None:
        async with ClientSession() as session:
            sent = await session.get(url, allow_redirects=False)
            assert sent.status == 302
            assert sent.headers["Location"].endswith("/login")
            assert await status_of(session, url, headers={"Authorization": f"Bearer {TOKEN}"}) == 200

    with serving(graph, tmp_path / "runs.db", "--web", STEPGRAPH_TOKEN=TOKEN) as server:
        asyncio.run(look(f"http://127.0.0.1:{server.ports[1]}"))
        assert server.stop() == 0
        assert TOKEN not in "".join(server.said)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "box.example"])  # noqa: S104 - refused
def test_the_app_is_never_served_to_other_machines(host: str) -> None:
    with pytest.raises(StepgraphError, match="the app is not served on"):
        refuse_remote(host)
    refuse_remote("localhost")


def test_who_opens_one_app_too_many_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_app, "AT_ONCE", 0)

    async def look() -> None:
        with bound("127.0.0.1", 0) as listening:
            app = browser_app.BrowserApp("true", listening, AccessRules("127.0.0.1", None), "")
            async with app.serving(), ClientSession() as session:
                answer = await session.get(app.url)
                assert answer.status == 503
                assert (await answer.json())["hint"] == "close one of them"
                with pytest.raises(WSServerHandshakeError) as refused:
                    await session.ws_connect(f"{app.url}/ws", headers={"Origin": app.url})
                assert refused.value.status == 503

    asyncio.run(look())


def test_the_port_of_the_app_has_the_same_bounds_as_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are one process, which may have so many files open."""
    monkeypatch.setattr(connections, "PER_ADDRESS", 3)

    async def half(url: str) -> None:
        address = urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(b"GET / HTTP/1.1\r\nHost:")
        with suppress(ConnectionResetError):
            await reader.read()
        writer.close()

    async def look() -> None:
        with bound("127.0.0.1", 0) as listening:
            app = browser_app.BrowserApp("true", listening, AccessRules("127.0.0.1", TOKEN), "/login")
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with asyncio.timeout(60), app.serving(), ClientSession(headers=headers) as session:
                assert await status_of(session, app.url) == 200
                halves = {asyncio.create_task(half(app.url)) for _ in range(20)}
                while len(halves) > 3:
                    _, halves = await asyncio.wait(halves, return_when=asyncio.FIRST_COMPLETED)
                async with ClientSession(headers=headers) as other:
                    assert await status_of(other, app.url) == 200
                assert await status_of(session, app.url) == 200
            await asyncio.gather(*halves)

    asyncio.run(look())


@pytest.mark.parametrize("part", ["", "GET / HTTP/1.1\r\nHost:"])
def test_the_port_of_the_app_gives_who_does_not_show_the_token_little_time(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setattr(browser_app, "UNAUTHENTICATED_PATIENCE", 0.05)

    async def look() -> None:
        with bound("127.0.0.1", 0) as listening:
            app = browser_app.BrowserApp("true", listening, AccessRules("127.0.0.1", TOKEN), "/login")
            async with asyncio.timeout(60), app.serving():
                reader, writer = await asyncio.open_connection(*listening.socket.getsockname())
                writer.write(part.encode())
                with suppress(ConnectionResetError):  # it was ended before what was sent on it was read
                    assert await reader.read() == b""
                writer.close()

    asyncio.run(look())


def test_no_list_of_processes_has_the_password_of_the_store(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPGRAPH_STORE", "")
    address = postgres_server.url(user="owner:s3cret", schema="browsed")
    access, files = AccessRules("127.0.0.1", None), [tmp_path]
    with open_store(address) as store, bound("127.0.0.1", 0) as listening:
        app = _browser_app(Namespace(files=files), Output(store=address), store, listening, access, "")
    assert "s3cret" not in app.command
    assert os.environ["STEPGRAPH_STORE"] == address  # it gets in all the same
    assert "--store" not in app.command
