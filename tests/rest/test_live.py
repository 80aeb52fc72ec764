"""A server whose runs ask models, where it was told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Executor, MemoryStore, RunError, RunStatus
from stepgraph.files import read_graph
from stepgraph.models.catalog import ModelCatalog
from stepgraph.runs.answering import Answering
from stepgraph.runs.modes import mode_of
from stepgraph_tui.server.driver import ThreadDriver
from stepgraph_tui.server.service import Service
from tests.models.asking import read, settings_at
from tests.models.fake_server import FakeServer, Said

GRAPH = """
format = 1
name = "ask"
start = "draft"

[nodes.draft]
type = "llm"
prompt = "Write."
replies = ["scripted"]

[[edges]]
from = "draft"
to = "END"
"""


@pytest.mark.parametrize(("live", "response", "asked"), [(True, "a poem", 1), (False, "scripted", 0)])
def test_runs_of_clients_ask_models_only_where_the_server_is_live(
    tmp_path: Path, live: bool, response: str, asked: int
) -> None:
    file = tmp_path / "ask.toml"
    file.write_text(GRAPH)
    app = read_graph(file).compile()
    with FakeServer(Said("a poem")) as server, MemoryStore() as store:
        answering = Answering(ModelCatalog({"default": read(settings_at(server, "openai"))}))
        driver = ThreadDriver(store, {}, lambda *_: None, answering=answering)
        service = Service(store, {"ask": app}, driver, live=live)
        try:
            going = service.start("ask", {}, run_id="r-1")
            going.future.result(60)
        finally:
            driver.close()
            answering.close()
        assert store.load("r-1").pointer.status is RunStatus.ENDED
        assert store.values("r-1", store.load("r-1").pointer.version)["response"] == response
        assert len(server.requests) == asked
        assert mode_of(store, "r-1").live is live


def test_a_live_run_of_somebody_else_asks_no_model_of_a_server_that_is_not_live(tmp_path: Path) -> None:
    file = tmp_path / "ask.toml"
    file.write_text(GRAPH)
    app = read_graph(file).compile()
    with FakeServer(Said("a poem")) as server, MemoryStore() as store:
        Executor(app, store, live=True).start({}, "theirs")
        answering = Answering(ModelCatalog({"default": read(settings_at(server, "openai"))}))
        answering.drives_live = False
        driver = ThreadDriver(store, {}, lambda *_: None, answering=answering)
        try:
            with pytest.raises(RunError, match="the run is live, and this process asks no models"):
                driver.drive("theirs").result(60)
        finally:
            driver.close()
            answering.close()
        assert store.load("theirs").pointer.status is RunStatus.READY
        assert server.requests == []
