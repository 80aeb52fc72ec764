"""``stepgraph import``: a graph file made of what somebody has drawn or written elsewhere."""

from __future__ import annotations

import os
import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from stepgraph.values import StepgraphError, did_you_mean
from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.system import is_missing

from .exits import Exit
from .schema import refuse_unfit, write_new

if TYPE_CHECKING:
    from stepgraph.formats import Imported

    from .output import Output
    from .parser import Parser

_PROGRAMS = {"langgraph": "stepgraph_tui.cli.import_langgraph:read"}
"""The words that stand before a ``MODULE:NAME``, and as ``module:function`` what reads it:
``(args, output) -> Imported``."""
_STDIN = "standard input"


def import_graph(args: Namespace, output: Output) -> Exit:
    """Read a graph of another kind, and write it as a graph file."""
    from stepgraph.files import file_text

    out: Path | None = args.output
    if out is not None:
        if out.suffix != ".toml":
            hint = f"name it {out.with_name(out.name + '.toml') if out.name else 'graph.toml'}"
            raise StepgraphError(f"graph files end in .toml, and {out} does not", hint=hint)
        refuse_unfit(out, force=args.force)
    imported = _read(args, output)
    text = file_text(imported.graph, str(out) if out is not None else "the graph file").text
    if out is not None:
        write_new({out: [text]}, force=args.force)
    graph = imported.graph
    if output.as_json:
        output.data(
            {
                "file": str(out) if out is not None else None,
                "kind": imported.kind,
                "name": graph.name,
                "nodes": len(graph.nodes),
                "edges": len(graph.edges),
                "notes": list(imported.notes),
                **({} if out is not None else {"text": text}),
            }
        )
        return Exit.DONE
    for note in imported.notes:
        output.narrate(f"note: {note}")
    size = f"{plural(len(graph.nodes), 'node')}, {plural(len(graph.edges), 'edge')}"
    if out is None:
        output.text([text])
        output.narrate(f"this is {imported.kind} as a graph file ({size}); -o FILE.toml writes it")
        return Exit.DONE
    output.narrate(f"made {out} of {imported.kind}: {size}")
    output.narrate("check it, run it, then make it yours in the app:")
    for words in (("check", str(out)), ("run", str(out)), (str(out),)):
        output.suggest(*words)
    return Exit.DONE


def _read(args: Namespace, output: Output) -> Imported:
    from stepgraph.formats import MAX_BYTES, read_foreign_bytes, read_foreign_file

    if args.graph is not None:
        if args.file not in _PROGRAMS:
            hint = did_you_mean(args.file, _PROGRAMS, listing="before MODULE:NAME stands")
            raise StepgraphError(f"there is nothing to import from {args.file!r}", hint=hint)
        module, _, function = _PROGRAMS[args.file].partition(":")
        return cast("Imported", getattr(import_module(module), function)(args, output))
    if args.file in _PROGRAMS and is_missing(Path(args.file)):
        hint = f"such as: {output.command('import', args.file, 'my_agent.py:graph')}"
        raise StepgraphError("which graph?", hint=hint)
    if ".py:" in args.file and not os.path.lexists(args.file):
        raise StepgraphError(
            f"{args.file!r} names a graph in a Python module, which is opened as it is: no import is needed",
            hint=f"{output.command(args.file)}, or to turn a LangGraph graph into a file: "
            + output.command("import", "langgraph", args.file),
        )
    if args.file == "-":
        return read_foreign_bytes(sys.stdin.buffer.read(MAX_BYTES + 1), _STDIN)
    return read_foreign_file(Path(args.file))


def import_options(parser: Parser) -> None:
    """Declare what ``import`` takes."""
    from stepgraph.formats import READERS

    programs = " or ".join(_PROGRAMS)
    parser.usage = (
        "stepgraph import FILE [-o OUT] [--force] [--json]\n"
        "       stepgraph import langgraph MODULE:NAME [-o OUT] [--force] [--trust]"
    )
    parser.add_argument(
        "file", metavar="FILE", help=f"the file; - for standard input; or the word {programs}"
    )
    parser.add_argument(
        "graph", nargs="?", metavar="MODULE:NAME", help=f"behind {programs}: where the graph is"
    )
    parser.add_argument("-o", "--output", metavar="OUT", type=Path, help="the graph file to write")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.add_argument("--trust", action="store_true", help="trust the program's module without being asked")
    parser.formatter_class = RawDescriptionHelpFormatter
    kinds = (f"    {each}" for each in READERS.values())
    parser.epilog = "\n".join(["what is read, recognized by its content, also in a Markdown page:", *kinds])
    parser.set_defaults(command=import_graph)
