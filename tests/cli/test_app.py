"""``stepgraph [FILE]``: what is told before the app opens, what it opens on, and what is told after it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.cli import app as app_command
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE
from tests.cli.calling import ASK, REFUND, Cli, Result

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


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        ((), "`stepgraph run FILE`"),
        (("graph.toml",), "`stepgraph run graph.toml`"),
        (("my graph.toml", "--store", "memory:"), "`stepgraph run 'my graph.toml'`"),
    ],
)
def test_without_a_terminal_it_names_the_command_that_needs_none(
    cli: Cli, words: tuple[str, ...], instead: str
) -> None:
    refused(cli(*words), 2, "there is no terminal", instead, "`stepgraph demo`")
    assert not (cli.folder / "runs.db").exists()


@pytest.mark.parametrize("piped", ["stdin", "stdout", "stderr"])
def test_a_terminal_is_needed_on_all_three_streams(
    cli: Cli, piped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in {"stdin", "stdout", "stderr"} - {piped}:
        monkeypatch.setattr(getattr(sys, name), "isatty", lambda: True, raising=False)
    refused(cli(REFUND), 2, "there is no terminal")


# What cannot be opened


def test_a_file_that_is_not_there_is_told_with_those_that_are(cli: Cli, opened: Opened) -> None:
    cli.graph(ASK, "refunds.toml")
    refused(
        cli("refund.toml"), 1, "refund.toml: error F001: there is no such", "did you mean 'refunds.toml'?"
    )
    refused(cli("elsewhere/refunds"), 1, "there is no such file")
    assert not opened
    assert not (cli.folder / "runs.db").exists()


def test_a_folder_is_no_graph_file(cli: Cli, opened: Opened) -> None:
    (cli.folder / "graphs").mkdir()
    refused(cli("graphs"), 1, "graphs: error F002: it is a folder", "give the path of a .toml file")
    assert not opened


def test_a_name_that_no_file_can_have_is_one_message(cli: Cli, opened: Opened) -> None:
    refused(cli("x" * 5000), 1, "it cannot be read: File name too long")
    refused(cli("a\0b.toml"), 1, "it cannot be read", r"a\x00b.toml")
    assert not opened


@pytest.mark.parametrize(
    ("store", "said"),
    [
        ("ftp://runs", "there is no kind of store 'ftp'"),
        ("", "the address of the store is empty"),
        ("sqlite:runs.db", "names no file"),
        (".", "."),
    ],
)
def test_a_store_that_cannot_be_opened_is_told_before_the_app_opens(
    cli: Cli, opened: Opened, store: str, said: str
) -> None:
    refused(cli(REFUND, "--store", store), 1, said, "hint: ")
    assert not opened


def test_a_store_that_is_no_store_is_left_as_it_is(cli: Cli, opened: Opened) -> None:
    file = cli.folder / "runs.db"
    file.write_bytes(b"not a database" * 500)
    refused(cli(), 1, "runs.db")
    assert file.read_bytes() == b"not a database" * 500
    assert not opened


# What is not understood


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nonsense",), "there is no command 'nonsense' (there are: new, check, show"),
        (("rnu",), "there is no command 'rnu' (did you mean 'run'?)"),
        (("--store", "memory:", "approvls"), "did you mean 'approvals'?"),
        (("graph.toml", "--store"), "argument --store: expected one argument"),
        (("graph.toml", "other.toml"), "'other.toml' is one argument too many"),
        (("graph.toml", "--stroe", "memory:"), "there is no option --stroe (did you mean --store?)"),
    ],
)
def test_what_is_not_understood_opens_nothing(
    cli: Cli, opened: Opened, words: tuple[str, ...], said: str
) -> None:
    refused(cli(*words), 2, said)
    assert not opened


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
    refused(cli("--as", " "), 2, "is no name")
    assert not opened


def test_without_a_file_it_opens_at_home(cli: Cli, opened: Opened) -> None:
    assert cli().code == 0
    assert [path_of(app) for app in opened] == [None]


def test_a_file_without_the_usual_ending_is_a_graph_file_too(cli: Cli, opened: Opened) -> None:
    file = cli.graph(ASK, "refunds")
    assert cli("refunds").code == 0
    assert [path_of(app) for app in opened] == [Path(file.name)]


def test_the_default_store_need_not_be_named_by_commands(
    cli: Cli, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEPGRAPH_STORE")
    assert cli().code == 0
    assert opened[0].context.address is None
    assert (cli.folder / "home" / "runs.db").exists()


def test_a_store_in_memory_is_one_for_all_and_is_said_to_be_lost(cli: Cli, opened: Opened) -> None:
    result = cli("--store", "memory:")
    assert result.code == 0
    assert "this store is in memory" in result.err
    desk = opened[0].context
    assert desk.connect() is desk.store


def test_settings_that_are_wrong_are_remarked_on_and_the_app_opens(cli: Cli, opened: Opened) -> None:
    (cli.folder / "home").mkdir()
    (cli.folder / "home" / "settings.toml").write_text("ascii = 'always'\nthme = 'dark'\n", encoding="utf-8")
    assert cli().code == 0
    assert 'there is no setting "thme"' in "".join(opened[0]._remarks)
    assert opened[0].context.glyphs is ASCII
    (cli.folder / "home" / "settings.toml").write_text("ascii = 'never'\n", encoding="utf-8")
    assert cli().code == 0
    assert opened[1].context.glyphs is UNICODE


# What is told at the end


def test_the_last_words_of_the_app_are_told_whole(
    cli: Cli, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["1 approval pending:", f"  r-1 review: stepgraph approvals show a-1 {'--store x ' * 20}\x1b[31m"]
    monkeypatch.setattr(StepgraphApp, "run", lambda self: words)
    result = cli()
    assert result.code == 0
    assert result.err.splitlines() == [words[0], words[1].replace("\x1b", r"\x1b")]
    assert not result.out


def test_an_app_that_broke_down_gives_exit_1(
    cli: Cli, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(self: StepgraphApp) -> None:
        self._return_code = 1

    monkeypatch.setattr(StepgraphApp, "run", run)
    assert cli().code == 1


def test_a_bug_of_the_app_is_one_message_and_a_file_to_report(
    cli: Cli, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(self: StepgraphApp) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(StepgraphApp, "run", run)
    refused(cli(), 1, "this is a bug in Stepgraph: ValueError: a bug", str(cli.folder / "home"))
