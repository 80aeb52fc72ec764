"""States as commands print them: a key beside its value, a text line by line, a conversation by messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .conversation import ChatMessage, conversation_of, count_text, new_messages
from .plain import LONG, key_text, shortened, value_text, visible_lines

if TYPE_CHECKING:
    from stepgraph.values import Json

_BAR = "| "  # before the lines of a text that is not ours
_LAST = 10  # messages that are written of a conversation in a state


def state_rows(values: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Write a state in rows, each key beside its value, safe to show.

    Of a conversation these are the last messages; a text of several lines has a row for each.
    """
    for name, value in values.items():
        if messages := conversation_of(value):
            yield key_text(name), count_text(messages, 0)
            yield from _message_rows(messages)
        elif isinstance(value, str) and "\n" in value:
            yield from text_rows(key_text(name), shortened(value, LONG))
        else:
            yield key_text(name), value_text(value)


def text_rows(label: str, text: str, hang: str = "") -> Iterator[tuple[str, str]]:
    """Write a text in a row for each of its lines, safe to show.

    Args:
        label: What stands left of the first line.
        text: The text.
        hang: What comes before all other lines.
    """
    for row, line in enumerate(visible_lines(text)):
        yield "" if row else label, f"{_BAR}{hang if row else ''}{line}"


def change_rows(name: str, update: Json, before: object, after: object) -> Iterator[tuple[str, str]]:
    """Write in rows what a step changed a key to; of a conversation what is new in it, safe to show.

    Args:
        name: The key.
        update: What the node gave; its reducer may have added it to what was there.
        before: The value that the node was given.
        after: The value that the step left; all secrets are masked.
    """
    messages = conversation_of(after)
    if messages and isinstance(after, list):
        new = new_messages(before, after)
        yield "changed", f"{name}: {count_text(messages, len(new))}"
        yield from _message_rows([messages[place] for place in sorted(new)])
    elif isinstance(update, str) and "\n" in update:
        yield "changed", f"{name} ="
        yield from text_rows("", shortened(update, LONG))
    else:
        yield "changed", f"{name} = {value_text(update)}"


def _message_rows(messages: Sequence[ChatMessage]) -> Iterator[tuple[str, str]]:
    """Write the last messages, each on one line but for the very last, which may be the answer."""
    if len(messages) > _LAST:
        yield "", f"{_BAR}… {len(messages) - _LAST:,} before these"
    for place, message in enumerate(shown := messages[-_LAST:], 1):
        is_last = place == len(shown)
        text = f"{message.role}: {shortened(message.whole, LONG)}" if is_last else message.line
        yield from text_rows("", text, hang="  ")
