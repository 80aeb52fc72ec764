"""Read the text of a graph file as a design, and write it back: what was not edited stays as it was read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..documents.schema import rank_of
from ..files.limits import size_limit
from ..files.reader import parsed, refuse
from ..toml.positions import SourceText
from ..toml.revising import Foreign, Revision, new_tables, rewritten, rewritten_head
from ..toml.tables import Table
from ..toml.text import EDGES, NAMED, Block, Claimed, Sheet
from ..toml.values import Comment, same
from ..values.errors import GraphFileError
from ..values.problems import Place, Problem
from .design import Design, Kind, Part
from .table_order import Arranger, Piece, merged, stable

_revisions: WeakKeyDictionary[Part, Revision] = WeakKeyDictionary()
"""What became of edited parts: one that is edited once is written once, not after each later edit."""


class Lost(NamedTuple):
    """A comment that has no place in the text of a design."""

    comment: Comment
    is_here: bool
    """Whether its line is one of the design's own file, not of a text that was pasted."""


class Rendered(NamedTuple):
    """The text of a design."""

    text: str
    lost: tuple[Lost, ...]


@cache
def _blank() -> Sheet:
    return Sheet("", {})


def render(design: Design) -> Rendered:
    """Write a design."""
    return _Rendering(design).rendered()


def tables_of(part: Part) -> tuple[Table, ...]:
    """The tables of a part in the usual form."""
    block = part.origin
    if block is not None and is_unchanged(part, block):
        return block.tables
    return _revision(part).tables


def is_unchanged(part: Part, block: Block) -> bool:
    """Whether a part says what its text says."""
    return part.name == block.name and (part.table is block.table or same(part.table, block.table))


def _revision(part: Part) -> Revision:
    found = _revisions.get(part)
    if found is None:
        if part.origin is None or part.origin.kind != part.kind:
            found = Revision(new_tables(part.kind, part.name, part.table))
        else:
            found = rewritten(part.origin, part.name, part.table, rank_of(part.origin.kind))
        _revisions[part] = found
    return found


def joined_text(tables: Sequence[Table]) -> str:
    """The text of tables that follow each other, without the gap before the first."""
    texts = [table.text for table in tables[:1]]
    for before, table in pairwise(tables):
        followed = table.place > 0 and table.place == before.place + 1
        texts += ["" if texts[-1].endswith("\n") else "\n", table.gap if followed else table.gap or "\n"]
        texts.append(table.text)
    return "".join(texts)


class _Rendering:
    def __init__(self, design: Design) -> None:
        self._design = design
        self._sheet = design.origin or _blank()
        self._head = told_head(design)
        self._blocks = self._own_blocks()
        self._intact = self._unbroken()
        self._lost: list[Lost] = []
        self._loose: list[Piece] = []  # tables of no part, and others that stay where they are
        self._far: list[tuple[Piece, list[Piece]]] = []  # parts, and tables of theirs that stand elsewhere

    def _own_blocks(self) -> dict[Part, Block]:
        """The text of each part that is in the design's own file; a copy of a part has none there."""
        found: dict[Block, Part] = {}
        for part in self._design.parts:
            block = part.origin
            if block is not None and block.sheet is self._sheet and block.kind == part.kind:
                found.setdefault(block, part)
        return {part: block for block, part in found.items()}

    def _unbroken(self) -> set[Block]:
        """The parts that can stay as they are written."""
        found = {block for part, block in self._blocks.items() if is_unchanged(part, block)}
        for claimed in self._sheet.claimed:
            if claimed.kind and not self._stays(claimed, found):
                found.difference_update(claimed.owners)
        return found

    def _stays(self, claimed: Claimed, intact: set[Block]) -> bool:
        """Whether an item among the settings that says something of parts can stay."""
        if not intact.issuperset(claimed.owners):
            return False
        kind = claimed.kind
        if not kind:
            return True
        blocks = [self._blocks.get(part) for part in self._design.parts if part.kind == kind]
        return blocks == list(claimed.owners) and same(self._head.get(kind), self._sheet.head.get(kind))

    def rendered(self) -> Rendered:
        """The text, and what has no place in it."""
        head = self._top()
        pieces = [piece for part in self._design.parts if (piece := self._piece(part)) is not None]
        self._settle_far_tables(pieces)
        arranged = merged(pieces, self._loose)
        return Rendered(Arranger(self._sheet).text([head, *arranged]), tuple(self._lost))

    # The settings

    def _top(self) -> Piece:
        """The top level; the other tables that belong to no part keep their places."""
        revision = self._new_head()
        groups: list[list[Table]] = []
        for table in revision.tables:
            if table.place >= 0:
                groups.append([])
            groups[-1].append(table)
        self._lost += [Lost(comment, is_here=True) for comment in revision.lost]
        head, *others = (
            Piece(str(group[0].path[0]) if group[0].path else "", self._written(group), _run(group[0]))
            for group in groups
        )
        self._loose += others
        return head

    def _new_head(self) -> Revision:
        sheet = self._sheet
        staying = {id(each.item) for each in sheet.claimed if self._stays(each, self._intact)}
        if len(staying) == len(sheet.claimed) and same(self._head, sheet.head):
            return Revision(tuple(sheet.tables[place] for place in sheet.own_places))
        items = frozenset(id(each.item) for each in sheet.claimed)
        parting = frozenset(id(each.item) for each in sheet.claimed if each.kind)
        return rewritten_head(sheet, self._head, Foreign(items, frozenset(staying), parting), rank_of(""))

    # The parts

    def _piece(self, part: Part) -> Piece | None:
        """The tables of a part that go together; None for one that is written among the settings."""
        block = self._blocks.get(part)
        if block is None:
            return Piece(part.kind, self._written(self._told(part, is_here=False)), None)
        if block not in self._intact:
            first, *far = self._runs(block, self._told(part, is_here=True))
        elif block.claims:
            self._loose += self._runs(block, block.own_tables)
            return None
        elif len(block.runs) == 1:
            return Piece(part.kind, block.text, block.runs[0])
        else:
            first, *far = self._runs(block, block.tables)
        if far:
            self._far.append((first, far))
        return first

    def _told(self, part: Part, *, is_here: bool) -> tuple[Table, ...]:
        """The tables of a part; what was lost of it is noted."""
        if part.origin is not None and is_unchanged(part, part.origin):
            return part.origin.tables
        revision = _revision(part)
        self._lost += [Lost(comment, is_here) for comment in revision.lost]
        return revision.tables

    def _runs(self, block: Block, tables: Sequence[Table]) -> list[Piece]:
        """Tables of a part, those together that followed each other in the file."""
        groups: list[tuple[range | None, list[Table]]] = []
        for table in tables:
            run = next((run for run in block.runs if table.place in run), None)
            if groups and (run is None or run == groups[-1][0]):
                groups[-1][1].append(table)
            else:
                groups.append((run, [table]))
        return [Piece(block.kind, self._written(each), run) for run, each in groups]

    def _settle_far_tables(self, pieces: Sequence[Piece]) -> None:
        """Tables that stand apart from their part stay there while all between is as it was.

        Else they go with it: a table of an edge must not come to stand behind another edge.
        """
        if not self._far:
            return
        staying = stable(pieces)
        places = {piece: place for place, piece in enumerate(pieces)}
        starts = [block.runs[0].start for block in self._sheet.blocks if block.runs and not block.claims]
        for piece, far in self._far:
            last = far[-1].run
            if piece.run is not None and last is not None:
                between = starts[bisect_left(starts, piece.run.start) : bisect_left(starts, last.start)]
                at = range(places[piece], places[piece] + len(between))
                if staying.issuperset(at) and [_start(pieces[place]) for place in at] == between:
                    self._loose += far
                    continue
            piece.text = f"{self._sheet.newline}".join(
                map(_ended, [piece.text, *(each.text for each in far)])
            )

    def _written(self, tables: Sequence[Table]) -> str:
        """The text of tables, with the line endings of the file where it is new."""
        own = self._sheet.tables
        if all(0 <= table.place < len(own) and own[table.place] is table for table in tables):
            return joined_text(tables)
        return joined_text(tables).replace("\r\n", "\n").replace("\n", self._sheet.newline)


