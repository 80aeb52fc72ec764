"""Importing modules as they were read: from their source alone, never from compiled files beside it.

They have private names, so that two graphs may each have a tools.py.
"""

from __future__ import annotations

import builtins
import hashlib
import linecache
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
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
from threading import current_thread, get_ident, main_thread
from traceback import FrameSummary
from types import CodeType, ModuleType
from typing import Any, TypeAlias

from ..values.errors import StepgraphError, pointed
from ..values.json_values import Json, class_name
from ..values.messages import error_detail, shortened
from ..values.problems import nearest, proposal
from .graph_refs import is_file
from .import_statements import BESIDE, NEVER_HIDDEN, looking_beside
from .project import folders_of, project_around, set_environment

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


FileStamp: TypeAlias = tuple[int, int] | None
"""When a file was changed last, and its size; None where there is none."""


def load_module(name: str, sources: Sources) -> ModuleType:
    """Import one of the modules as it was read, under a private name.

    It may import its neighbors in the folder by their own names, also while it runs. The private name holds
    a digest of all that was read: where a file was edited, the modules are imported again, and so they are
    where a neighbor was.

    Raises:
        BaseException: Whatever the module raises.
    """
    root = _root(sources)
    known = sys.modules.get(f"{root.name}.{name}")
    if known is not None:
        return known
    if root.project is not None:
        set_environment(root.project)
    _install()
    aliases = _Aliases(root)
    _loading.insert(0, aliases)
    try:
        with _process_kept():
            return import_module(f"{root.name}.{name}")
    finally:
        _loading.remove(aliases)
        for alias in aliases.made:
            sys.modules.pop(alias, None)


def _install() -> None:
    """Install the finder, with the first module on that is imported under a private name.

    The finder stays: another thread may be walking the list of finders, and would miss one if it got shorter.
    """
    if _PrivateModules not in sys.meta_path:
        sys.meta_path.insert(0, _PrivateModules)


def neighbors(sources: Sources) -> Mapping[str, FileStamp]:
    """List the files that modules have imported beside themselves so far, each as it was then.

    What they import later comes into the same mapping. It is empty where they were not imported as they were
    read.
    """
    base = _base(sources)
    found = [root for name, root in _roots.items() if f"{name}_".startswith(f"{base}_")]
    return found[-1].read if found else {}


def are_current(files: Mapping[str, FileStamp]) -> bool:
    """Check whether none of these files was edited since."""
    read = list(files.items())  # at once: a thread that runs a graph may import more meanwhile
    return all(_stamp(path) == stamp for path, stamp in read)


def own_names(text: str) -> str:
    """Remove the private part of module names from a text."""
    return _PRIVATE.sub("", text)


@contextmanager
def _process_kept() -> Iterator[None]:
    """Restore the folder and signals of the process, which belong to the program and not to a module."""
    folder = _folder_now()
    in_main = current_thread() is main_thread()  # nobody else may change what signals do
    handlers = {each: signal.getsignal(each) for each in signal.valid_signals()} if in_main else {}
    try:
        yield
    finally:
        if folder is not None and _folder_now() != folder:
            os.chdir(folder)
        for each, handler in handlers.items():
            if handler is not None and signal.getsignal(each) is not handler:
                signal.signal(each, handler)


def _folder_now() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109  # as a text it is compared and given back
    except OSError:  # it was deleted
        return None


# The import system's side of it

_PRIVATE = re.compile(r"_stepgraph_[0-9a-f]{24}(_\d+)?\.")
_KEPT = 8  # times that the modules of a folder are kept as they were: runs may still be at it


