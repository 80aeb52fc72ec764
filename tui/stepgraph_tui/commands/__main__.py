"""``python -m stepgraph_tui.commands`` prints all keys as Markdown.

The tables of keys in the pages that it is given are written anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .markdown import keys_as_markdown, renewed

if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(renewed(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    print(keys_as_markdown(), end="")
