"""The nodes and the declared tools, one by one."""

from __future__ import annotations

import inspect
from functools import lru_cache
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, cast, get_args

from ...nodes.base import BaseNode
from ...reviews.terms import NO_TERMS, ReviewTerms, TermsFault
from ...values.errors import StateError
from ...values.handler_names import HANDLER_HINT, is_handler
from ...values.json_values import plain, preview, with_kind
from ...values.messages import shown_value
from ...values.problems import KeyPath, did_you_mean
from ..parts import OPAQUE, RESERVED, NodeReview
from .report import KnownNames, is_sound, quoted

if TYPE_CHECKING:
    from ...nodes.base import NodeFacts
    from ...tools.protocols import ToolEntry
    from ..parts import NodeEntry
    from .report import CheckedGraph, Report


def check_nodes(checked: CheckedGraph, report: Report) -> None:
    """Report what is wrong with the nodes, and what they say of themselves."""
    tools = KnownNames(checked.graph.tools)
    for name, entry in checked.nodes.items():
        path = ("nodes", name)
        _name(name, path, report)
        for problem in entry.problems:
            report.adopt(problem, name)
        if entry.review is not None and entry.review not in get_args(NodeReview):
            given: object = entry.review
            hint = did_you_mean(str(given), get_args(NodeReview), listing="it takes")
            message = f"node {quoted(name)} has the unknown review {quoted(given)}"
            report.error("G006", message, (*path, "review"), hint)
        _timeout(name, entry, path, report)
        flags: dict[str, object] = {"side_effects": entry.side_effects}
        report.flags("G006", f"node {quoted(name)}", flags, path)
        if entry.node is not None:
            _runs(entry, path, report)
        for problem in entry.inner_problems:
            report.adopt(problem, name)
        _facts(checked.facts[name], name, checked, tools, report)
        if not checked.outgoing[name]:
            hint = f'add [[edges]] with from = {quoted(name)} and to = "END"'
            report.error("G014", f"node {quoted(name)} has no edge that leaves it", path, hint)


def _timeout(name: str, entry: NodeEntry, path: KeyPath, report: Report) -> None:
    try:
        entry.seconds  # noqa: B018  # it raises
    except ValueError:
        message = (
            f"the timeout of node {quoted(name)} is {quoted(entry.timeout)}, which is no time it could have"
        )
        hint = 'write it as "30s", "10m" or "4h", from a thousandth of a second to ten years; or leave it out'
        report.error("G006", message, (*path, "timeout"), hint)


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
        report.error(
            "G003", f"the node name {quoted(name)} contains an unpaired surrogate", path, "retype it"
        )


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


def _facts(facts: NodeFacts, name: str, checked: CheckedGraph, tools: KnownNames, report: Report) -> None:
    if facts.handlers:
        _handlers(facts, name, report)
    if facts.tools:
        _tools(facts, name, checked, tools, report)
    if facts.editable:
        _editable(facts, name, checked, report)
    if facts.removes:
        _removes(facts, name, checked, report)
    if facts.tables:
        _tables(facts, name, checked, report)
    if facts.appends or facts.typed_keys:
        _declared(facts, name, checked, report)
    if facts.visits_read:
        _visits(facts, name, checked, report)


def _handlers(facts: NodeFacts, name: str, report: Report) -> None:
    for handler in facts.handlers:
        if not is_handler(handler):
            written = f"the handler {quoted(handler)}, which is not written as module:function"
            message = f"node {quoted(name)} has {written}"
            report.error("G021", message, ("nodes", name, "handler"), HANDLER_HINT)


def _tools(facts: NodeFacts, name: str, checked: CheckedGraph, known: KnownNames, report: Report) -> None:
    if not checked.graph.tools and checked.graph.source is None:
        return  # its tools come with the executor
    for tool in sorted(name for name in facts.tools if name not in checked.graph.tools):
        if "/" in tool:
            continue  # a server's, which the user's settings name
        message = f"node {quoted(name)} uses the tool {quoted(tool)}, which the graph does not declare"
        hint = known.hint(tool) or f"declare [tools.{tool}] with a handler, or scripted answers in returns"
        report.error("G019", message, ("nodes", name, checked.tool_setting(name)), hint, tool)


def _editable(facts: NodeFacts, name: str, checked: CheckedGraph, report: Report) -> None:
    for path in facts.editable:
        key = checked.graph.keys.get(path) or checked.graph.keys.get(path.split(".")[0])
        if key is not None and key.reducer == "append":
            message = (
                f"node {quoted(name)} lets the reviewer edit {quoted(path)}, but what is written to "
                f"{quoted(key.name)} is appended, so the edit would not replace anything"
            )
            hint = "copy what may be edited to a key of its own, with the reducer replace"
            report.error("G026", message, ("nodes", name, "editable", path), hint)


