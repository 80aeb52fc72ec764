"""Templates parsed and compiled: what they read, whether they are one expression, what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import cast

import jinja2
from jinja2 import meta, nodes
from jinja2.visitor import NodeTransformer

from ..expressions.spelling import HIDDEN
from ..values.problems import did_you_mean
from .places import place_of_error, place_of_name, start_of_line
from .sandbox import Sandbox

Path = tuple[str | int, ...]

_GUARDS = {"default", "d", "defined", "undefined"}  # what takes a name that may be missing
_LONG = 100  # items: a list that is written out longer than that is counted as it is made
_UNKNOWN = re.compile(r"No (filter|test) named '([^']*)'")
_FOREIGN = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A template that can be rendered, or what is wrong with it."""

    names: frozenset[str] = frozenset()
    """The state keys that it reads."""
    variables: frozenset[str] = frozenset()
    """The names that it uses: keys of the state, ``state`` itself, and facts about the run."""
    visits_read: frozenset[str] = frozenset()
    """The nodes whose visits it counts."""
    paths: tuple[Path, ...] = ()
    """The paths that it cannot do without, in their order."""
    program: jinja2.Template | None = None
    expression: jinja2.Template | None = None
    """When the text is exactly one ``{{ expression }}``: a template that exports its value as ``result``."""
    error: str = ""
    hint: str = ""
    offset: int | None = None
    """Where it is wrong, in characters from 0; None where that is not known."""


@cache
def environment() -> Sandbox:
    """Make the one environment, when it is first needed."""
    return Sandbox()


@lru_cache(maxsize=4096)  # two texts for each node of a very large graph, checked again at every edit
def parse(text: str) -> Parsed:
    """Parse and compile a template; nothing of it runs."""
    env = environment()
    try:
        tree = env.parse(text)
        foreign = next(tree.find_all(_FOREIGN), None)
        if foreign is not None:
            message = f"line {foreign.lineno}: a template cannot use other templates"
            return Parsed(error=message, offset=start_of_line(text, foreign.lineno))
        variables = frozenset(meta.find_undeclared_variables(tree)) - env.globals.keys()
        paths = tuple(dict.fromkeys(path for path in _paths(tree) if path[0] in variables))
        tree = _Bounded().visit(tree)
        tree.set_environment(env)
        alone = _alone(tree)
        return Parsed(
            variables - HIDDEN | _below("state", paths),
            variables,
            _below("visits", paths),
            paths,
            env.from_string(tree),
            env.from_string(alone) if alone is not None else None,
        )
    except jinja2.TemplateSyntaxError as error:
        message = f"line {error.lineno}: {_lower(error.message or 'it cannot be read')}"
        return Parsed(error=message, hint=_hint(error.message or "", env), offset=_place(text, error, env))
    except (RecursionError, MemoryError, SyntaxError, ValueError, OverflowError):
        return Parsed(error="it is nested too deeply, or has a number that is too long")


class _Bounded(NodeTransformer):
    """Puts what loops run over, compares, joins, cuts and lists through the sandbox's own functions.

    These are what Jinja2 compiles to plain Python, which nothing would measure.
    """

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.iter = _filter("_each", node.iter)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _filter("_joined", nodes.List(node.nodes, lineno=node.lineno))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        if not any(isinstance(part, nodes.Const) for part in (node.expr, *(op.expr for op in node.ops))):
            node.expr = _filter("_weighed", node.expr)
            for op in node.ops:
                op.expr = _filter("_weighed", op.expr)
        return node

    def visit_Pair(self, node: nodes.Pair) -> nodes.Node:
        self.generic_visit(node)
        if not isinstance(node.key, nodes.Const):
            node.key = _filter("_weighed", node.key)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        self.generic_visit(node)
        return _filter("_kept", node) if isinstance(node.arg, nodes.Slice) else node

    def visit_List(self, node: nodes.List) -> nodes.Node:
        self.generic_visit(node)
        return _filter("_kept", node) if len(node.items) > _LONG else node

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return _filter("_kept", node) if len(node.items) > _LONG and node.ctx == "load" else node


def _place(text: str, error: jinja2.TemplateSyntaxError, env: Sandbox) -> int:
    """Find where a template is wrong; Jinja2 tells the line alone."""
    unknown = _UNKNOWN.search(error.message or "")
    place = None
    if unknown is not None:
        place = place_of_name(text, unknown[2], "|" if unknown[1] == "filter" else "is", env)
    elif not isinstance(error, jinja2.TemplateAssertionError):
        with suppress(RecursionError):
            place = place_of_error(text, env)
    return start_of_line(text, error.lineno) if place is None else place


def _below(root: str, paths: tuple[Path, ...]) -> frozenset[str]:
    """Collect the second parts of the paths that begin with a name."""
    return frozenset(str(path[1]) for path in paths if path[0] == root and len(path) > 1)


def _filter(name: str, value: nodes.Node) -> nodes.Filter:
    return nodes.Filter(cast("nodes.Expr", value), name, [], [], None, None, lineno=value.lineno)


def _alone(tree: nodes.Template) -> nodes.Template | None:
    """Make the template that computes the value, when ``tree`` is one expression and nothing else."""
    if len(tree.body) != 1 or not isinstance(tree.body[0], nodes.Output):
        return None
    output = tree.body[0].nodes
    if len(output) != 1 or isinstance(output[0], nodes.TemplateData):
        return None
    target = nodes.Name("result", "store", lineno=1)
    alone = nodes.Template([nodes.Assign(target, output[0], lineno=1)], lineno=1)
    alone.set_environment(environment())
    return alone


def _paths(node: nodes.Node, guarded: bool = False) -> Iterator[Path]:
    """Yield the longest static paths below a node, those that may be missing left out."""
    if isinstance(node, (nodes.Filter, nodes.Test)) and node.name in _GUARDS:
        for child in node.iter_child_nodes():
            yield from _paths(child, child is node.node)
        return
    path = _path(node)
    if path is not None:
        if not guarded:
            yield path
        return
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
        yield from _paths(node.node.node)  # the attribute is a method
        for child in node.iter_child_nodes(exclude=("node",)):
            yield from _paths(child)
        return
    for child in node.iter_child_nodes():
        yield from _paths(child)


def _path(node: nodes.Node) -> Path | None:
    if isinstance(node, nodes.Name):
        return (node.name,) if node.ctx == "load" else None
    if isinstance(node, nodes.Getattr):
        head = _path(node.node)
        return None if head is None else (*head, node.attr)
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        head = _path(node.node)
        key = node.arg.value
        return None if head is None or type(key) not in (str, int) else (*head, key)
    return None


def _hint(message: str, env: Sandbox) -> str:
    unknown = _UNKNOWN.search(message)
    if unknown is None:
        return ""
    known = env.filters if unknown[1] == "filter" else env.tests
    return did_you_mean(unknown[2], [name for name in known if name[:1].isalpha()])


def _lower(message: str) -> str:
    message = message.rstrip(".")
    return message[:1].lower() + message[1:]
