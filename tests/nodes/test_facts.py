"""Facts: what nodes declare, how a subgraph renames it, and when nodes are asked for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, ClassVar

from stepgraph import END, BaseNode, Executor, State, StateGraph, check
from stepgraph.conditions.base import Expression
from stepgraph.nodes.facts import NOTHING_DECLARED, NodeFacts
from stepgraph.templates.template import Template
from stepgraph.values.scopes import Scope

FULL = NodeFacts(
    templates=(Template("{{ draft }} {{ visits.think }}", "prompt"),),
    conditions=(("rules.few", Expression("amount < 5")),),
    reads=frozenset({"order"}),
    writes=frozenset({"answer"}),
    removes=("order.note",),
    tables={"review": ("decision",)},
    appends={"messages": "talk"},
    typed_keys={"schema": ("total", "sum")},
    editable=("order.amount",),
    chooses="route",
    tools=frozenset({"pay"}),
    calls_tools=False,
    call_key="tool_call",
    calls_any_tool=True,
    tool_arguments={"pay": {"amount": 1}},
    models=frozenset({"deep"}),
    may_call=frozenset({"fast"}),
    handlers=("module:function",),
    addresses=("GET at example.com",),
)


def test_what_names_keys_has_the_names_of_outside_in_a_subgraph_and_all_else_stays() -> None:
    found = FULL.scoped(Scope("sub"))
    renamed = {
        "reads": {"sub/order"},
        "writes": {"sub/answer"},
        "removes": ("sub/order.note",),
        "tables": {"sub/review": ("decision",)},
        "appends": {"messages": "sub/talk"},
        "typed_keys": {"schema": ("sub/total", "sub/sum")},
        "editable": ("sub/order.amount",),
        "chooses": "sub/route",
        "call_key": "sub/tool_call",
    }
    assert {name: getattr(found, name) for name in renamed} == renamed
    others = {field.name for field in fields(NodeFacts)} - renamed.keys() - {"_scope"}
    assert {name for name in others if getattr(found, name) != getattr(FULL, name)} == set()
    assert all(getattr(FULL, name) != getattr(NOTHING_DECLARED, name) for name in others | renamed.keys())


def test_texts_read_keys_and_count_visits_by_the_names_of_outside_however_deep() -> None:
    assert FULL.all_reads == {"order", "draft", "amount"}
    assert FULL.visits_read == {"think": "prompt"}
    inside = FULL.scoped(Scope("inner")).scoped(Scope("outer"))
    assert inside.all_reads == {"outer/inner/order", "outer/inner/draft", "outer/inner/amount"}
    assert inside.visits_read == {"outer/inner/think": "prompt"}


def test_one_that_declares_nothing_stays_one_that_may_write_any_key() -> None:
    inside = NOTHING_DECLARED.scoped(Scope("sub"))
    assert (inside.writes, inside.chooses, inside.call_key) == (None, None, None)
    assert inside.all_reads == inside.all_models == frozenset()


class Told(BaseNode):
    """A node of a program's own, which tells what it needs in methods of their names."""

    asks_again: ClassVar[bool] = True
    asked = 0

    def execute(self, state: State) -> dict[str, Any]:
        return {"said": "hello"}

    def templates(self) -> Iterator[Template]:
        self.asked += 1
        yield Template("{{ name }}", "text")

    def writes(self) -> frozenset[str]:
        return frozenset({"said"})

    def may_call(self) -> frozenset[str]:
        return frozenset({"deep"})


def test_a_node_may_give_each_fact_in_a_method_of_its_name() -> None:
    facts = Told().facts()
    assert [template.where for template in facts.templates] == ["text"]
    assert facts.reads is None
    assert facts.all_reads == {"name"}
    assert set(facts.writes or ()) == {"said"}
    assert facts.all_models == {"deep"}
    graph = StateGraph("own", start="a")
    graph.add_node("a", Told())
    graph.add_edge("a", END, when="sayd == 1")
    assert [problem.code for problem in check(graph)] == ["G104", "G107", "G107"]


def test_no_step_asks_a_node_for_its_facts() -> None:
    node = Told()
    graph = StateGraph("own", start="a", max_steps=50)
    graph.add_node("a", node)
    graph.add_edge("a", "a")
    executor = Executor(graph.compile())
    run = executor.start({"name": "Ada"})
    before = node.asked
    run = executor.run(run)
    assert run.step == 50
    assert node.asked == before
