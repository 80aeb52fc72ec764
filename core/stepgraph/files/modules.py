"""Importing modules from a graph's folder, apart from everything else that is imported."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, ModuleType


def module_files(name: str, folder: Path) -> list[Path]:
    """The source files that importing ``name`` from ``folder`` runs: packages first, then the module.

    Args:
        name: A module, such as ``tools`` or ``shop.tools``.
        folder: Where to look; nowhere else.

    Returns:
        The files; empty when the folder does not have the module.
    """
    *packages, last = name.split(".")
    files = []
    for package in packages:
        folder = folder / package
        if _is_file(folder / "__init__.py"):
            files.append(folder / "__init__.py")
    for module in (folder / last / "__init__.py", folder / f"{last}.py"):
        if _is_file(module):
            return [*files, module]
    return []


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder that may not be looked into
        return False


def load_beside(name: str, folder: Path) -> ModuleType:
    """Import a module from ``folder`` under a private name, so that two graphs may each have a tools.py.

    While it is imported its folder is first on the path, so that it may import its neighbours. The name
    holds a digest of the content: a module that was edited is imported anew.

    Raises:
        Exception: Whatever the module raises.
    """
    files = module_files(name, folder)
    digest = hashlib.sha256(str(folder).encode(errors="surrogateescape"))
    for file in files:
        digest.update(file.read_bytes())
    root = f"_stepgraph_{digest.hexdigest()[:24]}"
    known = sys.modules.get(f"{root}.{name}")
    if known is not None:
        return known
    before = set(sys.modules)
    try:
        with _neighbours(folder):
            return _load(root, name, folder)
    except BaseException:
        for loaded in [key for key in sys.modules if key not in before and key.startswith(root)]:
            del sys.modules[loaded]
        raise


def _load(root: str, name: str, folder: Path) -> ModuleType:
    _package(root, folder)
    parts = name.split(".")
    module = sys.modules[root]
    for count, part in enumerate(parts, start=1):
        private = ".".join([root, *parts[:count]])
        init = folder / part / "__init__.py"
        file = init if init.is_file() or count < len(parts) else folder / f"{part}.py"
        child = _execute(private, file) if file.is_file() else _package(private, folder / part)
        setattr(module, part, child)
        module, folder = child, folder / part
    return module


def _package(name: str, folder: Path) -> ModuleType:
    """A package without code of its own."""
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    return package


def _execute(name: str, file: Path) -> ModuleType:
    loader = _SourceOnly(name, str(file))
    spec = ModuleSpec(name, loader, origin=str(file), is_package=file.name == "__init__.py")
    spec.has_location = True
    if spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(str(file.parent))
    module = module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


class _SourceOnly(SourceFileLoader):
    """Compiles the source that was trusted; compiled files in the folder could hold other code."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


@contextmanager
def _neighbours(folder: Path) -> Iterator[None]:
    """Make the folder's modules importable by their own names, and forget them afterwards.

    A module of the same name from elsewhere is put aside meanwhile; the standard library's never is.
    """
    names = _module_names(folder)
    aside = {key: module for key, module in sys.modules.items() if key.split(".")[0] in names}
    for key in aside:
        del sys.modules[key]
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()  # the folder may have been looked at before a neighbour was made
    try:
        yield
    finally:
        with suppress(ValueError):  # the module itself may have tidied the path
            sys.path.remove(str(folder))
        for key in [key for key in sys.modules if key.split(".")[0] in names]:
            del sys.modules[key]
        sys.modules.update(aside)


def _module_names(folder: Path) -> set[str]:
    found: Sequence[Path] = [*folder.glob("*.py"), *(file.parent for file in folder.glob("*/__init__.py"))]
    return {path.stem for path in found} - set(sys.stdlib_module_names) - {"stepgraph", "stepgraph_tui"}
