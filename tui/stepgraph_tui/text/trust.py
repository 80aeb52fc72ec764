"""What has changed in the code that a graph names, line by line: foreign text, so only so much of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .changed_lines import changed_lines

if TYPE_CHECKING:
    from stepgraph.files.agreed import FileChange

_FILES = 20  # whose lines are shown
_LINES = 300  # of a file
_COMPARED = 500  # lines of a file: somebody may have written them to make that take long


def any_tool_remark(servers: Iterable[str]) -> str:
    """Explain that a node may call any tool, and name the servers that there are; not made safe to show."""
    now = ", ".join(servers) or "none"
    return (
        f"It may call any tool of your servers (now: {now}), also of those that you add later: which one, "
        "a model says, or the state of a run."
    )


def file_changes(changes: Sequence[FileChange]) -> Iterator[tuple[str, list[str]]]:
    """Give a heading for each changed file, and the lines that differ; not made safe to show."""
    for change in changes[:_FILES]:
        lines = changed_lines(change.before or "", change.after or "", compared=_COMPARED)
        more = [f"… and {len(lines) - _LINES:,} more lines"] if len(lines) > _LINES else []
        if lines:
            yield f"{change.name} {change.said}", [*lines[:_LINES], *more]
    if len(changes) > _FILES:
        yield f"… and {len(changes) - _FILES:,} more files", []
