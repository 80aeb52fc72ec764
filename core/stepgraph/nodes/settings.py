"""The settings of node types: their base model, and what is wrong with them in plain words.

A node type describes its settings by a subclass of ``NodeSettings``, a pydantic model with a description on
each field; ``holding`` marks the fields that name keys, tools or nodes, so that renaming follows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ..values.errors import GraphError, StateError
from ..values.json_values import Json, plain
from ..values.messages import choice_hint, expectation, path_of
from ..values.problems import Place, Problem, did_you_mean

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from .base import BaseNode

__all__ = ["Holds", "JsonTable", "NodeSettings", "Texts", "Words", "holding"]

Holds = Literal["key", "path", "template", "reply", "tool", "node"]
"""What the texts of a setting name: a state key; a dotted path into the state (in a table, by its keys); the
names in a template; the tools in what a model says; a tool; a node. Renaming follows them."""

_COMMON = ("type", "note", "side_effects")  # every node's table may have these in a file


class NodeSettings(BaseModel):
    """The base of all settings models: nothing unknown, nothing guessed, nothing changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _json(value: dict[str, Any]) -> dict[str, Json]:
    try:
        return {key: plain(item, key) for key, item in value.items()}
    except StateError as error:
        raise ValueError(str(error)) from None


T = TypeVar("T")
Words = Annotated[tuple[T, ...], Field(strict=False)]
"""A list of certain words; a tuple once it is checked."""
Texts = Words[str]
"""A list of texts."""
JsonTable = Annotated[dict[str, Any], AfterValidator(_json)]
"""A table of JSON with any keys."""


def holding(what: Holds) -> dict[str, Any]:
    """Say what a field's texts name: a field of a settings model passes it as ``json_schema_extra``."""
    return {"holds": what}


def held(model: type[BaseModel]) -> dict[str, Holds]:
    """Find the settings of a model that say what they name, by their keys in a file."""
    found: dict[str, Holds] = {}
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        what = extra.get("holds") if isinstance(extra, dict) else None
        if what in get_args(Holds):
            found[field.alias or name] = cast("Holds", what)
    return found


def checked_settings(cls: type[BaseNode], name: str, settings: dict[str, Any]) -> BaseModel:
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
        return cls.Settings.model_validate(settings)
    except ValidationError as error:
        details = error.errors(include_url=False)
    problems = [_problem(cls, name, detail) for detail in details]
    raise GraphError(f"the settings of {_called(cls, name)} do not fit", problems)


def _called(cls: type[BaseNode], name: str) -> str:
    return f"node {name!r} ({cls.type})" if name else f"a node of type {cls.type!r}"


def _problem(cls: type[BaseNode], name: str, detail: ErrorDetails) -> Problem:
    where = path_of(detail["loc"])
    node = _called(cls, name)
    place = Place(node=name or None, key=".".join(map(str, detail["loc"])) or None)
    kind = detail["type"]
    if kind == "extra_forbidden":
        hint = did_you_mean(where, (*cls.Settings.model_fields, *_COMMON), listing="it takes")
        return Problem("G031", "error", f"{node} does not know the setting {where!r}", place, hint)
    if kind == "missing":
        field = cls.Settings.model_fields.get(where)
        purpose = (field.description or "") if field is not None else ""
        return Problem("G032", "error", f"{node} needs the setting {where!r}", place, purpose)
    if kind == "value_error":
        message = detail["msg"].removeprefix("Value error, ")
        return Problem("G035", "error", f"{node}: {message}", place)
    message = f"{node}: the setting {where!r} {expectation(detail)}"
    return Problem("G033", "error", message, place, choice_hint(detail))
