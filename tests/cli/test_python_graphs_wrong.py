"""Modules and names that are wrong: each is told with its file and line, and nothing is half done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Cli, call

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
    ("text", "line", "message", "excerpt"),
    [
        ("x = 1\ndef f(:\n", 2, "SyntaxError: invalid syntax", "  |     def f(:\n  |           ^"),
        ("def f():\n\tx\n        y\n", 3, "TabError", ""),
        ("if True:\nx = 1\n", 2, "IndentationError: expected an indented block", "  |     x = 1"),
        (
            "\n\nimport pandas_is_missing\n",
            3,
            "No module named 'pandas_is_missing' (install it",
            "  |     import",
        ),
        (
            "from helpre import x\n",
            1,
            "No module named 'helpre' (did you mean 'helper'?)",
            "  |     from helpre",
        ),
        ("from helper import nothing\n", 1, "cannot import name 'nothing' from 'helper'", ""),
        ("from helper.deeper import nothing\n", 1, "No module named 'helper.deeper'", ""),
        ("from ..other import x\n", 1, "relative import", ""),
        (
            "import json\njson.loads('{')\n",
            2,
            "JSONDecodeError: Expecting property name",
            "  |     json.loads('{')",
        ),
        ("x = {}\nx['no']\n", 2, "KeyError: no", "  |     x['no']\n  |     ^"),
        ("raise ValueError('one\\ntwo')\n", 1, "ValueError: one", ""),
        ("class E(Exception):\n    def __str__(self): return 1\nraise E\n", 3, "does not import: E (", ""),
        ("raise GeneratorExit\n", 1, "does not import: GeneratorExit (", ""),
        ("class B(BaseException): ...\nraise B('odd')\n", 2, "does not import: B: odd", ""),
        (
            "import sys\nsys.exit(3)\n",
            2,
            "ends the program while it is imported, with exit code 3",
            "sys.exit(3)",
        ),
        ("raise SystemExit\n", 1, "ends the program while it is imported (put what", ""),
        ("def again(): again()\nagain()\n", 1, "RecursionError", ""),
        ("breakpoint()\n1 / 0\n", 2, "ZeroDivisionError", ""),
        ("input()\n", 1, "EOFError", ""),
    ],
)
def test_a_module_that_does_not_import_is_told_by_its_line(
    cli: Cli, text: str, line: int, message: str, excerpt: str
) -> None:
    cli.module("", "helper.py")
    said = told(cli, text)
    assert f"{cli.folder}/agent.py:{line}: error F014: it " in said
    assert message in said
    assert excerpt in said


def test_the_line_is_the_deepest_of_ones_own_files(cli: Cli) -> None:
    cli.module("def divide(x):\n    return 1 / x\n", "helper.py")
    said = told(cli, "import helper\nhelper.divide(0)\n")
    assert f"{cli.folder}/helper.py:2: error F014: it does not import: ZeroDivisionError" in said
    assert "  |         return 1 / x\n  |                ^" in said


def test_a_neighbour_with_a_mistake_is_told_itself(cli: Cli) -> None:
    cli.module("x = (\n", "helper.py")
    said = told(cli, "import helper\n")
    assert (
        f"{cli.folder}/helper.py:1: error F014: it does not import: SyntaxError: '(' was never closed" in said
    )


def test_an_interruption_is_no_error_of_the_module(cli: Cli) -> None:
    cli.module("raise KeyboardInterrupt\n")
    result = cli("check", "agent.py:graph", "--trust")
    assert (result.code, result.err) == (130, "interrupted\n")


def test_all_problems_of_a_graph_that_the_module_compiles_are_listed(cli: Cli) -> None:
    text = GRAPH + "wrong = StateGraph('w', start='no')\nwrong.add_node('a', make)\nwrong.compile()\n"
    said = told(cli, text)
    assert f"{cli.folder}/agent.py:13: error F014" in said
    assert "error G008: the start 'no' is not a node of the graph" in said
    assert "error G014: node 'a' has no edge that leaves it" in said


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
        ("later", "the function 'later' is async (make it a plain function)"),
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
        ("agent.py", "agent.py: error F013: it is a Python module, which may have many graphs"),
        ("agent.py", "(name the graph in it: agent.py:graph)"),
        ("agent.py:", "(name the graph in it: agent.py:graph)"),
        ("agent.py:a-b", "agent.py: error F013: 'a-b' is no name of Python's"),
        ("agent.py:a.b", "agent.py: error F013: 'a.b' is no name of Python's"),
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
    result = cli("show", word)
    assert result.code == 1
    assert message in result.err


def test_a_module_that_may_not_be_read_or_is_too_large_is_told(cli: Cli) -> None:
    cli.module("#" * 10_000_001)
    result = cli("show", "agent.py:graph", "--trust")
    assert "agent.py: error F004: it is larger than 10 MB" in result.err


@pytest.mark.parametrize(
    "name",
    [
        "json.py",
        "stepgraph.py",
        "my agent.py",
        "my-agent.py",
        "agent.v2.py",
        "2024.py",
        "größe.py",
        "a b:c/agent.py",
        "ns/agent.py",
        "shop/agent.py",
        "shop/__init__.py",
    ],
)
def test_a_module_may_be_called_anything_and_be_anywhere(cli: Cli, name: str) -> None:
    text = "import json\nassert json.dumps\n" + GRAPH
    if name.startswith("shop"):
        cli.module("" if "__init__" not in name else text, "shop/__init__.py")
        text = ("from . import names\nfrom shop import names as same\nassert same is names\n") + text
        cli.module("", "shop/names.py")
    if name.startswith("ns"):
        text = ("from ns import names\nimport ns.names\nassert ns.names is names\n") + text
        cli.module("", "ns/names.py")
    cli.module(text, name)
    result = cli("run", f"{name}:graph", "--trust", "--json")
    assert result.code == 0, result.err
    assert result.json["values"] == {"x": 1}
    assert result.json["source"] == str(cli.folder / f"{name}:graph")


def test_a_link_is_the_module_that_it_leads_to(cli: Cli) -> None:
    cli.module(GRAPH, "real/agent.py")
    (cli.folder / "link.py").symlink_to("real/agent.py")
    (cli.folder / "folder").symlink_to("real")
    for name in ("link.py", "folder/agent.py"):
        assert cli("run", f"{name}:graph", "--trust").code == 0


def test_from_inside_of_a_package_its_modules_have_their_whole_names(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for init in ("shop/__init__.py", "shop/parts/__init__.py"):
        cli.module("", init)
    cli.module("PRICE = 3", "shop/prices.py")
    cli.module("from ..prices import PRICE\n" + GRAPH, "shop/parts/agent.py")
    monkeypatch.chdir(cli.folder / "shop" / "parts")
    for name in ("agent.py:graph", "agent:graph", "shop.parts.agent:graph"):
        result = cli("run", name, "--trust", "--json")
        assert result.code == 0, result.err
        assert result.json["source"] == str(cli.folder / "shop/parts/agent.py:graph")


def test_what_a_module_does_to_the_process_is_undone(cli: Cli) -> None:
    cli.module(
        "import os, signal, sys, threading, builtins\n"
        "os.chdir('/')\n"
        "sys.path.insert(0, '/nowhere')\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "print('told')\n"
        "thread = threading.Thread(target=lambda: print('by a thread'))\n"
        "thread.start()\n"
        "thread.join()\n"
        "sys.stdout = None\n"
        "sys.stderr.write('left open')\n" + GRAPH
    )
    result = call("run", "agent.py:graph", "--trust", "--store", "sqlite:///mine.db", cwd=cli.folder)
    assert result.code == 0, result.err
    assert "  | told\n  | by a thread\n  | left open\n" in result.err
    assert "x    1" in result.out
    assert (cli.folder / "mine.db").exists()


def test_what_is_below_main_does_not_run(cli: Cli) -> None:
    text = GRAPH + 'if __name__ == "__main__":\n    raise SystemExit("ran")\n'
    cli.module(text)
    assert cli("run", "agent.py:graph", "--trust").code == 0


def test_a_module_that_the_process_does_not_survive_leaves_no_run(cli: Cli) -> None:
    cli.module("import os\nprint('so far', flush=True)\nos._exit(7)\n")
    result = call("run", "agent.py:graph", "--trust", "--run-id", "r-1")
    assert (result.code, result.out) == (7, "")
    assert "so far" in result.err
    assert cli("runs", "show", "r-1").code == 4
    assert Path(cli.folder / "agent.py").exists()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "class X:\n    @property\n    def __class__(self): raise OSError('no')\ngraph = X()\n",
            3,
            "OSError: no",
        ),
        ("def __getattr__(name): raise OSError(name)\n", 1, "OSError: graph"),
        ("def __getattr__(name): raise SystemExit(4)\n", 1, "with exit code 4"),
        (
            "from stepgraph import StateGraph\nclass X(StateGraph):\n    @property\n"
            "    def nodes(self): return 1 / 0\ngraph = X('g', start='a')\n",
            4,
            "ZeroDivisionError",
        ),
    ],
)
def test_an_object_that_cannot_even_be_looked_at_is_told(
    cli: Cli, text: str, line: int, message: str
) -> None:
    error = told(cli, text)
    assert f"agent.py:{line}: error F014: 'graph' cannot be looked at: " in error
    assert message in error


def test_an_object_that_only_says_that_it_is_a_graph_is_none(cli: Cli) -> None:
    text = "from stepgraph import StateGraph\nclass X:\n    __class__ = StateGraph\ngraph = X()\n"
    assert "'graph' cannot be looked at" in told(cli, text)


@pytest.mark.parametrize(
    "late",
    [
        "import atexit\natexit.register(lambda: print('late'))\n",
        "import threading\ndef later():\n    threading.main_thread().join()\n    print('late')\n"
        "threading.Thread(target=later).start()\n",
    ],
)
def test_what_a_module_prints_when_the_command_is_over_is_no_data(cli: Cli, late: str) -> None:
    cli.module(GRAPH + late)
    result = call("check", "agent.py:graph", "--trust", "--json")
    assert result.json[0]["ok"], result.out
    assert "  | late\n" in result.err
