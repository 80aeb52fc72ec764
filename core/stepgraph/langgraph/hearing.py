"""What a node and its routers return while LangGraph runs them, heard from LangChain's callbacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler


class _Task:
    """What one task of a node has returned."""

    def __init__(self) -> None:
        self.wrote: Any = None
        self.routed: dict[str, Any] = {}


class Heard(BaseCallbackHandler):
    """Hears what a node and its routers return, task by task.

    Args:
        node: The node.
        routers: Their names in the graph, by those that LangChain tells of them.
    """

    run_inline = True

    def __init__(self, node: str, routers: Mapping[str, str]) -> None:
        self._node, self._routers = node, routers
        self._root: UUID | None = None
        self._tasks: dict[str, _Task] = {}
        self._own: dict[UUID, _Task] = {}
        self._running: dict[UUID, tuple[_Task, str]] = {}

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        name: str = "",
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note that the graph, a task of the node, or a router behind it begins."""
        if parent_run_id is None:
            self._root = run_id
        elif parent_run_id == self._root and name == self._node:
            path = str((metadata or {}).get("langgraph_path"))
            self._own[run_id] = self._tasks[path] = _Task()  # a task that runs again begins anew
        elif parent_run_id in self._own and name in self._routers:
            self._running[run_id] = self._own[parent_run_id], self._routers[name]

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """Keep what a task or a router returned."""
        if run_id in self._running:
            task, router = self._running.pop(run_id)
            task.routed[router] = outputs
        elif run_id in self._own:
            self._own[run_id].wrote = outputs

    @property
    def wrote(self) -> Any:
        """What the node returned; of several tasks all that they did."""
        wrote = [task.wrote for task in self._tasks.values()]
        return wrote[0] if len(wrote) == 1 else wrote or None

    @property
    def returned(self) -> dict[str, list[Any]]:
        """What each router returned, of all tasks."""
        found: dict[str, list[Any]] = {}
        for task in self._tasks.values():
            for router, returned in task.routed.items():
                found.setdefault(router, []).extend(
                    returned if isinstance(returned, (list, tuple)) else (returned,)
                )
        return found
