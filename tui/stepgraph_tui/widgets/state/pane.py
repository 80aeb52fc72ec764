"""The pane with the state of a run: what a step changed, or all of the state after it or before it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.errors import StepgraphError
from stepgraph.json_values import Json, dumps
from stepgraph.state import StateKey
from stepgraph_tui.commands import STATE, bindings
from stepgraph_tui.viewing import Moment
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.lines import COMPONENTS, LineView, Search, TextLine, wrapped
from stepgraph_tui.words.state_diff import changes
from stepgraph_tui.words.text import visible

from .folding import Branches
from .history import heading, last_written, writer_text
from .row import Path, StateRow, fold_cells, row_spans, spelling
from .tree import StateTree
from .views import ChangedValues, DeclaredKeys, StateView, UnreadableState, WholeState

if TYPE_CHECKING:
    from stepgraph.ledger import Row as LedgerRow

Mode = Literal["diff", "after", "before"]
_MODES: tuple[Mode, ...] = ("diff", "after", "before")
_NO_KEYS: Mapping[str, StateKey] = MappingProxyType({})
_ROOMY, _TINY = 10, 6  # lines from which the foot has two lines and a blank one, and one at all
_MOST = 5  # lines of the foot where the rows leave room for them


class StatePane(Pane, inherit_bindings=False):
    """The state of a run as a tree; before there is a run, the keys that the graph declares."""

    BINDINGS = bindings(STATE)
    COMPONENT_CLASSES = COMPONENTS
    DEFAULT_CSS = """
    StatePane {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .line--found, & > .line--here { color: $text-warning; }
    }
    """

    @dataclass
    class WriterAsked(Message):
        """A step is to be viewed: the one that last wrote the selected key, 0 for the start."""

        step: int

    @dataclass
    class WholeAsked(Message):
        """A value is to be shown in full."""

        title: str
        value: Json

    @dataclass
    class Told(Message):
        """A word for the person, about what a key did or could not do."""

        text: str

    lines: LineView
    search: Search
    mode: var[Mode] = var[Mode]("diff")
    """What is shown of a moment."""
    keys: var[Mapping[str, StateKey]] = var[Mapping[str, StateKey]](_NO_KEYS)
    """What the graph declares, shown while there is no run."""

    _read: Moment | None = None  # the moment that is shown; ``moment`` runs ahead while the pane is hidden

    def __init__(self) -> None:
        super().__init__()
        self.values = StateTree()
        self.lines = LineView(self, self, frame=self._frame, keep=lambda: self.lines.select(self.lines.at))
        self.lines.search = self.search = Search(self._texts, self._searched_at, self._show_match)

    def on_mount(self) -> None:
        """Show something from the first."""
        self._look(keep=False)

    def show(self, moment: Moment | None) -> None:
        """Show a moment. A cursor on the first change goes to the first change of the other moment."""
        keep = self.mode != "diff" or self.lines.at > 0
        self._read = moment
        self._look(keep=keep)
        self.refresh_bindings()

    def watch_mode(self) -> None:
        """Show the moment in the other way."""
        if self.is_mounted:
            self._look()

    def watch_keys(self) -> None:
        """Show other declared keys."""
        if self.is_mounted and self._read is None:
            self._look()

    def _look(self, keep: bool = True) -> None:
        """Show what is to be seen; the cursor stays with its value, or goes to the first one."""
        self.inform(self.mode if self._read is not None else "")
        try:
            self.values.view = self._viewed()
        except StepgraphError as error:
            self.values.view = UnreadableState(visible(str(error)))
        self.search.renew()
        row, at = self.row, self.lines.selected.start
        self.values.read()
        self._arrange(self.values.place_of(row, at) if keep and row is not None else 0)

    def _viewed(self) -> StateView:
        moment = self._read
        if moment is None:
            return DeclaredKeys(self.keys)
        declared = moment.view.plan.keys
        branches = Branches(self.values.folding, declared)
        if self.mode == "diff":
            return ChangedValues(branches, list(changes(moment.before, moment.after)), moment.after)
        if self.mode == "before":
            return WholeState(branches, moment.before)
        return WholeState(branches, moment.after, [name for name in declared if name not in moment.after])

    def _arrange(self, at: int) -> None:
        """Show the rows that there are now, with the cursor on this one, or the next where it can be."""
        stops = [number for number, row in enumerate(self.values.rows) if row.selectable]
        self.lines.items = [range(number, number + 1) for number in stops]
        self.lines.at = max(0, min(bisect_left(stops, at), len(stops) - 1))
        self.lines.arrange()

    # The lines

    def fit(self, width: int, height: int) -> int:
        """Count the rows; each is written in what room there is."""
        return len(self.values.rows)

    def line(self, number: int) -> TextLine:
        """A row of the state."""
        row = self.values.rows[number]
        return TextLine(row_spans(row, self.lines.width, self._signed), -1 if row.kind == "value" else None)

    @property
    def _signed(self) -> bool:
        """Whether there is a column for the signs of changes."""
        return self._read is not None and self.mode == "diff"

    def _frame(self) -> tuple[list[TextLine], list[TextLine]]:
        """Which state it is, above the rows; and below them what there is to say of the selected one."""
        height, rows = self.size.height, len(self.values.rows)
        above = 2 if height >= _ROOMY else int(height >= 3)
        below = max(3, min(_MOST, height - above - rows)) if height >= _ROOMY else int(height >= _TINY)
        said, name = heading(self._read, before=self.mode == "before")
        head = [TextLine([(f" {said}  ", "dim"), (name, "title")]), TextLine()]
        foot = [""] * (below > 1)  # a line that keeps it apart from the rows
        for sentence in self._said_of_key():
            room = below - len(foot)
            lines = wrapped(sentence, self.lines.width - 4)
            if len(lines) > room > 0:
                lines[room - 1] += " …"
            foot += lines[:room]
        foot += [""] * (max(below, height - above - rows) - len(foot))
        return head[:above], [TextLine([(f"   {line}", "dim")]) for line in foot]

    def _said_of_key(self) -> list[str]:
        """Who wrote the selected key last, and what the graph says of it."""
        if self._key is None:
            return []
        moment = self._read
        key = (self.keys if moment is None else moment.view.plan.keys).get(self._key)
        said = [writer_text(self._writer, self._key)] if moment is not None else []
        return said + ([visible(key.note)] if key is not None and key.note else [])

    # What the cursor is on

    @property
    def row(self) -> StateRow | None:
        """The row with the cursor."""
        lines = self.lines.selected
        return self.values.rows[lines.start] if lines else None

    @property
    def _path(self) -> Path | None:
        """Where the cursor is in the state, if it is on a value."""
        return self.row.path if self.row is not None and self.row.kind == "value" else None

    @property
    def _key(self) -> str | None:
        """The top-level key that the cursor is in."""
        return str(self._path[0]) if self._path is not None else None

    @property
    def _writer(self) -> LedgerRow | None:
        if self._read is None or self._key is None:
            return None
        return last_written(self._read, self._key, before=self.mode == "before")

    def copied(self) -> str | None:
        """The selected value as JSON."""
        row = self.row
        return dumps(row.value) if row is not None and row.has_value else None

    def copied_path(self) -> str | None:
        """Its path, as conditions write it."""
        return spelling(self._path) if self._path is not None else None

    # Moving and folding

    def action_cursor_down(self) -> None:
        """Go to the next row."""
        self.lines.select(self.lines.at + 1)

    def action_cursor_up(self) -> None:
        """Go to the row before."""
        self.lines.select(self.lines.at - 1)

    def action_first(self) -> None:
        """Go to the first row."""
        self.lines.select(0)

    def action_last(self) -> None:
        """Go to the last row."""
        self.lines.select(inf)

    def action_page(self, by: int) -> None:
        """Go down (1) or up (-1) by as many rows as are seen."""
        self.lines.select_page(by)

    def action_fold(self) -> None:
        """Fold the value; where there is nothing to fold, go to what the value is in."""
        row = self.row
        if row is not None and row.folds and row.open:
            self._unfold(row, False)
        elif row is not None:
            around = self.values.around(self.lines.selected.start)
            if around is not None:
                self._go_to(around)

    def action_unfold(self) -> None:
        """Unfold the value or the gap; go into what is unfolded already."""
        row = self.row
        if row is not None and row.folds and row.open:
            self.action_cursor_down()
        elif row is not None:
            self._unfold(row, True)

    def action_toggle_fold(self) -> None:
        """Fold or unfold the value; unfold the gap."""
        if self.row is not None:
            self._unfold(self.row, not self.row.open)

    def _unfold(self, row: StateRow, opened: bool) -> None:
        at = self.lines.selected.start
        self.values.unfold(row, opened)
        self._arrange(self.values.place_of(row, at))

    def _go_to(self, number: int) -> None:
        """Put the cursor on a row."""
        self.lines.select(bisect_left(self.lines.items, number, key=lambda lines: lines.start))

    # What else the keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a run there are no values: nothing to show in full, and nobody who wrote it."""
        return self._read is not None or action not in ("mode", "writer", "whole")

    def action_mode(self) -> None:
        """Show what changed, then the state after, then the one before."""
        self.mode = _MODES[(_MODES.index(self.mode) + 1) % len(_MODES)]

    def action_writer(self) -> None:
        """View the step that last wrote the selected key, and say who did."""
        if self._key is None:
            self.post_message(self.Told("no value is selected"))
            return
        writer = self._writer
        self.post_message(self.Told(writer_text(writer, self._key)))
        if writer is not None and writer.kind in ("start", "step"):
            self.post_message(self.WriterAsked(writer.step))

    def action_whole(self) -> None:
        """Show the whole value; of anything else, what is inside."""
        row = self.row
        if row is None:
            return
        if row.kind != "value":
            self.action_toggle_fold()
        elif not row.has_value:
            self.post_message(self.Told(f"{row.name} has no value yet"))
        else:
            self.post_message(self.WholeAsked(self.copied_path() or "", row.value))

    def on_click(self, event: events.Click) -> None:
        """Select a row; on its mark, fold or unfold it; with a second click, show the whole value."""
        item = self.lines.item_at(event.y)
        if item is None:
            return
        self.lines.select(item)
        if self.row is not None and event.x in fold_cells(self.row, self.lines.width, self._signed):
            self.action_toggle_fold()
        elif event.chain == 2 and self._read is not None:
            self.action_whole()

    # Searching

    def _texts(self) -> list[str]:
        texts = self.values.texts()
        self.search.partly = not self.values.searched_all
        return texts

    def _searched_at(self) -> int:
        """Where among the searched values the cursor is."""
        paths = self.values.paths
        return paths.index(self._path) if self._path in paths else 0

    def _show_match(self, place: int | None) -> None:
        """Unfold what hides a match, and go there."""
        found = self.values.reveal(self.values.paths[place]) if place is not None else None
        if found is not None:
            self._arrange(found)
        self.lines.repaint()
