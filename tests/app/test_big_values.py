"""Big values in the state: the pane says how large they are, and loads one when it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepgraph import Executor, SqliteStore
from stepgraph.stores.base import StateStore
from stepgraph.values.json_values import Json
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.widgets.state.rows import Mode
from tests.app.state_panes import WIDE, Host, chain, shown

DOC = "All of it. " * 10_000
VAULT = "v" * 70_000
HIDDEN = "tok-8812-secret"
LOADED = "KB, not loaded yet"


class Looked:
    """A run in a file as the app looks at it, and the hashes of the big values that were loaded for that."""

    def __init__(self, store: StateStore, *updates: dict[str, Any], **keys: Any) -> None:
        executor = Executor(chain(*updates, **keys).compile(), store)
        executor.run(executor.start({"n": 0}, run_id="r-1"))
        self.view = RunView(store, "r-1")
        self.loaded: list[str] = []
        real = store.big_value

        def loading(run_id: str, hash_: str) -> Json:
            self.loaded.append(hash_)
            return real(run_id, hash_)

        store.big_value = loading  # type: ignore[method-assign]  # to hear of it

    def host(self, step: int | None = None, mode: Mode = "diff") -> Host:
        host = Host(RunSnapshot.now(self.view) if step is None else RunSnapshot.at(self.view, step))
        host.pane.mode = mode
        return host


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore(tmp_path / "runs.db", durability="normal") as opened:
        yield opened


# acceptance 108
def test_looking_at_steps_loads_no_big_value(store: SqliteStore) -> None:
    run = Looked(store, {"doc": DOC}, {"n": 1}, {"doc": DOC + "more"}, {"copy": DOC}, {"doc": None})
    lines = [shown(run.host(step, "after"), size=WIDE) for step in range(6)]
    assert run.loaded == []
    assert [sum(LOADED in line for line in each) for each in lines] == [0, 1, 1, 1, 2, 1]
    diffs = ["\n".join(shown(run.host(step), size=WIDE)) for step in range(6)]
    assert run.loaded == []
    assert "+   doc  107 KB, not loaded yet" in diffs[1]
    assert "~   doc  107 KB, not loaded yet" in diffs[3]
    assert "-   doc   107 KB, not loaded yet" in diffs[5]
    assert "~   doc" not in diffs[2] + diffs[4]


# acceptance 108
def test_a_secret_stays_hidden_in_a_value_that_is_loaded(store: SqliteStore) -> None:
    secret = {"secret": True, "default": HIDDEN}
    run = Looked(store, {"doc": f"{HIDDEN} {DOC}"}, {"vault": VAULT}, token=secret, vault={"secret": True})
    host = run.host(1)
    lines = shown(host, "enter", size=WIDE)
    said: Any = host.said
    title, value = said[0]
    assert title == "doc"
    assert HIDDEN not in value
    assert value.endswith(DOC)
    assert HIDDEN not in "\n".join(lines)
    host = run.host(2)
    shown(host, "enter", size=WIDE)
    assert VAULT not in str(host.said)
    assert len(run.loaded) == 1, "what is hidden is not even loaded"
