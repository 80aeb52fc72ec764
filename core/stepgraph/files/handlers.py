"""Handlers: Python functions that a graph names as ``module:function``.

Naming one imports nothing; ``resolve_handler`` does, when a trusted graph is about to run.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ..conditions import HandlerPredicate
from ..graphs.parts import GraphParts
from ..nodes.base import BaseNode
from ..values.errors import HandlerError
from ..values.handler_names import HANDLER_HINT, is_handler
from ..values.problems import did_you_mean


def module_files(name: str, folder: Path) -> list[Path]:
    """Find the source files that importing ``name`` from ``folder`` runs: packages first, then the module.

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
    """Make a package without code of its own."""
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


def handler_refs(graph: GraphParts) -> list[str]:
    """List the handlers that the graph's definition names, in order, each once.

    A node that was added as a Python object does not count: the program that made it brought its code.
    """
    return list(dict.fromkeys(ref for ref in _named(graph) if is_handler(ref)))


def _named(graph: GraphParts) -> Iterator[str]:
    for entry in graph.nodes.values():
        if entry.settings is not None and isinstance(entry.node, BaseNode):
            yield from entry.node.handlers()
    for tool in graph.tools.values():
        if tool.tool is None and tool.handler is not None:
            yield tool.handler
    for edge in graph.edges:
        if isinstance(edge.condition, HandlerPredicate):
            yield edge.condition.ref


def resolve_handler(ref: str, base: Path | None) -> Callable[..., Any]:
    """Import the function that ``ref`` names: the caller has made sure that it is trusted.

    Args:
        ref: ``module:function``.
        base: The folder of the graph file, where the module is looked up first; None for the Python
            path alone.

    Raises:
        HandlerError: There is no such module or function, it cannot be called, or the module does not
            import.
    """
    if not is_handler(ref):
        raise HandlerError(f"the handler {ref!r} is not written as module:function", hint=HANDLER_HINT)
    name, function = ref.split(":")
    module = _imported(name, base)
    try:
        found = getattr(module, function)
    except AttributeError:
        own = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        where = getattr(module, "__file__", None) or name
        raise HandlerError(
            f"the handler {ref!r} is not there: {where} has no {function!r}",
            hint=did_you_mean(function, own, listing="it has") or f"define {function} in it",
        ) from None
    if not callable(found):
        raise HandlerError(
            f"the handler {ref!r} is {type(found).__name__} {function!r}, which cannot be called",
            hint="name a function",
        )
    checked: Callable[..., Any] = found
    return checked


def _imported(name: str, base: Path | None) -> ModuleType:
    beside = base is not None and bool(module_files(name, base))
    try:
        if beside and base is not None:
            return load_beside(name, base)
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not beside and error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise _missing(name, base) from None
        raise HandlerError(
            f"the handler module {name!r} does not import: {error}",
            hint="install it, or put it beside the graph file",
        ) from error
    except SystemExit as error:
        raise HandlerError(
            f"the handler module {name!r} ends the program while it is imported",
            hint='put what it does as a program below: if __name__ == "__main__":',
        ) from error
    except Exception as error:
        raise HandlerError(
            f"the handler module {name!r} does not import: {type(error).__name__}: {error}",
            hint="import it in a Python shell to see the whole traceback",
        ) from error


def _missing(name: str, base: Path | None) -> HandlerError:
    if base is None:
        return HandlerError(f"there is no module {name!r} on the Python path", hint="is it installed?")
    beside = sorted(path.stem for path in base.glob("*.py"))
    return HandlerError(
        f"there is no module {name!r}: neither in {base} nor on the Python path",
        hint=did_you_mean(name, beside, listing="the folder has") or f"make {name}.py beside the graph file",
    )
