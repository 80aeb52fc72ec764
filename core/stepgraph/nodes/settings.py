"""The settings of node types: their base model, and what is wrong with them in plain words.

A node type describes its settings by a subclass of ``NodeSettings``, a pydantic model with a description on
each field; ``holding`` marks the fields that name keys, tools or nodes, so that renaming follows them. The
types that Stepgraph brings declare theirs (``values.declared``): pydantic checks what is not plainly right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..values.declared import Declared, checked_table, model_of
from ..values.errors import GraphError
from ..values.messages import choice_hint, expectation, path_of
from ..values.problems import Place, Problem, did_you_mean
from .base import Holds, JsonTable, holding

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from .base import BaseNode

__all__ = ["Holds", "JsonTable", "NodeSettings", "Texts", "Words", "holding"]

_COMMON = ("type", "note", "review", "timeout", "side_effects")  # every node's table may have these in a file


class NodeSettings(BaseModel):
    """The base of all settings models: nothing unknown, nothing guessed, nothing changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


T = TypeVar("T")
Words = Annotated[tuple[T, ...], Field(strict=False)]
"""A list of certain words; a tuple once it is checked."""
Texts = Words[str]
"""A list of texts."""


def checked_settings(cls: type[BaseNode], name: str, settings: dict[str, Any]) -> Declared | BaseModel:
    """Check the settings of a node by its type's model.

    Args:
        cls: The node's class.
        name: The node's name, for the messages; empty for one that has none yet.
        settings: What was given.

    Raises:
        GraphError: They do not fit; all problems at once.
    """
    if not hasattr(cls, "Settings"):
        node = f"node {name!r}" if name else "a node"
        what = f"{node} has settings ({', '.join(settings)}), and {cls.__name__} has no Settings"
        problem = Problem(
            "G031", "error", what, Place(node=name or None), "describe them by a pydantic model in it"
        )
        raise GraphError(what, [problem])
    try:
        if issubclass(cls.Settings, Declared):
            return checked_table(cls.Settings, settings)
        return cls.Settings.model_validate(settings)
    except ValidationError as error:
        details = error.errors(include_url=False)
    problems = [_problem(cls, name, detail) for detail in details]
    raise GraphError(f"the settings of {_node_title(cls, name)} do not fit", problems)


def _node_title(cls: type[BaseNode], name: str) -> str:
    return f"node {name!r} ({cls.type})" if name else f"a node of type {cls.type!r}"


def _problem(cls: type[BaseNode], name: str, detail: ErrorDetails) -> Problem:
    where = path_of(detail["loc"])
    node = _node_title(cls, name)
    place = Place(node=name or None, key=".".join(map(str, detail["loc"])) or None)
    kind = detail["type"]
    if kind == "extra_forbidden":
        hint = did_you_mean(where, (*model_of(cls.Settings).model_fields, *_COMMON), listing="it takes")
        return Problem("G031", "error", f"{node} does not know the setting {where!r}", place, hint)
    if kind == "missing":
        field = model_of(cls.Settings).model_fields.get(where)
        purpose = (field.description or "") if field is not None else ""
        return Problem("G032", "error", f"{node} needs the setting {where!r}", place, purpose)
    if kind == "value_error":
        message = detail["msg"].removeprefix("Value error, ")
        return Problem("G035", "error", f"{node}: {message}", place)
    message = f"{node}: the setting {where!r} {expectation(detail)}"
    return Problem("G033", "error", message, place, choice_hint(detail))
