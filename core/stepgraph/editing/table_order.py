"""Put the tables of a file in order after edits, with the text that stood between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..documents.differences import longest_rising
from ..toml.revising import joined
from ..toml.text import TomlText


@dataclass(slots=True, eq=False)
class TableGroup:
    """Tables that stand one below the other."""

    kind: str
    text: str
    places: range | None
    """Their positions among the tables of the file; None for what is new there."""


def stable(groups: Sequence[TableGroup]) -> set[int]:
    """Find the positions of most of the groups that still stand in the order of the file."""
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
            self._put(group.text)
            last, new = group, []
        self._between(last, new, None)
        return self._toml.mark + "".join(self._texts)

    def _between(self, last: TableGroup, new: Sequence[TableGroup], following: TableGroup | None) -> None:
        """Add what stands between two groups that kept their order."""
        start = last.places.stop if last.places is not None else 0
        end = following.places.start if following is not None and following.places else len(self._toml.tables)
        if not new and end == start:
            self._put(self._gap(end))
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
                self._put(text.rstrip("\r\n") + self._toml.newline)
            elif text:
                self._put(text if self._texts else text.lstrip("\r\n"))
            elif group is None:
                self._put(self._gap(places[-1]))
            elif group is following:
                blank = [gap for _, gap in (gaps[0], gaps[-1]) if "#" not in gap]
                self._space(max(blank, key=len) if blank else self._toml.newline)
            else:
                self._space(self._style(before.kind, group.kind))
            if group is not None and group is not following:
                self._put(group.text)
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
        """Find the blank lines that usually stand between tables of a kind, and at least one elsewhere."""
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
            self._put(blank)

    def _put(self, text: str) -> None:
        if not text:
            return
        if self._texts and not self._texts[-1].endswith("\n"):
            self._texts.append(self._toml.newline)
        self._texts.append(text)
