"""Servers of tools, and commands, that mean no good: nothing hangs, floods, or tells a secret."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stepgraph.extras.mcp.server import McpServer, read_servers
from stepgraph.tools.command_part import CommandPart
from stepgraph.tools.commands import CommandTool
from stepgraph.tools.registry import hidden, without_secrets
from stepgraph.values.declared import checked_table
from stepgraph.values.errors import StepgraphError

pytest.importorskip("mcp")

SCRIPT = Path(__file__).parent / "servers" / "hostile_server.py"
SECRET, FOLDER = "tok-0123456789/abc", "/srv/shop/files"
Make = Callable[[str], McpServer]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Make]:
    """Makes servers that are given a secret and a folder."""
    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    monkeypatch.setenv("SHOP_FOLDER", FOLDER)
    made: list[McpServer] = []

    def make(how: str) -> McpServer:
        table = {"command": [sys.executable, str(SCRIPT), how], "env": ["SHOP_TOKEN", "SHOP_FOLDER"]}
        made.append(McpServer("t", read_servers({"t": table}, lambda where, what: pytest.fail(what))["t"]))
        return made[-1]

    yield make
    for server in made:
        server.close()


def test_a_pattern_that_takes_for_ever_holds_nothing_up(make: Make) -> None:
    assert make("pattern").tool("t").execute({}) == {"x": "a" * 40 + "!"}


def test_a_schema_that_goes_round_in_circles_is_none_of_our_business(make: Make) -> None:
    assert make("round").tool("t").execute({})["folder"] == FOLDER


def test_tools_that_nobody_could_ask_for_are_left_out(make: Make) -> None:
    assert [spec.name for spec in make("names").specs()] == ["t", "about"]


def test_a_page_that_leads_to_itself_is_the_last(make: Make) -> None:
    assert [spec.name for spec in make("one page").specs()] == ["t"]


def test_tools_without_end_are_refused(make: Make) -> None:
    with pytest.raises(StepgraphError, match="more than 10,000 tools"):
        make("many").specs()


def test_what_a_server_says_of_a_failure_is_shown_as_it_is(make: Make) -> None:
    with pytest.raises(StepgraphError) as caught:
        make("escapes").tool("t").execute({})
    assert caught.value.message == "tool 't/t' failed: no \\u001b[31mred\nwhy\\u202e"


def test_a_secret_is_not_in_what_a_server_answers_or_is_kept_of_it(make: Make, tmp_path: Path) -> None:
    found = make("plain").tool("t").execute({})
    assert found == {"folder": FOLDER, "all": [{"***": "Bearer ***"}]}
    about = {spec.name: spec.description for spec in make("names").specs()}
    assert about["about"] == "for ***"
    kept = [path.read_text() for path in (tmp_path / "home" / "mcp").iterdir()]
    assert len(kept) == 2
    assert all(SECRET not in text for text in kept)


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_secret_is_not_in_what_a_command_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, output: str
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    monkeypatch.setenv("SHOP_FOLDER", FOLDER)
    code = "import os; print('[\"' + os.environ['SHOP_TOKEN'] + '\", \"' + os.environ['SHOP_FOLDER'] + '\"]')"
    table: dict[str, Any] = {"command": [sys.executable, "-c", code], "env": ["SHOP_TOKEN", "SHOP_FOLDER"]}
    part = checked_table(CommandPart, {**table, "output": output})
    said = str(CommandTool("t", part, tmp_path).execute({})["output"])
    assert "***" in said
    assert FOLDER in said
    assert SECRET not in said


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        *(
            (name, True)
            for name in ("TOKEN", "GITHUB_TOKEN", "OPENAI_API_KEY", "PGPASSWORD", "SHOP_TOKEN_FILE")
        ),
        *((name, False) for name in ("PWD", "GIT_AUTHOR_NAME", "HOME", "MONKEY", "SHOP_FOLDER")),
    ],
)
def test_which_variables_are_secret_by_their_names(
    monkeypatch: pytest.MonkeyPatch, name: str, is_secret: bool
) -> None:
    monkeypatch.setenv(name, "a-value-of-it")
    assert (without_secrets({"x": ["a-value-of-it"]}, [name]) == {"x": ["***"]}) is is_secret
    assert without_secrets("a-value-of-it", [], [name]) == "***"
    assert hidden("a-value-of-it", [name]) == "***"
