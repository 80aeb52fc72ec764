"""The Python modules beside a graph file, read once: the bytes that are compared are the bytes that run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import decode_source
from pathlib import Path

from ..values.json_values import Json
from .graph_refs import is_file

MAX_SOURCE = 10_000_000
"""Bytes of a module; a larger one is not Python that anybody wrote, and is not read."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was read."""

    path: Path
    data: bytes | None
    """Its content; None when it cannot be read, or is too large."""

    @property
    def text(self) -> str | None:
        """Its text as Python reads it, in the encoding that it declares; as UTF-8 where that fails."""
        if self.data is None:
            return None
        try:
            return decode_source(self.data)
        except (SyntaxError, ValueError):
            return self.data.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Sources:
    """The modules that a graph's handlers are in, as they were read."""

    folder: Path | None = None
    """The graph file's folder, where they were looked for; None for a graph without a file."""
    parts: Mapping[str, SourceFile | None] = field(default_factory=dict)
    """The modules beside the graph file and the packages they are in; None for a folder without code."""
    elsewhere: tuple[str, ...] = ()
    """The modules that are not beside the graph file, but on the Python path."""

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """All that was read."""
        return tuple(file for file in self.parts.values() if file is not None)

    def files_of(self, module: str) -> Iterator[SourceFile]:
        """Yield the files that importing a module runs: those of the packages it is in first."""
        names = module.split(".")
        for count in range(1, len(names) + 1):
            file = self.parts.get(".".join(names[:count]))
            if file is not None:
                yield file

    @property
    def digests(self) -> dict[str, Json]:
        """The digest of each file, by its path from the graph file; None for one that could not be read."""
        return {
            file.path.relative_to(self.folder or "").as_posix(): (
                hashlib.sha256(file.data).hexdigest() if file.data is not None else None
            )
            for file in self.files
        }


def read_sources(modules: Iterable[str], folder: Path | None) -> Sources:
    """Read the modules that are beside a graph file, each file once.

    Args:
        modules: Their names, such as ``tools`` or ``shop.tools``.
        folder: Where to look, and nowhere else; None finds none of them.
    """
    parts: dict[str, SourceFile | None] = {}
    elsewhere = []
    for module in dict.fromkeys(modules):
        found = _paths(module, folder) if folder is not None else None
        if found is None:
            elsewhere.append(module)
            continue
        for name, path in found.items():
            if parts.get(name) is None:  # not read yet, or a folder until now
                parts[name] = SourceFile(path, _content(path)) if path is not None else None
    return Sources(folder, parts, tuple(elsewhere))


def read_files(files: Mapping[str, Path], folder: Path) -> Sources:
    """Read modules that are named by their files.

    Args:
        files: The files by the modules' names.
        folder: The folder that imports begin in.
    """
    return Sources(folder, {name: SourceFile(path, _content(path)) for name, path in files.items()})


def _paths(module: str, folder: Path) -> dict[str, Path | None] | None:
    """Find the file of a module and of each package it is in; None when the folder has no such module."""
    *packages, last = module.split(".")
    found: dict[str, Path | None] = {}
    for count, package in enumerate(packages, start=1):
        folder /= package
        init = folder / "__init__.py"
        found[".".join(packages[:count])] = init if is_file(init) else None
    for path in (folder / last / "__init__.py", folder / f"{last}.py"):
        if is_file(path):
            return found | {module: path}
    return None


def _content(path: Path) -> bytes | None:
    if not is_file(path):  # a pipe or a device would be waited for
        return None
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_SOURCE + 1)
    except OSError:
        return None
    return data if len(data) <= MAX_SOURCE else None
