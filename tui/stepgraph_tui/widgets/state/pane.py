"""The pane with the state of a run: what a step changed, or all of the state after it or before it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.expressions import MISSING, Missing, Path, path_text, value_at
from stepgraph.runs import MASK
from stepgraph.stores import is_big
from stepgraph.values import Json, StateKey, StepgraphError, dumps

from ...commands import bindings
from ...run_view import RunSnapshot
from ...status_text import RunningNode
from ...text.conversation import conversation_of, first_conversation
from ...text.versions import versions_of, writer, written_at
from ..chrome.pane import Pane
from ..lines import LineView, Margins, TextLine, wrapped
from .rows import DeclaredKeys, Mode, StateRow, UnreadableState, fold_cells, name_of, view_of
from .tree import StateTree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stepgraph.stores import Row as LedgerRow

    from ...run_view import RunView


def heading(moment: RunSnapshot | None, before: bool) -> tuple[str, str]:
    """Describe which state it is, and the name of the step's node: ``after step 4``, ``amount_check``."""
    if moment is None:
        return "no run yet: the state will hold", ""
    record = moment.record
    if record is None:
        return ("before the start" if before else "at the start"), ""
    edited = not before and moment.live and any(row.updates for row in moment.view.rows[record.row.seq :])
    name = f"{record.node}{', then an edit' if edited else ''}"
    return f"{'before' if before else 'after'} step {moment.step}", name


def last_written(moment: RunSnapshot, key: str, before: bool) -> LedgerRow | None:
    """Find the ledger's row that last changed a top-level key; None when none did, as far as is known.

    Args:
        moment: What is looked at.
        key: A key of the state.
        before: Whether the state before the moment's step is meant.
    """
    return moment.view.last_written(key, rows_until(moment, before))


def rows_until(moment: RunSnapshot, before: bool) -> int:
    """Count how many rows of the ledger make up the state that is looked at."""
    view = moment.view
    if not before and moment.live:
        return len(view.rows)
    if before and moment.step == 0:
        return 0
    record = view.record(moment.step)
    return record.row.seq - before if record is not None else 1


def writer_text(row: LedgerRow | None, key: str) -> str:
    """Describe who wrote a key, in a sentence; ``row`` is what ``last_written`` found."""
    name = name_of(key)
    if row is None:
        return f"{name} has no value yet"
    removed = (row.updates or {}).get(key) is None and (row.ops or {}).get(key) in (None, "remove")
    words = writer(row, "removed" if removed else "written")
    return f"{name} was {words}"


def key_texts(key: str, declared: StateKey | None, moment: RunSnapshot | None, before: bool) -> list[str]:
    """Describe who wrote a key last, and what the graph says of it, each in a sentence."""
    texts = []
    if moment is not None:
        texts.append(writer_text(last_written(moment, key, before), key))
    if declared is not None and declared.note:
        note = declared.note
        texts.append(note if moment is None else moment.view.mask.text(note))
    return texts


class ValueVersions:
    """The rows of a run that changed a value. A state is read when a version of it is looked at.

    Args:
        view: The run.
        path: Where the value is.
    """

    def __init__(self, view: RunView, path: Path) -> None:
        self._view, self._path = view, path
        self.rows = versions_of(view.rows, path)
        """What wrote each version, in order."""

    def __len__(self) -> int:
        return len(self.rows)

    def until(self, seq: int) -> int:
        """Count the versions that were written up to a row of the ledger."""
        return bisect_right(self.rows, seq, key=lambda row: row.seq)

    def last_written(self, upto: int) -> int | None:
        """Find the last version up to a row of the ledger after which there is a value, else the next one."""
        at = self.until(upto)
        versions: Iterable[int] = (*reversed(range(at)), *range(at, len(self)))
        return next((each for each in versions if self.values(each)[1] is not MISSING), None)

    def values(self, version: int) -> tuple[Json | Missing, Json | Missing]:
        """Read the masked value before and after a version was written.

        Raises:
            StoreError: The store cannot be read.
        """
        seq, view = self.rows[version].seq, self._view
        before = value_at(view.state_at(seq - 1), self._path) if seq > 1 else MISSING
        return before, value_at(view.state_at(seq), self._path)

    def words(self, version: int) -> str:
        """Describe which version it is, of how many, who wrote it, and when."""
        return f"{version + 1:,} of {len(self):,}: {written_at(self.rows[version])}"


_MODES: tuple[Mode, ...] = ("diff", "after", "before")
_ROOMY, _TINY = 10, 6  # lines from which the foot has two lines and a blank one, and one at all
_MOST = 5  # lines of the foot where the rows leave room for them


