"""The line by which a model asks for a tool: ``CALL_TOOL: name {json}``."""

from __future__ import annotations

import json
import re
from typing import NoReturn, cast

from ..values.compare import escaped
from ..values.errors import NodeFailed, StateError, StepgraphError
from ..values.json_values import Json, plain

_KEYWORD = re.compile(r"\s*CALL_TOOL\s*:\s*(.*?)\s*", re.IGNORECASE | re.DOTALL)
_LETTERS = "A-Za-z0-9_./-"  # a slash: the tool of a server
_NAME = re.compile(rf"[{_LETTERS}]+")
_CALL = re.compile(rf"({_NAME.pattern})\s*(\{{.*\}})", re.DOTALL)
_EXPECTED = (
    'write it on one line of its own, as CALL_TOOL: name {"argument": "value"}, with {} for no arguments'
)
_SHOWN = 200


def tool_call_in(reply: str) -> dict[str, Json] | None:
    """Find the tool call in a model's reply, as a table of ``name`` and ``arguments``; None without one.

    Only a line that begins with the keyword counts; the words within prose are prose.

    Raises:
        NodeFailed: A line begins with the keyword and is no call, or there are several.
    """
    lines = _lines(reply)
    if len(lines) > 1:
        shown = "; ".join(_shown(line) for line in lines[:5])
        raise NodeFailed(f"the reply asks for {len(lines)} tools at once: {shown}", hint="one call a reply")
    return _parsed(lines[0]) if lines else None


def tool_calls_in(reply: str) -> list[dict[str, Json]]:
    """Find all tool calls in a model's reply, in their order, as ``tool_call_in`` finds the one.

    Raises:
        NodeFailed: A line begins with the keyword and is no call.
    """
    return [_parsed(line) for line in _lines(reply)]


def without_calls(reply: str) -> str:
    """Leave the lines that ask for tools out of a model's reply."""
    return "\n".join(line for line in reply.split("\n") if not _KEYWORD.fullmatch(line)).strip()


def _lines(reply: str) -> list[str]:
    return [line for line in reply.split("\n") if _KEYWORD.fullmatch(line)]


def with_tool(text: str, old: str, new: str) -> str:
    """Rename a tool in the calls of a model's text, or of one for a model.

    Raises:
        StepgraphError: A call cannot spell that name.
    """
    called = re.compile(rf"((?i:CALL_TOOL)[ \t]*:[ \t]*){re.escape(old)}(?![{_LETTERS}])")
    if old not in text or not called.search(text):
        return text
    if not _NAME.fullmatch(new):
        hint = "a tool that models ask for has only letters, digits, and _ . - / in its name"
        raise StepgraphError(f"a tool call cannot spell {escaped(new)!r}", hint=hint)
    return called.sub(lambda found: found[1] + new, text)


def _parsed(line: str) -> dict[str, Json]:
    call = _CALL.fullmatch(cast("re.Match[str]", _KEYWORD.fullmatch(line))[1])
    if call is None:
        _malformed(line, "it has no tool's name with a JSON object behind it")
    try:
        arguments = plain(json.loads(call[2], parse_constant=_no_number), "the call")
    except RecursionError:
        _malformed(line, "its arguments are nested too deeply")
    except StateError as error:
        _malformed(line, error.message)
    except ValueError as error:
        _malformed(line, f"its arguments are not JSON: {error}")
    return {"name": call[1], "arguments": arguments}


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _malformed(line: str, why: str) -> NoReturn:
    raise NodeFailed(f"the reply has a tool call that cannot be read: {_shown(line)}: {why}", hint=_EXPECTED)


def _shown(line: str) -> str:
    text = escaped(line.strip())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
