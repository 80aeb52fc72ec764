"""``stepgraph breaks``: the breakpoints and watches that are kept for a graph file, which stays as it is."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.files import located
from stepgraph.runs.debug import (
    CompiledBreakpoints,
    KeptDebugging,
    Watch,
    format_breakpoint,
    parse_breakpoint,
)
from stepgraph.values import BreakpointError
from stepgraph_tui.text.plain import plural

from .debugging import add_watches, explain_breaks
from .exits import Exit
from .graphs import add_trust, named_graph
from .parser import GRAPH, GRAPH_HELP, Parser

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs.debug import Breakpoint

    from .output import Output


def breaks(args: Namespace, output: Output) -> Exit:
    """Change what is kept for a graph file, as far as asked, and list it."""
    app, kept = named_graph(output, args.file, args.trust).compile(), KeptDebugging(located(str(args.file)))
    entries = _entries(args, app)
    switched = _switched(args, kept)
    for id in args.remove:
        kept.remove(id)
    for changed in switched:
        kept.replace(changed)
    for entry in entries:
        output.narrate(f"added {kept.add(entry)}")
    breakpoints, watches = kept.breakpoints(), kept.watches()
    broken = {each.breakpoint.id: each.reason for each in CompiledBreakpoints(breakpoints, app).broken}
    if output.as_json:
        output.data(_json(breakpoints, broken, watches, kept))
        return Exit.DONE
    output.page(_rows(breakpoints, broken, watches, kept))
    if breakpoints or watches:
        counts = f"{plural(len(breakpoints), 'breakpoint')}, {plural(len(watches), 'watched value')}"
        output.narrate(f"{counts}; run with them:")
        output.suggest("run", str(args.file), "--kept")
    else:
        output.narrate(f"nothing is kept for {args.file}; add a breakpoint with:")
        output.suggest("breaks", str(args.file), "--add", app.start)
    return Exit.DONE


def _entries(args: Namespace, app: CompiledGraph) -> list[Breakpoint | Watch]:
    """Read what is to be added, before anything is changed.

    Raises:
        BreakpointError: One cannot be read, or can never be met.
    """
    added = [parse_breakpoint(text, app) for text in args.add]
    for broken in CompiledBreakpoints(added, app).broken:
        raise BreakpointError(
            f"--add {format_breakpoint(broken.breakpoint)!r} can never be hit: {broken.reason}"
        )
    watches = list(map(Watch, args.watch))
    for watch in watches:
        watch.require()
    return [*added, *watches]


def _switched(args: Namespace, kept: KeptDebugging) -> list[Breakpoint | Watch]:
    """Find the breakpoints and watches that are to be switched, as they are to be.

    Raises:
        BreakpointError: One is not there, is damaged, or cannot be both on and off.
    """
    every: list[Breakpoint | Watch] = [*kept.breakpoints(), *kept.watches()]
    known = {each.id: each for each in every}
    damaged = {each.id: each for each in kept.damaged}
    for id in (*args.on, *args.off):
        if id in args.on and id in args.off:
            raise BreakpointError(f"{id} cannot be both on and off", hint="choose one of them")
        if id in damaged:
            raise BreakpointError(f"{id} cannot be switched: {damaged[id].describe()}")
        if id not in known:
            hint = f"there are: {', '.join(known)}" if known else "it has none"
            raise BreakpointError(
                f"the graph has no breakpoint or watch {id!r} that can be switched", hint=hint
            )
    return [replace(known[id], enabled=id in args.on) for id in (*args.on, *args.off)]


def _json(
    breakpoints: Sequence[Breakpoint], broken: dict[str, str], watches: Sequence[Watch], kept: KeptDebugging
) -> dict[str, Any]:
    return {
        "breakpoints": [
            {
                "id": each.id,
                "breakpoint": format_breakpoint(each),
                "enabled": each.enabled,
                "broken": broken.get(each.id),
            }
            for each in breakpoints
        ],
        "watches": [
            {"id": each.id, "watch": each.text, "enabled": each.enabled, "broken": each.problem or None}
            for each in watches
        ],
        "damaged": [{"id": each.id, "file": str(each.file), "reason": each.reason} for each in kept.damaged],
    }


def _rows(
    breakpoints: Sequence[Breakpoint], broken: dict[str, str], watches: Sequence[Watch], kept: KeptDebugging
) -> Iterator[tuple[str, str]]:
    for each in breakpoints:
        yield each.id, _entry(each.describe(), broken.get(each.id, ""))
    for watch in watches:
        yield watch.id, _entry(f"watch {watch.text}{'' if watch.enabled else ', off'}", watch.problem)
    for damaged in kept.damaged:
        yield damaged.id, f"damaged: {damaged.describe()}"


def _entry(text: str, problem: str) -> str:
    return f"{text}  (broken: {problem.splitlines()[0]})" if problem else text


def breaks_options(parser: Parser) -> None:
    """Declare what ``breaks`` takes."""
    parser.add_argument("file", metavar=GRAPH, type=Path, help=GRAPH_HELP)
    parser.add_argument("--add", action="append", default=[], metavar="WHERE", help="a breakpoint; see below")
    add_watches(parser)
    for option, help in (
        ("--remove", "remove the breakpoint or watch of this id"),
        ("--off", "switch a breakpoint off, or the stops at the changes of a watch"),
        ("--on", "switch it on again"),
    ):
        parser.add_argument(option, action="append", default=[], metavar="ID", help=f"{help}; repeatable")
    add_trust(parser)
    explain_breaks(parser)
    parser.set_defaults(command=breaks)
