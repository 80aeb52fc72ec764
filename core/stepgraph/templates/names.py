"""The names in a template: those that it reads from outside, and those that it sets itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jinja2 import nodes
from jinja2.visitor import NodeVisitor

from .comparisons import GUARDS
from .places import PlacedName

Path = tuple[str | int, ...]


class Names(NodeVisitor):
    """The names of one template, collected by visiting its tree."""

    def __init__(self) -> None:
        self.free: list[PlacedName] = []
        """What it takes from outside, each as often as it stands there."""
        self.needed: dict[Path, None] = {}
        """The longest static paths that it cannot do without, in their order."""
        self.bound: set[str] = set()
        """What it sets itself."""
        self.unclear: set[str] = set()
        """What it reads from outside unless it has set it itself, in one branch of several."""
        self._local: set[str] = set()
        self._unsure: set[str] = set()

    def get_visitor(self, node: nodes.Node) -> Callable[..., Any] | None:
        """Find the method that visits such a part of a template."""
        return getattr(self, f"_{type(node).__name__.lower()}", None)

    def below(self, root: str) -> frozenset[str]:
        """Collect the second parts of the needed paths that begin with a name."""
        return frozenset(str(path[1]) for path in self.needed if path[0] == root and len(path) > 1)

    def _name(self, node: nodes.Name) -> None:
        if node.ctx != "load":
            self.bound.add(node.name)
            self._local.add(node.name)
            self._unsure.discard(node.name)
        else:
            self._path(node)

    def _getattr(self, node: nodes.Getattr) -> None:
        self._path(node)

    def _getitem(self, node: nodes.Getitem) -> None:
        self._path(node)

    def _filter(self, node: nodes.Filter) -> None:
        self._guarded(node)

    def _test(self, node: nodes.Test) -> None:
        self._guarded(node)

    def _call(self, node: nodes.Call) -> None:
        if isinstance(node.node, nodes.Getattr):
            self.visit(node.node.node)
        self._each(*node.args, *node.kwargs)

    def _assign(self, node: nodes.Assign) -> None:
        self._each(node.node, node.target)

    def _assignblock(self, node: nodes.AssignBlock) -> None:
        with self._scope():
            self._each(*node.body)
        self._each(node.target)

    def _for(self, node: nodes.For) -> None:
        self._each(node.iter)
        with self._scope("loop"):
            self._each(node.target, node.test, *node.body)
        with self._scope():
            self._each(*node.else_)

    def _if(self, node: nodes.If) -> None:
        self._each(node.test)
        before, branches = self._local, []
        for branch in (node.body, node.elif_, node.else_):
            with self._scope():
                self._each(*branch)
                branches.append(self._local)
        body, elifs, other = branches
        self._local = body | elifs | other
        surely = body & other if not node.elif_ else set()
        self._unsure |= self._local - before - surely

    def _path(self, node: nodes.Name | nodes.Getattr | nodes.Getitem, needed: bool = True) -> None:
        parts: list[str | int] = []
        here: nodes.Node = node
        while isinstance(here, (nodes.Getattr, nodes.Getitem)):
            if isinstance(here, nodes.Getattr):
                parts.append(here.attr)
            elif isinstance(here.arg, nodes.Const) and type(here.arg.value) in (str, int):
                parts.append(here.arg.value)
            else:
                parts.clear()
                self.visit(here.arg)
            here = here.node
        if not isinstance(here, nodes.Name):
            self.visit(here)
        elif here.name in self._local:
            if here.name in self._unsure:
                self.unclear.add(here.name)
        elif isinstance(here.name, PlacedName):
            self.free.append(here.name)
            if needed:
                self.needed[(here.name, *reversed(parts))] = None

    def _guarded(self, node: nodes.Filter | nodes.Test) -> None:
        """Visit a filter or a test; some take a value that may be missing."""
        inner = node.node
        if node.name in GUARDS and isinstance(inner, (nodes.Name, nodes.Getattr, nodes.Getitem)):
            self._path(inner, needed=False)
        else:
            self._each(inner)
        self._each(*node.args, *node.kwargs)

    def _each(self, *parts: nodes.Node | None) -> None:
        for part in parts:
            if part is not None:
                self.visit(part)

    @contextmanager
    def _scope(self, *names: str) -> Iterator[None]:
        """Forget behind a block what is bound within it."""
        before, unsure = self._local, self._unsure
        self._local, self._unsure = {*before, *names}, unsure - set(names)
        self.bound |= set(names)
        yield
        self._local, self._unsure = before, unsure
