"""The Python modules beside a graph file, read once: the bytes that are compared are the bytes that run.

They are imported from their source alone, never from compiled files beside it, and under private names, so
that two graphs may each have a tools.py.
"""

from __future__ import annotations

import hashlib
import linecache
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from importlib.util import decode_source, spec_from_file_location
from io import StringIO
from pathlib import Path
from threading import get_ident
from types import CodeType, ModuleType

from ..values.json_values import Json

MAX_SOURCE = 10_000_000
"""Bytes of a module; a larger one is no Python that anybody wrote, and is not read."""


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

    def of_module(self, module: str) -> Sources:
        """Take what belongs to one module: its file, and those of the packages that it is in."""
        parts = {name: file for name, file in self.parts.items() if f"{module}.".startswith(f"{name}.")}
        return Sources(self.folder, parts, tuple(name for name in self.elsewhere if name == module))

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


def _paths(module: str, folder: Path) -> dict[str, Path | None] | None:
    """Find the file of a module and of each package it is in; None when the folder has no such module."""
    *packages, last = module.split(".")
    found: dict[str, Path | None] = {}
    for count, package in enumerate(packages, start=1):
        folder /= package
        init = folder / "__init__.py"
        found[".".join(packages[:count])] = init if _is_file(init) else None
    for path in (folder / last / "__init__.py", folder / f"{last}.py"):
        if _is_file(path):
            return found | {module: path}
    return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder that may not be looked into
        return False


def _content(path: Path) -> bytes | None:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_SOURCE + 1)
    except OSError:
        return None
    return data if len(data) <= MAX_SOURCE else None


def load_module(name: str, sources: Sources) -> ModuleType:
    """Import one of the modules as it was read, under a private name.

    While it is imported it may import its neighbours in the folder by their own names. The private name
    holds a digest of all that was read: where a file was edited, the modules are imported anew.

    Raises:
        Exception: Whatever the module raises.
    """
    read = repr((str(sources.folder), sources.digests))
    root = f"_stepgraph_{hashlib.sha256(read.encode()).hexdigest()[:24]}"
    private = f"{root}.{name}"
    known = sys.modules.get(private)
    if known is not None:
        return known
    _PrivateModules.roots[root] = sources
    if _PrivateModules not in sys.meta_path:
        sys.meta_path.insert(0, _PrivateModules)
    with _neighbours(sources):
        return import_module(private)


def public_name(module: str) -> str:
    """Give the name that a module beside a graph file has for itself, without the private part."""
    root, _, name = module.partition(".")
    return name if root in _PrivateModules.roots else module


# The import system's side of it

_NEVER_HIDDEN = sys.stdlib_module_names | {"stepgraph", "stepgraph_tui"}


class _FromSource(SourceFileLoader):
    """Compiles the source that is there to be read; compiled files beside it could hold other code."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _AsRead(_FromSource):
    """Runs a file as it was read, whatever is on the disk by now; tracebacks show it so, too."""

    def __init__(self, fullname: str, file: SourceFile) -> None:
        super().__init__(fullname, str(file.path))
        self._data = file.data

    def get_data(self, path: str) -> bytes:
        if path != self.path:
            return super().get_data(path)  # what a package keeps beside its code
        if self._data is None:
            raise ImportError(f"{path} cannot be read, or has more than {MAX_SOURCE:,} bytes")
        return self._data

    def get_code(self, fullname: str) -> CodeType:
        code = super().get_code(fullname)
        data = self.get_data(self.path)
        lines = StringIO(decode_source(data)).readlines()
        linecache.cache[self.path] = (len(data), None, lines, self.path)  # None: not looked for on the disk
        return code


def _spec(fullname: str, name: str, path: Sequence[str], sources: Sources) -> ModuleSpec | None:
    """Find a module: as it was read if it was, else from its source in one of the folders of ``path``."""
    if name in sources.parts:
        file = sources.parts[name]
        if file is not None:
            package = [str(file.path.parent)] if file.path.name == "__init__.py" else None
            return spec_from_file_location(
                fullname, file.path, loader=_AsRead(fullname, file), submodule_search_locations=package
            )
        return _folder(fullname, [str(Path(one, name.rpartition(".")[2])) for one in path])
    for one in path:
        finder = FileFinder(one, (_FromSource, SOURCE_SUFFIXES), (ExtensionFileLoader, EXTENSION_SUFFIXES))
        spec = finder.find_spec(fullname)
        if spec is not None:
            return spec
    return None


def _folder(fullname: str, path: list[str]) -> ModuleSpec:
    """Make the spec of a package without code of its own."""
    spec = ModuleSpec(fullname, None, is_package=True)
    spec.submodule_search_locations = path
    return spec


class _PrivateModules:
    """Finds what is below a private name, also what a function imports relatively when it is called."""

    roots: dict[str, Sources] = {}  # noqa: RUF012  # of the process, as sys.modules is

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        root, _, name = fullname.partition(".")
        sources = cls.roots.get(root)
        if sources is None:
            return None
        if not name:
            return _folder(fullname, [str(sources.folder)])
        spec = _spec(fullname, name, path or (), sources)
        if spec is None:  # nobody else is to look for it: they would take compiled files
            raise ModuleNotFoundError(f"No module named {name!r} beside the graph file", name=fullname)
        return spec


class _Neighbours:
    """Finds the modules of a folder by their own names; the standard library's own are never hidden.

    It answers only in its own thread: what others import meanwhile has nothing to do with the folder.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._thread = get_ident()
        self.found: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        if get_ident() != self._thread:
            return None
        if top in _NEVER_HIDDEN or (path is not None and top not in self.found):
            return None
        spec = _spec(fullname, fullname, path or [str(self._sources.folder)], self._sources)
        if spec is None and path is not None:  # nobody else is to look for it
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        if spec is None or (path is None and spec.loader is None and PathFinder.find_spec(fullname)):
            return None  # an installed package comes before a folder without code
        self.found.add(top)
        return spec


@contextmanager
def _neighbours(sources: Sources) -> Iterator[None]:
    """Make the folder's modules importable by their own names, and forget them afterwards.

    A module of the same name from elsewhere is put aside meanwhile.
    """
    finder = _Neighbours(sources)
    names = _module_names(sources.folder or Path())
    aside = {key: module for key, module in sys.modules.items() if key.partition(".")[0] in names}
    for key in aside:
        del sys.modules[key]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        with suppress(ValueError):  # the module itself may have tidied up
            sys.meta_path.remove(finder)
        names |= finder.found
        for key in [key for key in sys.modules if key.partition(".")[0] in names]:
            del sys.modules[key]
        sys.modules.update(aside)


def _module_names(folder: Path) -> set[str]:
    found = [*folder.glob("*.py"), *(init.parent for init in folder.glob("*/__init__.py"))]
    return {path.stem for path in found} - _NEVER_HIDDEN
