"""Modules and names that are wrong: each is told with its file and line, and nothing is half done."""

from __future__ import annotations

import json

import pytest

from stepgraph import GraphFileError
from stepgraph.files import GraphNotNamed, located
from tests.cli.calling import Cli

GRAPH = """
from stepgraph import END, StateGraph

def make():
    made = StateGraph("g", start="a")
    made.add_node("a", lambda state: {"x": 1})
    made.add_edge("a", END)
    return made

graph = make()
"""


def told(cli: Cli, text: str, name: str = "graph") -> str:
    """What a command says of a module that cannot be used; no run was made, and there is no traceback."""
    cli.module(text)
    result = cli("run", f"agent.py:{name}", "--trust", "--run-id", "r-1")
    assert result.code == 1, result.err
    assert "error: this graph cannot be read\n" in result.err
    assert result.out == ""
    assert "Traceback" not in result.err
    assert "_stepgraph_" not in result.err
    assert cli("runs", "show", "r-1").code == 4
    return result.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("grahp", "there is no 'grahp' in it (did you mean 'graph'?)"),
        ("zzz", "there is no 'zzz' in it (it has: graph)"),
        ("number", "'number' is of the type int, and not a graph (it has: graph)"),
        ("Kind", "'Kind' is a class, and not a graph (it has: graph)"),
        ("Kind_", "'Kind_' is of the type Kind, and not a graph"),
        ("module", "'module' is of the type module, and not a graph"),
        ("needs", "the function 'needs' needs arguments: one, two (it has: graph)"),
        ("later", "the function 'later' returned nothing, and no graph (return the graph)"),
        ("failing", "the function 'failing' failed: ValueError: not yet"),
        ("nothing", "the function 'nothing' returned nothing, and no graph (return the graph)"),
        ("other", "the function 'other' returned something of the type function, and no graph"),
        ("raising", "the function 'raising' failed: ValueError: not today"),
        ("leaving", "the function 'leaving' failed: it ends the program"),
    ],
)
def test_a_name_that_is_no_graph_is_told_with_those_that_are(cli: Cli, name: str, message: str) -> None:
    said = told(
        cli,
        GRAPH + "import json as module\nnumber = 3\n"
        "class Kind:\n    def __call__(self): return graph\nKind_ = Kind()\n"
        "def needs(one, *, two, three=3, **more): ...\n"
        "async def later(): ...\n"
        "async def failing(): raise ValueError('not yet')\n"
        "def nothing(): ...\n"
        "def other(): return make\n"
        "def raising(): raise ValueError('not today')\n"
        "def leaving(): raise SystemExit(2)\n",
        name,
    )
    assert message in said
    assert f"{cli.folder}/agent.py" in said


def test_functions_are_named_where_a_module_has_no_graph(cli: Cli) -> None:
    said = told(cli, "from json import dumps\ndef build(): ...\ndef _own(): ...\ndef two(a): ...\n", "zzzzz")
    assert "there is no 'zzzzz' in it (it has: build)" in said


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("gone.py:graph", "gone.py: error F001: there is no such file"),
        ("agnet.py:graph", "agnet.py: error F001: there is no such file (did you mean 'agent.py'?)"),
        ("folder.py:graph", "folder.py: error F002: it is a folder (give the path of a .py file)"),
        ("bare.py", "bare.py: error F013: no graph shows in it without importing it"),
        ("bare.py", "(name the graph in it: bare.py:graph)"),
        ("agent.py:a-b", "agent.py: error F013: 'a-b' is not a name of Python's"),
        ("agent.py:a.b", "agent.py: error F013: 'a.b' is not a name of Python's"),
        (
            "agnet:graph",
            "there is no module 'agnet': neither in this folder nor on the Python path (did you mean",
        ),
        ("no.such.module:graph", "there is no module 'no.such.module'"),
    ],
)
def test_a_path_that_is_none_is_told_before_anybody_is_asked(cli: Cli, word: str, message: str) -> None:
    cli.module(GRAPH.replace("graph = make()", "graph = make().compile()"))
    (cli.folder / "folder.py").mkdir()
    (cli.folder / "bare.py").write_text("x = 1\n")
    result = cli("show", word)
    assert result.code == 1
    assert message in result.err


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("builder = StateGraph(S)\ngraph = builder.compile()\n", ["graph"]),
        ("graph: Any = StateGraph(S).compile()\n_own = StateGraph(S).compile()\n", ["graph"]),
        ("one = StateGraph(S)\ntwo = create_agent(m)\n", ["one", "two"]),
        ("def make(): return StateGraph(S)\ngraph = make()\n", ["graph"]),
        ("def make(a=1, *, b=2): return create_agent(m)\ndef other(a): return create_agent(m)\n", ["make"]),
        ("def make(*, b): return create_agent(m)\n", []),
        ("import re\nx = re.compile('a')\ngraph = b.compile().with_config(a=1)\n", ["graph"]),
        ("graph = StateGraph('g')\nrun = graph.compile().run({})\n", ["graph"]),
        ("graph = stepgraph.StateGraph.from_file('g.toml')\nother = Path.from_file('x')\n", ["graph"]),
        ("x = (lambda: 1)()\n", []),
        ("x = 1\n", []),
        ("x = (", []),
    ],
)
def test_the_graphs_of_a_module_show_without_importing_it(cli: Cli, text: str, names: list[str]) -> None:
    (cli.folder / "many.py").write_text(text)
    try:
        found = [str(located(str(cli.folder / "many.py"))).rpartition(":")[2]]
    except GraphNotNamed as error:
        found = [name.rpartition(":")[2] for name in error.names]
    except GraphFileError:
        found = []
    assert found == names


def test_the_only_graph_needs_no_name_and_of_several_one_is_to_be_named(cli: Cli) -> None:
    cli.module(GRAPH)
    for word in ("agent.py", "agent.py:"):
        result = cli("run", word, "--trust", "--run-id", f"r{len(word)}")
        assert (result.code, "agent.py:graph" in cli("runs", "show", f"r{len(word)}").out) == (0, True)
    cli.module(GRAPH + "second = make()\n")
    result = cli("run", "agent.py", "--trust")
    assert result.code == 2
    assert "agent.py has 2 graphs: name one of them" in result.err
    assert "agent.py:graph, agent.py:second" in result.err


def test_a_langgraph_json_names_its_graphs(cli: Cli) -> None:
    cli.module(GRAPH)
    listed = {
        "graphs": {"helper": "./agent.py:graph", "other": {"path": "agent:graph"}, "web": "./a.ts:graph"}
    }
    (cli.folder / "langgraph.json").write_text(json.dumps(listed))
    for name in ("helper", "other"):
        assert cli("run", name, "--trust").code == 0
    assert cli("show", "web").code == 1
    for wrong in ("[]", "{", '{"graphs": []}'):
        (cli.folder / "langgraph.json").write_text(wrong)
        result = cli("show", "helper")
        assert (result.code, "langgraph.json: it" in result.err) == (1, True)
        assert 'write {"graphs":' in result.err


def test_an_object_that_only_says_that_it_is_a_graph_is_none(cli: Cli) -> None:
    text = "from stepgraph import StateGraph\nclass X:\n    __class__ = StateGraph\ngraph = X()\n"
    assert "'graph' cannot be looked at" in told(cli, text)
