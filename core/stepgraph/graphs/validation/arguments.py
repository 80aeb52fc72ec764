"""The arguments that nodes give to tools, as far as the tools are known."""

from __future__ import annotations

from collections.abc import Mapping
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
    """Report arguments that a tool does not take or lacks, and servers that are not configured here."""
    graph = checked.graph
    calls = [
        (name, tool, given)
        for name, requires in checked.requires.items()
        for tool, given in requires.tool_arguments.items()
    ]
    if not calls:
        return
    from ...tools.known import known_tools

    specs = {**known_tools(graph.tools.values(), None).specs, **(known.specs if known is not None else {})}
    servers = known.servers if known is not None else None
    for name, tool, given in calls:
        server, slash, _ = tool.partition("/")
        if slash and servers is not None and server not in servers and tool not in graph.tools:
            message = f"node {quoted(name)} uses the tool {quoted(tool)}, whose server is not configured here"
            report.warning("G112", message, ("nodes", name, "tool"), f"write [mcp.{server}] in the settings")
        if tool in specs and given is not None:
            _compare(name, tool, given, specs[tool], report)


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
