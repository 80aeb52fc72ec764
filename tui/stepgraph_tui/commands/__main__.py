"""``python -m stepgraph_tui.commands`` prints the keys as Markdown."""

from __future__ import annotations

from .markdown import keys_as_markdown

if __name__ == "__main__":
    print(keys_as_markdown(), end="")
