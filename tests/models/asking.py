"""Asking models at the fake server, and settings of such models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stepgraph.extras.providers.live import LiveModel
from stepgraph.models.catalog import make_client
from stepgraph.models.client import (
    CallEvent,
    CallPlace,
    CallWaits,
    CallWatch,
    Message,
    ModelReply,
    ModelRequest,
    TextCame,
)
from stepgraph.models.settings import ModelSettings, read_model
from tests.models.fake_server import FakeServer

KEY = "sk-test-1234567890-secret"


def settings_at(server: FakeServer, provider: str, **settings: object) -> dict[str, Any]:
    """Write the settings of a model at the server."""
    url = server.openai_url if provider == "openai" else server.address
    return {"provider": provider, "model": "m-1", "base_url": url, "retries": 0, **settings}


def read(table: dict[str, Any]) -> ModelSettings:
    """Read settings that are right."""
    wrong: list[str] = []
    model = read_model(table, ("models", "m"), lambda where, what: wrong.append(what))
    assert model is not None, wrong
    return model


def model_at(server: FakeServer, provider: str, **settings: object) -> LiveModel:
    """Make a model at the server."""
    model = make_client(read(settings_at(server, provider, **settings)))
    assert isinstance(model, LiveModel)
    return model


class Watched:
    """A call that is watched: what was told of it."""

    def __init__(self, stopped: Callable[[], bool] | None = None, left: float | None = None) -> None:
        self.events: list[CallEvent] = []
        place = CallPlace("r-1", "draft", 1, "model", "default")
        self.watch = CallWatch(place, self.events.append, stopped, lambda: left)

    @property
    def text(self) -> str:
        """The text that came."""
        return "".join(self.pieces)

    @property
    def pieces(self) -> list[str]:
        """The text that came, piece by piece."""
        return [event.text for event in self.events if isinstance(event, TextCame) and not event.is_thought]

    @property
    def thoughts(self) -> str:
        """What the model thought."""
        return "".join(
            event.text for event in self.events if isinstance(event, TextCame) and event.is_thought
        )

    @property
    def waits(self) -> list[tuple[float, str]]:
        """The waits before further attempts."""
        return [(event.seconds, event.why) for event in self.events if isinstance(event, CallWaits)]


def ask(model: LiveModel, text: str = "hello", watched: Watched | None = None, **request: Any) -> ModelReply:
    """Ask a model one thing."""
    messages = request.pop("messages", (Message("user", text),))
    return model.reply(ModelRequest(messages, **request), (watched or Watched()).watch)
