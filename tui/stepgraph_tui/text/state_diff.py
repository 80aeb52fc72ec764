"""What differs between two states, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

from stepgraph.values import Json, identical, json_equal

from .characters import visible
from .plain import WHOLE, key_text, shortened, value_text, with_arrows

if TYPE_CHECKING:
    from stepgraph.runs import StepRecord
    from stepgraph.runs.debug import Breakpoint
    from stepgraph.stores import Row

    from ..view.runs import HitStory


_State = Mapping[str, Json]
_Difference = tuple[str, str, Json, Json]
_SHORT = 60  # characters of a value in a difference
_LEAD = 15  # of them at most before the place where two long values part
_MOST = 6  # signs in one line


class Before:
    """The state before each step, kept up as steps go by, to tell in a few signs what one changed.

    Args:
        values: The state before the first step; the caller's no more.
    """

    def __init__(self, values: dict[str, Json]) -> None:
        self._values = values

    def changes(self, record: StepRecord) -> list[str]:
        """Describe what the next step changed: ``+`` a new key, ``~`` a changed one, ``-`` a removed one."""
        return self.of_row(record.row)

    def of_row(self, row: Row) -> list[str]:
        """List the same of any row of the ledger: the start, an edit by a person."""
        signs = []
        for name, value in (row.updates or {}).items():
            op = (row.ops or {}).get(name)
            had = name in self._values
            if op == "same" or (op is None and had and identical(self._values[name], value)):
                continue
            if value is None and op != "append":
                if had:
                    signs.append(f"- {key_text(name)}")
                    del self._values[name]
                continue
            signs.append(f"{'~' if had else '+'} {key_text(name)}")
            self._values[name] = value  # of a list or table that grew only the last part: enough to tell
        more = len(signs) - _MOST
        return [*signs[:_MOST], f"and {more} more"] if more > 0 else signs


class StateChange(NamedTuple):
    """What became of one value."""

    sign: Literal["+", "~", "-"]
    path: tuple[str, ...]
    """Its key, and for a part of a table that part's."""
    old: Json
    new: Json


def changes(before: _State, after: _State) -> Iterator[StateChange]:
    """List each changed value.

    Tables are compared one level deep, so that ``order.amount`` is seen and not all of ``order``.
    """
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if name in before and name in after and isinstance(old, dict) and isinstance(new, dict):
            for part in dict.fromkeys([*old, *new]):
                yield from _one((name, part), part, old, new)
        else:
            yield from _one((name,), name, before, after)


def _one(path: tuple[str, ...], name: str, before: _State, after: _State) -> Iterator[StateChange]:
    old, new = before.get(name), after.get(name)
    if name not in before:
        yield StateChange("+", path, None, new)
    elif name not in after:
        yield StateChange("-", path, old, None)
    elif not json_equal(old, new):
        yield StateChange("~", path, old, new)


def differences(before: _State, after: _State) -> Iterator[_Difference]:
    """List each changed value: a sign (``+``, ``~`` or ``-``), its path, and the values before and after."""
    for change in changes(before, after):
        yield change.sign, ".".join(change.path), change.old, change.new


def difference_lines(before: _State, after: _State, arrow: str = "->", limit: int = _SHORT) -> list[str]:
    """Describe the differences: ``+ refund.amount 240``, ``~ risk "low" -> "high"``.

    Args:
        before: The one state, or parts of it.
        after: The other.
        arrow: What is between two values.
        limit: How many characters of a value are shown.
    """
    lines = []
    for sign, path, old, new in differences(before, after):
        words = {
            "+": value_text(new, limit),
            "-": "",
            "~": f" {arrow} ".join(parted(value_text(old, WHOLE), value_text(new, WHOLE), limit)),
        }[sign]
        lines.append(f"{sign} {key_text(path)} {words}".rstrip())
    return lines


def parted(one: str, other: str, limit: int) -> tuple[str, str]:
    """Cut two texts to ``limit`` characters each, around the place where they differ.

    Long ones that begin alike are shown from a little before that place.
    """
    lead = min(_LEAD, limit // 4)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    if same >= limit - lead and max(len(one), len(other)) > limit:
        one, other = (f"…{text[same - lead :]}" for text in (one, other))
    return shortened(one, limit), shortened(other, limit)


_LINE, _HALTED = 60, 30  # characters of a value on a line of its own, and where the whole halt has one line


def breakpoint_text(breakpoint: Breakpoint) -> str:
    """Describe what a breakpoint waits for, as the app writes edges: ``edge draft → check, every 2 hits``."""
    if breakpoint.kind != "edge":
        return breakpoint.describe()
    place = breakpoint.place()
    return with_arrows(place) + breakpoint.describe().removeprefix(place)


def looked_at(hit: HitStory, limit: int = _LINE, arrow: str = "->") -> Iterator[str]:
    """List the values that a breakpoint looked at, line by line.

    Args:
        hit: The breakpoint as it was met.
        limit: How many characters a value that was changed has at most.
        arrow: What is between what it was and what it is.
    """
    changed = hit.change()
    if changed is not None:
        was, now = map(_json, changed)
        yield f"{hit.path}: {f' {arrow} '.join(parted(was, now, limit))}"
    explanation = hit.explanation
    if explanation is not None:
        yield from explanation.lines()


def _json(value: Json) -> str:
    return "nothing" if value is None else value_text(value, WHOLE)


def halted(hit: HitStory) -> str:
    """Describe on one line which breakpoint halts a run, where, and what it looked at.

    The values come early, and are short: a narrow screen shows the beginning.
    """
    met, bound = hit.hit, hit.hit.breakpoint
    where = "before" if bound.kind == "before" else "after" if bound.kind in ("after", "edge") else "at"
    count = f", hit {met.number}" if met.number is not None else ""
    what = [" ".join(line.split()).removeprefix("true ") for line in looked_at(hit, _HALTED)]
    place = "" if bound.kind in ("before", "after") or bound.path else f" ({hit.place})"
    text = f"{bound.id or 'breakpoint'} halts {where} {hit.node}, step {met.step}{count}{place}"
    return visible(with_arrows(": ".join(filter(None, (text, "; ".join(what))))))
