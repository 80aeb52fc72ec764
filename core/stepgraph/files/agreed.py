"""What was agreed to last for each graph, kept so that a new question can show what has changed since.

It is for people to look at. Whether something may run is decided by digests alone (see ``trust``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..toml.values import graph_text
from ..values.folders import data_folder, make_data_folder
from ..values.json_values import Json, dumps
from .atomic import write_atomically
from .importing import SourceFile

_LONGEST = 200_000  # characters of a text that is kept; of a longer one only its digest is
_MOST = 200  # graphs


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that is not what was agreed to."""

    name: str
    before: str | None
    """What was agreed to; None when it was not there, or cannot be shown."""
    after: str | None
    """What is there now; None when it is gone, or cannot be shown."""
    said: str
    """How it has changed, in a few words."""


def keep(source: Path, document: Mapping[str, Json], files: Iterable[SourceFile]) -> None:
    """Keep what was agreed to for a graph file, in the place of what was there; best effort.

    Args:
        source: The graph file.
        document: The graph's definition.
        files: The files of its handlers.
    """
    kept: dict[str, Json] = {name: list(one) for name, one in _texts(source, document, files).items()}
    with suppress(OSError):
        make_data_folder()
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = dumps({"version": 1, "files": kept})
        write_atomically(_place(source), text.encode(errors="replace"), 0o600)
        newest_first = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in newest_first[_MOST:]:
            path.unlink()


def changes(
    source: Path, document: Mapping[str, Json], files: Iterable[SourceFile]
) -> tuple[FileChange, ...]:
    """Compare a graph with what was agreed to last for its file; nothing where nothing was."""
    before = _read(source)
    if not before:
        return ()
    after = _texts(source, document, files)
    found = (_change(name, before.get(name), after.get(name)) for name in dict.fromkeys((*after, *before)))
    return tuple(change for change in found if change is not None)


class _Kept(NamedTuple):
    """A text, or only its digest where it is too long; without one where it cannot be read."""

    digest: str
    text: str | None


def _change(name: str, before: _Kept | None, after: _Kept | None) -> FileChange | None:
    if before == after:
        return None
    old, new = before and before.text, after and after.text
    if before is None or after is None:
        return FileChange(name, old, new, "is new" if before is None else "is no longer used")
    if old is None or new is None:
        return FileChange(
            name, None, None, "has changed, but cannot be shown: it is too long, or cannot be read"
        )
    same = old == new
    return FileChange(name, old, new, "has changed" + (" in its line ends or its encoding" if same else ""))


def _texts(source: Path, document: Mapping[str, Json], files: Iterable[SourceFile]) -> dict[str, _Kept]:
    """Collect the texts to compare; the definition is one as a graph file, without comments."""
    try:
        definition = graph_text(document)
    except TypeError:  # a program gave a graph what no file can hold
        definition = dumps(document)
    texts = {str(source): _keep(definition.encode(errors="replace"), definition)}
    return texts | {str(file.path): _keep(file.data or b"", file.text) for file in files}


def _keep(data: bytes, text: str | None) -> _Kept:
    short = text is not None and len(text) <= _LONGEST
    return _Kept(hashlib.sha256(data).hexdigest(), text if short else None)


def _read(source: Path) -> dict[str, _Kept]:
    """Read what is kept; a file that is damaged, or not ours, means nothing."""
    try:
        kept: dict[str, Any] = json.loads(_place(source).read_bytes())
        found = {name: _Kept(*map(_text, one)) for name, one in kept["files"].items()}
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return {}
    return found if kept.get("version") == 1 else {}


def _text(part: Any) -> Any:
    """Return a text or nothing.

    Raises:
        ValueError: It is something else.
    """
    if part is None or isinstance(part, str):
        return part
    raise ValueError


def _folder() -> Path:
    return data_folder() / "trust" / "last"


def _place(source: Path) -> Path:
    name = hashlib.sha256(str(source).encode(errors="backslashreplace")).hexdigest()[:32]
    return _folder() / f"{name}.json"
