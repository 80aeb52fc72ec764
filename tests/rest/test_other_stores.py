"""The server over a store that is a server itself."""

from __future__ import annotations

from stepgraph.stores import open_store
from tests.rest.conftest import Serve
from tests.servers.postgres import PostgresServer

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
