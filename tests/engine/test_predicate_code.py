"""Why a predicate answered as it did, without calling it: its source, and the values that this names."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph.conditions import RoutingContext
from stepgraph.documents.loader import from_document
from stepgraph.files import GraphRef, load_graph, read_graph
from stepgraph.files.handlers import written_lines
from stepgraph.files.trust import grant
from stepgraph.formats.export import Exportable
from stepgraph.formats.jsonl import write
from stepgraph.runs.masks import Mask
from stepgraph.runs.run import Run
from stepgraph.runs.views import open_run
from stepgraph_tui.text.run_list import tried_edges
from stepgraph_tui.view.runs import StepStory
from tests.app.python_graphs import trust

asked: list[str] = []


def is_good(context: RoutingContext) -> bool:
    asked.append("once")
    return bool(context.state["score"] > 0.8 or context.state.get("tries", 0) > 2)


def told(run: Run, mask: Mask | None = None) -> list[str]:
    """What the last step tells of its edges."""
    lines = tried_edges(StepStory(run.history[-1], mask or Mask(run.plan, run.values)))
    return [line.strip() for line in lines]


def graph_of(when: object, **updates: Any) -> StateGraph:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: updates)
    graph.add_edge("a", END, when=when, label="good")  # type: ignore[arg-type]
    graph.add_edge("a", END)
    return graph


def test_an_edge_that_was_not_reached_is_explained_as_well() -> None:
    graph = graph_of(None)
    graph.add_edge("a", "a", when=is_good)
    run = graph.compile().run({})
    assert "is_good" in run.history[-1].edges[2].explanation.text


@pytest.mark.parametrize("function", [len, type("Asks", (), {"__call__": lambda self, context: True})()])
def test_what_has_no_source_that_can_be_read_is_told_by_its_name(function: Callable[..., object]) -> None:
    graph = StateGraph("g", start="a", on_no_match="end")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END, when=function)  # type: ignore[arg-type]
    run = graph.compile().run({})
    told_ = run.history[-1].edges[0].explanation
    assert told_.text == f"{graph.edges[0].condition.describe()}: Python code, not called again to explain it"
    assert (told_.parts, told_.code) == ((), ())


def test_a_source_that_has_changed_since_is_not_taken_for_it(tmp_path: Path) -> None:
    file = tmp_path / "changing.py"
    file.write_text("def asks(context):\n    return True\n", encoding="utf-8")
    space: dict[str, Any] = {}
    exec(compile(file.read_text("utf-8"), str(file), "exec"), space)  # noqa: S102
    run = graph_of(space["asks"]).compile().run({})
    file.write_text('def other(context):\n    return context.state["x"]\n', encoding="utf-8")
    assert told(run)[1] == "python  asks: Python code, not called again to explain it"


def test_secrets_are_masked_in_values_and_in_the_source() -> None:
    graph = graph_of(lambda c: c.state["token"] + "hunter22" and c.state["note"], note="it is hunter22")
    graph.add_key("token", secret=True)
    store = MemoryStore()
    run = Executor(graph.compile(), store).start({"token": "hunter22"}, run_id="r")
    Executor(graph.compile(), store).run(run)
    seen = "\n".join(told(run, Mask(run.plan, run.values)))
    assert "hunter22" not in seen
    assert 'it names token = "***", note = "it is ***"' in seen
    assert '+ "***"' in seen
    exported = "".join(write(Exportable.of_run(run)).parts)
    assert "hunter22" not in exported
    assert '"text":"note"' in exported
    assert '"code"' not in exported


@pytest.mark.parametrize(
    ("secret", "source"),
    [
        ("S" * 300, f"'{'S' * 300}'"),  # the line is cut within it
        ("hunter22\nhunter33", '"""hunter22\nhunter33"""'),
        (
            "hunter22\n    hunter33",
            '"""hunter22\n    hunter33"""',
        ),  # the indent of all lines is its own as well
        ("one\n" * 20 + "two", '"""' + "one\n" * 20 + 'two"""'),  # the source is cut within it
    ],
)
def test_a_secret_is_masked_before_anything_is_cut(tmp_path: Path, secret: str, source: str) -> None:
    file = tmp_path / "guarded.py"
    file.write_text(
        f"if True:\n    def asks(c):\n        return c.state['token'] == {source}\n", encoding="utf-8"
    )
    space: dict[str, Any] = {}
    exec(compile(file.read_text("utf-8"), str(file), "exec"), space)  # noqa: S102
    graph = graph_of(space["asks"])
    graph.add_key("token", secret=True)
    executor = Executor(graph.compile())
    lines = told(executor.run(executor.start({"token": secret})))
    assert [line for line in lines if "return" in line and "***" in line]
    assert not [
        line for line in lines for part in secret.split("\n") if part[:50] in line.partition("c.state")[2]
    ]


MODULE = """
from stepgraph import END, StateGraph


def is_long(context):
    return context.state["count"] > 2


