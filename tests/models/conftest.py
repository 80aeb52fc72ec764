"""A fake server, and models of both protocols that ask it by their official libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from stepgraph.extras.providers.live import LiveModel
from tests.models.asking import KEY, model_at
from tests.models.fake_server import FakeServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server that says back what it is told, until it is told what to answer."""
    monkeypatch.setenv("TEST_KEY", KEY)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "sk-of-the-user-0987654321")
    with FakeServer() as listening:
        yield listening


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    """Each of the two protocols."""
    return str(request.param)


@pytest.fixture
def make(server: FakeServer) -> Iterator[Callable[..., LiveModel]]:
    """Makes models that ask the server."""
    made: list[LiveModel] = []

    def make(provider: str, **settings: object) -> LiveModel:
        made.append(model_at(server, provider, **settings))
        return made[-1]

    yield make
    for model in made:
        model.close()
