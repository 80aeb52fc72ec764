"""The app on a store of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App

from stepgraph.stores.memory import MemoryStore
from stepgraph_tui import terminal
from stepgraph_tui.dialogs import questions
from stepgraph_tui.dialogs.approval import arming
from stepgraph_tui.documents import disk
from stepgraph_tui.widgets.chrome import status_lines
from tests.app import gates
from tests.app.bench import Bench
from tests.app.hearing import PATIENCE
from tests.app.idling import IdleTime
from tests.app.parsed_once import parse_once
from tests.app.turning import wait_by_turns
from tests.app.unseen import leave_unseen

PAINTED = {
    "test_bad_input",
    "test_design_bad_input",
    "test_graph_marks",
    "test_idle",
    "test_journey",
    "test_painting",
    "test_snapshots",
}
"""The tests whose apps paint each change, as they do in a terminal; the others paint what is looked at."""


@pytest.fixture(autouse=True, scope="session")
def styles_parsed_once() -> Iterator[None]:
    """Apps share the rules of their style sheets."""
    with pytest.MonkeyPatch.context() as patch:
        parse_once(patch)
        yield


@pytest.fixture(autouse=True, scope="session")
def waited_for_by_turns() -> Iterator[None]:
    """No app is given up because the machine is busy, nor taken for idle."""
    with pytest.MonkeyPatch.context() as patch:
        wait_by_turns(patch)
        yield


@pytest.fixture(autouse=True)
def seen_or_not(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is painted that no test looks at."""
    if request.path.stem not in PAINTED:
        leave_unseen(monkeypatch)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the app gives up when it takes too long may take as long as a busy machine needs."""
    for name in ("edges", "pane"):
        monkeypatch.setattr(f"stepgraph_tui.widgets.why.{name}.thread_time", lambda: 0.0)
    monkeypatch.setattr(disk, "_PATIENCE", PATIENCE)
    monkeypatch.setattr(terminal, "_SECONDS", PATIENCE)
    monkeypatch.setattr(status_lines, "_SECONDS", dict.fromkeys(status_lines._SECONDS, PATIENCE))
    monkeypatch.setattr(terminal, "_LONGEST", PATIENCE)
    monkeypatch.setattr(terminal, "_LOOKS", PATIENCE / terminal._LOOK)
    monkeypatch.setattr(App, "NOTIFICATION_TIMEOUT", PATIENCE)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """The app, in which the keys of dialogs count at once, and copies go to the terminal and a file alone."""
    monkeypatch.setattr(terminal, "_TOOLS", ())
    monkeypatch.setattr(arming, "QUIET", 0.0)
    monkeypatch.setattr(questions, "QUIET", 0.0)
    bench = Bench(tmp_path)
    yield bench
    bench.store.close()


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> IdleTime:
    """Time that stands still, and counts what is written to the terminal."""
    return IdleTime(monkeypatch)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[gates.Gate]:
    """The gate that the nodes of gated graphs run into; nothing waits at it when the test is over."""
    gate = gates.Gate()
    monkeypatch.setattr(gates, "gate", gate)
    yield gate
    gate.open()


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    """A store of the test's own."""
    with MemoryStore() as store:
        yield store