class _Root:
    """What is imported together: modules as they were read, and what they import of their folder.

    All of it has names below one private name. A module asks for its neighbors by their own names, at any
    time and in any thread: its import statements look here first.

    Args:
        name: The private name.
        sources: The modules as they were read.
    """

    def __init__(self, name: str, sources: Sources) -> None:
        self.name, self.sources = name, sources
        self.finder = _finder(str(sources.folder))
        self.project = None if sources.folder is None else project_around(sources.folder)
        self.read: dict[str, FileStamp] = {}
        """The files of neighbors, each as it was when it was read."""

    @property
    def is_current(self) -> bool:
        """Whether no neighbor was edited since it was imported."""
        return are_current(self.read)

    def has(self, top: str) -> bool:
        """Check whether a name without dots means a module of the folder; the standard library's never do."""
        if top in NEVER_HIDDEN:
            return False
        full = f"{self.name}.{top}"
        return full in sys.modules or self.find(full, top, ()) is not None

    def find(self, fullname: str, name: str, path: Sequence[str]) -> ModuleSpec | None:
        """Find a module: as it was read if it was, else from its source in one of the folders of ``path``."""
        if name in self.sources.parts:
            file = self.sources.parts[name]
            if file is not None:
                package = [str(file.path.parent)] if file.path.name == "__init__.py" else None
                return spec_from_file_location(
                    fullname, file.path, loader=_AsRead(fullname, file), submodule_search_locations=package
                )
            parents = path if "." in name else [str(self.sources.folder)]
            return _folder(fullname, [str(Path(one, name.rpartition(".")[2])) for one in parents])
        if "." in name:
            found = (_finder(one).find_spec(fullname) for one in path)
            return next((spec for spec in found if spec is not None), None)
        spec = self.finder.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            return spec
        if PathFinder.find_spec(name) is not None:  # it comes before a folder without code
            return None
        return spec or self._in_project(fullname) or self._around(fullname, name)

    def _in_project(self, fullname: str) -> ModuleSpec | None:
        found = (finder.find_spec(fullname) for finder in self.project_finders)
        return next((spec for spec in found if spec is not None), None)

    @cached_property
    def project_finders(self) -> list[FileFinder]:
        """The folders of the project around, from which its code imports, too."""
        return [] if self.project is None else [_finder(str(folder)) for folder in folders_of(self.project)]

    def _around(self, fullname: str, name: str) -> ModuleSpec | None:
        """Find a folder by its name that this one is in: a package without code of its own knows itself."""
        folder = self.sources.folder
        around = () if folder is None else (folder, *folder.parents)
        return next((_folder(fullname, [str(one)]) for one in around if one.name == name), None)


_roots: dict[str, _Root] = {}  # of the process, as sys.modules is


