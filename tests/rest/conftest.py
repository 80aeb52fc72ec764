"""A service over a store of the test's own, and the site above it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stepgraph.files import grant, read_graph
from stepgraph.stores.base import StateStore
from stepgraph.stores.memory import MemoryStore
from stepgraph_tui.server.driver import ThreadDriver
from stepgraph_tui.server.guard import AccessRules
from stepgraph_tui.server.pages import Site
from stepgraph_tui.server.service import Service
from tests.cli.calling import ASK
from tests.rest.client import Client
from tests.rest.holding import HOLD, Hold


@dataclass
class Served:
    """A service, what it told, and its site."""

    service: Service
    driver: ThreadDriver
    folder: Path
    log: list[str] = field(default_factory=list)
    failures: list[tuple[str, BaseException]] = field(default_factory=list)

    def client(self, host: str = "127.0.0.1", token: str | None = None, **headers: str) -> Client:
        access = AccessRules(host, token)
        return Client(Site(self.service, access, self.log.append, self.failed).app, **headers)

    def failed(self, what: str, error: BaseException) -> None:
        self.failures.append((what, error))

    def pause(self, run_id: str = "e-1") -> dict[str, str]:
        """Start the asking graph, and give what a decision on its review names."""
        self.service.start("ask", {}, run_id=run_id).future.result()
        review = self.service.read(run_id).review
        assert review is not None
        return {"review": review.id, "hash": review.hash}


Serve = Callable[..., Served]
HELD = """
from tests.rest.holding import HOLD

def work(state):
    HOLD.entered.set()
    HOLD.go.wait(60)
    return {"count": state["count"] + 1}
"""
"""A module whose node waits until the test lets it go."""


@pytest.fixture
def hold() -> Iterator[Hold]:
    """What the node waits for; the end of the test lets it go."""
    HOLD.entered.clear()
    HOLD.go.clear()
    yield HOLD
    HOLD.go.set()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve graphs, given as the texts of their files with the modules that they name."""
    with ExitStack() as stack:

        def make(
            *texts: str,
            store: StateStore | None = None,
            any_start: bool = False,
            threads: int = 4,
            **modules: str,
        ) -> Served:
            for name, code in modules.items():
                (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
            graphs = {}
            for number, text in enumerate(texts or (ASK,)):
                path = tmp_path / f"graph{number}.toml"
                path.write_text(text, encoding="utf-8")
                app = read_graph(path).compile()
                grant(app)
                graphs[app.name] = app
            kept = stack.enter_context(store if store is not None else MemoryStore())
            failures: list[tuple[str, BaseException]] = []
            known = {app.definition_hash: app for app in graphs.values()}
            driver = ThreadDriver(kept, known, lambda what, error: failures.append((what, error)), threads)
            stack.callback(driver.close)
            service = Service(kept, graphs, driver, any_start=any_start)
            return Served(service, driver, tmp_path, failures=failures)

        yield make


@pytest.fixture
def served(serve: Serve) -> Served:
    """The asking graph, served."""
    return serve()