def _removes(facts: NodeFacts, name: str, checked: CheckedGraph, report: Report) -> None:
    """Report parts of keys that cannot be taken away, because updates only add to their keys."""
    for path in facts.removes:
        head, _, rest = path.partition(".")
        key = checked.graph.keys.get(head)
        if not rest or path in checked.graph.keys or key is None or key.reducer == "replace":
            continue
        message = (
            f"node {quoted(name)} takes {quoted(path)} away, but {quoted(head)} has the reducer "
            f'"{key.reducer}", by which a part of it never goes'
        )
        hint = f"take the whole of {quoted(head)} away, or declare it without a reducer"
        report.error("G043", message, ("nodes", name), hint, path)


def _tables(facts: NodeFacts, name: str, checked: CheckedGraph, report: Report) -> None:
    """Report keys that take a table from the node, and are declared as something else."""
    for table in facts.tables:
        key = checked.graph.keys.get(table)
        if key is None or key.type in (None, "table") or key.reducer == "append":
            continue
        message = (
            f"node {quoted(name)} writes a table to {quoted(table)}, which is declared as {quoted(key.type)}"
        )
        hint = f'name another key in the node, or declare {quoted(table)} with type = "table"'
        report.error("G028", message, ("nodes", name), hint)


def _declared(facts: NodeFacts, name: str, checked: CheckedGraph, report: Report) -> None:
    """Report keys that the graph must declare for the node, or declare as they are used there."""
    keys = checked.graph.keys
    for setting, key in facts.appends.items():
        if key not in keys or keys[key].reducer != "append":
            is_now = "is not declared" if key not in keys else f"has the reducer {keys[key].reducer}"
            message = f"node {quoted(name)} keeps a conversation in {quoted(key)}, which {is_now}"
            hint = f'declare [state.{key}] with reducer = "append"'
            report.error("G050", message, ("nodes", name, setting), hint, key)
    for setting, typed in facts.typed_keys.items():
        for key in typed:
            if key not in keys:
                message = f"node {quoted(name)} has {quoted(key)} in its {setting}, which is not declared"
                hint = did_you_mean(key, keys) or f"declare [state.{key}] with a type and a note"
                report.error("G051", message, ("nodes", name, setting), hint, key)


def _visits(facts: NodeFacts, name: str, checked: CheckedGraph, report: Report) -> None:
    for node, where in facts.visits_read.items():
        if node not in checked.nodes:
            message = (
                f"node {quoted(name)}: {quoted(where)} asks for visits of {quoted(node)}, "
                "which is not a node of the graph"
            )
            report.error("G020", message, ("nodes", name, where), checked.names.hint(node), node)


def check_tools(checked: CheckedGraph, report: Report) -> None:
    """Report what is wrong with the declarations of tools."""
    stored = checked.graph.locate is None
    for name, entry in checked.graph.tools.items():
        path, given = ("tools", name), cast("object", name)
        what = f"the tool {quoted(name)}"
        if not isinstance(given, str) or not given.strip() or not is_sound(given):
            report.error("G027", f"a tool cannot be named {quoted(name)}", path, "give it a name")
        elif "/" in given and (
            entry.tool is not None or entry.handler is not None or entry.command is not None
        ):
            message = f"{what} has the name of a tool of a server, and another thing to run"
            hint = "give it a name without a slash; only scripted answers may stand in for a server's tool"
            report.error("G046", message, path, hint)
        flags = {"side_effects": entry.side_effects, "requires_approval": entry.requires_approval}
        report.flags("G027", what, flags, path)
        if entry.tool is not None:
            _object(entry.tool, what, path, report)
        elif entry.handler is not None:
            _handler(entry.handler, stored, what, path, report)
        elif entry.command is None or entry.returns is not None:
            _scripted(entry, what, path, report)


def _object(tool: object, what: str, path: KeyPath, report: Report) -> None:
    if is_async(tool):
        hint = "make it a plain function, which may call asyncio.run inside"
        report.error("G017", f"{what} is async, and Stepgraph never awaits", path, hint)
    elif is_class_of(tool):
        report.error("G027", f"{what} is a class, not an object of it", path, "call it: Tool(...)")
    elif not is_runnable(tool):
        message = f"{what} is {shown_value(tool)}, neither a function nor an object with execute"
        report.error("G027", message, path, "give a function that returns a table")


def _handler(handler: object, stored: bool, what: str, path: KeyPath, report: Report) -> None:
    if stored and handler == OPAQUE:
        return  # a stored definition says so of a Python object
    if not isinstance(handler, str) or not is_handler(handler):
        message = f"{what} has the handler {quoted(handler)}, which is not written as module:function"
        report.error("G021", message, (*path, "handler"), HANDLER_HINT)


def _scripted(entry: ToolEntry, what: str, path: KeyPath, report: Report) -> None:
    if entry.returns is None:
        report.error(
            "G027",
            f"{what} has nothing to run",
            path,
            'write handler = "module:function", command = ["program"] or scripted answers, returns = {}',
        )
        return
    path = (*path, "returns")
    try:
        returns = plain(entry.returns, f"what {what} returns")
    except StateError as error:
        report.error("G027", error.message, path, error.hint)
        return
    answers = returns if isinstance(returns, list) else [returns]
    wrong = next((answer for answer in answers if not isinstance(answer, dict)), None)
    if wrong is not None or not answers:
        found = (
            f"has {with_kind(wrong)} among its scripted answers"
            if answers
            else "has an empty list of scripted answers"
        )
        report.error(
            "G027", f"{what} {found}", path, "a tool answers with a table, or with one a visit in a list"
        )


