"""``stepgraph schema``: the JSON Schema of graph files, and the line by which editors find it."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.files import unwritable, write_output
from stepgraph.values import StepgraphError

from .exits import Exit
from .graphs import refuse_python

if TYPE_CHECKING:
    from .output import Output
    from .parser import Parser


def write_new(files: Mapping[Path, Iterable[str]], *, force: bool) -> None:
    """Write files, with the folders that they lie in.

    Args:
        files: The text of each, in parts.
        force: Whether one that is there is written over.

    Raises:
        StepgraphError: One is there already, and none was written; or one cannot be written.
    """
    for path in files:
        refuse_unfit(path, force=force)
    for path, parts in files.items():
        write_output(path, (part.encode() for part in parts))


def refuse_unfit(path: Path, *, force: bool) -> None:
    """Refuse a path at which no file can be made.

    Raises:
        StepgraphError: Something is there already.
    """
    try:
        if path.is_dir():
            raise StepgraphError(f"{path} is a folder", hint="name a file in it")
        if path.exists() and not path.is_file():
            raise StepgraphError(
                f"{path} is not a regular file", hint="leave -o out to write to standard output"
            )
        if os.path.lexists(path) and not force:
            raise StepgraphError(f"{path} already exists", hint="--force overwrites it")
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error


NAME = "stepgraph.schema.json"
"""What the schema is called beside a graph file."""
_MOST = 10_000_000
"""Bytes of a file that is looked at to see whether it is a schema of ours."""


def schema(args: Namespace, output: Output) -> Exit:
    """Print the schema of graph files, write it, or give it to the editors of some files."""
    if args.files and args.output is not None:
        output.error("--for writes the schema beside each file", f"leave out -o; it is called {NAME} there")
        return Exit.USAGE
    if args.files:
        for path in args.files:
            refuse_python(path, "its editor knows Python already; --for takes graph files")
            give_schema(path, output, force=args.force)
    elif args.output is not None:
        _write(args.output, force=args.force)
        output.narrate(f"wrote {args.output}")
    else:
        output.text(_text())
    return Exit.DONE


def give_schema(path: Path, output: Output, *, force: bool = False) -> None:
    """Write the schema beside a graph file, and the line into this that makes editors use it.

    Raises:
        GraphFileError: The file cannot be read or written.
        StepgraphError: Another file has the schema's name.
    """
    from stepgraph.files import decoded, read_bytes, schema_line, with_schema_line, write_bytes

    data = read_bytes(path, str(path))
    text = decoded(data, str(path))
    beside, line = path.with_name(NAME), schema_line(text)
    _write(beside, force=force)
    if line is None:
        mark = "\ufeff" if data.startswith("\ufeff".encode()) else ""
        write_bytes(path, (mark + with_schema_line(text, NAME)).encode())
        output.narrate(f"{path}: editors that know TOML check it by {beside} now, and complete it")
    elif line.removeprefix("./") == NAME:
        output.narrate(f"{path}: {beside} is up to date")
    else:
        output.narrate(f"{path}: its first lines name another schema, {line}, which stays; wrote {beside}")


def _write(path: Path, *, force: bool) -> None:
    """Write the schema; an earlier one of ours is written over.

    Raises:
        StepgraphError: Something else is there, or it cannot be written.
    """
    ours = _is_ours(path)
    if not ours:
        refuse_unfit(path, force=force)
    write_new({path: _text()}, force=force or ours)


def _is_ours(path: Path) -> bool:
    from stepgraph.documents import TITLE

    try:
        if path.stat().st_size > _MOST or not path.is_file():
            return False
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("title") == TITLE


def _text() -> str:
    from stepgraph.documents import graph_schema

    return json.dumps(graph_schema(), indent=2, ensure_ascii=False) + "\n"


def schema_options(parser: Parser) -> None:
    """Declare what ``schema`` takes."""
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the file to write")
    parser.add_argument(
        "--for",
        dest="files",
        metavar="FILE",
        nargs="+",
        type=Path,
        default=[],
        help=f"write {NAME} beside these graph files, and the line that makes editors use it",
    )
    parser.add_argument("--force", action="store_true", help="write over another file of that name")
    parser.set_defaults(command=schema)
