"""Words of messages: what pydantic says of a value, what exceptions say, and lists that are cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import StateError
from .json_values import class_name, plain, with_kind
from .problems import did_you_mean

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MAX_SAID = 2_000  # characters of an exception's message; its beginning is enough
_EXPECTED = {
    "string_type": "text",
    "string_sub_type": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a table",
    "mapping_type": "a table",
    "dataclass_type": "a table",
    "model_type": "a table",
    "none_required": "nothing",
    "string_too_short": "text that is not empty",
}


def path_of(loc: Sequence[str | int]) -> str:
    """Write where a value is as people do: ``replies[1]`` or ``arguments.order_id``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")


def expectation(detail: ErrorDetails) -> str:
    """Describe what was expected and what was found: ``takes text, not the number 3``."""
    found = shown_value(detail["input"])
    return (
        f"{taken}, not {found}"
        if (taken := _expected_kind(detail))
        else f"is not right: {_message(detail)}, got {found}"
    )


def expected(detail: ErrorDetails) -> str:
    """Describe what was expected without a word of what was found, which may be a secret: ``takes text``."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return "is missing"
    if kind == "string_pattern_mismatch":
        return f"takes text that fits {context['pattern']}"
    if kind == "string_too_long":
        return f"has more than {context['max_length']:,} characters"
    return _expected_kind(detail) or f"is not right: {_message(detail)}"


def _expected_kind(detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind == "literal_error":
        return f"takes {_choices(detail)}"
    return f"takes {_EXPECTED[kind]}" if kind in _EXPECTED else ""


def _message(detail: ErrorDetails) -> str:
    message = detail["msg"].removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def choice_hint(detail: ErrorDetails) -> str:
    """Propose the nearest of the allowed words, when the value is text that is none of them."""
    if detail["type"] != "literal_error" or not isinstance(detail["input"], str):
        return ""
    words = re.findall(r"'([^']*)'", detail["ctx"]["expected"])
    hint = did_you_mean(detail["input"], words)
    return hint if hint.startswith("did you mean") else ""


def _choices(detail: ErrorDetails) -> str:
    expected: str = detail["ctx"]["expected"]
    words = re.findall(r"'([^']*)'", expected)
    if not words:
        return expected  # numbers, which are there without quotes
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def shown_value(value: Any) -> str:
    """Show a value and its kind, shortened; a Python object by its type alone."""
    try:
        return with_kind(plain(value, "it"))
    except StateError:
        return f"a Python {class_name(value)}"


def some_of(texts: Sequence[str], most: int) -> str:
    """List the first texts with commas between them, and count the others: ``a, b and 3 more``."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more:,} more" if more > 0 else "")


def error_detail(error: BaseException) -> str:
    """Quote what an exception says, after a colon; empty when it says nothing."""
    try:
        is_key = issubclass(type(error), KeyError) and len(error.args) > 0
        text = shortened(str(error.args[0]) if is_key else str(error))
    except BaseException:  # whatever the words of a user's exception raise must not hide the failure
        return ""
    return f": {text}" if text else ""


def shortened(text: str) -> str:
    """Cut a text of the user's for a message: printable anywhere, and not endless."""
    text = str.__str__(text)  # a subclass of the user's may say anything
    if len(text) <= _MAX_SAID:
        return encodable(text)
    return encodable(f"{text[:_MAX_SAID]}… ({len(text):,} characters)")


def encodable(text: str) -> str:
    """Replace each lone surrogate, which UTF-8 cannot hold, by a question mark."""
    return str.encode(text, "utf-8", "replace").decode()
