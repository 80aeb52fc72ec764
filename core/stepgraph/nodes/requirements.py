"""What nodes say of their needs, asked once: an editor checks a graph again at every edit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..values.problems import Problem
    from .base import BaseNode


class NodeFacts:
    """The answers of one node whose settings never change, each kept when it is first needed.

    Args:
        node: The node that is asked.
    """

    def __init__(self, node: BaseNode) -> None:
        self._node = node

    @cached_property
    def reads(self) -> frozenset[str]:
        """The state keys that it is known to read."""
        return self._node.reads()

    @cached_property
    def writes(self) -> frozenset[str] | None:
        """The state keys that it may write; None when it could write any."""
        return self._node.writes()

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that it names."""
        return self._node.tools()

    @cached_property
    def handlers(self) -> tuple[str, ...]:
        """The Python functions that it names."""
        return self._node.handlers()

    @cached_property
    def models(self) -> frozenset[str]:
        """The model aliases that it cannot do without."""
        return self._node.models()

    @cached_property
    def editable(self) -> tuple[str, ...]:
        """The paths into the state that a reviewer may change, where it asks one."""
        editable = getattr(getattr(self._node, "settings", None), "editable", None)
        return tuple(editable) if isinstance(editable, Mapping) else ()

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with its settings beyond their shape."""
        return tuple(self._node.problems())
