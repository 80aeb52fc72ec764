"""Breakpoints on a line: ``draft:score < 3``, ``edge:a->b``, ``key:status=done; after 2``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...graphs.parts import END, RESERVED
from ...values.errors import BreakpointError
from ...values.problems import did_you_mean
from .breakpoint import Breakpoint, BreakpointKind

if TYPE_CHECKING:
    from ...graphs.plan import CompiledGraph
    from ...values.json_values import Json

_WORDS: dict[str, BreakpointKind] = {
    "before": "before",
    "after": "after",
    "edge": "edge",
    "key": "changes",
    "type": "type",
    "fail": "fail",
    "pause": "pause",
    "nomatch": "no_match",
}
_OF_KINDS = {kind: word for word, kind in _WORDS.items()} | {"becomes": "key"}
_OPTION = re.compile(r";\s*(after|every)\s+([0-9]{1,10})\s*$", re.ASCII)
_LIKE_OPTION = re.compile(r";\s*(after|every|log)\b", re.ASCII)
_LOG = re.compile(r";\s*log\s+(.+)$", re.DOTALL)
_PATH = re.compile(r"(?:[^\[\]:=]|\[[^\]]*\])+")
_decode = json.JSONDecoder().raw_decode


def parse_breakpoint(text: str, plan: CompiledGraph) -> Breakpoint:
    """Read a breakpoint as it is written on a line.

    Names are those of the graph where it has them, whatever signs are in them; what it does not have is
    read as far as possible, and left to ``CompiledBreakpoints`` to tell.

    Raises:
        BreakpointError: It cannot be read.
    """
    rest, log = text.strip(), None
    if found := _LOG.search(rest):
        rest, log = rest[: found.start()].rstrip(), found[1]
    counts: dict[str, int] = {}
    while found := _OPTION.search(rest):
        if counts.setdefault(found[1], int(found[2])) != int(found[2]):
            raise BreakpointError(f"{text!r} says {found[1]} twice", hint="say it once")
        rest = rest[: found.start()].rstrip()
    made = replace(_without_counts(rest, text, plan), log=log)
    made = replace(made, skip=counts.get("after", 0), every=counts.get("every", 1))
    return Breakpoint.from_json(made.to_json())  # refuses counts that are too small or too large


def spelled(breakpoint: Breakpoint) -> str:
    """Write a breakpoint as ``parse_breakpoint`` reads it; its id, and that it is off, are not said."""
    word = _OF_KINDS[breakpoint.kind]
    match breakpoint.kind:
        case "before":
            text = breakpoint.node if breakpoint.node not in _WORDS else f"before:{breakpoint.node}"
        case "after":
            text = f"after:{breakpoint.node}"
        case "edge":
            label = f"#{breakpoint.label}" if breakpoint.label is not None else ""
            text = f"edge:{breakpoint.node}->{breakpoint.target}{label}"
        case "becomes":
            text = f"key:{breakpoint.path}={json.dumps(breakpoint.value, ensure_ascii=False)}"
        case "changes" | "type":
            text = f"{word}:{breakpoint.path}"
        case _:
            text = word
    text += f":{breakpoint.when}" if breakpoint.when is not None else ""
    text += f"; after {breakpoint.skip}" if breakpoint.skip else ""
    text += f"; every {breakpoint.every}" if breakpoint.every > 1 else ""
    return text + (f"; log {breakpoint.log}" if breakpoint.log is not None else "")


def _without_counts(text: str, whole: str, plan: CompiledGraph) -> Breakpoint:
    word, colon, rest = text.partition(":")
    kind = _WORDS.get(word)
    match kind:
        case "fail" | "pause" | "no_match":
            return Breakpoint(kind, when=_condition(colon, rest, whole))
        case "edge":
            return _edge(rest, whole, plan)
        case "changes" | "type":
            return _part(kind, rest, whole)
        case "before" | "after" if colon:
            name, when = _node(rest, whole, plan)
            return Breakpoint(kind, name, when=when)
        case _:
            name, when = _node(text, whole, plan)
            return Breakpoint("before", name, when=when)


def _node(text: str, whole: str, plan: CompiledGraph) -> tuple[str, str | None]:
    """Split a node's name from the condition behind it: the longest name that the graph has."""
    for name, colon, rest in _splits(text):
        if name in plan.nodes:
            return name, _condition(colon, rest, whole)
    name, colon, rest = text.partition(":")
    if not name.strip():
        raise BreakpointError(f"{whole!r} names no node", hint=did_you_mean("", plan.nodes, listing="it has"))
    if _LIKE_OPTION.search(name):
        raise BreakpointError(
            f"{whole!r} cannot be read from its semicolon on",
            hint="write ; after N and ; every N with whole numbers, and ; log TEXT last",
        )
    return name.strip(), _condition(colon, rest, whole)


