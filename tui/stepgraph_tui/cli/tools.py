"""``stepgraph tools``: which tools there are, with their arguments, and calling one by hand."""

from __future__ import annotations

from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.runs import tools_of
from stepgraph.tools import arguments_text, known_tools
from stepgraph.values import StepgraphError
from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.system import settings_file

from .exits import Exit
from .graphs import add_trust, named_graph
from .inputs import read_changes
from .live import connections
from .output import ensure_trusted
from .parser import Parser
from .tables import Columns, listing

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.models import ToolSpec
    from stepgraph.tools import ToolEntry, ToolRegistry

    from .output import Output

_CALL = "call"
_COLUMNS: Columns = (("NAME", "keep"), ("FROM", "fold"), ("ARGUMENTS", "fold"), ("APPROVAL", "keep"))
_HELP = """\
Without more, the tools of the servers in your settings ([mcp.NAME]) are listed, and with a FILE those that
it declares, too. A server that is not running is started, and ended again.

  stepgraph tools                                    the tools of your servers
  stepgraph tools graph.toml                         and those of a graph
  stepgraph tools call files/read --set path=a.txt   calls one; its result is JSON
  stepgraph tools call log --file graph.toml --set count=3
"""


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as it is listed."""

    name: str
    origin: str
    spec: ToolSpec | None
    """None where nothing is known of its arguments without running what it names."""
    approval: bool


def tools(args: Namespace, output: Output) -> Exit:
    """List the tools, or call one."""
    if args.file == _CALL:
        if args.name is None:
            output.error("name the tool to call", "stepgraph tools lists them")
            return Exit.USAGE
        return _call(args, output)
    if args.name is not None or args.set or args.graph is not None:
        output.error("one FILE at most is listed; --set and --file go with `tools call NAME`", "see --help")
        return Exit.USAGE
    return _list(Path(args.file) if args.file is not None else None, args.trust, output)


def _list(file: Path | None, trust: bool, output: Output) -> Exit:
    app = named_graph(output, file, trust).compile() if file is not None else None
    failed: list[StepgraphError] = []
    with closing(connections(output, tells=True)) as user:
        found = list(_list_tools(user.tools, app, failed))
    if output.as_json:
        output.data([_json(tool) for tool in found])
    elif found:
        rows = [(each.name, each.origin, arguments_text(each.spec), _asks(each)) for each in found]
        output.table(listing(_COLUMNS, rows, output.console.width))
    for error in failed:
        output.error(error.message, error.hint)
    if not found and not failed:
        output.narrate(f"there are no tools: write [mcp.NAME] into {settings_file()}, or name a graph FILE")
    else:
        output.narrate(plural(len(found), "tool"))
    return Exit.FAILED if failed else Exit.DONE


def _list_tools(
    registry: ToolRegistry, app: CompiledGraph | None, failed: list[StepgraphError]
) -> Iterator[ListedTool]:
    entries = app.tools if app is not None else {}
    folder = app.source.parent if app is not None and app.source is not None else None
    known = known_tools(entries.values(), folder).specs
    for name, entry in entries.items():
        yield ListedTool(name, _origin(entry), known.get(name), entry.requires_approval)
    for server, source in registry.sources.items():
        try:
            specs = source.specs()
        except StepgraphError as error:
            failed.append(error)
            continue
        for spec in specs:
            name = f"{server}/{spec.name}"
            if name not in entries:
                yield ListedTool(name, f"server {server}", spec, source.requires_approval(spec.name))


def _origin(entry: ToolEntry) -> str:
    """Describe what a declared tool is made of."""
    if entry.handler is not None:
        return f"Python {entry.handler}"
    if entry.command is not None:
        return f"command {entry.command.command[0]}" + (", scripted unless live" if entry.returns else "")
    return "scripted answers" if entry.tool is None else "Python"


def _call(args: Namespace, output: Output) -> Exit:
    """Call a tool and print its result as JSON."""
    app = named_graph(output, args.graph, args.trust).compile() if args.graph is not None else None
    if app is not None:
        ensure_trusted(output, app, args.trust)
    with closing(connections(output, tells=True)) as user:
        registry = user.tools
        if app is not None:
            registry = tools_of(app, registry, live=True)
        spec = registry.spec(args.name)
        arguments = read_changes(args.set, spec.types)
        result = registry.call(args.name, arguments, approved=True)  # who calls by hand has agreed
    output.data(result)
    return Exit.DONE


def _asks(tool: ListedTool) -> str:
    return "asks" if tool.approval else ""


def _json(tool: ListedTool) -> dict[str, Any]:
    parameters = tool.spec.parameters if tool.spec is not None else None
    return {
        "name": tool.name,
        "from": tool.origin,
        "description": tool.spec.description if tool.spec is not None else "",
        "parameters": dict(parameters) if parameters is not None else None,
        "requires_approval": tool.approval,
    }


def tools_options(parser: Parser) -> None:
    """Declare what ``tools`` takes."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.usage = "stepgraph tools [FILE] [--json] | call NAME [--set KEY=VALUE] [--file FILE] [--trust]"
    parser.epilog = _HELP
    parser.add_argument("file", nargs="?", metavar="FILE", help="a graph whose tools are listed, or `call`")
    parser.add_argument("name", nargs="?", metavar="NAME", help="behind `call`: the tool")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an argument, as JSON or else as text; KEY=@FILE reads a file; repeatable",
    )
    parser.add_argument("--file", dest="graph", type=Path, metavar="FILE", help="the graph that has the tool")
    add_trust(parser)
    parser.set_defaults(command=tools)
