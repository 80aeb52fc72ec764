"""What cuts across the house: masks by hand, visible text, lambdas, late imports, helpers of one caller."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .house import Module

_RIDDLES = ("Tell ", "Say ", "Give ", "Make ", "Tells ", "Says ")
"""How a docstring begins that says what it does with words in place of what it is about."""
_PARAMETERS = 7
"""A constructor with as many is a knot."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def report(engine: Mapping[str, Module], app: Mapping[str, Module], importers: Counter[str]) -> Iterator[str]:
    """Count it all, line by line.

    Args:
        engine: The modules of the engine by their names.
        app: Those of the app.
        importers: How many modules of ours import each of them.
    """
    modules = [*engine.values(), *app.values()]
    functions = [node for each in modules for node in ast.walk(each.tree) if isinstance(node, _Function)]
    calls = Counter(_called(modules))
    yield f"  functions that take a mask: {sum('mask' in _parameters(each) for each in functions)}"
    yield f"  calls of visible(): {calls['visible']}"
    lambdas = sum(isinstance(node, ast.Lambda) for each in app.values() for node in ast.walk(each.tree))
    yield f"  lambdas in the app: {lambdas}"
    yield f"  imports inside functions: {sum(map(_late_imports, functions))}"
    wide = sorted((len(_parameters(each)) - 1 for each in functions if each.name == "__init__"), reverse=True)
    knots = [count for count in wide if count >= _PARAMETERS]
    yield f"  constructors of {_PARAMETERS} parameters or more: {len(knots)}, the widest {wide[0]}"
    once = sum(count == 1 and not name.endswith("__init__") for name, count in importers.items())
    yield f"  modules with one importer: {once}"
    private = Counter(each.name for each in functions if each.name.startswith("_") and each.name[-2:] != "__")
    named = Counter(_named(modules))
    yield f"  private functions named once: {sum(named[name] == 1 for name, n in private.items() if n == 1)}"
    yield f"  modules of the engine that the app imports: {len(_reached(app, engine))} of {len(engine)}"
    lines = sum(each.code_lines for each in modules)
    imports = sum(map(_import_lines, modules))
    yield f"  lines of imports: {imports:,}, {imports / lines:.0%} of all"
    documented = (ast.get_docstring(each) or "" for each in functions)
    yield f"  docstrings that tell, say, give or make: {sum(map(_is_riddle, documented))}"


def _is_riddle(docstring: str) -> bool:
    return docstring.startswith(_RIDDLES)


def _parameters(function: _Function) -> list[str]:
    given = function.args
    return [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _called(modules: Iterable[Module]) -> Iterator[str]:
    for each in modules:
        for node in ast.walk(each.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield node.func.id


def _named(modules: Iterable[Module]) -> Iterator[str]:
    """List the names that are used, wherever that is."""
    for each in modules:
        for node in ast.walk(each.tree):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr


def _late_imports(function: _Function) -> int:
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(function))


def _import_lines(module: Module) -> int:
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def _reached(app: Mapping[str, Module], engine: Mapping[str, Module]) -> set[str]:
    """Find the modules of the engine that are named in the app's imports."""
    found: set[str] = set()
    for each in app.values():
        for node in ast.walk(each.tree):
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                found.update(name if name in engine else node.module for name in names)
    return found & engine.keys()
