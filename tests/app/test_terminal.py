"""At a real terminal: it belongs to the app, and nothing that nodes do reaches it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from stepgraph import END, Executor, SqliteStore, StateGraph
from stepgraph.stores.ledger import RunStatus
from tests.app.hearing import status_of
from tests.app.terminals import at_a_terminal

CHILD = Path(__file__).with_name("at_a_terminal.py")
SIZE = (91, 23)


class Seen:
    """What came of the child: its screen's bytes as text, its exit code, and its report."""

    def __init__(self, folder: Path, mode: str) -> None:
        self.store = folder / "runs.db"
        report = folder / "report.json"
        with at_a_terminal(sys.executable, CHILD, self.store, report, mode, size=SIZE) as terminal:
            self.code = terminal.end()
            self.screen = terminal.screen
        self.report: Any = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None


def error_of(store: SqliteStore) -> str:
    graph = StateGraph("noise", start="prints")
    graph.add_node("prints", lambda state: {})
    graph.add_node("asks", lambda state: {})
    graph.add_edge("prints", "asks")
    graph.add_edge("asks", END)
    return str(Executor(graph.compile(), store).load("r-1").error)


def test_the_screen_stays_clean_and_the_app_hears_everything(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "steps")
    assert seen.code == 0
    assert "THE APP IS HERE" in seen.screen
    assert "NOISE" not in seen.screen
    assert seen.report["size"] == list(SIZE)
    texts = {step: "" for step, _ in seen.report["printed"]}
    for step, text in seen.report["printed"]:
        texts[step] += text
    noise = ["a process", "logging", "print", "the number"]
    assert sorted(texts[1].splitlines()) == [f"NOISE of {one}" for one in noise]
    assert {**texts, 1: ""} == {1: "", 2: "NOISE of a question? "}
    assert seen.screen.rstrip().endswith("AFTER THE APP True True")
    with SqliteStore(seen.store) as store:
        assert status_of(store, "r-1") == (RunStatus.FAILED, 1, "asks")
        assert "raised EOFError" in error_of(store)


def test_a_debugger_in_a_node_gets_no_terminal_that_nobody_lends_and_the_node_goes_on(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "debug")
    assert seen.code == 0
    assert "Pdb" not in seen.screen
    assert any("did not stop: " in text for _, text in seen.report["printed"])
    with SqliteStore(seen.store) as store:
        assert status_of(store, "r-1")[0] is RunStatus.ENDED


def test_a_bug_of_the_app_is_shown_on_the_terminal(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "crash")
    assert "A BUG OF THE APP" in seen.screen.split("\x1b[?1049l")[-1]  # after the app left its screen
    assert "NOISE" not in seen.screen
    assert "AFTER THE APP True True" in seen.screen


def test_a_node_that_hangs_holds_up_no_quitting(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "hang")
    assert seen.code == 0
    assert "AFTER THE APP" in seen.screen
    with SqliteStore(seen.store) as store:
        assert status_of(store, "r-1") == (RunStatus.READY, 1, "asks")
