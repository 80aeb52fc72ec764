"""Checking a call's arguments against a function's type hints, before the function runs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, ValidationError, validate_call
from pydantic.errors import PydanticUserError

from ..values.errors import StepgraphError
from ..values.messages import expectation, path_of
from ..values.problems import nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def argument_check(name: str, function: Callable[..., Any]) -> Callable[..., Arguments]:
    """Make what turns a model's arguments into those that ``function`` takes, or says what is wrong.

    The function itself is not called: so a ValidationError that it raises in its own work is never
    taken for wrong arguments.

    Args:
        name: The tool's name, for the messages.
        function: The function whose signature and type hints count.

    Raises:
        StepgraphError: Its type hints cannot be used.
    """

    def collect(*args: Any, **kwargs: Any) -> Arguments:
        return args, kwargs

    try:
        functools.update_wrapper(collect, function)
        collect.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # read by pydantic
        collect.__annotations__ = _annotations(function)
        checked = validate_call(config=ConfigDict(arbitrary_types_allowed=True))(collect)
    except (PydanticUserError, NameError, TypeError, ValueError) as error:
        raise StepgraphError(
            f"the type hints of tool {name!r} cannot be used: {_first_line(error)}",
            hint="use types that can be imported where the function is defined",
        ) from error

    def check(**arguments: Any) -> Arguments:
        try:
            return checked(**arguments)
        except ValidationError as error:
            raise _refused(name, function, error) from None

    return check


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """Read the hints as types; those of a callable object or a partial come from what it calls."""
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    if not inspect.isroutine(target):
        target = type(target).__call__
    return {
        key: hint for key, hint in inspect.get_annotations(target, eval_str=True).items() if key != "return"
    }


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
