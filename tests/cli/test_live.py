"""``--live``: who is asked and at what price, what is told while they answer, and what it took."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph_tui.text.system import settings_file
from tests.cli.calling import Cli
from tests.models.asking import KEY
from tests.models.fake_server import FAULTS, Endless, FakeServer, Refused, Said

GRAPH = """
format = 1
name = "ask"
start = "draft"

[nodes.draft]
type = "llm"
prompt = "Write."
replies = ["scripted"]

[nodes.check]
type = "llm"
model = "critic"
prompt = "Check: {{ response }}"
output = "verdict"

[[edges]]
from = "draft"
to = "check"

[[edges]]
from = "check"
to = "END"
"""


@pytest.fixture
def server(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server that both models of the settings are at, and the graph that asks them."""
    (tmp_path / "ask.toml").write_text(GRAPH)
    monkeypatch.setenv("TEST_KEY", KEY)
    with FakeServer() as listening:
        settings_file().parent.mkdir()
        settings_file().write_text(
            f"""
            # mine
            [models.default]
            provider = "openai"
            model = "gpt-x"
            base_url = "{listening.openai_url}"
            key_env = "TEST_KEY" # of the tests
            input_price = 1
            output_price = 2
            retries = 1
            [models.critic]
            provider = "anthropic"
            model = "claude-x"
            base_url = "{listening.address}"
            retries = 1
            """
        )
        yield listening


def test_wrong_settings_are_told_where_somebody_goes_live(cli: Cli, server: FakeServer) -> None:
    settings_file().write_text('[models.default]\nprovider = "opnai"\n')
    done = cli("run", "ask.toml", "--live")
    assert (
        "settings.toml:2: models.default: there is no provider 'opnai' (did you mean 'openai'?)" in done.err
    )


@pytest.mark.parametrize("words", [["--max-cost", "0"], ["--max-cost", "x"], ["--max-tokens", "1.5"]])
def test_a_limit_that_is_none_is_refused(cli: Cli, server: FakeServer, words: list[str]) -> None:
    assert cli("run", "ask.toml", "--live", *words).code == 2


def test_waits_are_told(cli: Cli, server: FakeServer) -> None:
    server.then(
        Refused(529, "Overloaded", "overloaded_error", None, {"retry-after": "0"}), Said("a"), Said("b")
    )
    done = cli("run", "ask.toml", "--live")
    assert done.code == 0
    assert "retrying model default: it is overloaded (529): Overloaded" in done.err


def test_a_reply_is_shown_line_by_line_where_a_terminal_reads(
    cli: Cli, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    text = "A first line.\nA second one that is longer than the terminal is wide, and \x1b[2J stays a text."
    server.then(Said(text), Said("fine", "Is it?\nIt is."))
    done = cli("run", "ask.toml", "--live", "--run-id", "r-1")
    assert done.code == 0
    rows = [row.rpartition("\x1b[K")[2] for row in done.err.split("\n")]
    quoted = [row for row in rows if row.startswith("  | ")]
    assert quoted[0] == "  | A first line."
    assert quoted[1].startswith("  | A second one that is longer than")
    assert all(len(row) <= 40 for row in quoted)
    assert "\x1b[2J" not in done.err
    assert quoted[-3:] == ["  | [thinking] Is it?", "  | It is.", "  | fine"]
    shown = cli("runs", "show", "r-1", "--step", "2").out
    assert "  | [thinking] Is it?\n  | It is.\n" in shown


def test_ctrl_c_stops_a_reply_in_the_middle(
    cli: Cli, server: FakeServer, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    import signal

    from stepgraph_tui.cli.live import CallNarrator

    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, heard))
    before = CallNarrator.hear

    def hear(self: CallNarrator, event: object) -> None:
        before(self, event)  # type: ignore[arg-type]  # as it came
        if type(event).__name__ == "TextCame":
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(CallNarrator, "hear", hear)
    monkeypatch.setattr("os._exit", lambda code: None)  # further words raise further signals
    server.then(Endless("on "))
    server.delay = 0.001
    done = cli("run", "ask.toml", "--live", "--run-id", "r-1")
    assert done.code == 130
    assert "the model 'default' was stopped before its answer was whole" in done.err
    assert "stepgraph retry r-1" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "default", "--provider", "openai", "--model", "m"], "there is a model 'default' already"),
        (["add", "a b", "--provider", "openai", "--model", "m"], "'a b' cannot name a model"),
        (["add", "x", "--provider", "opnai", "--model", "m"], "there is no provider 'opnai'"),
        (["add", "x", "--provider", "openai"], 'it names no model: give model = "..."'),
        (["add", "x"], "the provider is missing"),
        (["add", "x", "--provider", "openai", "--model", "m", "--key-env", "sk-12"], "key_env is not right"),
        (["test", "nope"], "the model 'nope' is not configured"),
    ],
)
def test_what_cannot_be_added_or_tried_is_said_and_nothing_is_written(
    cli: Cli, server: FakeServer, words: list[str], said: str
) -> None:
    before = settings_file().read_text()
    done = cli("models", *words)
    assert done.code == 1
    assert said in done.err
    assert settings_file().read_text() == before


def test_settings_that_no_header_can_be_added_to_stay_as_they_are(cli: Cli, server: FakeServer) -> None:
    text = 'models = { a = { provider = "scripted", replies = ["x"] } }\n'
    settings_file().write_text(text)
    done = cli("models", "add", "b", "--provider", "openai", "--model", "m")
    assert done.code == 1
    assert "[models.b] cannot be added to; nothing was changed" in done.err
    assert settings_file().read_text() == text


def test_a_model_that_fails_its_test_says_why(cli: Cli, server: FakeServer) -> None:
    server.then(*FAULTS["401"])
    done = cli("models", "test")
    assert done.code == 1
    assert "the model 'default': its key was refused (401)" in done.err
    assert "look at TEST_KEY" in done.err
