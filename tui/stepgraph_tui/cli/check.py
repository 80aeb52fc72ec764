"""``stepgraph check``: what is wrong with graph files, all of it at once."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from stepgraph.values import GraphFileError, did_you_mean
from stepgraph_tui.text.plain import LONG, QUOTE, plural

from .exits import Exit
from .graphs import add_trust, named_graph
from .parser import GRAPH, GRAPH_HELP, Parser

if TYPE_CHECKING:
    from stepgraph.values import Problem
    from stepgraph_tui.connections import Connections

    from .output import Output


def check(args: Namespace, output: Output) -> Exit:
    """Check files, or explain a code."""
    if args.explain is not None:
        return _explain(args.explain, output)
    if not args.files:
        output.error("name a graph file, such as `stepgraph check graph.toml`", "or a code after --explain")
        return Exit.USAGE
    results = [(path, *_checked(output, path, args.trust)) for path in args.files]
    if output.as_json:
        output.data([_json(path, problems) for path, problems, _ in results])
    for path, problems, size in results:
        if not output.as_json:
            for problem in problems:
                from stepgraph_tui.text.excerpts import fitted  # it measures cells with Rich

                output.lines([str(replace(problem, excerpt=""))])
                output.lines(f"{QUOTE}{line}" for line in fitted(problem.excerpt, _room(output)))
        errors = sum(problem.is_error for problem in problems)
        warnings = len(problems) - errors
        found = " and ".join(
            plural(count, noun) for count, noun in ((errors, "error"), (warnings, "warning")) if count
        )
        output.narrate(f"{path}: {found or f'ok, {size}'}")
    bad = any(problem.is_error for _, problems, _ in results for problem in problems)
    return Exit.FAILED if bad else Exit.DONE


def _room(output: Output) -> int:
    """Return the width of an excerpt: the terminal's; a file or a pipe takes any line."""
    return output.console.width - len(QUOTE) if output.data_stream.isatty() else LONG


def _checked(output: Output, path: Path, trust: bool) -> tuple[list[Problem], str]:
    """Check a file: its problems, and its size in words."""
    from stepgraph.graphs.validation import check as problems_of
    from stepgraph.tools import known_tools

    try:
        graph = named_graph(output, path, trust)
    except GraphFileError as error:
        return list(error.problems), ""
    folder = graph.source.parent if graph.source is not None else None
    connections = _connections()
    known = known_tools(graph.tools.values(), folder, connections.tools if connections is not None else None)
    models = connections.models.settings if connections is not None else None
    return problems_of(
        graph, models=models, tools=known
    ), f"{plural(len(graph.nodes), 'node')}, {plural(len(graph.edges), 'edge')}"


def _connections() -> Connections | None:
    """Return the user's models and servers, none of which is started; None without settings."""
    from stepgraph_tui.text.system import is_missing, settings_file

    if is_missing(settings_file()):
        return None
    from stepgraph_tui.connections import Connections
    from stepgraph_tui.settings import read_settings

    return Connections.from_settings(read_settings(settings_file())[0])


def _json(path: Path, problems: list[Problem]) -> dict[str, Any]:
    return {
        "file": str(path),
        "ok": not any(problem.is_error for problem in problems),
        "problems": [
            {
                "code": problem.code,
                "severity": problem.severity,
                "message": problem.message,
                "excerpt": problem.excerpt,
                "hint": problem.hint,
                **asdict(problem.place),
            }
            for problem in problems
        ],
    }


def _explain(code: str, output: Output) -> Exit:
    from stepgraph.explain import all_codes, explain

    found, wanted = explain(code), code.strip().upper()
    if found is None:
        output.error(f"there is no code {code!r}", did_you_mean(wanted, all_codes()))
        return Exit.FAILED
    if output.as_json:
        output.data({"code": wanted, **asdict(found)})
        return Exit.DONE
    more = _beyond(found.title, found.explanation)
    output.lines([f"{wanted}: {found.title}"])
    if more:
        output.lines(["", *wrap(more, output.data_stream.columns)])
    if found.fix:
        output.lines(["", *(f"  {line}" for line in found.fix.splitlines())])
    return Exit.DONE


def _beyond(title: str, explanation: str) -> str:
    """Cut the title off an explanation that begins with it."""
    rest = explanation.removeprefix(title)
    if rest == explanation or rest[:1] not in (".", ":"):
        return explanation
    rest = rest[1:].strip()
    return rest[:1].upper() + rest[1:]


def check_options(parser: Parser) -> None:
    """Declare what ``check`` takes."""
    parser.add_argument("files", nargs="*", metavar=GRAPH, type=Path, help=GRAPH_HELP)
    add_trust(parser)
    parser.add_argument("--explain", metavar="CODE", help="explain the code of a problem, such as G008")
    parser.set_defaults(command=check)
