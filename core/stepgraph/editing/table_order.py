"""Put the tables of a file in order after edits, with the text that stood between them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..toml.revising import joined
from ..toml.text import Sheet


@dataclass(slots=True, eq=False)
class Piece:
    """Tables that go together."""

    kind: str
    text: str
    run: range | None
    """Which tables of the sheet they were; None for what is new there."""


def stable(pieces: Sequence[Piece]) -> set[int]:
    """The positions of most of the pieces that still stand in the order of the sheet."""
    runs = [piece.run.start for piece in pieces if piece.run is not None]
    if all(one < other for one, other in pairwise(runs)):
        return {position for position, piece in enumerate(pieces) if piece.run is not None}
    ends: list[int] = []  # the last place of the best row of each length
    rows: list[tuple[int, int]] = []  # its position, and the row before it
    tails: list[int] = []
    for position, piece in enumerate(pieces):
        if piece.run is None:
            continue
        length = bisect_left(ends, piece.run.start)
        rows.append((position, tails[length - 1] if length else -1))
        ends[length : length + 1] = [piece.run.start]
        tails[length : length + 1] = [len(rows) - 1]
    found: set[int] = set()
    at = tails[-1] if tails else -1
    while at >= 0:
        position, at = rows[at]
        found.add(position)
    return found


def merged(pieces: Sequence[Piece], loose: Iterable[Piece]) -> list[Piece]:
    """The pieces in their order, with others that keep their places among them.

    Args:
        pieces: In the order of the design. A piece that moved has no run any more afterwards.
        loose: Tables that belong to no piece, or stand apart from theirs.
    """
    staying = stable(pieces)
    waiting = sorted(loose, key=lambda piece: piece.run.start if piece.run else -1, reverse=True)
    found: list[Piece] = []
    places = [piece.run.start for position, piece in enumerate(pieces) if position in staying and piece.run]
    following = iter([*places, None])
    limit = next(following)
    for position, piece in enumerate(pieces):
        if position in staying or not found:
            _take(waiting, limit, found)
        if position in staying:
            found.append(piece)
            limit = next(following)
            _take(waiting, limit, found)
        else:
            piece.run = None
            found.append(piece)
    _take(waiting, None, found)
    return found


def _take(waiting: list[Piece], limit: int | None, found: list[Piece]) -> None:
    """Move over the pieces that stand before a place of the sheet."""
    while waiting and (limit is None or (run := waiting[-1].run) is None or run.start < limit):
        found.append(waiting.pop())


class Arranger:
    """Puts pieces one below the other, with the file's own text between them.

    Args:
        sheet: The text that the pieces come from.
    """

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._own = frozenset(sheet.own_places)
        self._texts: list[str] = []
        self._styles: dict[str, str] = {}

    def text(self, pieces: Iterable[Piece]) -> str:
        """The text of a whole file.

        Args:
            pieces: In order; the runs of those that have one are ascending.
        """
        last = Piece("", "", range(-1, 0))
        new: list[Piece] = []
        for piece in pieces:
            if piece.run is None:
                new.append(piece)
                continue
            self._between(last, new, piece)
            self._put(piece.text)
            last, new = piece, []
        self._between(last, new, None)
        return self._sheet.mark + "".join(self._texts)

    def _between(self, last: Piece, new: Sequence[Piece], following: Piece | None) -> None:
        """Add what stands between two pieces that kept their order."""
        start = last.run.stop if last.run is not None else 0
        end = following.run.start if following is not None and following.run else len(self._sheet.tables)
        if not new and end == start:
            self._put(self._gap(end))
        else:
            self._mend(last, new, following, range(start, end + 1))

    def _mend(self, last: Piece, new: Sequence[Piece], following: Piece | None, places: range) -> None:
        """Add new pieces, and the file's own text that stood between others which are gone."""
        gaps = [(place, self._gap(place)) for place in places if self._is_apart(place)]
        notes = [(self._place(place, last, new), gap) for place, gap in gaps if "#" in gap]
        before = last
        for position, piece in enumerate([*new, following]):
            text = ""
            for at, gap in notes:
                text = joined(text, gap) if at == position else text
            if text and piece is None:
                self._put(text.rstrip("\r\n") + self._sheet.newline)
            elif text:
                self._put(text if self._texts else text.lstrip("\r\n"))
            elif piece is None:
                self._put(self._gap(places[-1]))
            elif piece is following:
                blank = [gap for _, gap in (gaps[0], gaps[-1]) if "#" not in gap]
                self._space(max(blank, key=len) if blank else self._sheet.newline)
            else:
                self._space(self._style(before.kind, piece.kind))
            if piece is not None and piece is not following:
                self._put(piece.text)
                before = piece

    def _place(self, place: int, last: Piece, new: Sequence[Piece]) -> int:
        """Before which of the new pieces a note stands: before those of the kind that it headed."""
        if place < len(self._sheet.tables):
            kind = str(self._sheet.tables[place].path[0])
            if kind != last.kind:
                return next((at for at, piece in enumerate(new) if piece.kind == kind), len(new))
        return len(new)

    def _gap(self, place: int) -> str:
        tables = self._sheet.tables
        return tables[place].gap if place < len(tables) else self._sheet.end

    def _is_apart(self, place: int) -> bool:
        """Whether the text before a table is the file's own, and not a part's between two tables of it."""
        tables = self._sheet.tables
        if not 0 < place < len(tables) or place in self._own:
            return True
        return tables[place - 1].path[:2] != tables[place].path[:2]

    def _style(self, one: str, other: str) -> str:
        """The blank lines that usually stand between two tables of a kind, and at least one elsewhere."""
        if one != other or not other:
            return self._sheet.newline
        if other not in self._styles:
            tables = self._sheet.tables
            gaps = Counter(
                table.gap
                for before, table in pairwise(tables)
                if before.path[:1] == table.path[:1] == (other,) and not table.gap.strip()
            )
            self._styles[other] = gaps.most_common(1)[0][0] if gaps else self._sheet.newline
        return self._styles[other]

    def _space(self, blank: str) -> None:
        """Add blank lines, unless there are some."""
        if self._texts and not self._texts[-1].endswith(("\n\n", "\r\n\r\n")):
            self._put(blank)

    def _put(self, text: str) -> None:
        if not text:
            return
        if self._texts and not self._texts[-1].endswith("\n"):
            self._texts.append(self._sheet.newline)
        self._texts.append(text)
