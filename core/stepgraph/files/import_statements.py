"""Import statements that look beside their module first.

Python asks one function for every import of the process, and builtins of a module's own would slow down each
use of a builtin in it. So neither is touched: the statements themselves are compiled as if ``import helper``
were written

    if __beside__("helper"):
        import _stepgraph_0123.helper as helper
    else:
        import helper

on one line, where ``__beside__`` is what the module is given to ask.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

BESIDE = "__beside__"
"""What a module asks whether a name without dots means a module beside it."""

NEVER_HIDDEN = sys.stdlib_module_names | {"stepgraph", "stepgraph_tui"}
"""Names that always mean the same module, whatever is beside."""

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


def looking_beside(source: bytes, path: str, package: str) -> ast.Module:
    """Parse a module, and let its import statements look beside it first.

    Args:
        source: The module.
        path: Its file, for errors.
        package: The private package of what is beside it.

    Raises:
        SyntaxError: It is not Python.
    """
    tree = ast.parse(source, path)
    unread: list[ast.AST] = [tree]
    while unread:  # not by recursion: each elif is inside of the one before
        node = unread.pop()
        for field in _BODIES:
            body = getattr(node, field, None)
            if isinstance(body, list):
                unread += body
                body[:] = [each for part in body for each in _both(part, package)]
    return tree


def _both(part: ast.AST, package: str) -> Iterator[ast.AST]:
    """Yield a part of a module as it is; a statement that may import a neighbor in both ways."""
    if isinstance(part, ast.ImportFrom) and part.module is not None and not part.level:
        top = part.module.partition(".")[0]
        if top not in NEVER_HIDDEN:
            beside = ast.ImportFrom(f"{package}.{part.module}", part.names, 0)
            yield _choice(top, [ast.copy_location(beside, part)], part)
            return
    elif isinstance(part, ast.Import):
        for alias in part.names:
            top = alias.name.partition(".")[0]
            alone = ast.copy_location(ast.Import([alias]), part)
            if top in NEVER_HIDDEN:
                yield alone
            else:
                yield _choice(top, list(_imports(alias, top, package, part)), alone)
        return
    yield part


def _imports(alias: ast.alias, top: str, package: str, part: ast.stmt) -> Iterator[ast.stmt]:
    """Yield what binds the same name; of dotted names the outermost module, once the innermost is there."""
    bound = alias.asname or top
    names = [alias.name] if alias.asname or alias.name == top else [alias.name, top]
    for name in names:
        asked = ast.copy_location(ast.alias(f"{package}.{name}", bound), alias)
        yield ast.copy_location(ast.Import([asked]), part)


def _choice(top: str, beside: list[ast.stmt], otherwise: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name(BESIDE, ast.Load()), [ast.Constant(top)], [])
    choice = ast.If(call, beside, [otherwise])
    return ast.fix_missing_locations(ast.copy_location(choice, otherwise))
