"""Facts: what nodes declare, how a subgraph renames it, and when nodes are asked for it."""

from __future__ import annotations

from stepgraph.conditions.base import Expression
from stepgraph.nodes.base import NOTHING_DECLARED, NodeFacts
from stepgraph.templates.template import Template
from stepgraph.values.state import Scope

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
