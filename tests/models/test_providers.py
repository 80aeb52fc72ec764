"""Both protocols by their official libraries: text as it comes, tools, schemas, tokens, and what is sent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stepgraph.extras.providers.live import LiveModel
from tests.models.asking import ask
from tests.models.fake_server import FakeServer, Raw, Said

Make = Callable[..., LiveModel]


def test_a_model_can_be_asked_outside_of_a_run(make: Make, provider: str) -> None:
    assert make(provider).generate("hi") == "You said: hi"


def test_a_key_does_not_follow_a_redirect(server: FakeServer, make: Make, provider: str) -> None:
    with FakeServer() as elsewhere:
        server.then(Raw(b"", 307, headers={"location": f"{elsewhere.address}/stolen"}))
        with pytest.raises(Exception, match=r"sends elsewhere \(307\)"):
            ask(make(provider, key_env="TEST_KEY"))
        assert elsewhere.requests == []


def test_an_empty_reply_is_a_reply(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Said(""))
    assert ask(make(provider)).text == ""
