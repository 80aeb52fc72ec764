"""The description of the server holds: schemathesis reads it, and tries what it says."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from stepgraph_tui.server.api import OPERATIONS
from tests.examples import ALL
from tests.rest.conftest import Served


def test_everything_that_is_described_is_there_and_nothing_else(served: Served) -> None:
    described = served.client()("GET", "/openapi.json").json
    found = {(method.upper(), path) for path, each in described["paths"].items() for method in each}
    assert found == {(each.method, each.path) for each in OPERATIONS}
    start = described["paths"]["/api/v1/agent-executions/start"]["post"]
    assert start["parameters"][0]["schema"]["enum"] == ["ask"]


TRIED = settings(
    max_examples=40 if ALL else 6,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


NOTHING_TO_GET_WRONG = ("GET /health", "GET /api/v1/reviews")
"""They take nothing."""
ACCEPTED = positive_data_acceptance
"""What fits is taken; but which inputs and nodes fit is the graph's to say, which another parameter names."""


@pytest.mark.parametrize(
    ("operation", "mode"),
    [
        (f"{each.method} {each.path}", mode)
        for each in OPERATIONS
        for mode in schemathesis.GenerationMode
        if mode.is_positive or f"{each.method} {each.path}" not in NOTHING_TO_GET_WRONG
    ],
)
def test_answers_fit_the_description_whatever_is_sent(
    served: Served, operation: str, mode: schemathesis.GenerationMode
) -> None:
    served.pause()
    client = served.client()
    schema = schemathesis.openapi.from_dict(client("GET", "/openapi.json").json)
    schema.app = client.app
    method, path = operation.split()
    left_out: list[Any] = [ACCEPTED] if path.endswith("/start") else []
    strategy = schema[path][method].as_strategy(generation_mode=mode)

    @TRIED
    @given(case=strategy)
    def try_it(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(headers={"Host": "127.0.0.1:8000"}, excluded_checks=left_out)

    try_it()
    assert served.failures == []
