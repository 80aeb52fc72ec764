"""The shape of a graph file: one pydantic model for each kind of table."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..state import UNSET


class Part(BaseModel):
    """A table of a graph file. Every key has a default, so that what is right can always be kept."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GraphPart(Part):
    """The top level."""

    format: Literal[1] = 1
    name: str = ""
    note: str = ""
    start: str = ""
    max_steps: int = 50
    on_max_steps: Literal["return_last", "flag", "fail"] = "return_last"
    on_no_match: Literal["fail", "end"] = "fail"
    max_seconds: float | None = None
    feedback: bool = True
    no_feedback: list[str] = Field(default_factory=list)
    state: dict[str, Any] = Field(default_factory=dict)
    tools: dict[str, Any] = Field(default_factory=dict)
    nodes: dict[str, Any] = Field(default_factory=dict)
    edges: list[Any] = Field(default_factory=list)


class KeyPart(Part):
    """A table ``[state.KEY]``."""

    type: Literal["text", "number", "boolean", "list", "table"] | None = None
    default: Any = UNSET
    input: bool = False
    reducer: Literal["replace", "append", "merge"] = "replace"
    secret: bool = False
    note: str = ""


class ToolPart(Part):
    """A table ``[tools.NAME]``."""

    handler: str | None = None
    returns: Any = None
    side_effects: bool = False
    requires_approval: bool = False
    note: str = ""


class NodePart(Part):
    """What every ``[nodes.NAME]`` may have; the other keys are the settings of its type."""

    type: str = ""
    note: str = ""
    review: Literal["before", "after"] | None = None
    side_effects: bool = False


class EdgePart(Part):
    """A table ``[[edges]]``."""

    source: str = Field("", alias="from")
    target: str = Field("", alias="to")
    when: Any = None
    label: str | None = None
    note: str = ""


class EqualsPart(Part):
    """A condition ``{ key = ..., equals = ... }``."""

    key: str = ""
    equals: Any = None


class PredicatePart(Part):
    """A condition ``{ predicate = "module:function" }``."""

    predicate: str = ""


COMMON = tuple(NodePart.model_fields)
"""The keys of a node's table that are not settings of its type."""
