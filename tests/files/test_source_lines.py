"""The source of what a graph runs: the lines that a person wrote, behind whatever wraps them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from stepgraph import BaseNode, LLMNode, NodeResult, StateGraph
from stepgraph.conditions import parse_condition
from stepgraph.files.importing import load_module
from stepgraph.files.sources import read_sources
from stepgraph.nodes.source_lines import source_lines

from .conftest import WriteText

MODULE = '''
import functools
from stepgraph import BaseNode, NodeResult


def plain(state):
    """Does it."""
    return {"a": 1}


def logged(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args)
    return around


@logged
@functools.lru_cache
def wrapped(state):
    return {}

half = functools.partial(plain, state={})
both = functools.partial(logged(half.func))
short = lambda context: context.step > 1
long = (lambda context:
    context.step
    > 1)


class Shop:
    def sell(self, state):
        return {}

    @classmethod
    def buy(cls, state):
        return {}

    @staticmethod
    def close(state):
        return {}


class Called:
    def __call__(self, state):
        return {}


class Own(BaseNode):
    def execute(self, state):
        return NodeResult({})


class Careless:
    def __getattr__(self, name):
        return {}[name]

    def __call__(self, state):
        return {}


shop, called, own, careless = Shop(), Called(), Own(), Careless()
'''


@pytest.fixture
def module(write: WriteText) -> ModuleType:
    """The module above, imported as a graph's modules are."""
    path = write(MODULE, "parts.py")
    return load_module("parts", read_sources(["parts"], path.parent))


@pytest.mark.parametrize(
    ("find", "begins", "ends"),
    [
        (lambda module: module.plain, "def plain(state):", '    return {"a": 1}'),
        (lambda module: module.wrapped, "@logged", "    return {}"),
        (lambda module: module.half, "def plain(state):", '    return {"a": 1}'),
        (lambda module: module.both, "def plain(state):", '    return {"a": 1}'),
        (lambda module: module.short, "short = lambda context: context.step > 1", ""),
        (lambda module: module.long, "long = (lambda context:", "    > 1)"),
        (lambda module: module.shop.sell, "    def sell(self, state):", "        return {}"),
        (lambda module: module.Shop.buy, "    @classmethod", "        return {}"),
        (lambda module: module.Shop.close, "    @staticmethod", "        return {}"),
        (lambda module: module.called, "class Called:", "        return {}"),
        (lambda module: module.own, "class Own(BaseNode):", "        return NodeResult({})"),
        (lambda module: module.Own, "class Own(BaseNode):", "        return NodeResult({})"),
        (lambda module: module.careless, "class Careless:", "        return {}"),
    ],
)
def test_what_a_person_wrote_is_found_behind_what_wraps_it(
    module: ModuleType, find: Callable[[ModuleType], object], begins: str, ends: str
) -> None:
    found = source_lines(find(module))
    assert found is not None
    assert found.file.name == "parts.py"
    assert found.lines[0] == begins
    assert found.lines[-1] == (ends or begins)
    written = MODULE.splitlines()
    assert tuple(written[found.first - 1 :][: len(found.lines)]) == found.lines


def test_the_parts_of_a_graph_have_their_lines(module: ModuleType) -> None:
    graph = StateGraph("g", start="a")
    graph.add_node("a", module.shop.sell)
    graph.add_node("b", module.own)
    graph.add_tool("t", module.plain)
    graph.add_edge("a", "b", when=module.short)
    graph.add_edge("a", "END", when="x == 1")
    graph.add_edge("b", "END")
    plan = graph.compile()
    first = {name: source_lines(entry.node) for name, entry in plan.nodes.items()}
    assert [found is not None and found.lines[0].strip() for found in first.values()] == [
        "def sell(self, state):",
        "class Own(BaseNode):",
    ]
    tool, lines = source_lines(plan.tools["t"].tool), [source_lines(edge.condition) for edge in plan.edges]
    assert tool is not None
    assert tool.lines[0] == "def plain(state):"
    assert [found is not None for found in lines] == [True, False, False]


def test_what_no_file_has_has_no_lines() -> None:
    typed: dict[str, Any] = {}
    exec("def typed(state): return {}", typed)  # noqa: S102  # as somebody types it in a shell
    parts: tuple[object, ...] = (
        len,
        {}.get,
        functools.partial(print, "x"),
        None,
        LLMNode(prompt="x"),
        parse_condition("a == 1"),
        typed["typed"],
        BaseNode,
    )
    for part in parts:
        assert source_lines(part) is None, part


def test_a_wrapper_of_itself_ends() -> None:
    def own(state: object) -> NodeResult:
        return NodeResult()

    own.__wrapped__ = own  # type: ignore[attr-defined]
    found = source_lines(own)
    assert found is None or found.lines[0].strip().startswith("def own")


def test_the_lines_are_those_that_were_imported(write: WriteText) -> None:
    path = write("def f(state):\n    return {}\n", "mine.py")
    function = load_module("mine", read_sources(["mine"], path.parent)).f
    path.write_text("\n\n# all is new\n")
    found = source_lines(function)
    assert found is not None
    assert found.lines == ("def f(state):", "    return {}")
