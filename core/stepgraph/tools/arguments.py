"""The arguments of a function: checked against its type hints before it runs, and described for others."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, validate_call
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

from ..values.errors import StepgraphError
from ..values.json_values import Json
from ..values.messages import expectation, path_of
from ..values.problems import nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Arguments = tuple[tuple[Any, ...], dict[str, Any]]

_CONFIG = ConfigDict(arbitrary_types_allowed=True)
_UNUSABLE = (PydanticUserError, NameError, TypeError, ValueError)


def argument_check(name: str, function: Callable[..., Any]) -> Callable[..., Arguments]:
    """Build the function that converts a model's arguments for ``function``, or explains what is wrong.

    The function itself is not called: so a ValidationError that it raises in its own work is never
    taken for wrong arguments.

    Args:
        name: The tool's name, for the messages.
        function: The function whose signature and type hints count.

    Raises:
        StepgraphError: Its type hints cannot be used.
    """
    try:
        checked = validate_call(config=_CONFIG)(_collector(function))
    except _UNUSABLE as error:
        raise _unusable(name, error) from error

    def check(**arguments: Any) -> Arguments:
        try:
            return checked(**arguments)
        except ValidationError as error:
            raise _refused(name, function, error) from None

    return check


def argument_schema(name: str, function: Callable[..., Any], hidden: str) -> dict[str, Json] | None:
    """Write the JSON schema of the arguments that ``function`` takes by name.

    Args:
        name: The tool's name, for the messages.
        function: The function whose signature and type hints count.
        hidden: A parameter that is not an argument of a call.

    Returns:
        The schema; None where a type has none, so that any arguments may be meant.

    Raises:
        StepgraphError: Its type hints cannot be used.
    """
    try:
        collector: Any = _collector(function)
        schema = TypeAdapter(collector, config=_CONFIG).json_schema(mode="validation")
    except PydanticInvalidForJsonSchema:
        return None
    except _UNUSABLE as error:
        raise _unusable(name, error) from error
    if schema.get("type") != "object":
        return None  # its parameters go by position, which no call can name
    schema.get("properties", {}).pop(hidden, None)
    schema["required"] = [name for name in schema.get("required", ()) if name != hidden]
    return schema


def _collector(function: Callable[..., Any]) -> Callable[..., Arguments]:
    """Build a function of the same signature that returns its arguments."""

    def collect(*args: Any, **kwargs: Any) -> Arguments:
        return args, kwargs

    functools.update_wrapper(collect, function)
    collect.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # read by pydantic
    collect.__annotations__ = _annotations(function)
    return collect


def _unusable(name: str, error: Exception) -> StepgraphError:
    return StepgraphError(
        f"the type hints of tool {name!r} cannot be used: {_first_line(error)}",
        hint="use types that can be imported where the function is defined",
    )


def routine_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Find what is called in the end: of a callable object its method, of a partial its function."""
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    return target if inspect.isroutine(target) else type(target).__call__


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """Read the hints as types; those of a callable object or a partial come from what it calls."""
    hints = inspect.get_annotations(routine_of(function), eval_str=True)
    return {key: hint for key, hint in hints.items() if key != "return"}


def _refused(name: str, function: Callable[..., Any], error: ValidationError) -> StepgraphError:
    details = error.errors(include_url=False)
    names = list(inspect.signature(function).parameters)
    complaints = "; ".join(_complaint(detail, names) for detail in details)
    return StepgraphError(
        f"tool {name!r} refuses its arguments: {complaints}", hint=f"it takes: {_usage(function)}"
    )


def _complaint(detail: ErrorDetails, names: list[str]) -> str:
    where = path_of(detail["loc"])
    if detail["type"].startswith("missing"):
        return f"{where!r} is missing"
    if detail["type"] == "unexpected_keyword_argument":
        near = nearest(where, names)
        return f"{where!r} is unknown" + (f", did you mean {near!r}?" if near else "")
    return f"{where!r} {expectation(detail)}"


def _usage(function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    return ", ".join(str(parameter) for parameter in signature.parameters.values()) or "no arguments"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
