"""The forms of Design, and going from problem to problem: what changes more than one thing at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from stepgraph.editing.declaring import EditKey, EditTool
from stepgraph.editing.fixes import fix_for
from stepgraph.graph_parts import END
from stepgraph_tui.dialogs.design import DeclaredDialog, EdgeForm, NodeForm, SettingsForm
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.viewing.matching import Matching
from stepgraph_tui.viewing.names_for import names_for
from stepgraph_tui.widgets.graph_view import GraphPane
from stepgraph_tui.words.text import visible

from .filing import WorkbenchFile

if TYPE_CHECKING:
    from stepgraph.editing import Edit
    from stepgraph.json_values import Json


class WorkbenchForms(WorkbenchFile):
    """A workbench with the forms of Design, and with quick fixes."""

    # What is selected

    @property
    def node(self) -> str | None:
        """The selected node as files write it: END too."""
        node = self.graph_view.selected
        return "END" if node == END else self.renamed_meanwhile.get(node or "", node)

    def chosen(self) -> list[str]:
        """The marked nodes in the order of the file, else the selected one."""
        marked = self.graph_view.marked
        if marked:
            return [name for name in self.file.design.nodes if name in marked]
        return [self.node] if self.node in self.file.design.nodes and self.node is not None else []

    def one_node(self) -> str | None:
        """The selected node; None, and a word about it, where there is none."""
        node = self.node
        if node is None or node not in self.file.design.nodes:
            self.say("select a node in the graph first", "warning")
            return None
        return node

    @property
    def draws(self) -> bool:
        """Whether the keys go to a graph that is designed."""
        return self.designing and isinstance(self.pane, GraphPane)

    def inspect(self) -> None:
        """In Design what is selected is edited."""
        if self.designing:
            self.open_form()
        else:
            super().inspect()

    def open_form(self) -> None:
        """The form of what is selected."""
        edge, node = self.graph_view.selected_edge, self.node
        if edge is not None:
            self.open_edge(edge)
        elif node is not None and node in self.file.design.nodes:
            self.open_node(node)
        elif node == "END":
            self.say("END has nothing to edit")

    def open_node(self, node: str, *, is_new: bool = False) -> None:
        """The form of a node; what stands in that of a new one is there to be typed over."""
        form = NodeForm(self.file.design, node, names=self._names(), is_new=is_new)
        self.app.push_screen(FormDialog(form, self.edit_text), self.edit_unless_none)

    def open_edge(self, edge: int, *, is_new: bool = False) -> None:
        """The form of an edge; that of a new one begins with its condition."""
        source = str(self.file.design.edges[edge].table.get("from", ""))
        form = EdgeForm(
            self.file.design,
            edge,
            names=self._names(),
            preview=self._preview_for(source),
            is_new=is_new,
        )
        self.app.push_screen(FormDialog(form, self.edit_text), self.edit_unless_none)

    def _preview_for(self, source: str) -> Callable[[Json], str]:
        """What tells how often a condition would have matched in the run that is shown."""
        if self.view is None:
            return lambda when: ""
        matching = Matching(self.view, source)
        return lambda when: matching.of(when).words()

    def _names(self) -> list[str]:
        """What conditions and templates can name."""
        return names_for(self.file.graph, self.view)

    def action_settings(self) -> None:
        """The settings of the graph."""
        self.app.push_screen(
            FormDialog(SettingsForm(self.file.design), self.edit_text), self.edit_unless_none
        )

    def action_declare(self, kind: Literal["state", "tools"], selected: str | None = None) -> None:
        """The keys of the state, or the tools; each edit opens the list again, where it was."""

        def changed(edit: Edit | None) -> None:
            if edit is not None:
                self.edit(edit)
                self.action_declare(kind, edit.new_name if isinstance(edit, EditKey | EditTool) else None)

        form = DeclaredDialog(self.file.design, kind, selected=selected, edit_in_editor=self.edit_text)
        self.app.push_screen(form, changed)

    def edit_unless_none(self, edit: Edit | None) -> None:
        """Make the edit that a form handed back, if it did."""
        if edit is not None:
            self.edit(edit)

    # Problems

    def action_problem(self, by: int) -> None:
        """Go to the next problem, or the one before."""
        problem = self.problems_pane.step(by)
        if problem is None:
            self.say("nothing is wrong")
            return
        if problem.place.edge is not None or problem.place.node is not None:
            self.select(problem.place.node, problem.place.edge)
        fix = fix_for(problem, self.file.design)
        said = f"! would {fix.label}: {problem.message}" if fix is not None else problem.message
        self.say(said, "error" if problem.is_error else "warning")

    def action_fix(self) -> None:
        """Mend the problem that was gone to last, where one answer is obvious."""
        problem = self.problems_pane.selected
        fix = fix_for(problem, self.file.design) if problem is not None else None
        if problem is None:
            self.say("nothing is wrong")
        elif fix is None:
            self.say(f"no obvious answer: {problem.message}", "warning")
        elif self.edit(fix.edit) is not None:
            self.say(visible(fix.label))
