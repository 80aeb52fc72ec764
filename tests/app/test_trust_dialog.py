"""Asking yes or no, and asking for trust: nothing but one deliberate key says yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from textual import events

from stepgraph.files.agreed import FileChange
from stepgraph.files.importing import Sources
from stepgraph.files.trust import Covered, TrustQuestion
from stepgraph_tui.dialogs.questions import TrustDialog
from stepgraph_tui.text.diffs import file_changes
from tests.app.asking import Asking

FILES = ["/home/ana/refund.toml", "/home/ana/[red]tools\x1b[31m.py", "module os, for os:system"]


def stamp_of(host: Asking) -> Callable[[events.Event], float]:
    """The clock of a host."""
    return lambda event: host.now


def trust(host: Asking) -> TrustDialog:
    """Asks for trust by the clock of a host."""
    return TrustDialog("refund", question(folder=Path("/home/ana")), stamp=stamp_of(host))


def question(
    files: Sequence[str] = FILES, changes: Sequence[FileChange] = (), folder: Path | None = None
) -> TrustQuestion:
    """A question about files that nobody has read."""
    return TrustQuestion(tuple(files), tuple(changes), folder, Covered(None, {}, (), Sources()))


def test_of_much_that_changed_a_part_is_shown_and_nothing_is_compared_for_ever() -> None:
    old, new = ("\n".join(f"{sign}{number % 7}" for number in range(9_000)) for sign in "ab")
    changes = [FileChange(f"/home/ana/{number}.py", old, new, "has changed") for number in range(99)]
    told = list(file_changes(changes))
    assert len(told) == 21
    assert told[0][1][-1] == "… and 17,700 more lines"
    assert told[-1] == ("… and 79 more files", [])
