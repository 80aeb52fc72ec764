"""The arguments that nodes give to tools, as far as the tools are known."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

from ...values.problems import did_you_mean
from .names import quoted

if TYPE_CHECKING:
    from ...models.messages import ToolSpec
    from ...tools.known import KnownTools
    from ...values.json_values import Json
    from .checked_graph import CheckedGraph
    from .report import Report


def check_arguments(checked: CheckedGraph, report: Report, known: KnownTools | None) -> None:
    """Report arguments that a tool does not take or lacks, and tools that cannot be called here."""
    graph = checked.graph
    _open_nodes(checked, report)
    _uncalled(checked, report)
    if known is not None and known.servers is not None:
        _servers(checked, report, known.servers)
    calls = [
        (name, tool, given)
        for name, facts in checked.facts.items()
        for tool, given in facts.tool_arguments.items()
        if given is not None
    ]
    if not calls:
        return
    from ...tools.known import known_tools

    specs = {**known_tools(graph.tools.values(), None).specs, **(known.specs if known is not None else {})}
    for name, tool, given in calls:
        if tool in specs:
            _compare(name, tool, given, specs[tool], report)


def _open_nodes(checked: CheckedGraph, report: Report) -> None:
    """Report nodes that call what the state names, where a graph from a file names no tool at all."""
    if checked.graph.source is None or checked.graph.tools:
        return  # what is built in Python gets its tools with its executor
    if any(facts.tools for facts in checked.facts.values()):
        return
    for name, facts in checked.facts.items():
        if facts.call_key is not None and not facts.calls_any_tool:
            key = quoted(facts.call_key)
            message = f"node {quoted(name)} calls the tool that {key} names, and the graph names none"
            hint = 'write tools = ["server/tool"], or "any" for all tools of your servers; or declare tools'
            report.warning("G113", message, ("nodes", name), hint)


def _uncalled(checked: CheckedGraph, report: Report) -> None:
    """Report nodes that call what a key of the state names, where nothing before them can have written it."""
    keys, facts = checked.graph.keys, checked.facts
    for name, own in facts.items():
        key = own.call_key
        if key is None or (key in keys and (keys[key].input or keys[key].has_default)):
            continue
        writers = [
            other
            for other, its in facts.items()
            if its.call_key is None and (its.writes is None or key in its.writes)
        ]
        if name not in _behind(checked, writers):
            called = f"node {quoted(name)} calls the tool that {quoted(key)} names"
            message = f"{called}, and nothing before it writes that"
            hint = "lead an edge to it from a node that asks a model, or name its tool: tool = ..."
            report.warning("G114", message, ("nodes", name), hint, key)


def _behind(checked: CheckedGraph, nodes: Iterable[str]) -> set[str]:
    """Find the nodes that a run can come to after one of some nodes."""
    left, found = [target for node in nodes for target in checked.leads.get(node, ())], set[str]()
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left.extend(checked.leads.get(node, ()))
    return found


def _servers(checked: CheckedGraph, report: Report, servers: Container[str]) -> None:
    for name, facts in checked.facts.items():
        for tool in sorted(facts.tools):
            server, slash, _ = tool.partition("/")
            if slash and server not in servers and tool not in checked.graph.tools:
                message = (
                    f"node {quoted(name)} uses the tool {quoted(tool)}, whose server is not configured here"
                )
                path = ("nodes", name, checked.tool_setting(name))
                report.warning("G112", message, path, f"write [mcp.{server}] in the settings")


def _compare(name: str, tool: str, given: Mapping[str, Json], spec: ToolSpec, report: Report) -> None:
    from ...tools.known import arguments_text

    path = ("nodes", name, "arguments")
    what = f"node {quoted(name)} gives the tool {quoted(tool)}"
    takes = f"it takes: {arguments_text(spec)}"
    for argument in given if spec.is_closed else ():
        if argument not in spec.arguments:
            hint = did_you_mean(argument, spec.arguments, listing="it takes") or takes
            report.warning("G110", f"{what} the unknown argument {quoted(argument)}", (*path, argument), hint)
    for argument in spec.required:
        if argument not in given:
            report.warning("G111", f"{what} no argument {quoted(argument)}", path, takes)
