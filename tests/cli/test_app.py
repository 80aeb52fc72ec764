"""``stepgraph [FILE]``: what is told before the app opens, what it opens on, and what is told after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.cli import app as app_command
from tests.cli.calling import REFUND, Cli, Result

Opened = list[StepgraphApp]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a terminal, as far as the command can tell."""
    monkeypatch.setattr(app_command, "_at_a_terminal", lambda: True)


@pytest.fixture
def opened(terminal: None, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """The apps that were opened; each is left at once."""
    apps: Opened = []

    def run(self: StepgraphApp) -> list[str] | None:
        apps.append(self)
        return None

    monkeypatch.setattr(StepgraphApp, "run", run)
    return apps


def path_of(app: StepgraphApp) -> Path | None:
    return app._path


def refused(result: Result, code: int, *words: str) -> None:
    """The command was refused with these words, and nothing else."""
    assert result.code == code, result.err
    for word in words:
        assert word in result.err
    assert "Traceback" not in result.err
    assert not result.out


# Without a terminal


# What cannot be opened


# What is not understood


# What is opened


@pytest.mark.parametrize(
    "words",
    [
        lambda file, store: [file, "--store", store],
        lambda file, store: ["--store", store, file],
        lambda file, store: [f"--store={store}", file],
    ],
)
def test_the_file_and_the_store_may_be_named_in_any_order(
    cli: Cli, opened: Opened, words: Callable[[Any, str], list[Any]]
) -> None:
    store = f"sqlite:///{cli.folder / 'other.db'}"
    assert cli(*words(REFUND, store)).code == 0
    (app,) = opened
    assert path_of(app) == REFUND
    assert (app.context.address, app.context.store.url) == (store, store)
    assert (cli.folder / "other.db").exists()
    assert not (cli.folder / "runs.db").exists()


@pytest.mark.parametrize(
    "words",
    [["--as", "ben"], ["--as=ben", REFUND], [REFUND, "--as", "ben"], ["--store", "runs.db", "--as", "ben"]],
)
def test_who_decides_in_the_app_can_be_said_when_it_opens(cli: Cli, opened: Opened, words: list[Any]) -> None:
    assert cli(*words).code == 0
    assert [app.context.settings.name for app in opened] == ["ben"]


def test_a_name_that_names_nobody_opens_nothing(cli: Cli, opened: Opened) -> None:
    refused(cli("--as", " "), 2, "is not a name")
    assert not opened


def test_a_store_in_memory_is_one_for_all_and_is_said_to_be_lost(cli: Cli, opened: Opened) -> None:
    result = cli("--store", "memory:")
    assert result.code == 0
    assert "this store is in memory" in result.err
    desk = opened[0].context
    assert desk.connect() is desk.store


# What is told at the end
