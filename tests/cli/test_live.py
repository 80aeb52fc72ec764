"""``--live``: who is asked and at what price, what is told while they answer, and what it took."""

from __future__ import annotations

import json
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
replies = ["canned"]

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


def test_a_live_run_names_whom_it_asks_and_tells_what_it_took(cli: Cli, server: FakeServer) -> None:
    server.then(Said("a poem", usage=(1000, 500)), Said("fine"))
    done = cli("run", "ask.toml", "--live", "--run-id", "r-1")
    assert done.code == 0
    where = server.address.removeprefix("http://")
    assert f"default: openai gpt-x at {where}, $1.00 in, $2.00 out a million tokens; for draft" in done.err
    assert f"critic: anthropic claude-x at {where}, price not known; for check" in done.err
    assert "models: 2 calls, 1,012 + 507 tokens, $0.002, 1 call at an unknown price" in done.err
    assert "a poem" in done.out
    assert KEY not in done.out + done.err


def test_canned_answers_of_a_server_that_is_not_configured_are_told_of(cli: Cli, server: FakeServer) -> None:
    tools = '[tools."files/read".returns]\ntext = "canned"\n[tools.other.returns]\ntext = "canned"\n'
    Path("ask.toml").write_text(GRAPH + tools, encoding="utf-8")
    done = cli("run", "ask.toml", "--live")
    assert "files/read gives canned answers: the settings have no [mcp.files]" in done.err
    with settings_file().open("a") as settings:
        settings.write('\n[mcp.files]\ncommand = ["true"]\n')
    assert "gives canned answers" not in cli("run", "ask.toml", "--live").err
    assert "other gives" not in done.err


def test_without_live_nobody_is_asked(cli: Cli, server: FakeServer) -> None:
    done = cli("run", "ask.toml")
    assert done.code == 1
    assert "the model 'critic' is not asked: the run is not live" in done.err
    assert "run or retry it with --live" in done.err
    assert server.requests == []


def test_without_settings_it_says_what_to_type(cli: Cli, server: FakeServer) -> None:
    settings_file().unlink()
    scripted, live = cli("run", "ask.toml"), cli("run", "ask.toml", "--live")
    for done in (scripted, live):
        assert done.code == 1
        assert "`stepgraph models add " in done.err
    assert "node 'draft' asks the model 'default', which is not configured" in live.err
    assert cli("runs", "--json").out.count('"id"') == 1, "the live run was not even begun"


