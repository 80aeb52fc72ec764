"""What a condition is asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from ..values.json_values import Json


class Facts(Protocol):
    """The part of the executor's routing context that conditions read."""

    @property
    def values(self) -> Mapping[str, Json]:
        """The state after the node, not copied: it is never changed, and no container of it is handed out."""

    @property
    def step(self) -> int:
        """The number of the step that is being routed."""

    @property
    def last_output(self) -> str:
        """What the node just run put out; made when it is read, so read it only when it is named."""

    def visit_count(self, node: str) -> int:
        """How often the node has been visited, this visit included; 0 when never."""


Test: TypeAlias = Callable[[Facts], bool]
Getter: TypeAlias = Callable[[Facts], Json]
