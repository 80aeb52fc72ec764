"""The graph as it is designed: edits, undo, and what the panes show of them."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from textual import on
from textual.message import Message
from textual.reactive import var

from stepgraph.editing import Edited, EditError
from stepgraph.graphs.parts import END
from stepgraph_tui.stepping import RunStarted
from stepgraph_tui.viewing.standing import said_of_design, said_of_no_design
from stepgraph_tui.words.text import plural, visible

from .running import WorkbenchRun

if TYPE_CHECKING:
    from textual.widget import Widget

    from stepgraph.editing import Edit, Turned
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph_tui.designing import Checked, Standing
    from stepgraph_tui.viewing import Moment

Mode = Literal["design", "debug"]

_EMPTY = "There are no nodes yet: a adds the first one."


class WorkbenchDesign(WorkbenchRun):
    """A workbench in which the graph can be changed. A run that was started keeps the graph it began with."""

    mode: var[Mode] = var[Mode]("debug", init=False)
    """Whether the graph is designed, or a run of it debugged."""

    on_disk: Standing = "same"
    """How the file on disk stood at the last look."""

    renamed_meanwhile: Mapping[str, str] = {}
    """The new names of nodes that are still drawn under their old ones."""
    _told_run: str | None = None  # the run that was said to keep its own graph

    class WasChecked(Message):
        """A thread has built and checked a design."""

        def __init__(self, checked: Checked, after: Edited | Turned | None) -> None:
            super().__init__()
            self.checked = checked
            self.after = after

    def watch_mode(self, mode: Mode) -> None:
        """Show the one or the other."""
        self.graph_view.connecting = self.designing
        for pane in (self.graph_view, self.outline):
            pane.empty_hint = _EMPTY if self.designing else ""
            pane.moment = None if self.designing else self.moment
        self.header.mode = mode.upper()
        self.draw_graph()
        self.say_standing()
        self.refresh_bindings()

    @property
    def designing(self) -> bool:
        """Whether the graph is designed now."""
        return self.mode == "design"

    def action_mode(self) -> None:
        """Go over to the other mode."""
        self.mode = "debug" if self.designing else "design"
        for tab in ("node", "problems") if self.designing else ("state", "trace"):
            self.show_pane(tab, focus=False)
        self.show_pane("graph")

    @on(RunStarted)
    def _debug(self) -> None:
        self.mode = "debug"

    # Editing

    def edit(self, edit: Edit) -> Edited | None:
        """Make an edit, and show the graph as it is then.

        Returns:
            What came of it; None when it was refused, which is said.
        """
        before = self.file.design
        try:
            edited = self.file.do(edit)
        except EditError as error:
            self.tell_error(error)
            return None
        if edited.design is before:
            self.say("nothing was changed")
            return edited
        self.say(f"{visible(edited.said)}{self._run_left_alone()}")
        self._changed(edited)
        return edited

    def _run_left_alone(self) -> str:
        """A run that is not over goes on with the graph that it began with; said once of each run."""
        run = self.run
        if run is None or run.outcome or run.id == self._told_run:
            return ""
        self._told_run = run.id
        return f"; run {visible(run.id)} keeps its own graph"

    def action_undo(self) -> None:
        """Take the last edit back."""
        self._turn(self.file.undo(), "undid", "there is nothing to undo")

    def action_redo(self) -> None:
        """Make again what was taken back."""
        self._turn(self.file.redo(), "did again", "there is nothing to do again")

    def _turn(self, turned: Turned | None, said: str, nothing: str) -> None:
        if turned is None:
            self.say(nothing, "warning")
            return
        self.say(f"{said}: {visible(turned.said)}")
        self._changed(turned)

    def _changed(self, after: Edited | Turned) -> None:
        """Build and check the new design; a large one in a thread, so that keys are answered meanwhile."""
        if after.renamed is not None:
            old, new = after.renamed
            self.pause_after = frozenset(new if node == old else node for node in self.pause_after)
        if self.file.is_large:
            if after.renamed is not None:
                self.renamed_meanwhile = {**self.renamed_meanwhile, after.renamed[0]: after.renamed[1]}
            self.say_standing()
            self._check_in_thread(after)
        else:
            self._take(self.file.check(), after)

    def _check_in_thread(self, after: Edited | Turned | None) -> None:
        check = self.file.checking()

        def work() -> None:
            checked = check()
            if after is None:  # a large graph lives long: no need to go through it again and again
                gc.collect()
                gc.freeze()
            self.post_message(self.WasChecked(checked, after))

        # A thread at work would hold up the frame that answers the key.
        self.call_after_refresh(lambda: self.run_worker(work, thread=True, group="checking"))

    @on(WasChecked)
    def _was_checked(self, message: WasChecked) -> None:
        self._take(message.checked, message.after)

    def _take(self, checked: Checked, after: Edited | Turned | None) -> None:
        if not self.file.take(checked):
            return  # it was edited again meanwhile
        renamed = dict([after.renamed]) if after is not None and after.renamed is not None else {}
        self.show_file({**self.renamed_meanwhile, **renamed})
        self.renamed_meanwhile = {}
        edge = after.edge if isinstance(after, Edited) else None
        if after is not None and (after.node is not None or edge is not None):
            self.select(END if after.node == "END" else after.node, edge)

    # What is shown

    def show_file(self, renamed: Mapping[str, str] = {}) -> None:
        """Show the graph and its problems as they are now; a large graph that was just read comes later."""
        if self.file.readable and not self.file.is_taken:
            self._check_in_thread(None)
            self.say_standing()
        else:
            super().show_file(renamed)

    def select(self, node: str | None, edge: int | None = None, told_by: Widget | None = None) -> None:
        """The NEXT line tells what can be done with it."""
        super().select(node, edge, told_by)
        if self.designing:
            self.say_standing()

    def shown_graph(self) -> tuple[StateGraph | CompiledGraph | None, object]:
        """In Design always the graph of the file."""
        return (self.file.graph, self.file.graph) if self.designing else super().shown_graph()

    def watch_moment(self, moment: Moment | None) -> None:
        """In Design the graph has no marks of a run."""
        super().watch_moment(moment)
        if self.designing:
            self.graph_view.moment = self.outline.moment = None

    def say_standing(self) -> None:
        """The header tells edits that are not saved; in Design the NEXT line tells what can be done."""
        super().say_standing()
        file, header = self.file, self.header
        if file.is_dirty:
            header.graph += " *"
        if file.readable and file.graph is None:
            self.next_line.what = "READS"
            self.next_line.text = f"building and checking {plural(len(file.design.nodes), 'node')}"
            return
        if not self.designing:
            return
        header.standing = self._file_standing()
        header.run_id, header.step, header.max_steps, header.scripted = "", 0, 0, ""
        graph = self.graph_view
        said = (
            said_of_design(file.design.nodes, graph.selected, graph.selected_edge, file.errors)
            if file.readable
            else said_of_no_design(file.path, file.line_of(()))
        )
        self.next_line.what, self.next_line.text, self.next_line.twin = said.word, said.text, ""

    def _file_standing(self) -> str:
        """How the file stands, in one or two words."""
        file = self.file
        if file.path is None:
            return "NO FILE"
        if not file.readable:
            return "CANNOT BE READ"
        on_disk = {"changed": "CHANGED ON DISK", "gone": "NOT ON DISK"}
        return on_disk.get(self.on_disk, "MODIFIED" if file.is_dirty else "SAVED")
