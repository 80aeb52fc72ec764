"""``python -m stepgraph_tui.commands`` prints all keys as Markdown.

The tables of keys in the pages that it is given are written anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from . import CONTEXTS
from .command import Command, key_names

_PREFACE = """\
# The keys

Each key is declared once in the app, and this page, the footer, the help (`?`) and the command palette (`:`)
are made from that. The settings file gives commands other keys by their ids; `stepgraph doctor` says where
it is.
"""


_HEAD = ("| Key | What it does | Id |", "| :-- | :-- | :-- |")
_TABLE = re.compile("".join(map(re.escape, (f"{line}\n" for line in _HEAD))) + r"(?:\|.*`(\w+)\.\w+` \|\n)+")


def keys_as_markdown() -> str:
    """Write the whole page: a table for each context."""
    tables = (f"## {context.heading}\n\n{table(context.name)}" for context in CONTEXTS.values())
    return "\n".join((_PREFACE, *tables))


def table(context: str) -> str:
    """Write the table of one context's keys."""
    return "".join(f"{line}\n" for line in _lines(context))


def renewed(page: str) -> str:
    """Write the tables of keys that stand in a page anew; each is known by the ids in it."""
    return _TABLE.sub(lambda found: table(found[1]), page)


def _lines(context: str) -> Iterator[str]:
    yield from _HEAD
    for command in (*CONTEXTS[context].commands, *CONTEXTS[context].sometimes):
        yield f"| {_keys(command)} | {command.tooltip} | `{command.id}` |"


def _keys(command: Command) -> str:
    return " ".join(f"`{key}`" for key in key_names(command.keys))


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(renewed(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    print(keys_as_markdown(), end="")
