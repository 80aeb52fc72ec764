"""What a graph is, apart from any run of it."""

from __future__ import annotations

import dataclasses

import pytest

from stepgraph import END, Executor, GraphError, NodeResult, StateGraph
from stepgraph.conditions.base import RoutingContext
from stepgraph.graphs.parts import to_document
from stepgraph.testing import ScriptedModel


def nothing(state: object) -> dict[str, object]:
    return {}


def pair() -> StateGraph:
    graph = StateGraph("pair", start="a")
    graph.add_node("a", nothing)
    graph.add_node("b", nothing)
    graph.add_edge("a", "b")
    graph.add_edge("b", END)
    return graph


# acceptance 1, 2
def test_nodes_keep_their_declaration_order_even_when_an_edge_names_them_first() -> None:
    graph = StateGraph("order", start="z")
    graph.add_edge("b", "a")
    graph.add_node("z", nothing)
    graph.add_node("a", nothing)
    graph.add_node("b", nothing)
    graph.add_edge("z", "b")
    graph.add_edge("a", END)
    app = graph.compile()
    assert (app.name, list(app.nodes)) == ("order", ["z", "a", "b"])


# acceptance 3, 4, 5, 15, 16, 19
def test_the_four_kinds_of_edges_are_kept_in_order_with_their_labels() -> None:
    graph = pair()
    graph.add_conditional_edge("a", "a", "mode", "again", label="again")
    graph.add_edge("a", END, when="n > 3", label="enough")
    graph.add_edge("a", END, when=lambda context: context.step > 9, label="late")
    edges = graph.compile().edges_from("a")
    assert [edge.condition.kind for edge in edges] == ["always", "equals", "expression", "predicate"]
    assert [edge.label for edge in edges] == [None, "again", "enough", "late"]
    assert [edge.target for edge in edges] == ["b", "a", END, END]


# acceptance 6
def test_end_is_a_reserved_name() -> None:
    assert END == "END"
    graph = pair()
    graph.add_node(END, nothing)
    with pytest.raises(GraphError, match="reserved"):
        graph.compile()


# acceptance 7
def test_a_run_begins_at_the_start_node() -> None:
    graph = StateGraph("late", start="b")
    graph.add_node("a", nothing)
    graph.add_node("b", nothing)
    graph.add_edge("b", "a")
    graph.add_edge("a", END)
    executor = Executor(graph.compile())
    run = executor.start({})
    assert run.current == "b"
    assert [record.node for record in executor.iterate(run)] == ["b", "a"]


# acceptance 9, 10, 11, 12
def test_the_defaults_of_a_graph() -> None:
    settings = pair().compile().settings
    assert settings.max_steps == 50
    assert settings.on_max_steps == "return_last"
    assert settings.on_no_match == "fail"
    assert settings.feedback is True
    assert settings.no_feedback == ()


# acceptance 13, 18, 19, e9 20
def test_a_plan_is_immutable_and_does_not_see_later_changes_of_its_builder() -> None:
    graph = pair()
    app = graph.compile()
    graph.add_node("c", nothing)
    graph.add_edge("c", END)
    graph.add_edge("a", "c")
    graph.add_key("late", default=1)
    assert list(app.nodes) == ["a", "b"]
    assert len(app.edges_from("a")) == 1
    assert "late" not in app.keys
    with pytest.raises(TypeError):
        app.nodes["x"] = app.nodes["a"]  # type: ignore[index]  # that is the point
    with pytest.raises(dataclasses.FrozenInstanceError):
        app.settings.max_steps = 3  # type: ignore[misc]  # that is the point
    with pytest.raises(dataclasses.FrozenInstanceError):
        app.edges[0].target = "c"  # type: ignore[misc]  # that is the point
    assert (type(app.edges), type(app.edges_from("a"))) == (tuple, tuple)
    assert list(graph.compile().nodes) == ["a", "b", "c"]


# acceptance 13, 18
def test_one_plan_serves_many_runs_that_do_not_see_each_other() -> None:
    graph = StateGraph("count", start="count", max_steps=9)
    graph.add_node("count", lambda state: {"n": state.get("n", 0) + 1})
    graph.add_edge("count", "count", when="n < top")
    graph.add_edge("count", END)
    executor = Executor(graph.compile())
    one, two = executor.start({"top": 2}), executor.start({"top": 5})
    executor.step(one)
    executor.run(two)
    executor.run(one)
    assert (one.values["n"], two.values["n"]) == (2, 5)


# acceptance 23, 40
def test_add_never_raises_for_content() -> None:
    graph = StateGraph("", start="")
    graph.add_node(7, nothing)  # type: ignore[arg-type]  # that is the point
    graph.add_node("a", nothing)
    graph.add_node("a", nothing)
    graph.add_edge("a", None)  # type: ignore[arg-type]  # that is the point
    graph.add_edge("a", "nowhere", when="n >")
    graph.add_key("k")
    graph.add_key("k")
    with pytest.raises(GraphError) as caught:
        graph.compile()
    assert len(caught.value.problems) >= 6


# acceptance 20
def test_a_step_touches_only_the_edges_of_its_node() -> None:
    asked: list[str] = []

    def watch(name: str) -> object:
        def asks(context: RoutingContext) -> bool:
            asked.append(name)
            return False

        return asks

    graph = StateGraph("ring", start="n0", max_steps=5)
    for number in range(50):
        graph.add_node(f"n{number}", nothing)
        graph.add_edge(f"n{number}", END, when=watch(f"n{number}"))  # type: ignore[arg-type]
        graph.add_edge(f"n{number}", f"n{(number + 1) % 50}")
    executor = Executor(graph.compile())
    executor.step(executor.start({}))
    assert asked == ["n0"]


# acceptance 93, 105
def test_any_object_with_execute_is_a_node() -> None:
    class Greeter:
        def execute(self, state: object) -> NodeResult:
            return NodeResult({"said": "hello"}, output="hello")

    graph = StateGraph("greet", start="greet")
    graph.add_node("greet", Greeter())
    graph.add_edge("greet", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.values == {"said": "hello"}
    assert run.output == "hello"


# acceptance 67, 68
def test_filling_in_templates_leaves_the_graph_and_its_plan_as_they_were() -> None:
    graph = StateGraph("teach", start="write", max_steps=7, no_feedback=["write"])
    graph.declare_node("write", "llm", {"prompt": "About {{ topic }}, again.", "system": "For {{ reader }}."})
    graph.add_edge("write", "write", when="visits.write < 2", label="again")
    graph.add_edge("write", END)
    app = graph.compile()
    before = to_document(graph)
    model = ScriptedModel(["ok"])
    executor = Executor(app, models={"default": model})
    for topic in ("tea", "salt"):
        executor.run(executor.start({"topic": topic, "reader": "Ana"}))
    assert model.prompts == [
        *["For Ana.\n\nAbout tea, again."] * 2,
        *["For Ana.\n\nAbout salt, again."] * 2,
    ]
    assert to_document(graph) == to_document(app) == to_document(executor.app) == before
    settings = app.nodes["write"].node.settings  # type: ignore[union-attr]
    assert (settings.prompt, settings.system) == ("About {{ topic }}, again.", "For {{ reader }}.")
