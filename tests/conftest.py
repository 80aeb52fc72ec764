"""What holds for every test: a home of its own, no network, and property tests that leave no files."""

from __future__ import annotations

import gc
import socket
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.examples import ALL
from tests.servers.postgres import postgres_server
from tests.servers.redis import own_redis, redis_server, shared_redis

__all__ = ["own_redis", "postgres_server", "redis_server", "shared_redis"]  # found where they are imported

settings.register_profile("stepgraph", database=None, deadline=None, max_examples=100 if ALL else 25)
settings.register_profile("fuzz", database=None, deadline=None, max_examples=1_000)  # for "make fuzz"
settings.load_profile("stepgraph")


_USUAL = gc.get_threshold()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests stay: no garbage is looked for in them, and more seldom in what tests leave."""
    gc.disable()
    gc.set_threshold(10_000)  # an app makes so much that searches were a quarter of its test
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def frozen_once() -> Iterator[None]:
    """Nothing is frozen or thawed after that: what a test leaves is garbage, and no process ends with it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)
        patch.setattr(gc, "unfreeze", lambda: None)
        yield


@pytest.fixture
def usual_garbage() -> Iterator[None]:
    """Garbage is looked for as often as in users' processes, for a test that weighs memory."""
    seldom = gc.get_threshold()
    gc.set_threshold(*_USUAL)
    yield
    gc.set_threshold(*seldom)


LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Counted here: for each folder that pytest counts it looks at all that there are."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folders are the test's own, and no setting of the developer's machine reaches it."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name, folder in {
        "XDG_CACHE_HOME": ".cache",
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
    }.items():
        monkeypatch.setenv(name, str(home / folder))
    for name in ("STEPGRAPH_HOME", "STEPGRAPH_STORE", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only servers on this machine can be reached."""
    connect = socket.socket.connect

    def connect_to_loopback(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            pytest.fail(f"a test reached for the network: {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_to_loopback)
