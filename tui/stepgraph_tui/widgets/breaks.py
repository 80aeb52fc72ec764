"""The pane that lists the breakpoints of a graph, and how often the run has met each."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.values import StepgraphError
from stepgraph_tui.commands import bindings
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.drawing.picture.glyphs import UNICODE
from stepgraph_tui.drawing.picture.run_marks import sign_of
from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.state_diff import breakpoint_text
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.lines import LineView, Role, Search, Span, TextLine, wrapped

if TYPE_CHECKING:
    from stepgraph.runs.debug import Breakpoint, BreakpointHistory
    from stepgraph_tui.run_view import RunSnapshot, RunView

_CURSOR = {True: "▸ ", False: "  "}
_EMPTY = (
    "There are no breakpoints. {debug.break} puts one at the selected node or edge, {breaks.add} adds any: "
    "a node, an edge, a key of the state, a failure."
)
_HITS = 9  # cells of the column that counts hits
_SLICE = 500  # rows of a run that are read between two keys
_SIGN = slice(2, 4)  # the cells of a line in which a click switches the breakpoint


@dataclass(frozen=True, slots=True)
class BreakList:
    """All that there is to list."""

    entries: tuple[Breakpoint, ...] = ()
    broken: Mapping[str, str] = field(default_factory=dict)
    """Why some can never be met, by their ids."""
    damaged: tuple[tuple[str, str], ...] = ()
    """The ids of those whose files cannot be read, each with the reason."""
    hit: str = ""
    """The id of the one that the run halts at."""

    @property
    def remarks(self) -> str:
        """What the number on the tab does not say."""
        off = sum(not each.enabled for each in self.entries)
        counts = (len(self.broken), "broken"), (len(self.damaged), "damaged"), (off, "off")
        return ", ".join(f"{count} {word}" for count, word in counts if count)


NO_LIST = BreakList()


class BreaksPane(Pane, inherit_bindings=False):
    """The breakpoints: each with its sign, what it waits for, and its hits in the run so far.

    Args:
        hints: Names the keys.
    """

    BINDINGS = bindings("breaks")
    DEFAULT_CSS = """
    BreaksPane {
        overflow: hidden auto;
        scrollbar-size-vertical: 1;
    }
    """

    lines: LineView
    search: Search
    listed: var[BreakList] = var(NO_LIST)
    """What there is to list."""

    @dataclass
    class Asked(Message):
        """Something is to be done with a breakpoint."""

        verb: Literal["add", "edit", "switch", "remove"]
        entry: Breakpoint | None = None
        id: str = ""

    def __init__(self, hints: Hints = UNMAPPED) -> None:
        super().__init__()
        self._hits = HitCounts()
        self._told: list[tuple[int, list[Span]]] = []
        self.lines = LineView(self, self, empty=hints(_EMPTY), keep=lambda: self.lines.select(self.lines.at))
        self.lines.search = self.search = Search(self._texts, lambda: self.lines.at, self.lines.show_match)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave out what needs a breakpoint where there is none; a damaged one can only be removed."""
        if action in ("edit", "switch") and self.selected is None:
            return False
        return (action != "remove" or bool(self._ids)) and super().check_action(action, parameters)

    def watch_listed(self, before: BreakList, listed: BreakList) -> None:
        """List them. The cursor goes to one that was added; else it stays on its own, where that is there."""
        if before == listed:
            return
        old = _ids_of(before)
        place = self.lines.at
        ids, at = self._ids, old[place] if place < len(old) else ""
        added = [each.id for each in listed.entries if each.id not in old] if old else []
        at = added[-1] if added else at
        self.lines.at = ids.index(at) if at in ids else max(0, min(place, len(ids) - 1))
        self.search.forget()
        self.inform(listed.remarks)
        self.show_anew()
        if self.is_mounted:
            self.lines.arrange()
        self.refresh_bindings()

    def show(self, moment: RunSnapshot | None) -> None:
        """Count what the run has met up to the moment."""
        entries = self.listed.entries
        more = self._hits.read(moment.view, entries) if moment is not None and entries else False
        self.lines.arrange()
        if more:
            self.call_later(self.show_anew)

    @property
    def _ids(self) -> list[str]:
        return _ids_of(self.listed)

    @property
    def selected(self) -> Breakpoint | None:
        """The breakpoint with the cursor; None where there is none, or a damaged one."""
        entries = self.listed.entries
        return entries[self.lines.at] if self.lines.at < len(entries) else None

    # The lines

    def fit(self, width: int, height: int) -> int:
        """Lay out each breakpoint in lines of ``width`` cells."""
        self._told, self.lines.items = [], []
        items = []
        counts = self._hits.upto(self.moment) if self.moment is not None else None
        room = max(len(id) for id in self._ids) if self._ids else 0
        for place, (head, text, notes) in enumerate(self._entries(counts, room) if width else ()):
            first, indent = len(self._told), sum(len(part) for part, _ in head)
            parts = wrapped(text, max(10, width - indent - 2)) or [""]
            role: Role = "plain" if head[0][1] != "dim" else "dim"
            self._told += [
                (place, [*(head if not number else [(" " * indent, "plain")]), (part, role)])
                for number, part in enumerate(parts)
            ]
            for note in notes:
                lines = wrapped(note, max(10, width - 6))
                self._told += [(place, [("    ", "plain"), (line, "bad")]) for line in lines]
            items.append(range(first, len(self._told)))
        self.lines.items = items
        return len(self._told)

    def _entries(
        self, counts: Mapping[str, int] | None, room: int
    ) -> Iterator[tuple[list[Span], str, list[str]]]:
        """Yield of each breakpoint what comes before it, what it says, and what is wrong with it."""
        listed = self.listed
        masked = self.moment.view.mask.text if self.moment is not None else str
        for each in listed.entries:
            reason = listed.broken.get(each.id, "")
            sign = UNICODE.breaks["broken" if reason else sign_of(each)]
            role: Role = "dim" if not each.enabled else "bad"
            hits = counts.get(each.id, 0) if counts is not None else 0
            count = plural(hits, "hit") if counts is not None and each.enabled and not reason else ""
            here = each.id == listed.hit
            head: list[Span] = [(f"{sign} ", role), (f"{each.id.ljust(room)}  ", "title" if here else "dim")]
            head.append((f"{'HALTED' if here else count}".ljust(_HITS), "warn" if here else "dim"))
            wrong = [f"can never be hit: {reason.splitlines()[0]}"] if reason else []
            yield head, masked(breakpoint_text(each)), wrong
        for id, reason in listed.damaged:
            head = [(f"{UNICODE.breaks['broken']} ", "bad"), (f"{id.ljust(room)}  ", "dim")]
            yield [*head, (" " * _HITS, "dim")], "damaged", [reason]

    def line(self, number: int) -> TextLine:
        """Build a line, after the mark of the cursor."""
        place, spans = self._told[number]
        return TextLine([(_CURSOR[number in self.lines.selected[:1]], "plain"), *spans], place)

    # Keys and mouse

    def action_add(self) -> None:
        """Ask for a new breakpoint."""
        self.post_message(self.Asked("add"))

    def action_edit(self) -> None:
        """Ask to change the breakpoint."""
        if self.selected is not None:
            self.post_message(self.Asked("edit", self.selected))

    def action_switch(self) -> None:
        """Switch the breakpoint on or off."""
        if self.selected is not None:
            self.post_message(self.Asked("switch", self.selected))

    def action_remove(self) -> None:
        """Remove the breakpoint, damaged or not."""
        ids = self._ids
        if self.lines.at < len(ids):
            self.post_message(self.Asked("remove", id=ids[self.lines.at]))

    def on_click(self, event: events.Click) -> None:
        """Select a breakpoint; on its sign, switch it; with a second click, change it."""
        place = self.lines.item_at(event.y)
        if place is None:
            return
        self.lines.select(place)
        if event.x in range(*_SIGN.indices(self.size.width)):
            self.action_switch()
        elif event.chain == 2:
            self.action_edit()

    def copied(self) -> str | None:
        """Return the breakpoint as the command line writes it."""
        if self.selected is None:
            return None
        from stepgraph.runs.debug import format_breakpoint

        return format_breakpoint(self.selected)

    def _texts(self) -> Iterable[str]:
        entries = (breakpoint_text(each) for each in self.listed.entries)
        return (*entries, *(reason for _, reason in self.listed.damaged))