def _edge(text: str, whole: str, plan: CompiledGraph) -> Breakpoint:
    for ends, colon, rest in _splits(text):
        for edge in plan.edges:
            spelt = f"{edge.source}->{edge.target}"
            for label in (None, edge.describe()):
                if _tight(ends) == (spelt if label is None else f"{spelt}#{label}"):
                    when = _condition(colon, rest, whole)
                    return Breakpoint("edge", edge.source, edge.target, label, when=when)
    ends, colon, rest = text.partition(":")
    source, arrow, target = _tight(ends).partition("->")
    target, hash_, label_text = target.partition("#")
    if not arrow or not source or not target:
        raise BreakpointError(f"{whole!r} names no edge", hint="write edge:A->B, such as edge:draft->END")
    target = END if target in RESERVED else target
    label = label_text if hash_ else None
    return Breakpoint("edge", source, target, label, when=_condition(colon, rest, whole))


def _part(kind: BreakpointKind, text: str, whole: str) -> Breakpoint:
    """Read a part of the state, and perhaps the value that it is to have."""
    found = _PATH.match(text)
    path = found[0].strip() if found else ""
    if not path:
        raise BreakpointError(f"{whole!r} names no key", hint="write key:NAME, such as key:order.amount")
    rest = text[found.end() if found else 0 :]
    if rest.startswith("=="):
        raise BreakpointError(f"{whole!r} compares", hint="write one =, as in key:status=done")
    if not rest.startswith("="):
        when = _condition(rest[:1], rest[1:], whole)
        return Breakpoint(kind, path=path, when=when)
    if kind == "type":
        raise BreakpointError(f"{whole!r} has a value, and waits for a type", hint="write key:NAME=VALUE")
    value, colon, rest = _value(rest[1:].lstrip())
    return Breakpoint("becomes", path=path, value=value, when=_condition(colon, rest, whole))


def _value(text: str) -> tuple[Json, str, str]:
    """Split a value, JSON or else text, from the condition behind it."""
    try:
        value, end = _decode(text)
        rest = text[end:].lstrip()
        if rest == "" or rest.startswith(":"):
            return value, rest[:1], rest[1:]
    except (ValueError, RecursionError):
        pass
    words, colon, rest = text.partition(":")
    return words.strip(), colon, rest


def _condition(colon: str, text: str, whole: str) -> str | None:
    if not colon:
        if text.strip():
            raise BreakpointError(f"{whole!r} cannot be read", hint="a condition stands behind a colon")
        return None
    if colon != ":" or not text.strip():
        raise BreakpointError(
            f"{whole!r} has no condition behind its colon", hint="write NODE:CONDITION, or NODE alone"
        )
    return text.strip()


def _splits(text: str) -> Iterator[tuple[str, str, str]]:
    """Split a text at each of its colons, the longest beginning first."""
    yield text.strip(), "", ""
    at = len(text)
    while (at := text.rfind(":", 0, at)) >= 0:
        yield text[:at].strip(), ":", text[at + 1 :]


def _tight(ends: str) -> str:
    """Write the ends of an edge without blanks around the arrow, and the end as graphs do."""
    source, arrow, target = ends.partition("->")
    name, hash_, label = target.partition("#")
    name = END if name.strip() in RESERVED else name.strip()
    return f"{source.strip()}{arrow}{name}{hash_}{label}"