@contextmanager
def typed_imports() -> Iterator[None]:
    """Let import statements look beside that were compiled elsewhere: those that are typed in a debugger."""
    python_import = builtins.__import__

    def import_beside(
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        importer = None if level or globals is None else globals.get("__name__")
        root = _roots.get(importer.partition(".")[0]) if isinstance(importer, str) else None
        top = name.partition(".")[0]
        if root is None or not root.has(top):
            return python_import(name, globals, locals, fromlist or (), level)
        found = python_import(f"{root.name}.{name}", globals, locals, fromlist or (), 0)
        return found if fromlist else sys.modules[f"{root.name}.{top}"]

    builtins.__import__ = import_beside
    try:
        yield
    finally:
        builtins.__import__ = python_import


def _root(sources: Sources) -> _Root:
    """Find the root of what was read, or make a new one where a neighbor was edited since."""
    base = name = _base(sources)
    count = 0
    while name in _roots and not _roots[name].is_current:
        count += 1
        name = f"{base}_{count}"
    if name not in _roots:
        _roots[name] = _Root(name, sources)
        same = [each for each in _roots.values() if _place(each.sources) == _place(sources)]
        for old in same[:-_KEPT]:
            _forget(old)
    for finder in (_roots[name].finder, *_roots[name].project_finders):
        finder.invalidate_caches()  # a file may have come just now
    return _roots[name]


def _base(sources: Sources) -> str:
    """Derive the private name of modules from their content."""
    read = repr((str(sources.folder), sources.digests))
    return f"_stepgraph_{hashlib.sha256(read.encode()).hexdigest()[:24]}"


def _place(sources: Sources) -> object:
    return sources.folder, tuple(sources.parts)


def _forget(root: _Root) -> None:
    del _roots[root.name]
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{root.name}.")]:
        del sys.modules[name]


class _FromSource(SourceFileLoader):
    """Compiles the source that is there to be read; compiled files beside it could hold other code.

    Tracebacks show the source as it was then, whatever is on the disk by now.
    """

    def exec_module(self, module: ModuleType) -> None:
        """Run it, with what its import statements ask."""
        root = _roots.get(module.__name__.partition(".")[0])
        if root is not None:
            vars(module)[BESIDE] = root.has
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        try:
            code: CodeType = self.source_to_code(looking_beside(data, path, fullname.partition(".")[0]), path)
        except RecursionError:  # nested a thousand deep, which Python compiles as a text, but not as a tree
            code = self.source_to_code(data, path)
        lines = StringIO(decode_source(data)).readlines()
        linecache.cache[path] = (len(data), None, lines, path)  # None: not looked for on the disk
        return code


class _Neighbor(_FromSource):
    """Runs a file as it is now, and remembers how that is."""

    def get_code(self, fullname: str) -> CodeType:
        root = _roots.get(fullname.partition(".")[0])
        if root is not None:  # before it is read: what is written meanwhile is found out
            path = self.get_filename(fullname)
            root.read[path] = _stamp(path)
        return super().get_code(fullname)


class _AsRead(_FromSource):
    """Runs a file as it was read."""

    def __init__(self, fullname: str, file: SourceFile) -> None:
        super().__init__(fullname, str(file.path))
        self._data = file.data

    def get_data(self, path: str) -> bytes:
        if path != self.path:
            return super().get_data(path)  # what a package keeps beside its code
        if self._data is None:
            raise ImportError(f"{path} cannot be read, or has more than {MAX_SOURCE:,} bytes")
        return self._data


def _finder(folder: str) -> FileFinder:
    return FileFinder(folder, (_Neighbor, SOURCE_SUFFIXES), (ExtensionFileLoader, EXTENSION_SUFFIXES))


def _stamp(path: str) -> FileStamp:
    try:
        status = os.stat(path)  # noqa: PTH116  # the import system has texts
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _folder(fullname: str, path: list[str]) -> ModuleSpec:
    """Build the spec of a package without code of its own."""
    spec = ModuleSpec(fullname, None, is_package=True)
    spec.submodule_search_locations = path
    return spec


class _PrivateModules:
    """Finds what is below a private name, also what a function imports when it is called.

    It asks the aliases of the modules that are being imported about all other names.
    """

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        first, _, name = fullname.partition(".")
        root = _roots.get(first)
        if root is None:
            found = (aliases.find_spec(fullname) for aliases in tuple(_loading))
            return next((spec for spec in found if spec is not None), None)
        if not name:
            return _folder(fullname, [str(root.sources.folder)])
        spec = root.find(fullname, name, path or ())
        if spec is None:  # nobody else is to look for it: they would take compiled files
            raise ModuleNotFoundError(f"No module named {name!r} beside the graph file", name=fullname)
        return spec


class _Aliases:
    """Finds neighbors for those who ask for them by a text, as ``importlib.import_module`` does.

    It answers only in its own thread, and only while a module is imported: what others import meanwhile has
    nothing to do with the folder.

    Args:
        root: What the neighbors belong to.
    """

    def __init__(self, root: _Root) -> None:
        self._root = root
        self._thread = get_ident()
        self.made: list[str] = []

    def find_spec(self, fullname: str) -> ModuleSpec | None:
        """Build the spec of a neighbor under its own name, if this thread may ask for it."""
        if get_ident() != self._thread or not self._root.has(fullname.partition(".")[0]):
            return None
        self.made.append(fullname)
        return ModuleSpec(fullname, self)  # type: ignore[arg-type]  # what importlib asks of a loader

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to the import system, which throws it away."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the neighbor itself in the place of what was made."""
        name = module.__name__
        sys.modules[name] = import_module(f"{self._root.name}.{name}")


_loading: list[_Aliases] = []  # of the process, the innermost first


_INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True, slots=True)
class ImportFailure:
    """Why code of a module did not come to its end."""

    message: str
    """What happened, to be read after the name of what was run: ``raised ValueError: no config``."""
    hint: str
    file: Path | None = None
    """The file of the person's own in which it happened last; None where it did in none."""
    line: int | None = None
    excerpt: str = ""
    """That line, with a caret at the place."""

    @property
    def where(self) -> str:
        """The place as people write it, after a blank; empty where there is none."""
        return f" ({self.file.name}:{self.line})" if self.file is not None else ""