def told_head(design: Design) -> dict[str, Any]:
    """What the settings say of no part: a part hides what else has its place in the document."""
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


def _run(table: Table) -> range:
    return range(table.place, table.place + 1)


def _start(piece: Piece) -> int:
    return piece.run.start if piece.run is not None else -1


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


_MARK = "\ufeff"
_SHOWN = 60
_KINDS: dict[str, Kind] = {"state": "state", "tools": "tools", "nodes": "nodes", "edges": "edges"}


def read_design(text: str, file: str = "") -> Design:
    """The design that a graph file's text describes; each part knows its text and its comments.

    Args:
        text: The text; a byte order mark and the line endings stay as they are.
        file: The path of the file, for problems.

    Raises:
        GraphFileError: It is not TOML, or beyond a limit.
    """
    plain = text.removeprefix(_MARK)
    sheet = Sheet(text, parsed(plain, SourceText(plain, plain.encode(errors="replace")), file))
    parts = (Part(_KINDS[block.kind], block.name, block.table, block) for block in sheet.blocks)
    return Design(sheet.head, tuple(parts), sheet)


def design_text(design: Design) -> str:
    """The text of the design's file: what was not edited stands there as it was read."""
    return render(design).text


def losses(design: Design) -> list[str]:
    """What the text of this design cannot keep although its table or key is still there.

    Returns:
        One sentence for each comment, in the order of the file.
    """
    lost = render(design).lost
    here = sorted(comment for comment, is_here in lost if is_here)
    pasted = [comment for comment, is_here in lost if not is_here]
    found = [f"line {line}: the comment {_shown(text)} has no place any more" for line, text in here]
    found += [f"the pasted comment {_shown(text)} has no place any more" for _, text in pasted]
    return [*found, *_hidden(design)]


def _hidden(design: Design) -> Iterator[str]:
    """What is no table of parts, and cannot stand beside such tables."""
    told = told_head(design)
    for kind in (*NAMED, EDGES):
        if kind in design.head and kind not in told:
            yield f"{kind!r} is no table of {kind} in this file, and gives way to the new ones"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def parts_text(parts: Iterable[Part]) -> str:
    """Tables as they would stand in a file, with their comments."""
    texts = (joined_text(tables_of(part)).replace("\r\n", "\n") for part in parts)
    return "\n".join(text if text.endswith("\n") else f"{text}\n" for text in texts)


def read_parts(text: str) -> tuple[Part, ...]:
    """The tables of a text that was copied from a graph file.

    Raises:
        GraphFileError: It is not TOML, beyond a limit, or not made of tables of a graph alone.
    """
    problem = size_limit(len(text), "")
    if problem is not None:
        refuse(problem)
    design = read_design(text)
    if design.head or not design.parts:
        raise GraphFileError("this is no part of a graph", list(_strange(design, text)))
    return design.parts


def _strange(design: Design, text: str) -> Iterator[Problem]:
    """What in a text is no table of a graph."""
    hint = "such as [nodes.draft] or [[edges]]"
    locate = SourceText(text, b"")
    for key in design.head:
        message = f"{_shown(key)} is no table of a graph"
        yield Problem("F020", "error", message, Place(line=locate((key,)), key=key), hint)
    if not design.head:
        yield Problem("F006", "error", "there is no table in it", Place(), hint)
