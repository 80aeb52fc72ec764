"""Providers of packages, by entry points; scripted models; and catalogs that make each model once."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from stepgraph.models import providers
from stepgraph.models.catalog import ModelCatalog
from stepgraph.models.client import ChatModel, LLMClient
from stepgraph.models.messages import ModelReply, ModelRequest
from stepgraph.models.providers import make_client
from stepgraph.models.settings import ModelSettings
from stepgraph.models.settings_tables import read_model
from stepgraph.models.watch import CallWatch
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


def test_an_unknown_provider_is_refused_with_those_of_packages_in_mind() -> None:
    wrong: list[str] = []
    assert (
        read_model({"provider": "ecco", "model": "m"}, ("models", "m"), lambda at, what: wrong.append(what))
        is None
    )
    assert wrong == ["models.m: there is no provider 'ecco' (did you mean 'echo'?)"]
    with pytest.raises(ModelError, match="there is no provider 'ecco'"):
        make_client(ModelSettings({"provider": "ecco"}))


def test_a_scripted_model_gives_its_replies_in_order() -> None:
    client = make_client(read({"provider": "scripted", "replies": ["one\ntwo", "three"]}))
    assert isinstance(client, ChatModel)
    watched = Watched()
    replies = [client.reply(ModelRequest(()), watched.watch) for _ in range(3)]
    assert [reply.text for reply in replies] == ["one\ntwo", "three", "three"]
    assert watched.pieces == ["one\n", "two", "three", "three"]
    assert replies[0].cost == 0


def test_a_catalog_makes_each_model_once_when_it_is_first_asked() -> None:
    catalog = ModelCatalog({"a": read({"provider": "echo"}), "b": read({"provider": "echo"})})
    assert (list(catalog), len(catalog), "a" in catalog, "c" in catalog) == (["a", "b"], 2, True, False)
    assert Echo.made == 0
    first: LLMClient = catalog["a"]
    assert catalog["a"] is first
    assert Echo.made == 1
    catalog.close()
    assert isinstance(first, Echo)
    assert first.closed


def test_a_closed_catalog_has_no_models_and_only_advises() -> None:
    catalog = ModelCatalog({"default": read({"provider": "echo"})}).closed()
    assert (list(catalog), len(catalog), "default" in catalog) == ([], 0, False)
    with pytest.raises(KeyError):
        catalog["default"]
    assert catalog.why_not("default") == "the model 'default' is not asked: the run is not live"
    assert catalog.advice("default") == "run or retry it with --live, or give the node `replies`"
    assert catalog.why_not("defualt") == "the model 'defualt' is not configured"
    assert catalog.advice("defualt").startswith(
        "did you mean 'default'?; type `stepgraph models add defualt`; then"
    )
    assert Echo.made == 0


def test_a_process_of_a_worker_answers_with_the_settings_of_its_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stepgraph.workers.hand import answering_of
    from stepgraph_tui.cli.worker import ANSWERING

    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path))
    assert list(answering_of(ANSWERING).models) == []
    (tmp_path / "settings.toml").write_text('[models.default]\nprovider = "echo"\n')
    assert list(answering_of(ANSWERING).models) == ["default"]
    assert list(answering_of("").models) == []
