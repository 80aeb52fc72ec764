"""Breakpoints that were met, in words: what they looked at, and where a run halts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stepgraph.values.compare import shown

from .plain import visible, with_arrows

if TYPE_CHECKING:
    from stepgraph.runs.debug.hits import BreakpointHit
    from stepgraph.values.json_values import Json

    from .masks import Mask


def looked_at(hit: BreakpointHit, mask: Mask) -> Iterator[str]:
    """List the values that a breakpoint looked at, line by line."""
    changed = hit.change()
    if changed is not None:
        key, before, after = changed
        yield f"{hit.breakpoint.path}: {_json(mask.value(key, before))} -> {_json(mask.value(key, after))}"
    explanation = hit.explanation
    if explanation is not None:
        yield from map(visible, mask.explanation(explanation).lines())


def _json(value: Json) -> str:
    return "nothing" if value is None else shown(value)


def halted(hit: BreakpointHit, mask: Mask) -> str:
    """Say on one line which breakpoint halts a run, where, and what it looked at.

    The values come early: a narrow screen shows the beginning.
    """
    bound = hit.breakpoint
    where = "before" if bound.kind == "before" else "after" if bound.kind in ("after", "edge") else "at"
    count = f", hit {hit.number}" if hit.number is not None else ""
    what = [" ".join(line.split()).removeprefix("true ") for line in looked_at(hit, mask)]
    place = "" if bound.kind in ("before", "after") or bound.path else f" ({bound.place()})"
    said = f"{bound.id or 'breakpoint'} halts {where} {hit.node}, step {hit.step}{count}{place}"
    return visible(with_arrows(mask.text(": ".join(filter(None, (said, "; ".join(what)))))))
