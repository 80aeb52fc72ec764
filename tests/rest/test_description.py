"""The description of the server holds: schemathesis reads it, and tries what it says."""

from __future__ import annotations

from stepgraph_tui.server.api import OPERATIONS
from tests.rest.conftest import Served


def test_everything_that_is_described_is_there_and_nothing_else(served: Served) -> None:
    described = served.client()("GET", "/openapi.json").json
    found = {(method.upper(), path) for path, each in described["paths"].items() for method in each}
    assert found == {(each.method, each.path) for each in OPERATIONS}
    start = described["paths"]["/api/v1/agent-executions/start"]["post"]
    assert start["parameters"][0]["schema"]["enum"] == ["ask"]
