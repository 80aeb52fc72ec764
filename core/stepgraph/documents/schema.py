"""The shape of a graph file: one pydantic model for each kind of table."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..values.state import UNSET

if TYPE_CHECKING:
    from ..toml.adding import Rank

NOT_YET: dict[str, Any] = {"offered": False}
"""Marks a key that files may have for what comes later: nobody is offered it before it works."""


class TableModel(BaseModel):
    """A table of a graph file. Every key has a default, so that what is right can always be kept."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class GraphPart(TableModel):
    """The top level."""

    format: Literal[1] = 1
    name: str = Field("", description="What the graph is called.")
    note: str = Field("", description="What the graph is for.")
    start: str = Field("", description="The node that runs first.")
    max_steps: int = Field(50, description="How many steps a run may complete.")
    on_max_steps: Literal["return_last", "flag", "fail"] = Field(
        "return_last", description="What happens there: the run ends, ends with a mark, or fails."
    )
    on_no_match: Literal["fail", "end"] = Field("fail", description="What happens when no edge matches.")
    max_seconds: float | None = Field(
        None, description="How long the nodes of a run may take in all, looked at between steps."
    )
    feedback: bool = Field(True, description="Whether a node that is visited again sees its previous output.")
    no_feedback: list[str] = Field(default_factory=list, description="The nodes that never see it.")
    state: dict[str, Any] = Field(default_factory=dict)
    tools: dict[str, Any] = Field(default_factory=dict)
    nodes: dict[str, Any] = Field(default_factory=dict)
    edges: list[Any] = Field(default_factory=list)


class KeyPart(TableModel):
    """A table ``[state.KEY]``."""

    type: Literal["text", "number", "boolean", "list", "table"] | None = Field(
        None, description="What it holds; anything when left out."
    )
    default: Any = Field(UNSET, description="Its value at the start.")
    input: bool = Field(False, description="Whether it is asked for at the start.")
    reducer: Literal["replace", "append", "merge"] = Field(
        "replace", description="How updates merge: into a list, or into a table one level deep."
    )
    secret: bool = Field(False, description="Whether it is masked on screens and in exports.")
    note: str = Field("", description="What it is for.")


class ToolPart(TableModel):
    """A table ``[tools.NAME]``."""

    handler: str | None = Field(None, description="Its Python function, as module:function.")
    returns: Any = Field(None, description="Or canned answers: a table, or a list with one for each visit.")
    side_effects: bool = Field(False, description="Whether it changes the world outside the state.")
    requires_approval: bool = Field(
        False,
        description="Kept for review gates, which this version does not have.",
        json_schema_extra=NOT_YET,
    )
    note: str = Field("", description="What it is for.")


class NodePart(TableModel):
    """What every ``[nodes.NAME]`` may have; the other keys are the settings of its type."""

    type: str = ""
    note: str = Field("", description="What the node is for.")
    review: Literal["before", "after"] | None = Field(
        None,
        description="Kept for review gates, which this version does not have.",
        json_schema_extra=NOT_YET,
    )
    side_effects: bool = Field(False, description="Whether it changes the world outside the state.")


class EdgePart(TableModel):
    """A table ``[[edges]]``."""

    source: str = Field("", alias="from")
    target: str = Field("", alias="to")
    when: Any = None
    label: str | None = Field(None, description="A short name for people.")
    note: str = Field("", description="What it is for.")


class EqualsPart(TableModel):
    """A condition ``{ key = ..., equals = ... }``."""

    key: str = ""
    equals: Any = None


class PredicatePart(TableModel):
    """A condition ``{ predicate = "module:function" }``."""

    predicate: str = ""


COMMON = tuple(NodePart.model_fields)
"""The keys of a node's table that are not settings of its type."""

_PARTS: dict[str, type[TableModel]] = {
    "state": KeyPart,
    "tools": ToolPart,
    "nodes": NodePart,
    "edges": EdgePart,
}


def offered_keys(model: type[TableModel]) -> list[str]:
    """List the keys of a kind of table that work in this version."""
    return [
        field.alias or name
        for name, field in model.model_fields.items()
        if field.json_schema_extra != NOT_YET
    ]


def rank_of(kind: str) -> Rank:
    """Rank the keys of a kind of table; the kind of the settings is empty."""
    known = _ranks(kind)
    others = known["note"] + 1 if kind == "nodes" else len(known) * 2  # the settings of a node's type
    return lambda key: known.get(key, others)


@cache
def _ranks(kind: str) -> dict[str, int]:
    fields = _PARTS.get(kind, GraphPart).model_fields
    return {field.alias or name: 2 * place for place, (name, field) in enumerate(fields.items())}
