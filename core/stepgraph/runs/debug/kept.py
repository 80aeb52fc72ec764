"""The breakpoints and watches that are kept for a graph file, in the user's data folder.

Each is a file of its own, so two processes that add some at once lose nothing, and one that is damaged harms
no other.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...files.atomic import write_atomically
from ...values.errors import BreakpointError
from ...values.folders import data_folder, make_data_folder
from ...values.json_values import Json
from .breakpoint import Breakpoint

if TYPE_CHECKING:
    from .watches import Watch

_VERSION = 1
_LARGEST = 1_000_000  # bytes of one of the files
_MOST = 1_000  # of one graph
_Prefix = Literal["b", "w"]


@dataclass(frozen=True, slots=True)
class DamagedEntry:
    """A file that should hold a breakpoint or a watch, and does not; it stays until somebody removes it."""

    id: str
    file: Path
    reason: str
    """What is wrong with it, for people."""

    def describe(self) -> str:
        """Describe what is wrong, and how to mend it."""
        return f"{self.reason} (fix {self.file}, or remove it with its id)"


class KeptDebugging:
    """The breakpoints and watches of one graph file. The graph file itself is never touched.

    Args:
        graph: The graph file; it need not be there.
        folder: Where all are kept; the user's own when None.
    """

    def __init__(self, graph: Path, folder: Path | None = None) -> None:
        self.graph = Path(os.path.abspath(graph))  # noqa: PTH100  # Path.absolute keeps ".."
        self._root = folder if folder is not None else data_folder() / "debug"
        self.folder = self._root / sha256(os.fsencode(self.graph)).hexdigest()[:32]
        """The files; it may be missing."""
        self.damaged: tuple[DamagedEntry, ...] = ()
        """What could not be read, the last time that something was."""

    def breakpoints(self) -> list[Breakpoint]:
        """Read the breakpoints, in the order in which they were added; ``damaged`` lists what was left out.

        Raises:
            BreakpointError: The folder cannot be read.
        """
        return [Breakpoint.from_json(data["breakpoint"], id) for id, data in self._read("b")]

    def watches(self) -> list[Watch]:
        """Read the watches, as ``breakpoints`` does.

        Raises:
            BreakpointError: The folder cannot be read.
        """
        from .watches import Watch

        return [Watch(data["watch"], id, data.get("enabled") is not False) for id, data in self._read("w")]

    def stamp(self, prefix: _Prefix) -> object:
        """Return what changes with the files of one sort, by a look that reads none of them."""
        found: dict[str, tuple[int, int, int]] = {}
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name.startswith(prefix):
                        with contextlib.suppress(FileNotFoundError):  # another process has just removed it
                            is_now = entry.stat()
                            found[entry.name] = is_now.st_mtime_ns, is_now.st_size, is_now.st_ino
        except FileNotFoundError:
            return found
        except OSError as error:  # which is reported to whoever reads them
            return str(error)
        return found

    def add(self, entry: Breakpoint | Watch) -> str:
        """Keep one more.

        Returns:
            The id by which it can be replaced and removed: ``b1``, ``w2``.

        Raises:
            BreakpointError: It cannot be written, or there are too many.
        """
        prefix: _Prefix = "b" if isinstance(entry, Breakpoint) else "w"
        with self._refusing("written"):
            if self._root.parent == data_folder():
                make_data_folder()
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            number = max((number for number, _ in self._files(prefix)), default=0) + 1
            while number <= _MOST:
                try:  # the name is taken at once, so that no other process takes it meanwhile
                    self.file(f"{prefix}{number}").open("x").close()
                except FileExistsError:
                    number += 1
                    continue
                self._write(f"{prefix}{number}", entry)
                return f"{prefix}{number}"
        raise BreakpointError(
            f"{self.graph} has {_MOST:,} breakpoints or watches already",
            hint="remove some that you don't need",
        )

    def replace(self, entry: Breakpoint | Watch) -> None:
        """Rewrite one, by its id; it may have been removed meanwhile, and comes back then.

        Raises:
            BreakpointError: It cannot be written, or has no id.
        """
        if not _is_id(entry.id):
            raise BreakpointError(f"{entry.id!r} is not a kept breakpoint or watch", hint="add it first")
        with self._refusing("written"):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(entry.id, entry)

    def copy_to(self, graph: Path) -> None:
        """Keep the same for a copy of the graph file, unless something is kept for that already.

        Raises:
            BreakpointError: Something cannot be read or written.
        """
        other = KeptDebugging(graph, self._root)
        if not (other.stamp("b") or other.stamp("w")):
            entries: list[Breakpoint | Watch] = [*self.breakpoints(), *self.watches()]
            for entry in entries:
                other.replace(entry)

    def remove(self, id: str) -> None:
        """Remove one, damaged or not.

        Raises:
            BreakpointError: There is none of that id, or it cannot be removed.
        """
        file = self.file(id) if _is_id(id) else None
        with self._refusing("removed"):
            try:
                if file is not None:
                    file.unlink()
                    return
            except FileNotFoundError:
                pass
            known = [f"{prefix}{number}" for prefix in ("b", "w") for number, _ in self._files(prefix)]
        raise BreakpointError(
            f"{self.graph} has no breakpoint or watch {id!r}",
            hint=f"there are: {', '.join(known)}" if known else "it has none at all",
        )

    def _read(self, prefix: _Prefix) -> Iterator[tuple[str, dict[str, Any]]]:
        damaged = [entry for entry in self.damaged if not entry.id.startswith(prefix)]
        with self._refusing("read"):
            files = list(self._files(prefix))
        for number, file in files:
            id = f"{prefix}{number}"
            try:
                yield id, _content(file, prefix)
            except FileNotFoundError:  # another process has just removed it
                continue
            except BreakpointError as error:
                damaged.append(DamagedEntry(id, file, str(error)))
        self.damaged = tuple(damaged)

    def _files(self, prefix: str) -> list[tuple[int, Path]]:
        """List the files of one sort by their numbers."""
        try:
            names = [each.name for each in self.folder.iterdir()]
        except FileNotFoundError:
            return []
        found = [name.removesuffix(".json") for name in names if name.endswith(".json")]
        numbers = sorted(int(name[1:]) for name in found if _is_id(name) and name[0] == prefix)
        return [(number, self.file(f"{prefix}{number}")) for number in numbers]

    def file(self, id: str) -> Path:
        """Name the file of one, by its id."""
        return self.folder / f"{id}.json"

    def _write(self, id: str, entry: Breakpoint | Watch) -> None:
        data: dict[str, Json] = {"version": _VERSION, "graph": str(self.graph)}
        if isinstance(entry, Breakpoint):
            data["breakpoint"] = entry.to_json()
        else:
            data |= {"watch": entry.text} | ({} if entry.enabled else {"enabled": False})
        write_atomically(self.file(id), json.dumps(data, indent=1).encode(), mode=0o600)

    @contextlib.contextmanager
    def _refusing(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BreakpointError(
                f"the breakpoints of {self.graph} cannot be {what}: {error.strerror or error}",
                hint=f"look at the folder {self.folder}",
            ) from None


_NAMES = {"b": "breakpoint", "w": "watch"}


def _content(file: Path, prefix: _Prefix) -> dict[str, Any]:
    """Read one file, and check the breakpoint or the watch that it holds.

    Raises:
        FileNotFoundError: It is gone.
        BreakpointError: It is damaged.
    """
    name = _NAMES[prefix]
    try:
        with file.open("rb") as stream:
            text = stream.read(_LARGEST)
        if not text:
            raise BreakpointError("its file is empty: it is being written, or what wrote it was killed")
        data = json.loads(text)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BreakpointError(f"its file cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BreakpointError(f"its file is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("version") != _VERSION or name not in data:
        raise BreakpointError(f"its file holds no {name} that this version can read")
    content = data[name]
    if prefix == "b":
        Breakpoint.from_json(content)
    elif not isinstance(content, str):
        raise BreakpointError(f"its file holds a watch that is not text: {content!r:.60}")
    return data


def _is_id(id: str) -> bool:
    number = id[1:]
    return id[:1] in _NAMES and number.isascii() and number.isdigit() and len(number) < 9 and number[0] != "0"
