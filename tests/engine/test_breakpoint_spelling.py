"""Breakpoints as they are written on a line, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, Breakpoint, BreakpointError, CompiledGraph, StateGraph
from stepgraph.runs.debug.breakpoint import parse_breakpoint

NAMES = ["draft", "a:b", "a", "x->y", "fail", "look up"]


def odd() -> CompiledGraph:
    """Nodes whose names have what the spelling has a meaning for."""
    graph = StateGraph("odd", start="draft")
    for name in NAMES:
        graph.add_node(name, lambda state: {})
        graph.add_edge(name, "draft", when="n > 1", label="again")
        graph.add_edge(name, END)
    return graph.compile()


ODD = odd()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("draft", Breakpoint("before", "draft")),
        ("draft:score < 3", Breakpoint("before", "draft", when="score < 3")),
        ("before:fail", Breakpoint("before", "fail")),
        ("a:b", Breakpoint("before", "a:b")),
        ("a:b:n == 1", Breakpoint("before", "a:b", when="n == 1")),
        ("a: c == 1", Breakpoint("before", "a", when="c == 1")),
        ("after:look up", Breakpoint("after", "look up")),
        ("fail", Breakpoint("fail")),
        ("pause:n > 1", Breakpoint("pause", when="n > 1")),
        ("nomatch", Breakpoint("no_match")),
        ("edge:draft->END", Breakpoint("edge", "draft", END)),
        ("edge: draft -> __END__ : n == 1", Breakpoint("edge", "draft", END, when="n == 1")),
        ("edge:x->y->draft#again", Breakpoint("edge", "x->y", "draft", "again")),
        ("edge:gone->END", Breakpoint("edge", "gone", END)),
        ("key:status", Breakpoint("changes", path="status")),
        ("key:order.amount:n > 1", Breakpoint("changes", path="order.amount", when="n > 1")),
        ('key:state["a:b=c"]', Breakpoint("changes", path='state["a:b=c"]')),
        ("key:status=done", Breakpoint("becomes", path="status", value="done")),
        ('key:status="a: b":n > 1', Breakpoint("becomes", path="status", value="a: b", when="n > 1")),
        ("key:n=3", Breakpoint("becomes", path="n", value=3)),
        ('key:n={"a": [1]}', Breakpoint("becomes", path="n", value={"a": [1]})),
        ("type:n", Breakpoint("type", path="n")),
        ("draft; after 2", Breakpoint("before", "draft", skip=2)),
        ("draft:n>1; every 3; after 2", Breakpoint("before", "draft", when="n>1", skip=2, every=3)),
        ("draft; every 2; log n: {{ n }}; x", Breakpoint("before", "draft", every=2, log="n: {{ n }}; x")),
    ],
)
def test_what_is_written_is_understood(text: str, meant: Breakpoint) -> None:
    assert parse_breakpoint(text, ODD) == meant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no node"),
        (":n > 1", "names no node"),
        ("draft:", "no condition behind its colon"),
        ("edge:draft", "names no edge"),
        ("edge:->draft", "names no edge"),
        ("key:", "names no key"),
        ("key:=3", "names no key"),
        ("key:n==3", "compares"),
        ("key:n=3 4", None),
        ("type:n=3", "waits for a type"),
        ("draft; every 0", "every of a breakpoint is 0"),
        ("draft; after 2; after 3", "says after twice"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_a_way_out(text: str, said: str | None) -> None:
    if said is None:
        assert parse_breakpoint(text, ODD).value == "3 4"
        return
    with pytest.raises(BreakpointError, match=said) as caught:
        parse_breakpoint(text, ODD)
    assert caught.value.hint


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_breakpoint(text, ODD)
    except BreakpointError:
        return
    assert found.describe()