def test_a_missing_key_is_said_before_the_run_begins(
    cli: Cli, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_KEY")
    done = cli("run", "ask.toml", "--live")
    assert done.code == 1
    assert "the model 'default': its key is missing: the variable TEST_KEY is not set" in done.err
    assert cli("runs", "--json").out.strip() == "[]"


def test_wrong_settings_are_told_where_somebody_goes_live(cli: Cli, server: FakeServer) -> None:
    settings_file().write_text('[models.default]\nprovider = "opnai"\n')
    done = cli("run", "ask.toml", "--live")
    assert (
        "settings.toml:2: models.default: there is no provider 'opnai' (did you mean 'openai'?)" in done.err
    )


@pytest.mark.parametrize(("answer", "asked"), [("y\n", 2), ("n\n", 0), ("", 0)])
def test_somebody_at_a_terminal_is_asked_first(
    cli: Cli, server: FakeServer, monkeypatch: pytest.MonkeyPatch, answer: str, asked: int
) -> None:
    import io
    import sys

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    done = cli("run", "ask.toml", "--live")
    assert done.code == 0
    assert "Ask them? [y/N]" in done.err
    assert len(server.requests) == asked
    assert ("nothing ran, and nobody was asked" in done.err) is (asked == 0)


def test_a_run_goes_on_in_its_own_mode(cli: Cli, server: FakeServer) -> None:
    server.then(Said("a poem"), *FAULTS["401"], Said("fine"))
    assert cli("run", "ask.toml", "--live", "--run-id", "r-1").code == 1
    done = cli("retry", "r-1", "--json")
    assert done.code == 0
    data = json.loads(done.out)
    assert (data["mode"], data["values"]["verdict"]) == ("LIVE", "fine")
    assert data["spending"]["calls"] == 3
    assert data["spending"]["input_tokens"] == 24
    assert data["spending"]["sources"] == ["live"]


def test_a_scripted_run_can_go_on_live(cli: Cli, server: FakeServer) -> None:
    assert cli("run", "ask.toml", "--run-id", "r-1").code == 1
    server.then(Said("fine"))
    done = cli("retry", "r-1", "--live")
    assert done.code == 0
    assert "run r-1 goes on live" in done.err
    assert "this run is LIVE; it asks:" in done.err
    shown = cli("runs", "show", "r-1").out
    assert "MIXED" in shown
    assert "1 call, 12 + 7 tokens, 1 call at an unknown price" in shown


def test_a_run_may_spend_so_much_and_more_when_it_is_said(cli: Cli, server: FakeServer) -> None:
    server.then(Said("a poem", usage=(90, 10)), Said("fine"))
    done = cli("run", "ask.toml", "--live", "--run-id", "r-1", "--max-tokens", "100")
    assert done.code == 1
    assert "it may spend 100 tokens" in done.err
    assert "the run has used 100 tokens, and max_tokens = 100" in done.err
    again = cli("retry", "r-1", "--max-tokens", "1000")
    assert again.code == 0
    assert len(server.requests) == 2
    assert "it may spend 1,000 tokens" in cli("runs", "show", "r-1").out


@pytest.mark.parametrize("words", [["--max-cost", "0"], ["--max-cost", "x"], ["--max-tokens", "1.5"]])
def test_a_limit_that_is_none_is_refused(cli: Cli, server: FakeServer, words: list[str]) -> None:
    assert cli("run", "ask.toml", "--live", *words).code == 2


def test_waits_are_told(cli: Cli, server: FakeServer) -> None:
    server.then(
        Refused(529, "Overloaded", "overloaded_error", None, {"retry-after": "0"}), Said("a"), Said("b")
    )
    done = cli("run", "ask.toml", "--live")
    assert done.code == 0
    assert "the model default asks again: it is overloaded (529): Overloaded" in done.err


def test_a_reply_is_shown_line_by_line_where_a_terminal_reads(
    cli: Cli, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    text = "A first line.\nA second one that is longer than the terminal is wide, and \x1b[2J stays a text."
    server.then(Said(text), Said("fine"))
    done = cli("run", "ask.toml", "--live")
    assert done.code == 0
    rows = [row.rpartition("\x1b[K")[2] for row in done.err.split("\n")]
    quoted = [row for row in rows if row.startswith("  | ")]
    assert quoted[0] == "  | A first line."
    assert quoted[1].startswith("  | A second one that is longer than")
    assert all(len(row) <= 40 for row in quoted)
    assert "\x1b[2J" not in done.err
    assert quoted[-1] == "  | fine"


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


def test_a_missing_library_is_said_before_the_run_begins(
    cli: Cli, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    before = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "anthropic" else before(name)
    )
    done = cli("run", "ask.toml", "--live")
    assert done.code == 1
    assert "the model 'critic': the library of anthropic is not installed" in done.err
    assert "pip install 'stepgraph[anthropic]'" in done.err


def test_models_are_listed_without_their_keys(
    cli: Cli, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = cli("models")
    assert listed.code == 0
    assert "TEST_KEY is set" in listed.out
    assert "no key" in listed.out
    data = json.loads(cli("models", "--json").out)
    assert [model["alias"] for model in data] == ["default", "critic"]
    assert data[0]["key"] == {"from": "variable", "name": "TEST_KEY", "is_there": True}
    assert (data[0]["input_price"], data[1]["input_price"]) == (1.0, None)
    monkeypatch.delenv("TEST_KEY")
    assert "TEST_KEY is not set" in cli("models").out
    assert KEY not in listed.out + json.dumps(data)


def test_no_models_says_how_to_add_one(cli: Cli) -> None:
    done = cli("models")
    assert done.code == 0
    assert "stepgraph models add default" in done.err
    assert json.loads(cli("models", "--json").out) == []


def test_a_model_is_added_and_the_comments_stay(cli: Cli, server: FakeServer) -> None:
    before = settings_file().read_text()
    words = ["--provider", "openai", "--model", "m", "--base-url", server.openai_url]
    done = cli("models", "add", "third", *words, "--input-price", "0", "--output-price", "0.5")
    assert done.code == 0
    assert settings_file().read_text().startswith(before)
    assert "stepgraph models test third" in done.err
    tried = cli("models", "test", "third", "--json")
    assert tried.code == 0
    data = json.loads(tried.out)
    assert data["reply"].startswith("You said: Reply with one word")
    assert data["cost"] == pytest.approx(7 * 0.5 / 1e6)


def test_the_first_model_makes_the_file(cli: Cli) -> None:
    assert cli("models", "add", "--provider", "ollama", "--model", "qwen3:8b").code == 0
    text = settings_file().read_text()
    assert text.startswith("[models.default]\n")
    assert 'base_url = "http://localhost:11434/v1"' in text
    assert "key_env" not in text
    assert cli("models", "add", "other", "--provider", "anthropic", "--model", "c").code == 0
    assert 'key_env = "ANTHROPIC_API_KEY"' in settings_file().read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "default", "--provider", "openai", "--model", "m"], "there is a model 'default' already"),
        (["add", "a b", "--provider", "openai", "--model", "m"], "'a b' cannot name a model"),
        (["add", "x", "--provider", "opnai", "--model", "m"], "there is no provider 'opnai'"),
        (["add", "x", "--provider", "openai"], 'it names no model: give model = "..."'),
        (["add", "x"], "it is not said whose model it is"),
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
    assert "[models.b] cannot be added to; it is unchanged" in done.err
    assert settings_file().read_text() == text


def test_a_model_that_fails_its_test_says_why(cli: Cli, server: FakeServer) -> None:
    server.then(*FAULTS["401"])
    done = cli("models", "test")
    assert done.code == 1
    assert "the model 'default': its key was refused (401)" in done.err
    assert "look at TEST_KEY" in done.err
