"""Breakpoints that were met, in words: what they looked at, and where a run halts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .plain import WHOLE, value_text, visible, with_arrows
from .state_diff import parted

if TYPE_CHECKING:
    from stepgraph.runs.debug.breakpoint import Breakpoint
    from stepgraph.values.json_values import Json
    from stepgraph_tui.view.hits import HitStory

_LINE, _HALTED = 60, 30  # characters of a value on a line of its own, and where the whole halt has one line


def breakpoint_text(breakpoint: Breakpoint) -> str:
    """Say what a breakpoint waits for, as the app writes edges: ``edge draft → check, every 2 hits``."""
    if breakpoint.kind != "edge":
        return breakpoint.describe()
    place = breakpoint.place()
    return with_arrows(place) + breakpoint.describe().removeprefix(place)


def looked_at(hit: HitStory, limit: int = _LINE, arrow: str = "->") -> Iterator[str]:
    """List the values that a breakpoint looked at, line by line.

    Args:
        hit: The breakpoint as it was met.
        limit: How many characters a value that was changed has at most.
        arrow: What stands between what it was and what it is.
    """
    changed = hit.change()
    if changed is not None:
        was, now = map(_json, changed)
        yield f"{hit.path}: {f' {arrow} '.join(parted(was, now, limit))}"
    explanation = hit.explanation
    if explanation is not None:
        yield from map(visible, explanation.lines())


def _json(value: Json) -> str:
    return "nothing" if value is None else value_text(value, WHOLE)


def halted(hit: HitStory) -> str:
    """Say on one line which breakpoint halts a run, where, and what it looked at.

    The values come early, and are short: a narrow screen shows the beginning.
    """
    met, bound = hit.hit, hit.hit.breakpoint
    where = "before" if bound.kind == "before" else "after" if bound.kind in ("after", "edge") else "at"
    count = f", hit {met.number}" if met.number is not None else ""
    what = [" ".join(line.split()).removeprefix("true ") for line in looked_at(hit, _HALTED)]
    place = "" if bound.kind in ("before", "after") or bound.path else f" ({hit.place})"
    said = f"{bound.id or 'breakpoint'} halts {where} {hit.node}, step {met.step}{count}{place}"
    return visible(with_arrows(": ".join(filter(None, (said, "; ".join(what))))))
