"""Merge two designs that were made of the same one: what each changed, table by table, in one design.

A table is told by its kind and name; an edge has no name, and is followed by what it says. Order is meaning
for the edges of a node, and for nothing else. What both changed in different ways is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..toml.values import same
from .design import Design, Kind, NamedKind, Part
from .edges import changed_keys
from .naming import NOUNS, edge_said, said

_SETTINGS = "the settings"
_NAMED: tuple[NamedKind, ...] = ("state", "tools", "nodes")
_KINDS: tuple[Kind, ...] = ("state", "tools", "nodes", "edges")


@dataclass(frozen=True, slots=True)
class TableChange:
    """What became of one table of a graph file."""

    table: str
    """Which one, in words: ``node draft``, ``edge a -> b``, ``the settings``."""
    what: str
    """What was done to it: ``new``, ``removed``, ``prompt and model``."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two designs beside each other, and what comes of both."""

    mine: tuple[TableChange, ...]
    theirs: tuple[TableChange, ...]
    conflicts: tuple[str, ...]
    """The tables that both changed, each in another way, in words."""
    design: Design | None
    """Both changes in one, as the text of theirs has it; None where there are conflicts."""


def merge(base: Design, mine: Design, theirs: Design) -> Merge:
    """Merge two designs.

    Args:
        base: What both were made of.
        mine: A design that was edited from it.
        theirs: A design that was read anew; its text stays where mine changed nothing.
    """
    ours, others = _Branch.of(base, mine), _Branch.of(base, theirs)
    conflicts = list(dict.fromkeys(_conflicts(base, ours, others)))
    design = _merged(base, ours, others) if not conflicts else None
    return Merge(tuple(ours.changes()), tuple(others.changes()), tuple(conflicts), design)


@dataclass(frozen=True, eq=False)
class _Branch:
    """A design beside the one that it was made of."""

    base: Design
    design: Design
    kept: Mapping[Part, Part]
    """For each table of the base that is still there, what it is now."""
    added: tuple[Part, ...]

    @classmethod
    def of(cls, base: Design, design: Design) -> _Branch:
        kept = {
            part: design.named(kind)[name]
            for kind in _NAMED
            for name, part in base.named(kind).items()
            if name in design.named(kind)
        }
        kept |= _edges_kept(base.edges, design.edges)
        known = set(kept.values())
        return cls(base, design, kept, tuple(part for part in design.parts if part not in known))

    @property
    def has_changed_head(self) -> bool:
        return _differ(self.base.head, self.design.head)

    def has_changed(self, part: Part) -> bool:
        """Whether a table of the base says something else, or is gone."""
        now = self.kept.get(part)
        return now is None or (now is not part and _differ(part.table, now.table))

    def order(self, source: str) -> list[Part]:
        """List the edges of the base that still leave a node, in the order in which they are tried now."""
        edges = (self.design.edges[place] for place in self.design.outgoing.get(source, ()))
        return [self._was[edge] for edge in edges if edge in self._was]

    @cached_property
    def reordered(self) -> tuple[str, ...]:
        """The nodes whose edges are tried in another order."""
        found = []
        for source, places in self.base.outgoing.items():
            kept = [edge for place in places if (edge := self.base.edges[place]) in self.kept]
            if self.order(source) != kept:
                found.append(source)
        return tuple(found)

    @cached_property
    def gaps(self) -> dict[str, dict[Part | None, list[Part]]]:
        """The new edges of each node, by the edge of the base that they come behind."""
        found: dict[str, dict[Part | None, list[Part]]] = {}
        new = {edge.source for edge in self.added if edge.kind == "edges"}
        for source in new:
            before: Part | None = None
            for place in self.design.outgoing[source]:
                edge = self.design.edges[place]
                if edge in self._was:
                    before = self._was[edge]
                else:
                    found.setdefault(source, {}).setdefault(before, []).append(edge)
        return found

    @cached_property
    def _was(self) -> dict[Part, Part]:
        return {now: part for part, now in self.kept.items()}

    def changes(self) -> Iterator[TableChange]:
        """Tell what was changed, in the order of the file."""
        if self.has_changed_head:
            yield TableChange(_SETTINGS, changed_keys(self.base.head, self.design.head))
        for part in self.base.parts:
            now = self.kept.get(part)
            if now is None:
                yield TableChange(_table_said(part), "removed")
            elif self.has_changed(part):
                yield TableChange(_table_said(part), changed_keys(part.table, now.table))
        for part in self.added:
            yield TableChange(_table_said(part), "new")
        for source in self.reordered:
            yield TableChange(_edges_said(source), "their order")


