"""The settings of node types: their base model, and what is wrong with them in plain words."""

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

CODES = {
    "G030": (
        "A node's `type` is none that is installed. The built-in types are llm, tool, approval, router and "
        "handler; packages add more through the entry-point group `stepgraph.nodes`."
    ),
    "G031": (
        "A node has a setting that its type does not know, mostly a slip of the pen. Each type lists its "
        "settings in its own table of the file format; the message names the nearest one."
    ),
    "G032": "A node lacks a setting that its type cannot do without, such as the prompt of an llm node.",
    "G033": (
        "A setting has a value of the wrong type, or none of the words that it takes. The message says what "
        "it takes and what it found."
    ),
    "G034": (
        "A template (a prompt, a system text, an action, an argument of a tool) is no valid Jinja2. The "
        "message has the template's line and what the parser stumbled on. Literal braces are written "
        "`{{ '{{' }}`, or between `{% raw %}` and `{% endraw %}`."
    ),
    "G035": (
        "A setting is of the right type but cannot work, alone or together with another one: for example an "
        "approval that has editable fields but does not allow an edit."
    ),
    "G036": (
        "A node type comes from an installed package that cannot be loaded, or that does not offer a node "
        "type. Update or remove that package, or tell its authors."
    ),
    "G037": (
        "A handler was found but cannot serve as a node: it is an async function, while nodes are plain "
        "functions. Call async code with asyncio.run inside it."
    ),
}
"""What ``stepgraph check --explain`` says about each code of this family."""

Holds = Literal["key", "path", "template", "reply", "tool", "node"]
"""What the texts of a setting name: a state key; a dotted path into the state (in a table, by its keys); the
names in a template; the tools in what a model says; a tool; a node. Renaming follows them."""

_COMMON = ("type", "note", "review", "side_effects")  # every node's table may have these in a file


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
    """What a field of a settings model passes as ``json_schema_extra`` to say what its texts name."""
    return {"holds": what}


def held(model: type[BaseModel]) -> dict[str, Holds]:
    """The settings of a model that say what they name, by their keys in a file."""
    found: dict[str, Holds] = {}
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        what = extra.get("holds") if isinstance(extra, dict) else None
        if what in get_args(Holds):
            found[field.alias or name] = cast("Holds", what)
    return found


def checked_settings(cls: type[BaseNode], name: str, settings: dict[str, Any]) -> BaseModel:
    """The settings of a node as its type's model.

    Args:
        cls: The node's class.
        name: The node's name, for the messages.
        settings: What was given.

    Raises:
        GraphError: They do not fit; all problems at once.
    """
    if not hasattr(cls, "Settings"):
        what = f"node {name!r} has settings ({', '.join(settings)}), and {cls.__name__} has no Settings"
        problem = Problem("G031", "error", what, Place(node=name), "describe them by a pydantic model in it")
        raise GraphError(what, [problem])
    try:
        return cls.Settings.model_validate(settings)
    except ValidationError as error:
        details = error.errors(include_url=False)
    problems = [_problem(cls, name, detail) for detail in details]
    raise GraphError(f"the settings of node {name!r} do not fit its type {cls.type!r}", problems)


def _problem(cls: type[BaseNode], name: str, detail: ErrorDetails) -> Problem:
    where = path_of(detail["loc"])
    node = f"node {name!r} ({cls.type})"
    place = Place(node=name, key=".".join(map(str, detail["loc"])) or None)
    kind = detail["type"]
    if kind == "extra_forbidden":
        hint = did_you_mean(where, (*cls.Settings.model_fields, *_COMMON), listing="it takes")
        return Problem("G031", "error", f"{node} does not know the setting {where!r}", place, hint)
    if kind == "missing":
        return Problem("G032", "error", f"{node} needs the setting {where!r}", place, _purpose(cls, where))
    if kind == "value_error":
        message = detail["msg"].removeprefix("Value error, ")
        return Problem("G035", "error", f"{node}: {message}", place)
    message = f"{node}: the setting {where!r} {expectation(detail)}"
    return Problem("G033", "error", message, place, choice_hint(detail))


def _purpose(cls: type[BaseNode], setting: str) -> str:
    field = cls.Settings.model_fields.get(setting)
    return (field.description or "") if field is not None else ""
