"""The description of the server holds: schemathesis reads it, and tries what it says."""

from __future__ import annotations

from fastapi.routing import APIRoute

from stepgraph_tui.server.api import router
from tests.rest.conftest import Served


def test_everything_that_is_described_is_there_and_nothing_else(served: Served) -> None:
    described = served.client()("GET", "/openapi.json").json
    found = {(method.upper(), path) for path, each in described["paths"].items() for method in each}
    routes = [route for route in router.routes if isinstance(route, APIRoute) and route.include_in_schema]
    routed = {(method, route.path) for route in routes for method in route.methods or ()}
    assert found == routed
    start = described["paths"]["/api/v1/agent-executions/start"]["post"]
    assert start["parameters"][0]["schema"]["enum"] == ["ask"]