def _edges_kept(before: Sequence[Part], after: Sequence[Part]) -> dict[Part, Part]:
    """Find each edge of a node again: itself, else by its words, by its ends; the others in their order."""
    kept: dict[Part, Part] = {}
    taken: set[Part] = set()
    for key in (_itself, _words, _ends, _any):
        free: dict[Any, list[Part]] = {}
        for edge in after:
            if edge not in taken:
                free.setdefault((edge.source, key(edge)), []).append(edge)
        for edge in before:
            found = free.get((edge.source, key(edge))) if edge not in kept else None
            if found:
                kept[edge] = found.pop(0)
                taken.add(kept[edge])
    return kept


def _itself(edge: Part) -> object:
    return edge


def _words(edge: Part) -> object:
    return repr(sorted(edge.table.items()))


def _ends(edge: Part) -> object:
    return edge.target


def _any(edge: Part) -> object:
    return None


def _conflicts(base: Design, mine: _Branch, theirs: _Branch) -> Iterator[str]:
    """Name the tables that both changed, each in another way."""
    if mine.has_changed_head and theirs.has_changed_head and _differ(mine.design.head, theirs.design.head):
        yield _SETTINGS
    yield from (_table_said(part) for part in base.parts if _tables_collide(part, mine, theirs))
    for part in mine.added:
        other = None if part.kind == "edges" else theirs.design.named(part.kind).get(part.name)
        if other is not None and _differ(part.table, other.table):
            yield _table_said(part)
    for source in {**mine.gaps, **theirs.gaps, **dict.fromkeys((*mine.reordered, *theirs.reordered))}:
        if _edges_collide(source, mine, theirs):
            yield _edges_said(source)


def _tables_collide(part: Part, mine: _Branch, theirs: _Branch) -> bool:
    if not (mine.has_changed(part) and theirs.has_changed(part)):
        return False
    one, other = mine.kept.get(part), theirs.kept.get(part)
    if one is None or other is None:
        return one is not other
    return _differ(one.table, other.table)


def _edges_collide(source: str, mine: _Branch, theirs: _Branch) -> bool:
    """Whether it cannot be told in which order the edges of a node are to be tried."""
    here, there = mine.gaps.get(source, {}), theirs.gaps.get(source, {})
    if source in mine.reordered and source in theirs.reordered:
        return mine.order(source) != theirs.order(source) or bool(here or there)
    if (source in mine.reordered and there) or (source in theirs.reordered and here):
        return True
    return any(list(map(_words, here[gap])) != list(map(_words, there[gap])) for gap in here.keys() & there)


def _merged(base: Design, mine: _Branch, theirs: _Branch) -> Design:
    """Put what mine changed into theirs."""
    now: dict[Part, Part] = {}  # for each table of mine, the one in the merged design
    parts = list(theirs.design.parts)
    for part in base.parts:
        here, there = mine.kept.get(part), theirs.kept.get(part)
        if there is None:
            continue
        if here is None:
            parts.remove(there)
            continue
        if mine.has_changed(part) and not theirs.has_changed(part):
            new = there.having(here.table)
            parts[parts.index(there)] = new
            there = new
        now[here] = there
    for source in mine.reordered:
        edges = [now[mine.kept[edge]] for edge in mine.order(source) if mine.kept[edge] in now]
        places = sorted(map(parts.index, edges))
        for place, edge in zip(places, edges, strict=True):
            parts[place] = edge
    for part in mine.added:
        if not _has_too(theirs, mine, part):
            parts.insert(_place_of(part, mine.design, now, parts), part)
            now[part] = part
    head = mine.design.head if mine.has_changed_head else theirs.design.head
    return replace(theirs.design, head=head, parts=tuple(parts))


def _has_too(theirs: _Branch, mine: _Branch, part: Part) -> bool:
    """Whether both added the same."""
    if part.kind != "edges":
        return part.name in theirs.design.named(part.kind)
    gaps = mine.gaps.get(part.source, {})
    gap = next(gap for gap, edges in gaps.items() if part in edges)
    return gap in theirs.gaps.get(part.source, {})  # it is not a conflict, so that they say the same


def _place_of(part: Part, design: Design, now: Mapping[Part, Part], parts: Sequence[Part]) -> int:
    """Find where a new table belongs: behind the one before it, else before the one behind it."""
    beside = [one for one in design.parts if one.kind == part.kind]
    if part.kind == "edges":
        own = [one for one in beside if one.source == part.source]
        beside = own if any(one in now for one in own) else beside
    at = beside.index(part)
    for one in reversed(beside[:at]):
        if one in now:
            return parts.index(now[one]) + 1
    for one in beside[at + 1 :]:
        if one in now:
            return parts.index(now[one])
    later = _KINDS[_KINDS.index(part.kind) + 1 :]
    return next((place for place, one in enumerate(parts) if one.kind in later), len(parts))


def _differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return not same(one, other)


def _table_said(part: Part) -> str:
    if part.kind == "edges":
        return f"edge {edge_said(part)}"
    return f"{NOUNS[part.kind]} {said(part.name)}"


def _edges_said(source: str) -> str:
    return f"the edges of {said(source)}"
