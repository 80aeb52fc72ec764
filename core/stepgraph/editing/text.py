"""Read the text of a graph file as a design, and write it back: what was not edited stays as it was read."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

from ..documents.comparing import longest_rising
from ..documents.schema import rank_of
from ..files.reader import parsed, refuse, size_limit
from ..toml.revising import Revision, joined, new_tables, rewritten, rewritten_head
from ..toml.syntax import SourceText
from ..toml.tables import TableText
from ..toml.text import EDGES, NAMED, PartText, StrayItem, TomlText
from ..toml.values import Comment, same
from ..values.errors import GraphFileError
from ..values.problems import Place, Problem
from .design import Design, Kind, Part


@dataclass(slots=True, eq=False)
class TableGroup:
    """Tables that stand one below the other."""

    kind: str
    text: str
    places: range | None
    """Their positions among the tables of the file; None for what is new there."""


def stable(groups: Sequence[TableGroup]) -> set[int]:
    """Find the positions of most of the groups that still are in the order of the file."""
    placed = [
        (position, group.places.start) for position, group in enumerate(groups) if group.places is not None
    ]
    return {placed[at][0] for at in longest_rising([start for _, start in placed])}


def merged(groups: Sequence[TableGroup], loose: Iterable[TableGroup]) -> list[TableGroup]:
    """Merge groups in their order with others that keep their places among them.

    Args:
        groups: In the order of the design. A group that moved has no places any more afterwards.
        loose: Tables that belong to no group, or stand apart from theirs.
    """
    staying = stable(groups)
    waiting = sorted(loose, key=lambda group: group.places.start if group.places else -1, reverse=True)
    found: list[TableGroup] = []
    starts = [
        group.places.start for position, group in enumerate(groups) if position in staying and group.places
    ]
    following = iter([*starts, None])
    limit = next(following)
    for position, group in enumerate(groups):
        if position in staying or not found:
            _take(waiting, limit, found)
        if position in staying:
            found.append(group)
            limit = next(following)
            _take(waiting, limit, found)
        else:
            group.places = None
            found.append(group)
    _take(waiting, None, found)
    return found


def _take(waiting: list[TableGroup], limit: int | None, found: list[TableGroup]) -> None:
    """Move over the groups that stand before a place of the file."""
    while waiting and (limit is None or (at := waiting[-1].places) is None or at.start < limit):
        found.append(waiting.pop())


class FileAssembler:
    """Puts groups one below the other, with the file's own text between them.

    Args:
        toml: The text that the groups come from.
    """

    def __init__(self, toml: TomlText) -> None:
        self._toml = toml
        self._own = frozenset(toml.head_places)
        self._texts: list[str] = []
        self._styles: dict[str, str] = {}

    def text(self, groups: Iterable[TableGroup]) -> str:
        """Write the text of a whole file.

        Args:
            groups: In order; the places of those that have some are ascending.
        """
        last = TableGroup("", "", range(-1, 0))
        new: list[TableGroup] = []
        for group in groups:
            if group.places is None:
                new.append(group)
                continue
            self._between(last, new, group)
            self._append(group.text)
            last, new = group, []
        self._between(last, new, None)
        return self._toml.mark + "".join(self._texts)

    def _between(self, last: TableGroup, new: Sequence[TableGroup], following: TableGroup | None) -> None:
        """Add what is between two groups that kept their order."""
        start = last.places.stop if last.places is not None else 0
        end = following.places.start if following is not None and following.places else len(self._toml.tables)
        if not new and end == start:
            self._append(self._gap(end))
        else:
            self._mend(last, new, following, range(start, end + 1))

    def _mend(
        self, last: TableGroup, new: Sequence[TableGroup], following: TableGroup | None, places: range
    ) -> None:
        """Add new groups, and the file's own text that stood between others which are gone."""
        gaps = [(place, self._gap(place)) for place in places if self._is_apart(place)]
        notes = [(self._place(place, last, new), gap) for place, gap in gaps if "#" in gap]
        before = last
        for position, group in enumerate([*new, following]):
            text = ""
            for at, gap in notes:
                text = joined(text, gap) if at == position else text
            if text and group is None:
                self._append(text.rstrip("\r\n") + self._toml.newline)
            elif text:
                self._append(text if self._texts else text.lstrip("\r\n"))
            elif group is None:
                self._append(self._gap(places[-1]))
            elif group is following:
                blank = [gap for _, gap in (gaps[0], gaps[-1]) if "#" not in gap]
                self._space(max(blank, key=len) if blank else self._toml.newline)
            else:
                self._space(self._style(before.kind, group.kind))
            if group is not None and group is not following:
                self._append(group.text)
                before = group

    def _place(self, place: int, last: TableGroup, new: Sequence[TableGroup]) -> int:
        """Find before which of the new groups a note stands: before those of the kind that it headed."""
        if place < len(self._toml.tables):
            kind = str(self._toml.tables[place].path[0])
            if kind != last.kind:
                return next((at for at, group in enumerate(new) if group.kind == kind), len(new))
        return len(new)

    def _gap(self, place: int) -> str:
        tables = self._toml.tables
        return tables[place].gap if place < len(tables) else self._toml.end

    def _is_apart(self, place: int) -> bool:
        """Whether the text before a table is the file's own, and not a part's between two tables of it."""
        tables = self._toml.tables
        if not 0 < place < len(tables) or place in self._own:
            return True
        return tables[place - 1].path[:2] != tables[place].path[:2]

    def _style(self, one: str, other: str) -> str:
        """Find the blank lines that usually are between tables of a kind, and at least one elsewhere."""
        if one != other or not other:
            return self._toml.newline
        if other not in self._styles:
            tables = self._toml.tables
            gaps = Counter(
                table.gap
                for before, table in pairwise(tables)
                if before.path[:1] == table.path[:1] == (other,) and not table.gap.strip()
            )
            self._styles[other] = gaps.most_common(1)[0][0] if gaps else self._toml.newline
        return self._styles[other]

    def _space(self, blank: str) -> None:
        """Add blank lines, unless there are some."""
        if self._texts and not self._texts[-1].endswith(("\n\n", "\r\n\r\n")):
            self._append(blank)

    def _append(self, text: str) -> None:
        if not text:
            return
        if self._texts and not self._texts[-1].endswith("\n"):
            self._texts.append(self._toml.newline)
        self._texts.append(text)


