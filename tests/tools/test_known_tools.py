"""What is known of tools without running anything: in checks, and in Design's forms."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from stepgraph import StateGraph
from stepgraph.extras.mcp.server import McpSettings, keep_specs, kept_specs
from stepgraph.graphs.validation import check
from stepgraph.models.client import ToolSpec
from stepgraph.tools.known import KnownTools, known_tools
from stepgraph.tools.protocols import arguments_text
from stepgraph.tools.reading import spec_in_source
from stepgraph_tui.dialogs.design import NodeForm
from stepgraph_tui.dialogs.forms.completing import Offer, argument
from tests.app.forms import answers, design, told

READ = ToolSpec(
    "files/read",
    "Reads a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}, "any": {}},
        "required": ["path"],
    },
)
KNOWN = KnownTools({"files/read": READ}, frozenset({"files"}))


def graph(tool: str, arguments: dict[str, Any] | None) -> StateGraph:
    built = StateGraph("g", start="n")
    settings = {"tool": tool} | ({"arguments": arguments} if arguments is not None else {})
    built.declare_node("n", "tool", settings)
    built.add_edge("n", "END")
    return built


def codes(built: StateGraph, known: KnownTools | None = KNOWN) -> list[tuple[str, str]]:
    return [
        (problem.code, problem.hint)
        for problem in check(built, tools=known)
        if problem.code in ("G019", "G110", "G111", "G112")
    ]


TAKES = "it takes: path: text, limit?: number, any?: any"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"path": "a"}, []),
        ({"path": "a", "limit": 3, "any": []}, []),
        ({"paht": "a"}, [("G110", "did you mean 'path'?"), ("G111", TAKES)]),
        ({}, [("G111", TAKES)]),
        (None, []),
    ],
)
def test_arguments_of_a_known_tool_are_checked(
    arguments: dict[str, Any] | None, found: list[tuple[str, str]]
) -> None:
    assert codes(graph("files/read", arguments)) == found
    assert codes(graph("files/other", {"x": 1})) == [], "of what nobody has told of nothing is said"


def test_a_server_that_is_not_configured_is_a_warning_where_somebody_looked() -> None:
    assert codes(graph("mail/send", {})) == [("G112", "write [mcp.mail] in the settings")]
    assert codes(graph("mail/send", {}), None) == []
    scripted = graph("mail/send", {})
    scripted.add_tool("mail/send", returns={})
    assert codes(scripted) == []


@pytest.mark.parametrize(
    ("schema", "takes"),
    [
        (None, None),
        ({"type": "object", "properties": {"a": {}}}, None),
        ({"properties": {"a": {}}, "additionalProperties": {}}, None),
        ({"properties": {"a": {}}, "additionalProperties": False}, ("a",)),
        ({"additionalProperties": False}, ()),
        ({"properties": {"a": {}}, "patternProperties": {"b": {}}, "additionalProperties": False}, None),
    ],
)
def test_a_schema_takes_other_arguments_unless_it_forbids_them(
    schema: dict[str, Any] | None, takes: tuple[str, ...] | None
) -> None:
    assert ToolSpec("t", parameters=schema).takes == takes


def test_so_is_one_of_several_tools_that_a_node_may_call() -> None:
    built = StateGraph("g", start="n")
    built.declare_node("n", "tool", {"tools": ["files/read", "mail/send"]})
    built.add_edge("n", "END")
    (problem,) = [problem for problem in check(built, tools=KNOWN) if problem.code == "G112"]
    assert (problem.place.key, "'mail/send'" in problem.message) == ("tools", True)


def test_a_tool_that_takes_anything_takes_unknown_arguments() -> None:
    spec = ToolSpec("files/read", "", {"properties": {}, "additionalProperties": True})
    assert codes(graph("files/read", {"x": 1}), KnownTools({"files/read": spec})) == []


SOURCE = '''
import sys
sys.exit("imported")

def find(name: str, limit: int = 5, *, deep: bool, idempotency_key: str = "", tags: list[str] = ()) -> dict:
    """Find people.

    Args:
        name: Whom.
    """

def open_to_all(a, **more): ...

@sys.whatever
def wrapped(a): ...
'''


def test_the_arguments_of_a_function_are_read_out_of_its_source(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "people.py").write_text(SOURCE, encoding="utf-8")
    found = spec_in_source("find", "shop.people:find", tmp_path)
    assert found is not None
    assert arguments_text(found) == "name: text, limit?: number, deep: boolean, tags?: list"
    assert found.description == "Find people."
    assert found.arguments["name"]["description"] == "Whom."
    assert found.is_closed
    everything = spec_in_source("t", "shop.people:open_to_all", tmp_path)
    assert everything is not None
    assert not everything.is_closed
    for handler in ("shop.people:gone", "shop.people:wrapped", "gone:f", "shop:f"):
        assert spec_in_source("t", handler, tmp_path) is None
    (tmp_path / "broken.py").write_text("def f(:", encoding="utf-8")
    (tmp_path / "zero.py").write_bytes(b"def f(): 0\0")
    assert spec_in_source("t", "broken:f", tmp_path) is None
    assert spec_in_source("t", "zero:f", tmp_path) is None
    assert "shop.people" not in sys.modules


def test_a_source_that_changes_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(a): ...", encoding="utf-8")
    assert arguments_text(spec_in_source("t", "m:f", tmp_path)) == "a: any"
    (tmp_path / "m.py").write_text("def f(a, bc): ...", encoding="utf-8")
    assert arguments_text(spec_in_source("t", "m:f", tmp_path)) == "a: any, bc: any"


def test_what_a_server_told_is_kept_for_the_same_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path))
    settings, other = McpSettings({"command": ["a"]}), McpSettings({"command": ["b"]})
    assert kept_specs("files", settings) is None
    keep_specs("files", settings, [READ])
    assert kept_specs("files", settings) == [READ]
    assert kept_specs("files", other) is None
    assert kept_specs("other", settings) is None
    (file,) = (tmp_path / "mcp").iterdir()
    for damaged in (b"{", b"[1]", b"[{}]", b"\xff", b"null"):
        file.write_bytes(damaged)
        assert kept_specs("files", settings) is None


def test_commands_and_functions_of_a_graph_are_known(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(a: str): ...", encoding="utf-8")
    path = tmp_path / "g.toml"
    path.write_text(
        """
