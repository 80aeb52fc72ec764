"""``stepgraph diff``: what differs between two graph files, by meaning."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.values import GraphFileError
from stepgraph_tui.text.plain import plural, visible_lines

from .exits import Exit
from .graphs import add_trust, named_graph

if TYPE_CHECKING:
    from stepgraph.documents import Difference
    from stepgraph.graphs import StateGraph
    from stepgraph.values import Json, Problem

    from .output import Output
    from .parser import Parser

_HEADINGS = {"state": "state keys"}
_SHORT = 40
"""Texts that are no longer than this are printed whole where they differ."""
_LINES = 400
"""Of texts with more lines only their lengths are compared."""


def diff(args: Namespace, output: Output) -> Exit:
    """Compare two files; nothing that they name is imported."""
    from stepgraph.documents import changes

    old, new = _documents(output, [args.old, args.new], args.trust)
    found = list(changes(old, new, words=args.notes))
    if output.as_json:
        output.data({"same": not found, "differences": [asdict(change) for change in found]})
    else:
        output.lines(_difference_lines(found))
    if found:
        output.narrate(f"{args.old} and {args.new}: {plural(len(found), 'difference')}")
        return Exit.FAILED
    other_words = not args.notes and any(changes(old, new, words=True))
    more = "; their notes or labels differ, `--notes` shows how" if other_words else ""
    output.narrate(f"{args.old} and {args.new}: the same by meaning{more}")
    return Exit.DONE


def _documents(output: Output, paths: list[Path], trust: bool) -> list[dict[str, Json]]:
    """Read the documents of all files.

    Raises:
        GraphFileError: Some cannot be read, or have something in them that could not be compared.
    """
    from stepgraph.graphs import to_document

    graphs: list[StateGraph] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            graphs.append(named_graph(output, path, trust))
        except GraphFileError as error:
            problems += error.problems
        else:
            problems += graphs[-1].noted
    if problems:
        raise GraphFileError("these files cannot be compared", problems)
    return [to_document(graph) for graph in graphs]


def _difference_lines(found: list[Difference]) -> Iterator[str]:
    """List the differences under the headings of their sections; of longer texts the lines that differ."""
    for section, changes in groupby(found, key=lambda change: change.section):
        yield _HEADINGS.get(section, section)
        for change in changes:
            yield f"  {change.said}"
            old, new = change.old, change.new
            if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > _SHORT:
                yield from (f"      {line}" for line in _line_by_line(visible_lines(old), visible_lines(new)))


def _line_by_line(old: list[str], new: list[str]) -> Iterator[str]:
    if max(len(old), len(new)) > _LINES:
        yield f"{plural(len(old), 'line')} became {plural(len(new), 'line')}"
        return
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (f"  {line}" for line in old[start:end])
                continue
            yield from (f"- {line}" for line in old[start:end])
            yield from (f"+ {line}" for line in new[new_start:new_end])


def diff_options(parser: Parser) -> None:
    """Declare what ``diff`` takes."""
    parser.add_argument("old", metavar="A", type=Path)
    parser.add_argument("new", metavar="B", type=Path)
    add_trust(parser)
    parser.add_argument("--notes", action="store_true", help="count notes and labels too")
    parser.set_defaults(command=diff)
