"""Graphs as Python scripts: the same definition, the same path, and never anything but literals in them."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stepgraph import END, AgentNode, CompiledGraph, Executor, LLMNode, NodeResult, Run, StateGraph, WaitNode
from stepgraph.conditions import HandlerPredicate
from stepgraph.documents.loader import from_document
from stepgraph.files import load_graph, trust_folder, unopened
from stepgraph.files.graph_refs import GraphRef
from stepgraph.formats.export import FORMATS, Exportable
from stepgraph.formats.python import Name, code, literal
from stepgraph.testing import ScriptedModel, scripted_human
from stepgraph.values.errors import ExportError
from tests.examples import examples
from tests.files.building import documents
from tests.formats.random_graphs import ODD_TEXTS, graphs, run_of
from tests.graphs.journeys import JOURNEYS
from tests.graphs.playing import GRAPHS, NAMES, Journey, compiled, path

PYTHON = next(each for each in FORMATS if each.name == "python")


def script(graph: StateGraph | CompiledGraph) -> str:
    """The script of a graph."""
    plan = graph if isinstance(graph, CompiledGraph) else graph.compile()
    return PYTHON.write(Exportable.of_graph(plan)).text


def built(text: str, file: Path | None = None) -> StateGraph:
    """The graph that a script builds."""
    names: dict[str, Any] = {"__name__": "script", "__file__": str(file or "script.py")}
    exec(compile(text, str(file or "script.py"), "exec"), names)  # noqa: S102  # which is what is tested
    graph = names["graph"]
    assert isinstance(graph, StateGraph)
    return graph


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the handlers of the examples and the script of each."""
    folder = tmp_path_factory.mktemp("scripts") / "graphs"
    shutil.copytree(GRAPHS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in NAMES:
        (folder / f"{name}_script.py").write_text(script(compiled(name)), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_script_of_an_example_builds_the_same_definition(name: str, beside: Path) -> None:
    file = beside / f"{name}_script.py"
    graph = built(file.read_text(encoding="utf-8"), file)
    assert graph.document == compiled(name).document
    assert graph.compile().definition_hash == compiled(name).definition_hash


@pytest.mark.parametrize("journey", JOURNEYS, ids=str)
def test_the_script_of_an_example_takes_the_same_path_to_the_same_state(
    journey: Journey, beside: Path
) -> None:
    file = beside / f"{journey.graph}_script.py"
    app = built(file.read_text(encoding="utf-8"), file).compile()
    models = {"default": ScriptedModel(list(journey.replies))} if journey.replies else {}
    executor = Executor(app, models=models, live=bool(models))
    run = executor.run(executor.start(journey.inputs, "r-1"))
    for decision in journey.decisions:
        run = scripted_human([decision]).answer(executor, run)
    wanted = journey.run()
    assert path(run) == path(wanted) == journey.path.split()
    assert _timeless(run.values) == _timeless(wanted.values)
    assert run.outcome is wanted.outcome


def _timeless(value: Any) -> Any:
    """A state without the times at which somebody decided."""
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key != "at"}
    return value


@pytest.mark.parametrize("name", NAMES)
def test_a_script_stands_as_ruff_would_put_it(name: str, beside: Path) -> None:
    file = beside / f"{name}_script.py"
    ruff = [sys.executable, "-m", "ruff"]
    formatted = subprocess.run(
        [*ruff, "format", "--isolated", "--check", file], capture_output=True, text=True, check=False
    )
    assert formatted.returncode == 0, formatted.stdout
    rules = ["--select", "ALL", "--ignore", "E501,T201,INP001,CPY,D203,D213,EXE,S105"]
    linted = subprocess.run(
        [*ruff, "check", "--isolated", *rules, file], capture_output=True, text=True, check=False
    )
    assert linted.returncode == 0, linted.stdout


@given(graphs())
@examples(120, deadline=None)
def test_any_graph_comes_back_from_its_script(graph: StateGraph) -> None:
    again = built(script(graph))
    assert again.document == graph.document
    assert again.compile().definition_hash == graph.compile().definition_hash
    assert path(run_of(again)) == path(run_of(graph))


@given(documents())
@examples(200, deadline=None)
def test_any_definition_comes_back_from_its_script(document: dict[str, Any]) -> None:
    for key in document.get("state", {}).values():
        key.pop("secret", None)  # whose default would not be written
    graph = from_document(document)
    assert built(script(graph.plan())).document == graph.document


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ODD_TEXTS
    | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(_VALUES, st.integers(0, 3), st.integers(0, 60))
@examples(400)
def test_any_value_comes_back_from_its_source(value: Any, depth: int, taken: int) -> None:
    source = code(value, depth, taken)
    assert eval(source, {"__builtins__": {}}) == value  # noqa: S307  # which is what is tested
    assert "\r" not in source
    assert source.isprintable() or "\n" in source
    assert eval(code((value,)), {"__builtins__": {}}) == (value,)  # noqa: S307


_QUOTES = st.lists(
    st.sampled_from(['"', '""', '"""', "'", "\\", "\n", "\r", "\t", "\0", "{", "a", "ü", "\u2028"])
)


@given(_QUOTES.map("".join), st.sampled_from(["", "\n" + "x" * 40]))
@example('a\n"""', "")
@example("x" * 40 + '\n"""', "")
@example("x" * 40 + '\n\\"', "")
@examples(1_000)
def test_any_text_comes_back_from_the_literal_that_is_written(text: str, more: str) -> None:
    for whole in (text, text + more, more + text, text + more + text):
        assert ast.literal_eval(code(whole)) == whole
        assert ast.literal_eval(code(Name(literal(whole)))) == whole


HOSTILE = [
    '"""\nimport os; os.abort()\n"""',
    "'''\nraise SystemExit\n'''",
    '\\"""+raise_()+"""',
    "x\\",
    'x"\\\n' * 20 + '"',
    "a\r\nraise SystemExit",
    "\u2028raise SystemExit",
    "{raise_()}",
    "%(x)s",
    "\0",
    "\x0craise SystemExit",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_that_a_graph_says_becomes_code(text: str) -> None:
    if any(ord(char) == 0 for char in text):
        text = text.replace("\0", "x\0y")
    graph = StateGraph(f"g {text}", start=f"n {text}", note=text)
    graph.add_key(f"k {text}", default={text: [text]}, note=text)
    graph.add_tool(f"t {text}", returns={text: text}, note=text)
    graph.declare_node(f"n {text}", "llm", {"prompt": text.replace("{", "("), "replies": [text]}, note=text)
    graph.add_conditional_edge(f"n {text}", END, "x", text, f"l {text}", text)
    graph.add_edge(f"n {text}", END, note=text)
    assert built(script(graph.plan())).document == graph.document


# Python objects


def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> types.ModuleType:
    """A module beside the script, imported."""
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__(name)
    monkeypatch.delitem(sys.modules, name, raising=False) if name not in sys.modules else None
    found = sys.modules[name]
    monkeypatch.setitem(sys.modules, name, found)
    return found


def _run(graph: StateGraph) -> Run:
    executor = Executor(graph.compile())
    return executor.run(executor.start({}))


def test_a_graph_that_was_opened_in_its_module_is_written_with_the_names_that_it_has_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules_of_mine.py").write_text(
        "def done(context):\n    return context.state['n'] > 2\n", "utf-8"
    )
    (tmp_path / "graph_of_mine.py").write_text(
        "from stepgraph import END, StateGraph\nfrom rules_of_mine import done\n"
        "def count(state):\n    return {'n': state.get('n', 0) + 1}\n"
        "graph = StateGraph('mine', start='count')\ngraph.add_node('count', count)\n"
        "graph.add_edge('count', END, done)\ngraph.add_edge('count', 'count')\n",
        "utf-8",
    )
    ref = GraphRef(tmp_path / "graph_of_mine.py", "graph")
    trust_folder(unopened(ref))
    graph = load_graph(ref)
    text = script(graph)
    assert "from graph_of_mine import count\nfrom rules_of_mine import done\n" in text
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        assert path(_run(built(text))) == ["count"] * 3
    finally:
        for name in ("graph_of_mine", "rules_of_mine"):
            sys.modules.pop(name, None)


def test_nodes_of_the_library_are_made_of_their_settings() -> None:
    graph = StateGraph("g", start="ask")
    graph.add_node("ask", LLMNode(prompt='Say "hi".', replies=["hi"], output="said"))
    graph.add_node("find", AgentNode(prompt="Find it.", tools=[], replies=[["found"]]))
    graph.add_node("rest", WaitNode(**{"for": "0"}))
    for one, two in (("ask", "find"), ("find", "rest"), ("rest", END)):
        graph.add_edge(one, two)
    text = script(graph)
    assert "from stepgraph import END, AgentNode, LLMNode, StateGraph, WaitNode\n" in text
    assert 'WaitNode(**{"for": "0"})' in text
    run, wanted = _run(built(text)), _run(graph)
    assert (path(run), run.values) == (path(wanted), wanted.values)


class Own:
    """A node that only its program can make."""

    def execute(self, state: object) -> NodeResult:
        return NodeResult({})


def test_objects_that_no_script_can_name_are_refused_by_name() -> None:
    graph = StateGraph("g", start="a")
    graph.add_key("pin", default="s3cret", secret=True)
    graph.add_tool("look s3cret", lambda query: {"found": query})
    graph.add_node("a", lambda state: {})
    graph.add_node("b", Own())
    graph.add_edge("a", "b", lambda context: True)
    graph.add_edge("b", END)
    with pytest.raises(ExportError) as refused:
        script(graph)
    message = str(refused.value)
    for part in (
        "tool 'look ***'",
        "node 'a' is ",
        "<lambda>",
        "node 'b' is Own",
        "edge 'a' -> 'b'",
        "top level",
    ):
        assert part in message
    stored = Executor(graph.compile())
    run = stored.start({})
    from stepgraph import open_run

    with pytest.raises(ExportError, match=r"node 'a' is a Python object.*my_agent.py:graph"):
        PYTHON.write(Exportable.of_run(open_run(run.store, run.id)))


def test_what_is_looked_up_by_name_keeps_its_name() -> None:
    graph = StateGraph("g", start="a")
    graph.declare_node("a", "handler", {"handler": "os:getcwd", "output": "folder"})
    graph.add_tool("log", command={"command": ["git", "log"], "timeout": "5s"}, requires_approval=True)
    graph.add_edge("a", END, HandlerPredicate("my_rules:done"))
    graph.add_edge("a", END)
    text = script(graph)
    assert (
        "from stepgraph.conditions import HandlerPredicate\nfrom stepgraph.files import trust_folder\n"
        in text
    )
    again = built(text, Path("/somewhere/script.py"))
    assert again.document == graph.document
    assert again.source == Path("/somewhere/script.py")
    assert "my_rules" not in sys.modules


def test_a_command_that_cannot_be_read_is_a_problem_of_the_graph() -> None:
    graph = StateGraph("g", start="a")
    graph.add_tool("log", command={"command": []})
    graph.add_tool("list", command={"command": ["ls"], "speed": 2})
    assert [problem.code for problem in graph.noted] == ["G006", "G006"]
    assert "command: a command is a list of words" in graph.noted[0].message
    assert "speed" in graph.noted[1].message


def test_a_secret_is_not_written_and_the_script_says_so() -> None:
    graph = StateGraph("g", start="a", note="s3cret in a note")
    graph.add_key("token", default="s3cret", secret=True, note="The token.")
    graph.declare_node("a", "llm", {"prompt": "s3cret", "replies": ["s3cret"]})
    graph.add_conditional_edge("a", END, "token", "s3cret", "s3cret")
    graph.add_edge("a", END)
    text = script(graph)
    assert "s3cret" not in text
    assert "# Its default is a secret, and not written here: give it as an input.\n" in text
    assert not built(text).keys["token"].has_default
