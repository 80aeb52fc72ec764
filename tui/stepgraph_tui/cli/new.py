"""``stepgraph new``: a graph file to begin with."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from .exits import Exit

if TYPE_CHECKING:
    from .output import Output


def new(args: Namespace, output: Output) -> Exit:
    """Make a graph file, and tell what to do with it."""
    from stepgraph.files.templates import TEMPLATES, create_graph

    name = create_graph(args.file, args.template)
    if output.as_json:
        output.data({"file": str(args.file), "name": name, "template": args.template})
        return Exit.DONE
    output.narrate(f"made {args.file}: {TEMPLATES[args.template]}")
    file = str(args.file)
    if args.template == "blank":
        output.narrate("draw it in the app, where `a` adds a node:")
        output.suggest(file)
        output.narrate("or begin with a graph that runs: `stepgraph new --help` lists the templates")
    else:
        output.narrate("run it, read it, then make it yours in the app:")
        output.suggest("run", file)
        output.suggest(file)
    return Exit.DONE
