"""``stepgraph new`` and ``fmt``: graph files that are made and put into shape."""

from __future__ import annotations

from argparse import Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.values import GraphFileError

from .exits import Exit
from .graphs import refuse_python

if TYPE_CHECKING:
    from .output import Output
    from .parser import Parser


def new(args: Namespace, output: Output) -> Exit:
    """Create a graph file, and print what to do with it."""
    from stepgraph.files.templates import TEMPLATES, create_graph, graph_file

    path = graph_file(args.file)
    refuse_python(path, "write it in Python, or name a new .toml file")
    name, file = create_graph(path, args.template), str(path)
    if args.schema:
        from .schema import give_schema

        give_schema(path, output)
    if output.as_json:
        output.data({"file": file, "name": name, "template": args.template})
        return Exit.DONE
    output.narrate(f"made {file}: {TEMPLATES[args.template]}")
    if args.template == "blank":
        output.narrate("draw it in the app, where `a` adds a node:")
        output.suggest(file)
        output.narrate("or start from a graph that runs: `stepgraph new --help` lists the templates")
    else:
        output.narrate("run it, read it, then make it yours in the app:")
        output.suggest("run", file)
        output.suggest(file)
    return Exit.DONE


def fmt(args: Namespace, output: Output) -> Exit:
    """Format files, or tell which are not formatted."""
    from .exits import tell_error

    changed: dict[str, bool] = {}
    code = Exit.DONE
    for path in args.files:
        try:
            refuse_python(path, "format its module as you do other Python files")
            changed[str(path)] = is_changed = _format(path, write=not args.check)
        except GraphFileError as error:  # the other files are formatted all the same
            tell_error(output, error)
            code = Exit.FAILED
            continue
        output.narrate(f"{path}: {_status_text(is_changed, args.check)}")
        if is_changed and args.check:
            code = Exit.FAILED
    if output.as_json:
        output.data([{"file": file, "changed": is_changed} for file, is_changed in changed.items()])
    return code


def _status_text(is_changed: bool, is_check: bool) -> str:
    if not is_changed:
        return "is already in standard form"
    return "would change" if is_check else "formatted"


def _format(path: Path, *, write: bool) -> bool:
    """Bring a file into the standard shape.

    Args:
        path: The file.
        write: Whether to write it when it changes.

    Returns:
        Whether it changes.
    """
    from stepgraph.files import read_table, refuse_newer, write_bytes
    from stepgraph.toml import formatted

    table, source = read_table(path)
    refuse_newer(table, source, str(path))
    text = formatted(source.text, table)
    if text == source.text:
        return False
    if write:
        write_bytes(path, text.encode())
    return True


def new_options(parser: Parser) -> None:
    """Declare what ``new`` takes."""
    from stepgraph.files.templates import DEFAULT, TEMPLATES

    parser.add_argument("file", metavar="FILE", type=Path, help="the new file, such as graph.toml")
    parser.add_argument(
        "--template",
        choices=TEMPLATES,
        default=DEFAULT,
        metavar="NAME",  # the names are below, each with what it is
        help=f"the template (default: {DEFAULT})",
    )
    parser.add_argument(
        "--schema",
        action="store_true",
        help="write a schema beside it, so that editors check and complete it",
    )
    parser.formatter_class = RawDescriptionHelpFormatter
    width = max(map(len, TEMPLATES))
    lines = (f"    {name:<{width}}  {what}" for name, what in TEMPLATES.items())
    parser.epilog = "\n".join(["templates (all but the blank one run as they are, offline):", *lines])
    parser.set_defaults(command=new)


def fmt_options(parser: Parser) -> None:
    """Declare what ``fmt`` takes."""
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; list the files that would change"
    )
    parser.set_defaults(command=fmt)