def is_runnable(thing: object) -> bool:
    """True for a function, and for an object with ``execute``, which then is what runs."""
    execute = getattr(thing, "execute", thing)
    return callable(execute)


def is_class_of(thing: object) -> bool:
    """True for a class with ``execute`` where an object of it was meant."""
    return isinstance(thing, type) and callable(getattr(thing, "execute", None))


def is_async(thing: object) -> bool:
    """True for what gives something to await: a coroutine function, or an object with one to run."""
    run = getattr(thing, "execute", thing)
    if isinstance(run, (type, FunctionType, MethodType)):
        return _is_coroutine(run)
    return _is_coroutine(run) or _is_coroutine(getattr(run, "__call__", None))  # noqa: B004  # it may be async


def _is_coroutine(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


_SILENT = ("llm", "router", "tool", "transform", "guardrail", "subgraph", "wait", "http")
"""The types of nodes that never ask by themselves."""


def check_terms(checked: CheckedGraph, report: Report) -> None:
    """Report terms that cannot work, alone or together, and terms where nobody is ever asked."""
    graphs = checked.settings.terms
    if not _are_terms(graphs, "the graph", ("reviews",), report):
        return
    faults = list(graphs.faults())
    entries = [
        (name, entry)
        for name, entry in checked.nodes.items()
        if _are_terms(entry.terms, f"node {quoted(name)}", ("nodes", name), report)
    ]
    waits = any(entry.terms.deadline for _, entry in entries)
    if graphs.on_timeout and graphs.deadline is None and not waits:
        faults.append(_nothing_to_wait_for())
    for fault in faults:
        _report(fault, "reviews", ("reviews", fault.key), report)
    asking = [(name, entry) for name, entry in entries if _may_ask(entry, checked)]
    if graphs != NO_TERMS and not asking:
        message = "reviews has terms, but no node of the graph asks a person"
        report.warning("G109", message, ("reviews",), "add a gate or an approval node, or leave them out")
    for name, entry in entries:
        if (name, entry) in asking:
            _check_node(name, entry, graphs, faults, report)
        elif entry.terms != NO_TERMS:
            key = next(iter(entry.terms.to_json()))
            message = f"node {quoted(name)} has {key!r}, but it never asks a person"
            hint = 'write review = "before" or "after", or leave it out'
            report.warning("G109", message, ("nodes", name, key), hint)


def _are_terms(terms: object, whose: str, path: KeyPath, report: Report) -> bool:
    if isinstance(terms, ReviewTerms):
        return True
    report.error("G006", f"{whose} has the terms {preview(terms)}", path, "give ReviewTerms(...)")
    return False


def _check_node(
    name: str, entry: NodeEntry, graphs: ReviewTerms, known: list[TermsFault], report: Report
) -> None:
    """Report what is wrong with the terms of a node that asks, but for what is wrong with the graph's."""
    own, path = entry.terms, ("nodes", name)
    merged = own.over(graphs)
    if merged == NO_TERMS:
        return
    faults = [fault for fault in merged.faults() if fault not in known]
    if own.on_timeout and merged.deadline is None:
        faults.append(_nothing_to_wait_for())
    if not faults and (clash := merged.clashes_with(_offered(entry))) is not None:
        faults.append(clash)
    for fault in faults:
        is_written = getattr(own, fault.key) is not None
        _report(fault, f"node {quoted(name)}", (*path, fault.key) if is_written else path, report)


def _nothing_to_wait_for() -> TermsFault:
    message = "on_timeout needs a deadline, and there is none"
    return TermsFault("G040", "on_timeout", message, 'such as deadline = "4h"')


def _report(fault: TermsFault, whose: str, path: KeyPath, report: Report) -> None:
    report.error(fault.code, f"{whose}: {fault.message}", path, fault.hint)


def _may_ask(entry: NodeEntry, checked: CheckedGraph) -> bool:
    """Check whether a node may ask a person; Python code may always do so."""
    declared = checked.graph.tools
    kind = getattr(entry.node, "type", entry.type)
    if kind not in _SILENT or entry.asks(checked.settings.review, declared):
        return True
    if kind != "tool":
        return False
    # A tool may come with the executor, or be named by the state: then any of them may be called.
    is_fixed = bool(entry.tools(declared))
    return not is_fixed and (not declared or any(tool.requires_approval for tool in declared.values()))


def _offered(entry: NodeEntry) -> tuple[str, ...]:
    """List what an approval node offers; of other questions, approve and reject at least."""
    settings: Any = getattr(entry.node, "settings", None)
    if not isinstance(entry.node, BaseNode) or entry.node.type != "approval":
        return ("approve", "reject")
    from ...reviews.model import ReviewRequest

    return ReviewRequest("", editable=settings.editable, allow=settings.allow).verbs