def import_failure(error: BaseException, folder: Path | None, failed: str = "") -> ImportFailure:
    """Describe what a module raised while it was imported, or code of it that was called later.

    Args:
        error: What was raised.
        folder: The folder of the person's own modules; None where there is none.
        failed: What that code was for, to begin the message with; empty for an import.
    """
    place, what = _failure_place(error, folder), failed or "does not import"
    if isinstance(error, SyntaxError) and _is_own(error.filename, folder):
        message = f"{what}: {class_name(error)}: {error.msg}"
        return ImportFailure(message, "fix it, then try again", *_of_syntax(error))
    if isinstance(error, SystemExit):
        code = f", with exit code {shortened(str(error.code))}" if error.code not in (None, 0) else ""
        hint = 'put what it does as a program below: if __name__ == "__main__":'
        ends = f"{failed}: it ends the program" if failed else "ends the program while it is imported"
        return ImportFailure(f"{ends}{code}", hint, *place)
    if isinstance(error, ImportError):
        return ImportFailure(f"{what}{own_names(error_detail(error))}", _import_hint(error, folder), *place)
    if isinstance(error, StepgraphError):
        return ImportFailure(f"{what}: {own_names(error.message)}", error.hint, *place)
    message = f"{what}: {class_name(error)}{own_names(error_detail(error))}"
    return ImportFailure(message, "import it in a Python shell to see the whole traceback", *place)


def _import_hint(error: ImportError, folder: Path | None) -> str:
    if "beyond top-level package" in str(error):
        return "relative imports need a package: put an __init__.py into the folders that are parts of it"
    missing = own_names(error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError):
        return "check the name, and whether two modules import each other"
    beside = sorted(path.stem for path in folder.glob("*.py")) if folder is not None else []
    close = nearest(missing, beside)
    if close is not None and close != missing:
        return proposal(close)
    return "install it where stepgraph is installed, or put it beside the file"


def _of_syntax(error: SyntaxError) -> tuple[Path, int | None, str]:
    line = (error.text or "").rstrip("\n")
    excerpt = pointed(line, min(max((error.offset or 1) - 1, 0), len(line))) if line.strip() else ""
    return Path(error.filename or ""), error.lineno or None, excerpt


def _failure_place(error: BaseException, folder: Path | None) -> tuple[Path | None, int | None, str]:
    """Find the deepest line of the person's own files that was running."""
    own = [frame for frame in _frames(error) if _is_own(frame.filename, folder)]
    if not own:
        return None, None, ""
    frame = own[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).rstrip("\n")
    column = frame.colno if frame.colno is not None and line.isascii() else len(line) - len(line.lstrip())
    return Path(frame.filename), frame.lineno, pointed(line, min(column, len(line))) if line.strip() else ""


def _frames(error: BaseException) -> Iterator[FrameSummary]:
    try:
        yield from traceback.extract_tb(error.__traceback__)
    except Exception:  # an exception of theirs may hold anything
        return


def _is_own(file: str | None, folder: Path | None) -> bool:
    """Check whether a file is a person's own: below the folder, and not of an installed package."""
    if file is None or folder is None:
        return False
    path = Path(file)
    return path.is_relative_to(folder) and not _INSTALLED & set(path.parts)
