"""Providers of packages, by entry points; scripted models; and catalogs that make each model once."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from stepgraph.models import catalog as providers
from stepgraph.models.catalog import make_client
from stepgraph.models.client import CallWatch, ChatModel, ModelReply, ModelRequest
from stepgraph.models.settings import ModelSettings
from stepgraph.values.errors import ModelError
from tests.models.asking import Watched, read


class Echo:
    """A provider of a package: says what it was told."""

    provider = "echo"
    made = 0

    def __init__(self, settings: ModelSettings) -> None:
        Echo.made += 1
        if settings.model == "broken":
            raise RuntimeError("no such thing")
        if settings.model == "refused":
            raise ModelError("it wants more", hint="give it more")
        self.closed = False

    def generate(self, prompt: str) -> str:
        return prompt

    def reply(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        watch.text(request.prompt())
        return ModelReply(request.prompt())

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that adds the provider ``echo``, and one that is broken."""
    points = [
        EntryPoint("echo", f"{__name__}:Echo", providers.GROUP),
        EntryPoint("gone", "no_such_module:Model", providers.GROUP),
    ]
    monkeypatch.setattr(providers, "_points", lambda: points)
    monkeypatch.setattr(
        EntryPoint, "load", lambda self: Echo if self.name == "echo" else __import__("gone_xyz")
    )
    Echo.made = 0


def test_a_provider_of_a_package_is_used_as_ours_are() -> None:
    client = make_client(read({"provider": "echo", "model": "any"}))
    assert isinstance(client, ChatModel)
    watched = Watched()
    assert client.reply(ModelRequest(()), watched.watch) == ModelReply("")


@pytest.mark.parametrize(
    ("provider", "model", "said"),
    [
        ("echo", "broken", "the provider 'echo' raised RuntimeError: no such thing"),
        ("echo", "refused", "it wants more"),
        ("gone", "m", "the provider 'gone' raised ModuleNotFoundError"),
    ],
)
def test_a_provider_that_fails_says_so(provider: str, model: str, said: str) -> None:
    with pytest.raises(ModelError) as caught:
        make_client(read({"provider": provider, "model": model}))
    assert said in caught.value.message
    assert caught.value.hint


def test_a_process_of_a_worker_answers_with_the_settings_of_its_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stepgraph.extras.workers.hand import answering_of
    from stepgraph_tui.cli.worker import ANSWERING

    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path))
    assert list(answering_of(ANSWERING).models) == []
    (tmp_path / "settings.toml").write_text('[models.default]\nprovider = "echo"\n')
    assert list(answering_of(ANSWERING).models) == ["default"]
    assert list(answering_of("").models) == []