_MARK = "\ufeff"
_SHOWN = 60


_revisions: WeakKeyDictionary[Part, Revision] = WeakKeyDictionary()
"""What became of edited parts: one that is edited once is written once, not after each later edit."""


def read_design(text: str, file: str = "") -> Design:
    """Read a graph file's text as a design; each part knows its text and its comments.

    Args:
        text: The text; a byte order mark and the line endings stay as they are.
        file: The path of the file, for problems.

    Raises:
        GraphFileError: It is not TOML, or beyond a limit.
    """
    plain = text.removeprefix(_MARK)
    toml = TomlText(text, parsed(plain, SourceText(plain, plain.encode(errors="replace")), file))
    parts = (
        Part(cast("Kind", part_text.kind), part_text.name, part_text.table, part_text)
        for part_text in toml.part_texts
    )
    return Design(toml.head, tuple(parts), toml)


def design_text(design: Design) -> str:
    """Write the text of the design's file: what was not edited is there as it was read."""
    return render(design).text


def losses(design: Design) -> list[str]:
    """List what the text of this design cannot keep although its table or key is still there.

    Returns:
        One sentence for each comment, in the order of the file.
    """
    lost = render(design).lost
    here = sorted(comment for comment, is_here in lost if is_here)
    pasted = [comment for comment, is_here in lost if not is_here]
    found = [f"line {line}: the comment {_preview(text)} has no place any more" for line, text in here]
    found += [f"the pasted comment {_preview(text)} has no place any more" for _, text in pasted]
    return [*found, *_hidden(design)]


def _hidden(design: Design) -> Iterator[str]:
    """Describe what is not a table of parts, and cannot stand beside such tables."""
    head = told_head(design)
    for kind in (*NAMED, EDGES):
        if kind in design.head and kind not in head:
            yield f"{kind!r} is not a table of {kind} in this file, and is replaced by the new ones"


