"""Drafts: what was edited and not saved yet, kept where a crash does not reach it."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from stepgraph.files.atomic import write_atomically
from stepgraph.values.folders import data_folder, make_data_folder

from .disk import digest_of
from .later import Later
from .processes import began, is_alive

if TYPE_CHECKING:
    from stepgraph.runs.step import Clock

_VERSION = 1
_PATIENCE = 2.0  # seconds
_PAUSE = 0.2  # seconds, in which edits that follow one another are kept as one
_LARGEST = 8_000_000  # bytes of a draft's file; the text of a graph file has at most one million


@dataclass(frozen=True, slots=True)
class GraphDraft:
    """What somebody left unsaved."""

    file: Path
    """Where it is kept."""
    path: Path
    """The graph file that it is a draft of."""
    text: str
    at: float
    """When it was last edited, in seconds since 1970."""
    digest: str | None
    """The digest of the file that was edited; None for one that was not on disk yet."""
    is_behind: bool
    """Whether the file has changed since."""


class GraphDrafts:
    """The drafts of all files and of all processes of this user.

    They are written in the background, and losing them is no harm: nothing here ever raises.

    Args:
        folder: Where they are kept; the user's own when None.
        clock: Tells when.
    """

    def __init__(self, folder: Path | None = None, clock: Clock = time) -> None:
        self._folder = folder if folder is not None else data_folder() / "drafts"
        self._clock = clock
        self._later = Later(_PAUSE)

    def begin(self, path: Path) -> Path:
        """Choose where a new draft of a file is to be kept, apart from those that are there already."""
        return self._folder / f"{_key(_absolute(path))}-{token_hex(8)}.json"

    def keep(self, file: Path, path: Path, text: Callable[[], str], digest: str | None) -> None:
        """Keep a draft, in the place of what it was before.

        Args:
            file: What ``begin`` gave.
            path: The graph file that it is a draft of.
            text: Makes its text; called in another thread.
            digest: The digest of the graph file as it is edited.
        """
        at = self._clock.time()
        self._later.submit(file, lambda: self._write(file, _absolute(path), text(), at, digest))

    def drop(self, file: Path) -> None:
        """Forget a draft that was begun: it was saved, or is not wanted."""
        self._later.submit(file, lambda: _remove(file))

    def of(self, path: Path) -> GraphDraft | None:
        """Find the newest draft of a file that nobody works on any more; None when there is none."""
        path = _absolute(path)
        self.flush(_PATIENCE)
        return max(self._abandoned(path), key=lambda draft: draft.at, default=None)

    def discard(self, draft: GraphDraft) -> None:
        """Remove a draft for good."""
        _remove(draft.file)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was asked for is on disk; False when that took longer than ``timeout``."""
        return self._later.flush(timeout)

    def _write(self, file: Path, path: Path, text: str, at: float, digest: str | None) -> None:
        process = os.getpid()
        data = {
            "version": _VERSION,
            "path": str(path),
            "at": at,
            "digest": digest,
            "process": process,
            "began": began(process),
            "text": text,
        }
        with contextlib.suppress(OSError, ValueError):
            if self._folder.parent == data_folder():
                make_data_folder()
            self._folder.mkdir(mode=0o700, exist_ok=True)
            write_atomically(file, json.dumps(data).encode(), mode=0o600)

    def _abandoned(self, path: Path) -> Iterator[GraphDraft]:
        now = _digest_on_disk(path)
        for file in self._folder.glob(f"{_key(path)}-*.json"):
            draft = _read(file, path, now)
            if draft is not None and digest_of(draft.text.encode()) not in {draft.digest, now}:
                yield draft


class DraftOfEdits:
    """Keeps the edits of one buffer where a crash does not reach them, until they are saved.

    Args:
        drafts: Where; nowhere when None.
    """

    def __init__(self, drafts: GraphDrafts | None) -> None:
        self._drafts = drafts
        self._file: Path | None = None  # None while there is none

    def left(self, path: Path | None) -> GraphDraft | None:
        """Find what somebody left unsaved in a file; None when there is nothing."""
        return self._drafts.of(path) if self._drafts is not None and path is not None else None

    def discard(self, draft: GraphDraft) -> None:
        """Remove for good what somebody left."""
        if self._drafts is not None:
            self._drafts.discard(draft)

    def keep(self, path: Path, text: Callable[[], str], digest: str | None) -> None:
        """Keep the edits as they are now.

        Args:
            path: The graph file.
            text: Makes its text with the edits; called in another thread.
            digest: The digest of the file that was edited.
        """
        if self._drafts is not None:
            self._file = self._file or self._drafts.begin(path)
            self._drafts.keep(self._file, path, text, digest)

    def drop(self) -> None:
        """Forget the draft: the edits are in the file, or not wanted."""
        if self._drafts is not None and self._file is not None:
            self._drafts.drop(self._file)
            self._file = None


def _read(file: Path, path: Path, now: str | None) -> GraphDraft | None:
    """Read a draft of a file, unless it is damaged or still worked on."""
    try:
        with file.open("rb") as stream:
            data = json.loads(stream.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("version") != _VERSION or data.get("path") != str(path):
        return None
    text, at, digest = data.get("text"), data.get("at"), data.get("digest")
    if not isinstance(text, str) or not isinstance(at, int | float) or not isinstance(digest, str | None):
        return None
    process = data.get("process")
    # A draft of this very process is one of a screen that was closed, or of a process of the same number.
    if isinstance(process, int) and process != os.getpid() and is_alive(process, data.get("began")):
        return None
    return GraphDraft(file, path, text, float(at), digest, now != digest)


def _digest_on_disk(path: Path) -> str | None:
    try:
        return digest_of(path.read_bytes())
    except (OSError, ValueError):
        return None


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink()


def _key(path: Path) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:32]


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  # Path.absolute keeps ".."