class HitCounts:
    """How often a run met each breakpoint. A long run is read piece by piece, so that keys are answered."""

    def __init__(self) -> None:
        self._of: tuple[RunView, tuple[Breakpoint, ...], object] | None = None
        self._history: BreakpointHistory | None = None
        self._rows = 0  # that were read
        self._counts = Counter[str]()
        self._counted = 0

    def read(self, view: RunView, entries: tuple[Breakpoint, ...]) -> bool:
        """Read on in a run, as far as one piece.

        Returns:
            Whether there is more to read.
        """
        from stepgraph.runs.debug import BreakpointHistory, CompiledBreakpoints

        if self._of is None or self._of[0] is not view or self._of[1:] != (entries, view.plan):
            self._of = view, entries, view.plan
            self._history = BreakpointHistory(CompiledBreakpoints(entries, view.plan))
            self._rows, self._counts, self._counted = 0, Counter(), 0
        history = self._history
        assert history is not None  # it was just made  # noqa: S101
        upto = min(self._rows + _SLICE, view.version)
        if upto > self._rows:
            try:
                history.read(view.run, upto)
            except StepgraphError:  # the store is gone, which whoever looks at the run says
                return False
            self._rows = upto
        self._counts.update(hit.breakpoint.id for hit in history.hits[self._counted :])
        self._counted = len(history.hits)
        return self._rows < view.version

    def upto(self, moment: RunSnapshot) -> Mapping[str, int]:
        """Count the hits up to a moment."""
        if moment.live or self._history is None:
            return self._counts
        until = bisect_right(self._history.positions, moment.step)
        return Counter(hit.breakpoint.id for hit in self._history.hits[:until])


def _ids_of(listed: BreakList) -> list[str]:
    return [*(each.id for each in listed.entries), *(id for id, _ in listed.damaged)]
