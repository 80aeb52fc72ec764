"""Count what one key, one request, one command and one step pass through: ``python -m bench.journeys``.

Each journey is made once before, so that everything is imported. Counted are the calls of our functions in
all threads; those of libraries and of Python itself are not.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from textual.pilot import Pilot

from stepgraph import Executor, SqliteStore
from stepgraph.files import examples_dir, read_graph
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.cli import main
from stepgraph_tui.context import AppContext
from stepgraph_tui.remembered import Remembered, RememberedPlace
from stepgraph_tui.server.driver import ThreadDriver
from stepgraph_tui.server.guard import AccessRules
from stepgraph_tui.server.pages import Site
from stepgraph_tui.server.service import Service
from stepgraph_tui.settings import Settings
from tests.rest.client import Client

from .measure import ROOT, work_folder

_OURS = tuple(str(ROOT / folder) for folder in ("core/stepgraph", "tui/stepgraph_tui"))
_GRAPH = examples_dir() / "refund_triage.toml"


class Journeys:
    """Counts the calls of our functions, in all threads that began after it was made."""

    def __init__(self) -> None:
        self._calls: Counter[CodeType] = Counter()
        self._is_open = False
        threading.setprofile(self._seen)
        sys.setprofile(self._seen)

    def _seen(self, frame: FrameType, event: str, arg: object) -> None:
        if self._is_open and event == "call" and frame.f_code.co_filename.startswith(_OURS):
            self._calls[frame.f_code] += 1

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what is called until the end of the block."""
        self._calls.clear()
        self._is_open = True
        try:
            yield
        finally:
            self._is_open = False

    def told(self, what: str) -> str:
        """Say how many functions, files and calls were counted last."""
        files = {code.co_filename for code in self._calls}
        calls = sum(self._calls.values())
        return f"{what}: {len(self._calls):,} functions in {len(files):,} files, {calls:,} calls"


def report() -> Iterator[str]:
    """Make each journey, and say what it passed through."""
    journeys = Journeys()
    try:
        with work_folder() as folder, SqliteStore(folder / "runs.db") as store:
            executor = Executor(read_graph(_GRAPH).compile(), store)
            yield _a_step(journeys, executor)
            yield _a_page(journeys, executor, store)
            yield _a_decision(journeys, executor, store)
            yield asyncio.run(_a_key(journeys, executor, store, folder))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _a_step(journeys: Journeys, executor: Executor) -> str:
    run = executor.start({}, run_id="r-step")
    executor.step(run)
    with journeys.counting():
        executor.step(run)
    return journeys.told("a durable step")


def _a_page(journeys: Journeys, executor: Executor, store: SqliteStore) -> str:
    executor.run(executor.start({}, run_id="r-page"))
    for _ in range(2):
        with journeys.counting(), contextlib.redirect_stdout(io.StringIO()):
            main(["runs", "show", "r-page", "--store", store.url])
    return journeys.told("stepgraph runs show, of a run that waits")


def _a_decision(journeys: Journeys, executor: Executor, store: SqliteStore) -> str:
    driver = ThreadDriver(store, {}, lambda what, error: None)
    site = Site(Service(store, {}, driver), AccessRules("127.0.0.1", None), str, lambda what, error: None)
    client = Client(site.app)
    for number in range(2):
        review = executor.run(executor.start({}, run_id=f"r-decided-{number}")).pending
        if review is None:
            raise SystemExit("the refund waits for nobody")
        body = {"decision": "approve", "hash": review.hash, "by": "ana"}
        with journeys.counting():
            answer = client("POST", f"/api/v1/reviews/{review.id}/decision", body)
        if answer.status != 200:
            raise SystemExit(f"the decision was refused: {answer.text}")
    driver.close()
    return journeys.told("a decision over REST")


async def _a_key(journeys: Journeys, executor: Executor, store: SqliteStore, folder: Path) -> str:
    run = executor.start({}, run_id="r-key")
    remembered = Remembered.load(folder / "remembered.json")
    remembered.note_opened(_GRAPH)
    remembered.keep(_GRAPH, RememberedPlace(run=run.id))
    context = AppContext(store, lambda: SqliteStore(store.path), Settings(), remembered)
    app = StepgraphApp(context, _GRAPH)
    app.animation_level = "none"
    async with app.run_test(size=(120, 40)) as pilot:
        for steps in (1, 2):
            await _quiet(pilot)
            with journeys.counting():
                await pilot.press("s")
                while store.load(run.id).pointer.step < steps:
                    await pilot.pause(0.01)
                await _quiet(pilot)
    return journeys.told("one s in the app, to the painted frame")


async def _quiet(pilot: Pilot[Any]) -> None:
    """Wait until the app has nothing left to do."""
    for _ in range(20):
        await pilot.pause(0.01)


if __name__ == "__main__":
    for line in report():
        print(line)
