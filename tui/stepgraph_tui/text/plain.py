"""Text for people: safe to print, short, in words."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from stepgraph.values import SHOWN, Json, StoreUnreachable
from stepgraph.values import json_line as shown_json

from .characters import is_plain, visible

if TYPE_CHECKING:
    from stepgraph.values import StepgraphError


_WORD = re.compile(r"[\w./-]+").fullmatch  # a dot leads into a table, a slash into a subgraph
LONG = 2_000
"""How many characters of one value are shown; --json shows all."""
WHOLE = 10**9
"""As many characters as no value has: nothing of it is cut."""

QUOTE = "  | "
"""Stands before the lines of a text that is not ours; none of our own begin so."""
THINKING = "[thinking] "
"""Stands before what a model thought, where texts have no styles."""


def with_arrows(text: str) -> str:
    """Write a sentence of the engine, which is ASCII, as the app does: ``edge 2 (a → b)``.

    A screen in plain ASCII turns all arrows back at its end; the command line leaves sentences as they are.
    """
    return text.replace(" -> ", " → ")


def visible_lines(text: str) -> list[str]:
    """Split the text into lines, each safe to print."""
    return [visible(line.replace("\t", "    ")) for line in text.split("\n")]


def quoted_lines(text: str) -> list[str]:
    """Split a text of ours that ends with words of others: those after its first line get a bar."""
    first, *others = visible_lines(text)
    return [first, *(f"{QUOTE}{line}" for line in others)]


def shortened(text: str, limit: int) -> str:
    """Cut a text to ``limit`` characters; an ellipsis marks the cut."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def value_text(value: Json, limit: int = LONG) -> str:
    """Write a value of the state as JSON on one line, at most ``limit`` characters."""
    return visible(shown_json(value, limit))


def key_text(name: str, limit: int = LONG) -> str:
    """Write the name of a key where our own words are elsewhere: in quotes unless it is one word."""
    name = shortened(name, limit)
    return name if _WORD(name.removesuffix("…")) and is_plain(name) else value_text(name, WHOLE)


def call_text(action: str, arguments: Mapping[str, Json]) -> str:
    """Write an action with all its arguments and nothing of their values left out: ``pay(order="8812")``.

    Arguments of no action stand by themselves, as a question that comes with values has them. A model makes
    up their names as well: in quotes they pass for no other argument, and cut they push none out of sight.
    """
    if not arguments:
        return visible(action)
    given = ", ".join(
        f"{key_text(name, SHOWN)}={value_text(value, WHOLE)}" for name, value in arguments.items()
    )
    return f"{visible(action)}({given})" if action else given


_LINE_END = re.compile(r'(?<!\\)(?:\\\\)*\\n(?!")')


def by_lines(call: str) -> str:
    r"""Break what ``call_text`` wrote after each ``\n`` of a text in it; all of its characters stay."""
    return _LINE_END.sub(r"\g<0>\n", call)


def took(seconds: float) -> str:
    """Write a duration: ``0.3 ms``, ``1.2 s``, ``4m 10s``."""
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return waited(seconds)


def waited(seconds: float) -> str:
    """Write a long duration in its two largest units: ``4m 10s``, ``3h``, ``2d 1h``."""
    whole = max(0, int(seconds))
    parts = [("d", whole // 86_400), ("h", whole // 3600 % 24), ("m", whole // 60 % 60), ("s", whole % 60)]
    while len(parts) > 1 and parts[0][1] == 0:
        parts.pop(0)
    return " ".join(f"{count}{unit}" for unit, count in parts[:2] if count) or "0s"


def age(seconds: float) -> str:
    """Write how long something has waited, to the minute: ``<1m``, ``4m``, ``3h 5m``, ``2d 1h``.

    Whoever watches seconds go by pays for each of them, over a slow line most of all.
    """
    return waited(seconds // 60 * 60) if seconds >= 60 else "<1m"


def since(at: float) -> str:
    """Write how long ago a moment was, given in seconds since 1970."""
    return waited(time.time() - at)


def clock(at: float, *, zone: bool = True) -> str:
    """Write a moment, given in seconds since 1970, in this machine's time zone, with its name or without."""
    try:
        when = datetime.fromtimestamp(at)
        return (when.astimezone() if zone else when).isoformat(" ", "seconds")
    except (ValueError, OverflowError, OSError):  # a clock that was set to no year of the calendar
        return f"{at} seconds since 1970"


def to_minute(at: float) -> str:
    """Write a moment on any day to the minute, with its time zone: ``2026-12-01 08:34 UTC``."""
    try:
        return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except (ValueError, OverflowError, OSError):  # a clock that was set to no year of the calendar
        return clock(at)


def moment(at: float, now: float) -> str:
    """Write a moment to the minute, and on the same day as ``now`` by the time alone, to the second."""
    try:
        when, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    except (ValueError, OverflowError, OSError):
        return clock(at)
    return when.strftime("%H:%M:%S") if when.date() == today.date() else to_minute(at)


def place(node: str | None) -> str:
    """Write a node's name or END, or a dash for none."""
    if node is None:
        return "-"
    return visible(node)


def plural(count: int, noun: str) -> str:
    """Count in words: ``1 step``, ``2 steps``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def unread_text(error: StepgraphError) -> str:
    """Explain why the store was not read; a server that is down is retried."""
    if isinstance(error, StoreUnreachable):
        return f"the store {error.what}; looking again"
    return error.message
