"""Models under the control of a test: each piece of a reply comes when the test says so."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass, field
from typing import Any

from stepgraph.models.catalog import ModelCatalog
from stepgraph.models.client import CallWatch, ModelReply, ModelRequest, Usage
from stepgraph.models.settings import ModelSettings
from stepgraph.tools.registry import ToolRegistry
from stepgraph.values.declared import checked_table
from stepgraph_tui.connections import Connections
from tests.app.hearing import PATIENCE

SETTINGS = checked_table(
    ModelSettings,
    {
        "provider": "openai",
        "model": "small-1",
        "key_env": "SMALL_KEY",
        "input_price": 0.5,
        "output_price": 2.0,
    },
)
ASKING = """
format = 1
name = "asking"
start = "draft"

[state.letter]
type = "text"

[nodes.draft]
type = "llm"
prompt = "Write a letter."
output = "letter"
replies = ["scripted letter"]

[nodes.check]
type = "llm"
prompt = "Check {{ letter }}"
output = "verdict"
replies = ["scripted verdict"]

[[edges]]
from = "draft"
to = "check"

[[edges]]
from = "check"
to = "END"
"""
"""A graph with two nodes that have scripted replies, and ask the model ``default`` in a live run."""


@dataclass(frozen=True)
class Wait:
    """The model has the call wait before it is made again."""

    seconds: float
    why: str


Part = str | Wait | ModelReply | Exception


@dataclass
class FedModel:
    """Replies what it is fed: pieces of text, waits, an error, and at last a whole reply."""

    provider: str = "openai"
    asked: list[ModelRequest] = field(default_factory=list)
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _parts: queue.SimpleQueue[Part] = field(default_factory=queue.SimpleQueue)

    def feed(self, *parts: Part) -> None:
        """Have it say something."""
        for part in parts:
            self._parts.put(part)

    def answer(self, text: str, cost: float | None = 0.0025) -> None:
        """Have it end its reply, whose whole text this is."""
        self.feed(ModelReply(text, usage=Usage(1_200, 34), cost=cost, model="small-1-0801"))

    def generate(self, prompt: str) -> str:
        raise AssertionError("it is asked by reply")

    def reply(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        self.asked.append(request)
        self.begun.release()
        while True:
            watch.check()
            try:
                part: Any = self._parts.get(timeout=0.005)
            except queue.Empty:
                continue
            match part:
                case str():
                    watch.text(part)
                case Wait():
                    watch.waits(part.seconds, part.why)
                case ModelReply():
                    return part
                case _:
                    raise part

    def wait(self) -> None:
        """Wait until it is asked."""
        assert self.begun.acquire(timeout=PATIENCE)


class FedCatalog(ModelCatalog):
    """The models of a test in the place of those of the settings."""

    def __init__(self, **models: FedModel) -> None:
        super().__init__(dict.fromkeys(models, SETTINGS))
        self._fed = models

    def __getitem__(self, alias: str) -> FedModel:
        return self._fed[alias]


def connected(**models: FedModel) -> Connections:
    """Connections to models of the test, by alias."""
    return Connections(FedCatalog(**models), ToolRegistry())
