"""What the app remembers between two starts: recent files, and where the user was in each."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from stepgraph.files import write_atomically
from stepgraph.values import data_folder, make_data_folder

_MOST = 20  # files
_LONGEST = 10_000  # characters of one text
_MARKS = 1_000  # nodes
_LARGEST = 1_000_000  # bytes of the file
_VERSION = 1


@dataclass(frozen=True, slots=True)
class RememberedPlace:
    """Where the user was in a graph. Nothing in it need still exist, nor be of a kind that is known."""

    run: str | None = None
    """The run that was looked at last."""
    node: str | None = None
    """The selected node."""
    zoom: str | None = None
    direction: str | None = None
    tab: str | None = None
    """The tab that was shown beside the graph."""
    divider: int | None = None
    """The columns to the left of the divider."""
    pause_after: tuple[str, ...] = ()
    """The nodes after which a continued run pauses."""


_TEXTS = [each.name for each in fields(RememberedPlace) if each.name not in {"divider", "pause_after"}]


class Remembered:
    """Recent files and the places in them. Losing them is no harm, so nothing here ever raises.

    Args:
        path: The file that they are kept in.
    """

    def __init__(self, path: Path) -> None:
        self.theme: str | None = None
        """The theme that was chosen in the app."""
        self.views: dict[str, str] = {}
        """Filters of the list of runs, by the names that they are kept under."""
        self._path = path
        self._places: dict[Path, RememberedPlace] = {}  # the newest first
        self._forgotten: set[Path] = set()

    @classmethod
    def load(cls, path: Path | None = None) -> Remembered:
        """Read what is kept in a file, by default the user's own; nothing when it is missing or damaged."""
        remembered = cls(path if path is not None else data_folder() / "remembered.json")
        remembered._read()
        return remembered

    @property
    def recent(self) -> list[Path]:
        """The files that were opened, the newest first. They need not exist any more."""
        return list(self._places)

    def note_opened(self, path: Path) -> None:
        """Move a file to the head of the recent ones."""
        path = _absolute(path)
        self._forgotten.discard(path)
        self._places = {path: self.place(path), **self._places}
        self._shorten()

    def forget(self, path: Path) -> None:
        """Remove a file from the recent ones."""
        path = _absolute(path)
        self._forgotten.add(path)
        self._places.pop(path, None)

    def place(self, path: Path) -> RememberedPlace:
        """Find where the user was in a file; an empty place when nothing is known."""
        return self._places.get(_absolute(path), RememberedPlace())

    def keep(self, path: Path, place: RememberedPlace) -> None:
        """Keep where the user is in a file that was opened."""
        self._places[_absolute(path)] = place
        self._shorten()

    def keep_view(self, name: str, text: str | None) -> None:
        """Keep a filter under a name, beside those that another terminal keeps; None forgets it."""
        views = Remembered.load(self._path).views
        views.pop(name, None)
        self._save({**views, name: text} if text is not None else views)

    def save(self) -> None:
        """Write the file, readable by its owner alone; files that another terminal opened stay on it."""
        self._save(None)

    def _save(self, views: dict[str, str] | None) -> None:
        others = Remembered.load(self._path)
        self.views = others.views if views is None else views
        for path in others.recent:
            if path not in self._forgotten:
                self._places.setdefault(path, others.place(path))
        self._shorten()
        files = [{"path": str(path), **asdict(place)} for path, place in self._places.items()]
        data = {"version": _VERSION, "theme": self.theme, "files": files, "views": self.views}
        with contextlib.suppress(OSError):
            if self._path.parent == data_folder():
                make_data_folder()
            write_atomically(self._path, json.dumps(data, indent=1).encode(), mode=0o600)

    def _shorten(self) -> None:
        self._places = dict(list(self._places.items())[:_MOST])

    def _read(self) -> None:
        try:
            with self._path.open("rb") as stream:
                data = json.loads(stream.read(_LARGEST))
        except (OSError, ValueError, RecursionError):
            return
        if not isinstance(data, dict) or data.get("version") != _VERSION:
            return
        self.theme = _text(data.get("theme"))
        views = data.get("views")
        read = views.items() if isinstance(views, dict) else ()
        self.views = {name: text for name, text in read if _text(name) and isinstance(text, str)}
        files = data.get("files")
        for entry in files if isinstance(files, list) else []:
            path = _text(entry.get("path")) if isinstance(entry, dict) else None
            if path is not None and "\0" not in path and Path(path).is_absolute():
                self._places.setdefault(Path(path), _place(entry))
        self._shorten()


def _place(entry: dict[str, Any]) -> RememberedPlace:
    texts = {name: _text(entry.get(name)) for name in _TEXTS}
    divider, marks = entry.get("divider"), entry.get("pause_after")
    return RememberedPlace(
        **texts,
        divider=divider if type(divider) is int and 0 < divider < _LONGEST else None,
        pause_after=tuple(filter(_text, marks[:_MARKS])) if isinstance(marks, list) else (),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= _LONGEST else None


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  # Path.absolute keeps ".."
