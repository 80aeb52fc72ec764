"""The server over a store that is a server itself."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path

from stepgraph.stores import open_store
from tests.cli.calling import ASK, COUNT
from tests.rest.conftest import Serve
from tests.rest.serving import serving
from tests.servers.postgres import PostgresServer, running_server

RUNS = "/api/v1/agent-executions"


def test_a_run_is_decided_over_postgresql(serve: Serve, postgres_server: PostgresServer) -> None:
    served = serve(store=open_store(postgres_server.fresh_url()))
    client = served.client()
    review = client("POST", f"{RUNS}/start?graph=ask&executionId=e-1", {}).json["review"]
    said = {"decision": "approve", "review": review["id"], "hash": review["hash"], "by": "ana"}
    ended = client("POST", f"{RUNS}/e-1/resume", said).json
    assert (ended["status"], ended["visitHistory"]) == ("ended", ["ask", "pay"])
    assert client("POST", f"{RUNS}/e-1/resume", said).status == 409
    assert client("GET", f"{RUNS}/e-1/events", last_event_id="1").text.count("event: step") == 1


HELD = """
def work(state):
    open({pipe!r}).read()
    return {{"count": 9}}
"""


def test_a_store_that_goes_down_is_told_at_once_and_runs_go_on_when_it_is_back(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "ask.toml").write_text(ASK, encoding="utf-8")
    (tmp_path / "count.toml").write_text(COUNT, encoding="utf-8")
    (tmp_path / "work.py").write_text(HELD.format(pipe=str(pipe)), encoding="utf-8")
    home = str(tmp_path / "home")
    with running_server() as store, ExitStack() as stack:  # of its own, as it is stopped
        server = stack.enter_context(serving(tmp_path, store.fresh_url(), "--trust", STEPGRAPH_HOME=home))
        review = server.ask("POST", f"{RUNS}/start?graph=ask&executionId=e-1", {})[1]["review"]
        said = {"decision": "approve", "review": review["id"], "hash": review["hash"], "by": "ana"}
        assert server.ask("POST", f"{RUNS}/start?graph=count&executionId=c-1&wait=0")[0] == 202
        with pipe.open("w", encoding="utf-8"):  # the node reads from it
            store.stop()
        for method, path, body in (
            ("GET", f"{RUNS}/e-1", None),
            ("POST", f"{RUNS}/e-1/resume", said),
            ("POST", f"{RUNS}/start?graph=ask", {}),
            ("GET", f"{RUNS}/e-1/events", None),
        ):
            status, answer = server.ask(method, path, body)
            assert (status, answer["code"]) == (503, "S007")
            assert answer["hint"]
        assert "does not answer" in server.raw("GET", "/inbox", None, {})
        assert "owner@" not in server.raw("GET", "/health", None, {})  # where the store is, is for its owner
        assert server.hears("answered with 503 until it is back")
        store.start()
        assert server.hears("the store answers again")
        assert re.match(r"\d\d:\d\d:\d\d the store answers again", server.said[-1])
        assert server.ask("POST", f"{RUNS}/e-1/resume", said)[1]["status"] == "ended"
        assert '"outcome":"end"' in server.raw("GET", f"{RUNS}/c-1/events", None, {})
        told = server.ask("GET", f"{RUNS}/c-1")[1]
        assert (told["status"], told["visitHistory"]) == ("ended", ["work"])  # what the node did was not lost
        assert server.stop() == 0
