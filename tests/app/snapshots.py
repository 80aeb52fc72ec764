"""Pictures of whole screens that are kept, and compared with what the app shows now."""

from __future__ import annotations

import difflib
import os
from itertools import zip_longest
from pathlib import Path

from screenshots.svg import styles_of, text_of

FOLDER = Path(__file__).parent / "snapshots"
UPDATE = "STEPGRAPH_UPDATE_SNAPSHOTS"
"""The variable that, set to 1, has the pictures kept as they are now."""


def compare(name: str, svg: str, folder: Path, kept: Path = FOLDER) -> None:
    """Fail unless a picture is the one that is kept.

    Args:
        name: The picture's.
        svg: As it is now.
        folder: Where it is put when it is another one.
        kept: The folder of the pictures.
    """
    file = kept / f"{name}.svg"
    if os.environ.get(UPDATE) == "1":
        kept.mkdir(exist_ok=True)
        file.write_text(svg, encoding="utf-8")
        return
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    if svg != before:
        now = folder / file.name
        now.write_text(svg, encoding="utf-8")
        what = _difference(before, svg) if before else "there is none yet"
        raise AssertionError(
            f"{name}: {what}\nnow:  {now}\nkept: {file}\n{UPDATE}=1 keeps all pictures as they are now"
        )


def _difference(before: str, now: str) -> str:
    """What has changed between two pictures: the lines of text, else which lines have other styles."""
    old, new = text_of(before), text_of(now)
    if old != new:
        lines = difflib.unified_diff(old, new, "kept", "now", lineterm="", n=0)
        return "other text\n" + "\n".join(lines)
    pairs = zip_longest(styles_of(before), styles_of(now))
    rows = [str(row) for row, (old_line, new_line) in enumerate(pairs, 1) if old_line != new_line]
    return f"the same text in other colors, in lines {', '.join(rows)}" if rows else "another frame"
