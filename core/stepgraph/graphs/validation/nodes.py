"""The nodes, one by one."""

from __future__ import annotations

from functools import lru_cache
from types import FunctionType
from typing import TYPE_CHECKING, get_args

from ...nodes.base import BaseNode
from ...values.handler_names import HANDLER_HINT, is_handler
from ...values.messages import shown_value
from ...values.problems import KeyPath, did_you_mean
from ..parts import RESERVED, Gate
from .callables import is_async, is_class_of, is_runnable
from .names import Names, is_sound, quoted

if TYPE_CHECKING:
    from ...nodes.requirements import NodeFacts
    from ..parts import NodeEntry
    from .outline import Outline
    from .report import Report


def check_nodes(outline: Outline, report: Report) -> None:
    """Report what is wrong with the nodes, and what they say of themselves."""
    tools = Names(outline.graph.tools)
    for name, entry in outline.nodes.items():
        path = ("nodes", name)
        _name(name, path, report)
        for problem in entry.problems:
            report.adopt(problem, name)
        if entry.review is not None:
            _gate(entry, path, report)
        if entry.node is not None:
            _runs(entry, path, report)
        facts = outline.facts.get(name)
        if facts is not None:
            for problem in facts.problems:
                report.adopt(problem, name)
            _handlers(facts, name, path, report)
            if facts.tools:
                _tools(facts, name, outline, tools, report)
            _editable(facts, name, outline, report)
        if not outline.outgoing[name]:
            hint = "add one, such as an edge to END"
            report.error("G014", f"node {quoted(name)} has no edge that leaves it", path, hint)


def _name(name: str, path: KeyPath, report: Report) -> None:
    if not name.strip():
        report.error("G003", f"a node has the blank name {quoted(name)}", path, "name it")
    elif name in RESERVED:
        report.error(
            "G005",
            f"no node may be named {quoted(name)}: the name is reserved for the end",
            path,
            "rename it",
        )
    elif not is_sound(name):
        report.error("G003", f"the node name {quoted(name)} has half a character in it", path, "retype it")


def _gate(entry: NodeEntry, path: KeyPath, report: Report) -> None:
    gate: object = entry.review
    if gate not in get_args(Gate):
        hint = did_you_mean(str(gate)[:60], get_args(Gate), listing="it takes")
        message = f"node {quoted(entry.name)} has the unknown review {quoted(gate)}"
        report.error("G025", message, (*path, "review"), hint)
        return
    message = (
        f"node {quoted(entry.name)} asks for a review {gate} it runs, and this version has no review gates"
    )
    hint = f"put an approval node {gate} it, and leave review out"
    report.error("G025", message, (*path, "review"), hint)


def _runs(entry: NodeEntry, path: KeyPath, report: Report) -> None:
    node = entry.node
    if isinstance(node, BaseNode) and "execute" not in vars(node):
        execute: object = type(node).execute
        if isinstance(execute, FunctionType) and _is_sound(execute):
            return
    what = f"node {quoted(entry.name)}"
    if is_class_of(node):
        name = getattr(node, "__name__", "Node")
        report.error("G018", f"{what} is the class {name}, not an object of it", path, f"write {name}(...)")
    elif is_async(node):
        hint = "make it a plain function, which may call asyncio.run inside"
        report.error("G017", f"{what} is async, and Stepgraph never awaits", path, hint)
    elif not is_runnable(node):
        message = f"{what} is {shown_value(node)}, neither a function nor an object with execute"
        report.error("G018", message, path, "give a function that takes the state and returns a dict")
    elif isinstance(node, BaseNode) and type(node).execute is BaseNode.execute:
        message = f"{what} is of the class {type(node).__name__}, which does not say what it does"
        report.error("G018", message, path, "define execute(self, state) in it")


@lru_cache(maxsize=256)  # the nodes of a graph are thousands, their classes few
def _is_sound(execute: FunctionType) -> bool:
    return execute is not BaseNode.execute and not is_async(execute)


def _handlers(facts: NodeFacts, name: str, path: KeyPath, report: Report) -> None:
    for handler in facts.handlers:
        if not is_handler(handler):
            message = (
                f"node {quoted(name)} has the handler {quoted(handler)}, which is not spelt module:function"
            )
            report.error("G021", message, (*path, "handler"), HANDLER_HINT)


def _tools(facts: NodeFacts, name: str, outline: Outline, known: Names, report: Report) -> None:
    if not outline.graph.tools and outline.graph.source is None:
        return  # its tools come with the executor
    for tool in sorted(name for name in facts.tools if name not in outline.graph.tools):
        message = f"node {quoted(name)} uses the tool {quoted(tool)}, which the graph does not declare"
        hint = known.hint(tool) or "declare it: [tools.NAME]"
        report.error("G019", message, ("nodes", name, "tool"), hint, tool)


def _editable(facts: NodeFacts, name: str, outline: Outline, report: Report) -> None:
    for path in facts.editable:
        key = outline.graph.keys.get(path) or outline.graph.keys.get(path.split(".")[0])
        if key is not None and key.reducer == "append":
            message = (
                f"node {quoted(name)} lets the reviewer edit {quoted(path)}, but what is written to "
                f"{quoted(key.name)} is appended, so the edit would not replace anything"
            )
            hint = "copy what may be edited to a key of its own, with the reducer replace"
            report.error("G026", message, ("nodes", name, "editable", path), hint)
