"""stepgraph tools: the list, and calling a tool by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.calling import Cli
from tests.cli.test_trust import Terminal

SERVERS = Path(__file__).parents[1] / "tools" / "servers"

GRAPH = """
format = 1
name = "g"
start = "n"
[tools.show]
command = [PYTHON, "-c", "import sys; print(sys.argv[1:])", "{{ word }}", "--", "{{ many }}"]
[tools.show.arguments]
word = "text"
many = { type = "list", default = [] }
[tools.find]
handler = "people:find"
requires_approval = true
[tools.ready]
returns = { done = true }
[nodes.n]
type = "tool"
tool = "show"
arguments = { word = "a" }
[[edges]]
from = "n"
to = "END"
"""
PEOPLE = "def find(name: str, limit: int = 5) -> dict:\n    return {'found': name, 'limit': limit}\n"


@pytest.fixture
def graph(cli: Cli) -> Path:
    return cli.graph(GRAPH.replace("PYTHON", json.dumps(sys.executable)), people=PEOPLE)


def configure(cli: Cli, **servers: list[str]) -> None:
    home = cli.folder / "home"
    home.mkdir(exist_ok=True)
    lines = [f"[mcp.{name}]\ncommand = {json.dumps(words)}" for name, words in servers.items()]
    (home / "settings.toml").write_text("\n".join(lines), encoding="utf-8")


def test_without_any_tools_it_says_where_they_are_written(cli: Cli) -> None:
    result = cli("tools")
    assert (result.code, result.out) == (0, "")
    assert "there are no tools: write [mcp.NAME] into" in result.err
    assert cli("tools", "--json").json == []


def test_a_tool_of_a_graph_is_called_once_it_is_trusted(cli: Cli, graph: Path) -> None:
    words = ("tools", "call", "show", "--file", graph, "--set", "word=; rm -rf x", "--set", 'many=["-x"]')
    refused = cli(*words)
    assert refused.code == 6
    assert "runs Python code and commands you haven't trusted yet" in refused.err
    assert "command of tool show: " in refused.err
    called = cli(*words, "--trust")
    assert (called.code, called.json["output"]) == (0, "['; rm -rf x', '--', '-x']\n")
    assert cli("tools", "call", "find", "--file", graph, "--set", "name=7").json == {"found": "7", "limit": 5}
    assert cli("tools", "call", "ready", "--file", graph).json == {"done": True}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("tools", "call"), 2, "name the tool to call"),
        (("tools", "a.toml", "b.toml"), 2, "one FILE at most"),
        (("tools", "--set", "a=1"), 2, "go with `tools call NAME`"),
        (("tools", "gone.toml"), 1, "gone.toml"),
        (("tools", "call", "nobody/there"), 1, "write [mcp.nobody] in the settings"),
    ],
)
def test_what_cannot_be_done_is_said(cli: Cli, words: tuple[str, ...], code: int, said: str) -> None:
    result = cli(*words)
    assert result.code == code
    assert said in result.err


def test_the_tools_of_servers_are_listed_called_and_known_afterwards(cli: Cli) -> None:
    pytest.importorskip("mcp")
    configure(cli, t=[sys.executable, str(SERVERS / "tools_server.py")], gone=["nix-da"])
    listed = cli("tools")
    assert listed.code == 1, "one server is not there"
    assert "t/add" in listed.out
    assert "a: number, b?: number" in listed.out
    assert "there is no program 'nix-da'" in listed.err
    assert cli("tools", "call", "t/add", "--set", "a=2").json == {"sum": 3}
    assert "takes a number" in cli("tools", "call", "t/add", "--set", "a=x").err
    text = """
format = 1
name = "g"
start = "n"
[nodes.n]
type = "tool"
tool = "t/add"
arguments = { c = 1 }
[[edges]]
from = "n"
to = "END"
"""
    configure(cli, t=[sys.executable, str(SERVERS / "tools_server.py")])
    checked = cli("check", cli.graph(text))
    assert checked.code == 0
    assert "unknown argument 'c'" in checked.out
    assert "no argument 'a'" in checked.out
    configure(cli)
    assert "whose server is not configured here" in cli("check", cli.graph(text)).out


OPEN = """
format = 1
name = "g"
start = "n"
[state.tool_call]
default = { name = "files/write_file", arguments = { path = "x" } }
[nodes.n]
type = "tool"
[[edges]]
from = "n"
to = "END"
"""


def test_a_node_that_may_call_any_tool_is_asked_about_as_such(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(cli, files=["touch", "x"], search=["touch", "x"])
    graph = cli.graph(OPEN.replace('type = "tool"', 'type = "tool"\ntools = "any"'))
    assert "node n: any tool of your servers" in cli("run", graph).err
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    asked = cli("run", graph)
    assert asked.code == 6
    assert "any tool of your servers (now: files, search), also of those that you add later" in asked.err