def _preview(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def parts_text(parts: Iterable[Part]) -> str:
    """Write tables as they would be in a file, with their comments."""
    texts = (joined_text(tables_of(part)).replace("\r\n", "\n") for part in parts)
    return "\n".join(text if text.endswith("\n") else f"{text}\n" for text in texts)


def read_parts(text: str) -> tuple[Part, ...]:
    """Read the tables of a text that was copied from a graph file.

    Raises:
        GraphFileError: It is not TOML, beyond a limit, or not made of tables of a graph alone.
    """
    problem = size_limit(len(text), "")
    if problem is not None:
        refuse(problem)
    design = read_design(text)
    if design.head or not design.parts:
        raise GraphFileError("this is not part of a graph", list(_strange(design, text)))
    return design.parts


def _strange(design: Design, text: str) -> Iterator[Problem]:
    """Find what in a text is not a table of a graph."""
    hint = "such as [nodes.draft] or [[edges]]"
    locate = SourceText(text, b"")
    for key in design.head:
        message = f"{_preview(key)} is not a table of a graph"
        yield Problem("F020", "error", message, Place(line=locate((key,)), key=key), hint)
    if not design.head:
        yield Problem("F006", "error", "there is no table in it", Place(), hint)


# Writing a design


class LostComment(NamedTuple):
    """A comment that has no place in the text of a design."""

    comment: Comment
    is_here: bool
    """Whether its line is one of the design's own file, not of a text that was pasted."""


class Rendered(NamedTuple):
    """The text of a design."""

    text: str
    lost: tuple[LostComment, ...]


@cache
def _blank() -> TomlText:
    return TomlText("", {})


def render(design: Design) -> Rendered:
    """Write a design."""
    return _DesignWriter(design).rendered()


def tables_of(part: Part) -> tuple[TableText, ...]:
    """Write the tables of a part in the usual form."""
    part_text = part.origin
    if part_text is not None and is_unchanged(part, part_text):
        return part_text.tables
    return _revision(part).tables


def is_unchanged(part: Part, part_text: PartText) -> bool:
    """Whether the text that a part was read from still says the same."""
    return part.name == part_text.name and (
        part.table is part_text.table or same(part.table, part_text.table)
    )


def _revision(part: Part) -> Revision:
    found = _revisions.get(part)
    if found is None:
        if part.origin is None or part.origin.kind != part.kind:
            found = Revision(new_tables(part.kind, part.name, part.table))
        else:
            found = rewritten(part.origin, part.name, part.table, rank_of(part.origin.kind))
        _revisions[part] = found
    return found


def joined_text(tables: Sequence[TableText]) -> str:
    """Join tables that follow each other, without the gap before the first."""
    texts = [table.text for table in tables[:1]]
    for before, table in pairwise(tables):
        followed = table.place > 0 and table.place == before.place + 1
        texts += ["" if texts[-1].endswith("\n") else "\n", table.gap if followed else table.gap or "\n"]
        texts.append(table.text)
    return "".join(texts)


class _DesignWriter:
    """Writes a design: what is unchanged as it is in its file, the rest in the style of that."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._toml = design.origin or _blank()
        self._head = told_head(design)
        self._part_texts = self._own_blocks()
        self._intact = self._unbroken()
        self._lost: list[LostComment] = []
        self._loose: list[TableGroup] = []  # tables of no part, and others that stay where they are
        self._far: list[
            tuple[TableGroup, list[TableGroup]]
        ] = []  # parts, and tables of theirs that are elsewhere

    def _own_blocks(self) -> dict[Part, PartText]:
        """Find the text of each part that is in the design's own file; a copy of a part has none there."""
        found: dict[PartText, Part] = {}
        for part in self._design.parts:
            part_text = part.origin
            if part_text is not None and part_text.toml is self._toml and part_text.kind == part.kind:
                found.setdefault(part_text, part)
        return {part: part_text for part_text, part in found.items()}

    def _unbroken(self) -> set[PartText]:
        """Find the parts that can stay as they are written."""
        found = {part_text for part, part_text in self._part_texts.items() if is_unchanged(part, part_text)}
        for stray in self._toml.strays:
            if stray.kind and not self._stays(stray, found):
                found.difference_update(stray.owners)
        return found

    def _stays(self, stray: StrayItem, intact: set[PartText]) -> bool:
        """Whether an item among the settings that says something of parts can stay."""
        if not intact.issuperset(stray.owners):
            return False
        kind = stray.kind
        if not kind:
            return True
        part_texts = [self._part_texts.get(part) for part in self._design.parts if part.kind == kind]
        return part_texts == list(stray.owners) and same(self._head.get(kind), self._toml.head.get(kind))

    def rendered(self) -> Rendered:
        """Write the text, and list what has no place in it."""
        head = self._top()
        groups = [group for part in self._design.parts if (group := self._group(part)) is not None]
        self._settle_far_tables(groups)
        arranged = merged(groups, self._loose)
        return Rendered(FileAssembler(self._toml).text([head, *arranged]), tuple(self._lost))

    # The settings

    def _top(self) -> TableGroup:
        """Write the top level; the other tables that belong to no part keep their places."""
        revision = self._new_head()
        groups: list[list[TableText]] = []
        for table in revision.tables:
            if table.place >= 0:
                groups.append([])
            groups[-1].append(table)
        self._lost += [LostComment(comment, is_here=True) for comment in revision.lost]
        head, *others = (
            TableGroup(
                str(first.path[0]) if first.path else "",
                self._join_tables([first, *more]),
                range(first.place, first.place + 1),
            )
            for first, *more in groups
        )
        self._loose += others
        return head

    def _new_head(self) -> Revision:
        toml = self._toml
        staying = {id(each.item) for each in toml.strays if self._stays(each, self._intact)}
        if len(staying) == len(toml.strays) and same(self._head, toml.head):
            return Revision(tuple(toml.tables[place] for place in toml.head_places))
        return rewritten_head(toml, self._head, rank_of(""), staying)

    # The parts

    def _group(self, part: Part) -> TableGroup | None:
        """Write the tables of a part that go together; None for one that is written among the settings."""
        part_text = self._part_texts.get(part)
        if part_text is None:
            return TableGroup(part.kind, self._join_tables(self._tables_of(part, is_here=False)), None)
        if part_text not in self._intact:
            first, *far = self._runs(part_text, self._tables_of(part, is_here=True))
        elif part_text.strays:
            self._loose += self._runs(part_text, part_text.own_tables)
            return None
        elif len(part_text.runs) == 1:
            return TableGroup(part.kind, part_text.text, part_text.runs[0])
        else:
            first, *far = self._runs(part_text, part_text.tables)
        if far:
            self._far.append((first, far))
        return first

    def _tables_of(self, part: Part, *, is_here: bool) -> tuple[TableText, ...]:
        """Write the tables of a part; what was lost of it is noted."""
        if part.origin is not None and is_unchanged(part, part.origin):
            return part.origin.tables
        revision = _revision(part)
        self._lost += [LostComment(comment, is_here) for comment in revision.lost]
        return revision.tables

    def _runs(self, part_text: PartText, tables: Sequence[TableText]) -> list[TableGroup]:
        """Group the tables of a part that followed each other in the file."""
        groups: list[tuple[range | None, list[TableText]]] = []
        for table in tables:
            run = next((run for run in part_text.runs if table.place in run), None)
            if groups and (run is None or run == groups[-1][0]):
                groups[-1][1].append(table)
            else:
                groups.append((run, [table]))
        return [TableGroup(part_text.kind, self._join_tables(each), run) for run, each in groups]

    def _settle_far_tables(self, groups: Sequence[TableGroup]) -> None:
        """Keep tables that stand apart from their part where they are while all between is as it was.

        Else they go with it: a table of an edge must not come to stand after another edge.
        """
        if not self._far:
            return
        staying = stable(groups)
        places = {group: place for place, group in enumerate(groups)}
        starts = [
            part_text.runs[0].start
            for part_text in self._toml.part_texts
            if part_text.runs and not part_text.strays
        ]
        for group, far in self._far:
            last = far[-1].places
            if group.places is not None and last is not None:
                between = starts[bisect_left(starts, group.places.start) : bisect_left(starts, last.start)]
                at = range(places[group], places[group] + len(between))
                if staying.issuperset(at) and [_start(groups[place]) for place in at] == between:
                    self._loose += far
                    continue
            group.text = f"{self._toml.newline}".join(map(_ended, [group.text, *(each.text for each in far)]))

    def _join_tables(self, tables: Sequence[TableText]) -> str:
        """Join tables, with the line endings of the file where they are new."""
        own = self._toml.tables
        if all(0 <= table.place < len(own) and own[table.place] is table for table in tables):
            return joined_text(tables)
        return joined_text(tables).replace("\r\n", "\n").replace("\n", self._toml.newline)


def told_head(design: Design) -> dict[str, Any]:
    """Collect the settings that are of no part: a part hides what else has its place in the document."""
    hidden: dict[str, set[str]] = {}
    for part in design.parts:
        hidden.setdefault(part.kind, set()).add(part.name)
    head: dict[str, Any] = {}
    for key, value in design.head.items():
        if key not in hidden:
            head[key] = value
        elif key != EDGES and isinstance(value, Mapping):
            rest = {name: item for name, item in value.items() if name not in hidden[key]}
            if rest or design.origin is None or design.origin.has_header(key):
                head[key] = rest
    return head


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _start(group: TableGroup) -> int:
    return group.places.start if group.places is not None else -1
