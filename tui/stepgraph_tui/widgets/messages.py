"""Messages of a conversation as lines: who speaks, the text, the tools that are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..text.calls import tokens_text
from ..text.plain import call_text, plural, shortened
from .lines.page import LONG, Line, blank, paragraph, text_block

if TYPE_CHECKING:
    from ..commands.hints import Hints
    from ..text.conversation import ChatMessage
    from .lines import Role

NEW = "+"
"""Stands before a message that a step has added or changed."""
_LINES, _CHARACTERS = 10, 900
"""How much of a message is shown while it is folded."""
_CALL = 300  # characters of a call
_ROLES: dict[str, Role] = {"user": "title", "assistant": "name", "tool": "key", "system": "dim"}


def message_lines(
    message: ChatMessage, place: int, hints: Hints | None, *, new: bool, block: int | None = None
) -> Iterator[Line]:
    """Write a message of a conversation.

    Args:
        message: The message, secrets masked.
        place: Where in the conversation it is, from 0.
        hints: Names the key that unfolds a long one; None for one that is unfolded.
        new: Whether it is marked as new.
        block: The part of the page that it is.
    """
    name = f" {message.name}" if message.name else ""
    failed: tuple[tuple[str, Role], ...] = (("  failed", "bad"),) if message.failed else ()
    sign: tuple[str, Role] = (NEW if new else " ", "good")
    facts = tokens_text(*message.tokens) if message.tokens is not None else ""
    right = "  ".join(filter(None, (facts, f"{place + 1}")))
    role = _ROLES.get(message.role, "plain")
    yield Line((sign, (f" {message.role}", role), (name, "plain"), *failed), (right, "dim"), block=block)
    for line in _message_lines(message, hints):
        yield Line(line.parts, None, line.indent, line.hang, block, quoted=line.quoted)
    yield blank()


def _message_lines(message: ChatMessage, hints: Hints | None) -> Iterator[Line]:
    if message.thoughts:
        yield paragraph("thinking", "dim", 2)
        yield from _folding(message.thoughts, "dim", 4, hints)
    yield from _folding(message.text, "value", 2, hints)
    for mark in message.marks:
        yield paragraph(mark, "dim", 2)
    for call in message.calls:
        call_line = shortened(call_text(call.name, call.arguments), LONG if hints is None else _CALL)
        yield Line((("→ ", "rule"), (call_line, "plain")), indent=2, hang=2)


def _folding(text: str, role: Role, indent: int, hints: Hints | None) -> Iterator[Line]:
    """Write a text; a long one that is folded ends with the key that unfolds it."""
    text = text.strip("\n")
    shown = text if hints is None else _folded(text)
    if text:
        yield from text_block(shown, role, indent)
    if shown != text and hints is not None:
        lines = plural(text.count("\n") - shown.count("\n"), "more line")
        more = lines if "\n" in text[len(shown) :] else f"{len(text) - len(shown):,} more characters"
        yield paragraph(f"… {more}: {hints('{chat.fold} shows all')}", "dim", indent)


def _folded(text: str) -> str:
    """Cut a long text to its beginning; one that is hardly longer stays whole."""
    lines = text.split("\n")
    shown = text if len(lines) <= _LINES + 2 else "\n".join(lines[:_LINES])
    return shown if len(shown) <= _CHARACTERS + 100 else shown[:_CHARACTERS]
