"""The graph as it is designed: edits, undo, and what the panes show of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual import on
from textual.message import Message
from textual.reactive import var

from stepgraph.editing import EditError
from stepgraph.graph_parts import END
from stepgraph_tui.stepping import RunStarted
from stepgraph_tui.viewing.standing import said_of_design
from stepgraph_tui.words.text import visible

from .running import WorkbenchRun

if TYPE_CHECKING:
    from stepgraph.editing import Edit, Edited, Turned
    from stepgraph_tui.designing import Checked

Mode = Literal["design", "debug"]

_SMALL = 300  # parts of a graph that is checked and drawn at once; larger ones in a thread


class WorkbenchDesign(WorkbenchRun):
    """A workbench in which the graph can be changed. A run that was started keeps the graph it began with."""

    mode: var[Mode] = var[Mode]("debug", init=False)
    """Whether the graph is designed, or a run of it debugged."""

    class WasChecked(Message):
        """A thread has built and checked a design."""

        def __init__(self, checked: Checked, after: Edited | Turned | None) -> None:
            super().__init__()
            self.checked = checked
            self.after = after

    def watch_mode(self, mode: Mode) -> None:
        """Show the one or the other."""
        designing = mode == "design"
        self.graph_view.connecting = designing
        for pane in (self.graph_view, self.outline):
            pane.moment = None if designing else self.moment
        self.header.mode = mode.upper()
        self._drawn = None
        self.show_graph()
        self.refresh_bindings()

    @property
    def designing(self) -> bool:
        """Whether the graph is designed now."""
        return self.mode == "design"

    @on(RunStarted)
    def _debug(self) -> None:
        self.mode = "debug"

    # Editing

    def edit(self, edit: Edit) -> Edited | None:
        """Make an edit, and show the graph as it is then.

        Returns:
            What came of it; None when it was refused, which is said.
        """
        try:
            edited = self.file.do(edit)
        except EditError as error:
            self.tell_error(error)
            return None
        self.say(f"{edited.said}{self._left_alone()}")
        self._changed(edited)
        return edited

    def _left_alone(self) -> str:
        """A run that goes on does so with the graph that it began with."""
        view = self.view
        going = view is not None and view.run.outcome is None
        return f"; run {visible(view.run.id)} keeps its own graph" if view is not None and going else ""

    def action_undo(self) -> None:
        """Take the last edit back."""
        self._turn(self.file.undo(), "undid", "nothing to undo")

    def action_redo(self) -> None:
        """Make again what was taken back."""
        self._turn(self.file.redo(), "did again", "nothing to redo")

    def _turn(self, turned: Turned | None, said: str, nothing: str) -> None:
        if turned is None:
            self.say(nothing, "warning")
            return
        self.say(f"{said}: {turned.said}")
        self._changed(turned)

    def _changed(self, after: Edited | Turned) -> None:
        """Build and check the new design; a large one in a thread, so that keys are answered meanwhile."""
        self.show_mode()
        if len(self.file.design.parts) <= _SMALL:
            self._take(self.file.check(), after)
            return
        check = self.file.checking()
        self.run_worker(
            lambda: self.post_message(self.WasChecked(check(), after)), thread=True, group="checking"
        )

    @on(WasChecked)
    def _was_checked(self, message: WasChecked) -> None:
        self._take(message.checked, message.after)

    def _take(self, checked: Checked, after: Edited | Turned | None) -> None:
        if not self.file.take(checked):
            return  # it was edited again meanwhile
        renamed = after.renamed if after is not None else None
        self.draw_again(dict([renamed]) if renamed is not None else {})
        node = getattr(after, "node", None)
        edge = getattr(after, "edge", None)
        if node is not None or edge is not None:
            self.select(END if node == "END" else node, edge)

    def show_mode(self) -> None:
        """Header and NEXT line."""
        self.say_standing()

    def say_standing(self) -> None:
        """In Design the header says whether the file is as it is here, and the NEXT line what can be done."""
        super().say_standing()
        if self.file.is_dirty:
            self.header.graph = f"{self.header.graph} *"
        if not self.designing:
            return
        header, graph = self.header, self.graph_view
        header.standing = "MODIFIED" if self.file.is_dirty else "SAVED"
        header.run_id, header.max_steps, header.scripted = "", 0, ""
        said = said_of_design(self.file, graph.selected, graph.selected_edge)
        self.next_line.what, self.next_line.text, self.next_line.twin = said.word, said.text, ""
