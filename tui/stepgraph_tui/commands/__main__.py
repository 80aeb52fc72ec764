"""``python -m stepgraph_tui.commands`` prints all keys as Markdown.

The tables of keys in the pages that it is given are rewritten.
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

A letter has one verb wherever it is pressed, except in questions and reviews. `gi` is two keys, pressed one
after the other: `g` goes somewhere, `z` changes what is seen, `x` is about the run as a whole, `,` about the
file. After a moment a menu shows what may follow, with `Space` at once. `:` stands for commands without a
key: it finds every command by its name.

## Moving, everywhere

| Key | What it does |
| :-- | :-- |
| `h` `j` `k` `l`, arrows | Go to what is left, below, above, right; fold and unfold |
| `ctrl+d` `ctrl+u` | Go down, up half a page |
| `PgDn` `PgUp` | Go down, up a page |
| `gg` `Home` | Go to the first; in the graph, to the start node |
| `G` `End` | Go to the last; in the graph, to END |

Lists, panes, pages and pictures have these keys, each under an id of its own, such as `home.down`,
`state.fold`, `graph.left` and `list.page_up`: `down`, `up`, `left`, `right`, `fold`, `unfold`, `half_down`,
`half_up`, `page_down`, `page_up`, and `first` and `last`, `top` and `bottom` or `start` and `end`.
"""


_HEAD = ("| Key | What it does | Id |", "| :-- | :-- | :-- |")
_TABLE = re.compile("".join(map(re.escape, (f"{line}\n" for line in _HEAD))) + r"(?:\|.*`(\w+)\.\w+` \|\n)+")


def keys_as_markdown() -> str:
    """Write the whole page: a table for each context."""
    contexts = (context for context in CONTEXTS.values() if not all(command.moves for command in context))
    tables = (f"## {context.heading}\n\n{table(context.name)}" for context in contexts)
    return "\n".join((_PREFACE, *tables))


def table(context: str) -> str:
    """Write the table of one context's keys."""
    return "".join(f"{line}\n" for line in _lines(context))


def renewed(page: str) -> str:
    """Write the tables of keys that are in a page again; each is known by the ids in it."""
    return _TABLE.sub(lambda found: table(found[1]), page)


def _lines(context: str) -> Iterator[str]:
    yield from _HEAD
    for command in (*CONTEXTS[context].commands, *CONTEXTS[context].sometimes):
        if command.moves:
            continue
        yield f"| {_keys(command)} | {command.tooltip} | `{command.id}` |"


def _keys(command: Command) -> str:
    return " ".join(f"`{key}`" for key in key_names(command.keys))


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(renewed(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    print(keys_as_markdown(), end="")
