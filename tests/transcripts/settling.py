"""What differs between two runs of a transcript, settled: random ids, the time, the folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
START = 1_800_000_000.0
"""When a session begins, in seconds since 1970; what it does next is a minute later each time."""
_UPTIME = 1_000.0
"""For how long the machine has run when a session begins, in seconds."""
_ID = re.compile(r"\b([ar])-([2-9a-hj-km-np-z]{8})\b")
"""The id of a review, or of a run, that nobody has named."""
_HASH = re.compile(r'("(?:decision|previous|hash)": ")[0-9a-f]{64}"')
"""A hash of the audit, in which random ids are."""
_FORM = re.compile(r'(name="form" value=")[0-9a-f]{64}"')
"""What a form of a page is known by."""
_EXPORTED = re.compile(r"(?!2027-01-15)20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|\+00:00)")
"""A time by a clock that cannot be enforced: when something was exported."""
_WHEN = re.compile(r"(?<=-)20\d{6}-\d{6}(?=\.)")
"""The time in the name of a file."""


def hold_clocks(patch: pytest.MonkeyPatch, minutes: int) -> None:
    """Let all clocks stand still, so many minutes after the beginning of a session."""
    at = START + 60 * minutes
    patch.setattr("time.time", lambda: at)
    patch.setattr("time.perf_counter", lambda: at)
    patch.setattr("time.clock_gettime", lambda clock: at - START + _UPTIME)


class Settling:
    """Puts names in place of random ids, in the order in which they appear, and back again.

    Args:
        folder: The folder of the session.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._names: dict[str, str] = {}

    def settled(self, text: str) -> str:
        """Write a text as it is in each run of the session."""
        text = text.replace(self._folder, "/FOLDER").replace(str(ROOT), "/ROOT")
        text = _FORM.sub(r'\1FORM"', _EXPORTED.sub("NOW", text))
        text = _WHEN.sub("20270115-080000", _HASH.sub(r'\1HASH"', text))
        return _ID.sub(self._named, text)

    def real(self, text: str) -> str:
        """Write a text with the ids of this run."""
        for id_, name in self._names.items():
            text = text.replace(name, id_)
        return text

    def _named(self, found: re.Match[str]) -> str:
        kind, id_ = found[1], found[0]
        if id_ not in self._names:
            count = sum(name.startswith(kind) for name in self._names.values()) + 1
            self._names[id_] = f"{kind}-{'review' if kind == 'a' else 'random'}{count:02}"
        return self._names[id_]
