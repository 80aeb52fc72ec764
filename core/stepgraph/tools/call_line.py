"""The line by which a model asks for a tool: ``CALL_TOOL: name {json}``."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from ..values.errors import NodeFailed, StateError, StepgraphError
from ..values.json_values import Json, escaped, plain

_KEYWORD = "CALL_TOOL"
_LETTERS = "A-Za-z0-9_./-"  # a slash: the tool of a server
_NAME = re.compile(rf"[{_LETTERS}]+")
_EXPECTED = (
    'write it on one line of its own, as CALL_TOOL: name {"argument": "value"}, with {} for no arguments'
)
_SHOWN = 200


def tool_call_in(reply: str) -> dict[str, Json] | None:
    """Find the tool call in a model's reply, as a table of ``name`` and ``arguments``; None without one.

    Only a line that begins with the keyword counts; the words within prose are prose.

    Raises:
        NodeFailed: A line begins with the keyword and is not a call, or there are several.
    """
    lines = _lines(reply)
    if len(lines) > 1:
        shown = "; ".join(_preview(line) for line, _ in lines[:5])
        raise NodeFailed(f"the reply asks for {len(lines)} tools at once: {shown}", hint="one call a reply")
    return _parsed(*lines[0]) if lines else None


def tool_calls_in(reply: str) -> list[dict[str, Json]]:
    """Find all tool calls in a model's reply, in their order, as ``tool_call_in`` finds the one.

    Raises:
        NodeFailed: A line begins with the keyword and is not a call.
    """
    return [_parsed(line, call) for line, call in _lines(reply)]


def without_calls(reply: str) -> str:
    """Leave the lines that ask for tools out of a model's reply."""
    return "\n".join(line for line in reply.split("\n") if _call_text(line) is None).strip()


def _lines(reply: str) -> list[tuple[str, str]]:
    return [(line, call) for line in reply.split("\n") if (call := _call_text(line)) is not None]


def _call_text(line: str) -> str | None:
    """Read what comes after the keyword; None for a line that does not begin with it.

    No regular expression: on a line of blanks, one that leaves out those around a text takes the square of
    its length.
    """
    word, colon, call = line.partition(":")
    return call.strip() if colon and word.strip().upper() == _KEYWORD else None


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


def _parsed(line: str, call: str) -> dict[str, Json]:
    named, brace, rest = call.partition("{")
    name = named.rstrip()
    if not _NAME.fullmatch(name) or not rest.endswith("}"):
        _malformed(line, "it has no tool's name with a JSON object behind it")
    try:
        arguments = plain(json.loads(brace + rest, parse_constant=_no_number), "the call")
    except RecursionError:
        _malformed(line, "its arguments are nested too deeply")
    except StateError as error:
        _malformed(line, error.message)
    except ValueError as error:
        _malformed(line, f"its arguments are not JSON: {error}")
    return {"name": name, "arguments": arguments}


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _malformed(line: str, why: str) -> NoReturn:
    raise NodeFailed(
        f"the reply has a tool call that cannot be read: {_preview(line)}: {why}", hint=_EXPECTED
    )


def _preview(line: str) -> str:
    text = escaped(line.strip())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
