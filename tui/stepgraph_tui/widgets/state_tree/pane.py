"""The pane with the state of a run: what a step changed, or all of the state after it or before it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.values.errors import StepgraphError
from stepgraph.values.json_values import Json, dumps
from stepgraph.values.state import StateKey
from stepgraph_tui.commands import STATE, bindings
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.words.state_diff import changes
from stepgraph_tui.words.text import visible

from .branches import Branches
from .history import heading, last_written, told
from .painting import fold_cells
from .row import spelling
from .tree import StateTree
from .views import Changed, Declared, Unreadable, View, Whole

if TYPE_CHECKING:
    from stepgraph.stores.ledger import Row as LedgerRow

Mode = Literal["diff", "after", "before"]
_MODES: tuple[Mode, ...] = ("diff", "after", "before")
_NO_KEYS: Mapping[str, StateKey] = MappingProxyType({})


class StatePane(StateTree, inherit_bindings=False):
    """The state of a run as a tree; before there is a run, the keys that the graph declares."""

    BINDINGS = bindings(STATE)

    class WriterAsked(Message):
        """A step is to be viewed: the one that last wrote the selected key, 0 for the start."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class WholeAsked(Message):
        """A value is to be shown in full."""

        def __init__(self, title: str, value: Json) -> None:
            super().__init__()
            self.title = title
            self.value = value

    class Told(Message):
        """A word for the person, about what a key did or could not do."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    mode: var[Mode] = var[Mode]("diff")
    """What is shown of a moment."""
    keys: var[Mapping[str, StateKey]] = var[Mapping[str, StateKey]](_NO_KEYS)
    """What the graph declares, shown while there is no run."""

    _read: RunSnapshot | None = (
        None  # the moment that is shown; ``moment`` runs ahead while the pane is hidden
    )

    def on_mount(self) -> None:
        """Show something from the first."""
        self._look(keep=False)

    def show(self, moment: RunSnapshot | None) -> None:
        """Show a moment. A cursor on the first change goes to the first change of the other moment."""
        keep = self.mode != "diff" or not self.at_top
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
        self.signed = self._read is not None and self.mode == "diff"
        self.inform(self.mode if self._read is not None else "")
        try:
            view = self._viewed()
        except StepgraphError as error:
            view = Unreadable(visible(str(error)))
        self.look_at(view, keep=keep)

    def _viewed(self) -> View:
        moment = self._read
        if moment is None:
            return Declared(self.keys)
        declared = moment.view.plan.keys
        branches = Branches(self.folding, declared)
        if self.mode == "diff":
            return Changed(branches, list(changes(moment.before, moment.after)), moment.after)
        if self.mode == "before":
            return Whole(branches, moment.before)
        return Whole(branches, moment.after, [name for name in declared if name not in moment.after])

    def head(self) -> tuple[str, str]:
        """Which state it is."""
        return heading(self._read, before=self.mode == "before")

    def foot(self) -> list[str]:
        """Who wrote the selected key last, and what the graph says of it."""
        if self._key is None:
            return []
        moment = self._read
        key = (self.keys if moment is None else moment.view.plan.keys).get(self._key)
        said = [told(self._writer, self._key)] if moment is not None else []
        return said + ([visible(key.note)] if key is not None and key.note else [])

    @property
    def _key(self) -> str | None:
        """The top-level key that the cursor is in."""
        return str(self._path[0]) if self._path is not None else None

    @property
    def _writer(self) -> LedgerRow | None:
        if self._read is None or self._key is None:
            return None
        return last_written(self._read, self._key, before=self.mode == "before")

    # What the keys do

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
        self.post_message(self.Told(told(writer, self._key)))
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
        index = self.row_at(event.y)
        if index is None or not self._rows[index].selectable:
            return
        self.move_to(index)
        if event.x in fold_cells(self._rows[index], self.width, self.signed):
            self.action_toggle_fold()
        elif event.chain == 2 and self._read is not None:
            self.action_whole()

    def copied(self) -> str | None:
        """The selected value as JSON."""
        row = self.row
        return dumps(row.value) if row is not None and row.has_value else None

    def copied_path(self) -> str | None:
        """Its path, as conditions write it."""
        return spelling(self._path) if self._path is not None else None