format = 1
name = "g"
start = "n"
[tools.f]
handler = "m:f"
[tools.c]
command = ["x", "{{ n }}"]
arguments = { n = "number" }
[nodes.n]
type = "tool"
tool = "c"
arguments = { m = 1 }
[[edges]]
from = "n"
to = "END"
""",
        encoding="utf-8",
    )
    built = StateGraph.from_file(path)
    known = known_tools(built.tools.values(), tmp_path)
    assert {name: arguments_text(spec) for name, spec in known.specs.items()} == {
        "f": "a: text",
        "c": "n: number",
    }
    assert [code for code, _ in codes(built, None)] == ["G110", "G111"], "a command's need nobody to look"


# Design's form


NODE = design('[nodes.n]\ntype = "tool"\ntool = "files/read"\narguments = { path = "a" }\n')


def arguments_field(form: NodeForm) -> Any:
    return next(field for field in form.contents.fields if field.name == "arguments")


def test_the_form_of_a_tool_node_tells_completes_and_checks_arguments() -> None:
    form = NodeForm(NODE, "n", tools=KNOWN)
    field = arguments_field(form)
    assert "files/read takes: path: text, limit?: number, any?: any." in field.note
    assert field.completer("pa") == Offer("pa", ('path = "',))
    assert field.completer('path = "a"\nli') == Offer("li", ("limit = ",))
    assert field.completer('path = "a"\npa') is None
    assert told(form) == {}
    assert "unknown argument" in told(form, arguments='path = "a"\nlimt = 3')["arguments"]
    assert "did you mean 'limit'" in told(form, arguments='path = "a"\nlimt = 3')["arguments"]
    assert "no argument 'path'" in told(form, arguments="limit = 3")["arguments"]
    assert form.result(answers(form, arguments="limit = 3")) is not None, "a warning keeps nobody from it"


def test_the_arguments_follow_the_tool_that_is_chosen_in_the_form() -> None:
    other = ToolSpec("files/write", "", {"properties": {"text": {"type": "string"}}, "required": ["text"]})
    known = KnownTools({"files/read": READ, "files/write": other}, frozenset({"files"}))
    form = NodeForm(NODE, "n", tools=known)
    tool = next(field for field in form.contents.fields if field.name == "tool")
    assert tool.completer is not None
    assert tool.completer("wri") == Offer("wri", ("files/write",))
    assert "no argument 'text'" in told(form, tool="files/write")["arguments"]
    assert arguments_field(form).completer("te") == Offer("te", ('text = "',))


def test_a_form_without_known_tools_is_as_it_was() -> None:
    form = NodeForm(NODE, "n")
    assert arguments_field(form).completer("pa") is None
    assert told(form) == {}


def test_an_argument_is_completed_with_the_beginning_of_its_value() -> None:
    types: Any = {"name": "text", "count": "number", "tags": "list", "more": "table", "x": None}
    for typed, begun in (
        ("na", 'name = "'),
        ("co", "count = "),
        ("ta", "tags = ["),
        ("mo", "more = { "),
        ("x", "x = "),
    ):
        assert argument(typed, types) == Offer(typed, (begun,))
    assert argument("", types) is None
    assert argument("name = 1", types) is None