class StatePane(Pane, inherit_bindings=False):
    """The state of a run as a tree; before there is a run, the keys that the graph declares."""

    BINDINGS = bindings("state")
    DEFAULT_CSS = """
    StatePane {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    @dataclass
    class WriterAsked(Message):
        """A step is to be viewed: the one that last wrote the selected value; None where the run stands."""

        step: int | None

    @dataclass
    class WholeAsked(Message):
        """A value is to be shown in full."""

        title: str
        value: Json
        versions: tuple[ValueVersions, int] | None = None
        """The versions of the value in the run, and which of them it is."""
        changed: bool = False
        """Whether the step that is looked at changed it."""

    @dataclass
    class ChatAsked(Message):
        """A list of messages is to be shown as a conversation."""

        path: Path

    @dataclass
    class BreakAsked(Message):
        """A run is to halt when a part of the state changes, or becomes a value."""

        path: str
        """The part, as conditions write it."""
        values: tuple[Json, ...] = ()
        """The value; none for any change."""

    @dataclass
    class WatchAsked(Message):
        """The selected value is to be watched."""

        text: str

    @dataclass
    class EditAsked(Message):
        """A value is to be edited; the whole state when there is no path."""

        path: Path | None

    @dataclass
    class Told(Message):
        """A word for the person, about what a key did or could not do."""

        text: str

    lines: LineView
    mode: var[Mode] = var[Mode]("diff")
    """What is shown of a moment."""
    keys: var[Mapping[str, StateKey] | None] = var[Mapping[str, StateKey] | None](None)
    """What the graph declares, shown while there is no run; None without a graph."""

    running: var[RunningNode | None] = var[RunningNode | None](None, init=False)
    """The node that runs now: what a model answers it will come into the state."""

    _read: RunSnapshot | None = (
        None  # the moment that is shown; ``moment`` runs ahead while the pane is hidden
    )

    def __init__(self) -> None:
        super().__init__()
        self._wanted: Path | None = None  # the value to go to in the moment that was asked for
        self._coming: list[str] = []  # what a model is answering
        self.values = StateTree(self, self._margins)
        self.lines, self.search = self.values.lines, self.values.search

    # What is shown

    def on_mount(self) -> None:
        """Show something from the first."""
        self._look(keep=False)

    def show(self, moment: RunSnapshot | None) -> None:
        """Show a moment: after a step its changes, else what the cursor was on, there."""
        before, self._read = self._read, moment
        was = (before.view.run_id, before.version) if before is not None else None
        moved_on = moment is not None and moment.live and was != (moment.view.run_id, moment.version)
        self._look(keep=self.mode != "diff" or (self.lines.at > 0 and not moved_on))
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.values.go_to(wanted)
        self.refresh_bindings()

    def watch_running(self) -> None:
        """Show the words that come, below the state in which they will be."""
        moment, running, before, self._coming = self._read, self.running, self._coming, []
        if running is not None and moment is not None and moment.live:
            self._coming = running.coming(moment.view.mask.text, _MOST - 2, self.lines.width - 4)
        if self._coming != before:
            self.lines.arrange()

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
        moment = self._read
        self.inform(self.mode if moment is not None else "")
        self.values.signed = moment is not None and self.mode == "diff"
        try:
            view = view_of(moment, self.mode, self.values.folding) if moment else DeclaredKeys(self.keys)
        except StepgraphError as error:
            view = UnreadableState(str(error))
        self.values.show(view, keep=keep)

    def _margins(self) -> Margins:
        """Name the state above the rows; and below them what there is to say of the selected one."""
        height, rows, before = self.size.height, len(self.values.rows), self.mode == "before"
        above = 2 if height >= _ROOMY else int(height >= 3)
        below = max(3, min(_MOST, height - above - rows)) if height >= _ROOMY else int(height >= _TINY)
        when, name = heading(self._read, before)
        head = [TextLine([(f" {when}  ", "dim"), (name, "title")]), TextLine()]
        foot = [""] * (below > 1)  # a line that keeps it apart from the rows
        key = self._key
        declared = (self.keys or {}) if self._read is None else self._read.view.plan.keys
        texts = key_texts(key, declared.get(key), self._read, before) if key is not None else ()
        if self._coming:
            asked, *words = self._coming  # in place of the words about the selected row
            texts = [asked, *words[len(foot) + 1 - below :]] if below > len(foot) + 1 else [asked]
        for sentence in texts:
            room = below - len(foot)
            lines = wrapped(sentence, self.lines.width - 4)
            if len(lines) > room > 0:
                lines[room - 1] += " …"
            foot += lines[:room]
        foot += [""] * (max(below, height - above - rows) - len(foot))
        return head[:above], [TextLine([(f"   {line}", "dim")]) for line in foot]

    @property
    def _key(self) -> str | None:
        """The top-level key that the cursor is in."""
        path = self.values.path
        return str(path[0]) if path is not None else None

    @property
    def _whole_row(self) -> StateRow | None:
        """The selected row, with what is big of it loaded; None where there is none, or it cannot be."""
        row, moment = self.values.row, self._read
        big = [value for value in (row.old, row.value) if is_big(value)] if row else []
        if not big or moment is None:
            return row
        try:
            for value in big:
                moment.view.outlines.open(value)
        except StepgraphError as error:
            self.post_message(self.Told(str(error)))
            return None
        self._look()
        return self.values.row

    def copied(self) -> str | None:
        """Return the selected value as JSON."""
        row = self._whole_row
        return dumps(row.value) if row is not None and row.has_value else None

    def copied_path(self) -> str | None:
        """Return its path, as conditions write it."""
        path = self.values.path
        return path_text(path) if path is not None else None

    # Moving and folding

    def action_fold(self) -> None:
        """Fold the value; where there is nothing to fold, go to what the value is in."""
        self.values.fold()

    def action_unfold(self) -> None:
        """Unfold the value or the gap; go into what is unfolded already."""
        if self._whole_row is not None:
            self.values.unfold()

    def action_toggle_fold(self) -> None:
        """Fold or unfold the value; unfold the gap."""
        if self._whole_row is not None:
            self.values.toggle()

    # What else the keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a run there are no values: nothing to show in full, and nobody who wrote it."""
        return self._read is not None or action not in (
            "mode",
            "writer",
            "whole",
            "edit",
            "edit_whole",
        )

    def action_mode(self) -> None:
        """Show what changed, then the state after, then the one before, then a conversation that is in it."""
        chat = first_conversation(self._read.around()[1]) if self._read and self.mode == _MODES[-1] else None
        self.mode = _MODES[(_MODES.index(self.mode) + 1) % len(_MODES)]
        if chat is not None:
            self.post_message(self.ChatAsked((chat,)))

    def action_writer(self) -> None:
        """View the step that last wrote the selected value, with the cursor on it, and say who did."""
        path, moment = self.values.path, self._read
        if path is None or moment is None:
            self.post_message(self.Told("no value is selected"))
            return
        versions = ValueVersions(moment.view, path)
        try:
            version = versions.last_written(rows_until(moment, before=self.mode == "before"))
        except StepgraphError as error:
            self.post_message(self.Told(str(error)))
            return
        if version is None:
            self.post_message(self.Told(f"{path_text(path)} has no value yet"))
            return
        row = versions.rows[version]
        self.post_message(self.Told(f"{path_text(path)} was {writer(row)}"))
        self._wanted = path
        if self.mode == "before":
            self.mode = "diff"
        # What was written between two steps is first seen by the step that came then.
        step: int | None = row.step if row.kind in ("start", "step") else row.step + 1
        if step is not None and step > moment.view.run.step:
            step = None
        if moment.live if step is None else step == moment.step:
            self.show(moment)
        else:
            self.post_message(self.WriterAsked(step))

    def action_break(self, kind: Literal["becomes", "changes"]) -> None:
        """Ask for a breakpoint on the selected value: on any change, or when it becomes what it is here."""
        row, moment = self._whole_row if kind == "becomes" else self.values.row, self._read
        if row is None or row.kind != "value":
            self.post_message(self.Told("no value is selected"))
        elif kind == "changes":
            self.post_message(self.BreakAsked(path_text(row.path)))
        elif not row.has_value or moment is None:
            self.post_message(self.Told(f"{path_text(row.path)} has no value yet"))
        elif MASK in dumps(row.value):
            self.post_message(self.Told(f"{path_text(row.path)} is secret: break on its change instead"))
        else:
            self.post_message(self.BreakAsked(path_text(row.path), (row.value,)))

    def action_watch_value(self) -> None:
        """Watch the selected value, by its path."""
        path = self.values.path
        if path is None:
            self.post_message(self.Told("no value is selected"))
        else:
            self.post_message(self.WatchAsked(path_text(path)))

    def action_edit(self) -> None:
        """Edit the selected value."""
        path = self.values.path
        self.post_message(self.EditAsked(path) if path is not None else self.Told("no value is selected"))

    def action_edit_whole(self) -> None:
        """Edit the whole state."""
        self.post_message(self.EditAsked(None))

    def action_whole(self) -> None:
        """Show the whole value; of anything else, what is inside."""
        row = self._whole_row
        if row is None:
            return
        if row.kind != "value":
            self.action_toggle_fold()
        elif not row.has_value:
            self.post_message(self.Told(f"{row.name} has no value yet"))
        elif conversation_of(row.value):
            self.post_message(self.ChatAsked(row.path))
        else:
            self._ask_whole(row.path, row.value, changed=bool(row.sign))

    def _ask_whole(self, path: Path, value: Json, *, changed: bool) -> None:
        moment, version = self._read, None
        if moment is not None:
            versions = ValueVersions(moment.view, path)
            until = versions.until(rows_until(moment, before=self.mode == "before"))
            version = (versions, until - 1) if until else None
        self.post_message(self.WholeAsked(path_text(path), value, version, changed))

    def show_whole(self, path: Path) -> None:
        """Show the value at a path in full, with what changed in it."""
        value = value_at(self.moment.around()[1], path) if self.moment is not None else MISSING
        if not isinstance(value, Missing):
            self._read = self.moment
            self._ask_whole(path, value, changed=True)

    def on_click(self, event: events.Click) -> None:
        """Select a row; on its mark, fold or unfold it; with a second click, show the whole value."""
        item = self.lines.item_at(event.y)
        if item is None:
            return
        self.lines.select(item)
        row = self.values.row
        if row is not None and event.x in fold_cells(row, self.lines.width, self.values.signed):
            self.action_toggle_fold()
        elif event.chain == 2 and self._read is not None:
            self.action_whole()