graph = StateGraph("agent", start="a")
graph.add_node("a", lambda state: {"count": 3})
graph.add_node("b", lambda state: {})
graph.add_edge("a", "b", when=lambda context: context.state["count"] > 5)
graph.add_edge("a", "b", is_long, label="long")
graph.add_edge("b", END, when=lambda context: context.visits["b"])
"""


def run_of_module(folder: Path, text: str = MODULE) -> Run:
    """A run of a graph in a module, as another process reads it: nothing is imported for that."""
    file = folder / "agent.py"
    file.write_text(text, encoding="utf-8")
    ref = GraphRef(file, "graph")
    trust(ref.path)
    store = MemoryStore()
    run = Executor(load_graph(ref).compile(), store).start({}, run_id="r")
    file.write_text(f"raise SystemExit  # never run\n{text}", encoding="utf-8")
    Executor(run.plan, store).run(run)
    return open_run(store, "r")


def test_of_a_stored_run_it_is_found_in_the_text_of_its_module(tmp_path: Path) -> None:
    run = run_of_module(tmp_path)
    first, second = run.history[0].edges
    assert first.explanation.text.startswith("<lambda>, agent.py line 13: ")
    assert first.explanation.code == (
        'graph.add_edge("a", "b", when=lambda context: context.state["count"] > 5)',
    )
    assert second.explanation.text.startswith("is_long, agent.py line 6: ")
    assert [part.value for part in second.explanation.parts] == [3]
    assert (first.condition, first.description) == ("<lambda>", "<lambda>")
    assert (second.condition, second.description) == ("is_long", "long")
    assert second.is_like(run.plan.edges[1])
    assert not second.is_like(run.plan.edges[2])
    assert [part.value for part in run.history[1].edges[0].explanation.parts] == [1]


@pytest.mark.parametrize(
    "text",
    [
        MODULE + 'other = StateGraph("x", start="a")\nother.add_edge("a", "b", when=lambda c: c.step)\n',
        MODULE.replace('graph.add_edge("a", "b", ', 'graph.add_edge(*"ab", '),
        MODULE.replace("is_long, label", "make(is_long), label").replace(
            "\n\ngraph = ", "\n\ndef make(function):\n    return function\n\n\ngraph = "
        ),
    ],
)
def test_where_the_text_does_not_say_which_it_is_nothing_is_told(tmp_path: Path, text: str) -> None:
    told_ = run_of_module(tmp_path, text).history[0].edges[1].explanation
    assert told_.text == "python: Python code, not called again to explain it"


def test_where_the_module_is_gone_or_is_no_python_nothing_is_told(tmp_path: Path) -> None:
    run = run_of_module(tmp_path)
    for damage in ("def", "\0", "x = '" + "x" * 400_000 + "'"):
        (tmp_path / "agent.py").write_text(damage, encoding="utf-8")
        told_ = open_run(run.store, "r").history[0].edges[0].explanation
        assert told_.text.startswith("python: ")
    (tmp_path / "agent.py").unlink()
    assert open_run(run.store, "r").history[0].edges[0].explanation.text.startswith("python: ")


GRAPH = """
format = 1
name = "filed"
start = "a"

[nodes.a]
type = "llm"
prompt = "Say it."
replies = ["one", "two"]

[[edges]]
from = "a"
to = "END"
when = { predicate = "asks:is_said" }

[[edges]]
from = "a"
to = "a"
when = { predicate = "elsewhere.of:us" }
"""
ASKS = 'def is_said(context):\n    return context.state["response"] == "two"\n'


def test_one_that_is_elsewhere_is_told_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "filed.toml"
    filed = GRAPH.replace("asks:is_said", "operator:truth").replace("elsewhere.of:us", "operator:not_")
    path.write_text(filed, encoding="utf-8")
    graph = read_graph(path)
    grant(graph)
    seen = graph.compile().run({}).history[0].edges[0].explanation
    assert seen.text == "operator:truth: Python code, not called again to explain it"


@pytest.mark.parametrize(
    "ref", ["{}/private:key", "../private:key", "private/../private:key", "private:Keys"]
)
def test_a_store_that_names_no_function_of_a_module_is_told_nothing_of_any_file(
    tmp_path: Path, ref: str
) -> None:
    (tmp_path / "private.py").write_text(
        "class Keys:\n    KEY = 'open'\n\n\ndef key(context):\n    return 'open'\n", encoding="utf-8"
    )
    table = tomllib.loads(GRAPH.replace("asks:is_said", ref.format(tmp_path)))
    plan = replace(from_document(table).plan(), source=tmp_path / "private.toml")
    assert written_lines(plan, plan.edges[0]) is None


SUB = GRAPH.replace('name = "filed"', 'name = "sub"').replace("elsewhere.of:us", "asks:again")
AROUND = """
format = 1
name = "around"
start = "sub"

[nodes.sub]
type = "subgraph"
graph = "sub.toml"

[[edges]]
from = "sub"
to = "END"
"""


def test_inside_of_a_subgraph_the_names_are_those_of_the_inside(tmp_path: Path) -> None:
    (tmp_path / "sub.toml").write_text(SUB, encoding="utf-8")
    path = tmp_path / "around.toml"
    path.write_text(AROUND, encoding="utf-8")
    (tmp_path / "asks.py").write_text(f"{ASKS}again = lambda context: True\n", encoding="utf-8")
    graph = read_graph(path)
    grant(graph)
    run = graph.compile().run({})
    record = next(each for each in run.history if each.node == "sub/a")
    assert [(part.text, part.value) for part in record.edges[0].explanation.parts] == [("response", "one")]


def test_of_a_graph_that_the_run_went_by_before_the_name_alone_is_known() -> None:
    def graph(first: object) -> StateGraph:
        graph = StateGraph("g", start="a")
        graph.add_node("a", lambda state: {"score": 1})
        graph.add_node("b", lambda state: {})
        graph.add_edge("a", "b", when=first)  # type: ignore[arg-type]
        graph.add_edge("b", END, when=is_good)
        return graph

    store = MemoryStore()
    before = Executor(graph(is_good).compile(), store)
    before.step(before.start({}, run_id="r"))
    after = Executor(graph("score == 2").compile(), store)
    run = after.run(after.load("r", adopt=True))
    (old,), (new,) = run.history[0].edges, run.history[1].edges
    assert old.explanation.text == "python: Python code, not called again to explain it"
    assert [part.text for part in new.explanation.parts] == ["score", "tries"]
