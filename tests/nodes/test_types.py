"""Node types by name, and those that packages add."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import pytest
from pydantic import Field

from stepgraph import END, BaseNode, Executor, GraphError, Node, State, StateGraph
from stepgraph.nodes import registry
from stepgraph.nodes.registry import build_node, node_types
from stepgraph.nodes.settings import NodeSettings


class GuardSettings(NodeSettings):
    """The settings of a guard."""

    key: str = Field(description="What to look at.")
    forbidden: str = Field(description="What must not be in it.")


class GuardNode(BaseNode):
    """Marks a text that has what it must not have."""

    type: ClassVar[str] = "guard"
    Settings = GuardSettings

    def execute(self, state: State) -> dict[str, Any]:
        return {"safe": self.settings.forbidden not in state[self.settings.key]}


class Explosive(GuardNode):
    def __init__(self, name: str, /, **settings: Any) -> None:
        raise RuntimeError("boom")


class Nameless(BaseNode):
    Settings = GuardSettings


not_a_node = {"type": "guard"}


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    here = __name__
    points = [
        EntryPoint("guard", f"{here}:GuardNode", registry.GROUP),
        EntryPoint("broken", "no_such_package_here.nodes:Thing", registry.GROUP),
        EntryPoint("odd", f"{here}:not_a_node", registry.GROUP),
        EntryPoint("nameless", f"{here}:Nameless", registry.GROUP),
        EntryPoint("explosive", f"{here}:Explosive", registry.GROUP),
        EntryPoint("llm", f"{here}:GuardNode", registry.GROUP),
    ]
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: points if group == registry.GROUP else []
    )
    monkeypatch.setattr(registry, "_points", registry._points.__wrapped__)
    monkeypatch.setattr(EntryPoint, "load", _load)


def _load(point: EntryPoint) -> Any:
    module, _, attribute = point.value.partition(":")
    if module != __name__:
        raise ModuleNotFoundError(f"No module named {module!r}")
    return globals()[attribute]


# acceptance 104, 105, 107
def test_a_type_from_a_package_runs_without_a_change_to_the_executor(plugins: None) -> None:
    graph = StateGraph("g", start="guard")
    graph.declare_node("guard", "guard", {"key": "text", "forbidden": "guarantee"})
    graph.add_node("send", lambda state: {"sent": True})
    graph.add_conditional_edge("guard", "send", "safe", True)
    graph.add_edge("guard", END)
    graph.add_edge("send", END)
    executor = Executor(graph.compile())
    assert executor.run(executor.start({"text": "we hope so"})).values["sent"] is True
    stopped = executor.run(executor.start({"text": "we guarantee it"}))
    assert [record.node for record in stopped.history] == ["guard"]


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("broken", "cannot be loaded from 'no_such_package_here.nodes:Thing': ModuleNotFoundError"),
        ("odd", "registered as the node type 'odd', is not a node type"),
        ("nameless", "registered as the node type 'nameless', is not a node type"),
        ("explosive", "raised RuntimeError: boom"),
    ],
)
def test_a_broken_package_is_a_problem_and_no_crash(plugins: None, type_: str, said: str) -> None:
    node, problems = build_node("n", type_, {})
    assert node is None
    (problem,) = problems
    assert (problem.code, problem.place.node) == ("G036", "n")
    assert said in problem.message


def test_broken_types_are_left_out(plugins: None) -> None:
    assert {"guard", "explosive"} <= node_types().keys()
    assert {"broken", "odd", "nameless"}.isdisjoint(node_types())


# acceptance 95
def test_a_node_has_a_name_and_a_logger_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    node = GuardNode("guard", key="a", forbidden="b")
    with caplog.at_level("INFO"):
        node.log.info("looked")
    assert (node.name, caplog.records[0].name) == ("guard", "stepgraph.node.guard")


class Measure(BaseNode):
    """A node of a program's own, without settings."""

    def execute(self, state: State) -> dict[str, Any]:
        return {"length": len(state["text"])}


# acceptance 95
def test_a_node_without_settings_needs_nothing_but_execute() -> None:
    graph = StateGraph("g", start="measure")
    graph.add_node("measure", Measure("measure"))
    graph.add_edge("measure", END)
    executor = Executor(graph.compile())
    assert executor.run(executor.start({"text": "four"})).values["length"] == 4


def test_settings_that_a_node_does_not_describe_are_refused() -> None:
    with pytest.raises(
        GraphError, match="node 'm' has settings \\(unit\\), and Measure has no Settings"
    ) as caught:
        Measure("m", unit="words")
    (problem,) = caught.value.problems
    assert (problem.code, problem.place.node) == ("G031", "m")


# acceptance 93, 105, 106
def test_every_type_is_a_node_by_its_interface_alone() -> None:
    assert isinstance(GuardNode("g", key="a", forbidden="b"), Node)
    for cls in node_types().values():
        assert callable(cls.execute)
        assert cls.execute is not BaseNode.execute
