"""What the keys of Design do: each asks for what it needs, and makes one edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from textual import events, on

from stepgraph.editing import EditError
from stepgraph.editing.declaring import EditKey, EditTool
from stepgraph.editing.edges import Connect, DeleteEdge, MoveEdge
from stepgraph.editing.fixes import fix_for
from stepgraph.editing.nodes import AddNode, ChangeType, DeleteNodes, DuplicateNodes, SetStart
from stepgraph.editing.pasting import CutNodes, Paste, copied
from stepgraph.editing.renaming import RenameNode
from stepgraph.graph_parts import END
from stepgraph_tui.dialogs.design import Declarations, EdgeForm, NodeForm, SettingsForm
from stepgraph_tui.dialogs.pick import NamePrompt, Pick, targets_to_pick, types_to_pick
from stepgraph_tui.viewing.matching import Matching
from stepgraph_tui.viewing.names_for import names_for
from stepgraph_tui.widgets.graph_view import GraphPane
from stepgraph_tui.words.text import plural, visible

from .filing import WorkbenchFile

if TYPE_CHECKING:
    from stepgraph.editing import Edit
    from stepgraph.json_values import Json


class WorkbenchEdits(WorkbenchFile):
    """A workbench with the keys of Design."""

    # What is selected

    @property
    def _node(self) -> str | None:
        """The selected node as files write it: END too."""
        node = self.graph_view.selected
        return "END" if node == END else node

    def _chosen(self) -> list[str]:
        """The marked nodes in the order of the file, else the selected one."""
        marked = self.graph_view.marked
        if marked:
            return [name for name in self.file.design.nodes if name in marked]
        return [self._node] if self._node in self.file.design.nodes and self._node is not None else []

    def _one_node(self) -> str | None:
        """The selected node; None, and a word about it, where there is none."""
        node = self._node
        if node is None or node not in self.file.design.nodes:
            self.say("select a node in the graph first", "warning")
            return None
        return node

    @property
    def _draws(self) -> bool:
        """Whether the keys go to a graph that is designed."""
        return self.designing and isinstance(self.pane, GraphPane)

    def inspect(self) -> None:
        """In Design what is selected is edited."""
        if self.designing:
            self.open_form()
        else:
            super().inspect()

    def action_copy(self) -> None:
        """In Design nodes are copied as they stand in the file."""
        edge = self.graph_view.selected_edge
        if not self._draws or edge is not None or not self._copy_nodes(self._chosen()):
            super().action_copy()

    def action_back(self) -> None:
        """Take the marks off before anything else is left."""
        if self.searching or not (self._draws and self.clear_marks()):
            super().action_back()

    # Nodes

    def action_add(self) -> None:
        """Ask for a type, and add a node of it; then its form."""
        edge = self.graph_view.selected_edge
        after = self._node if edge is None and self._node != "END" else None

        def add(type_: str | None) -> None:
            if type_ is not None:
                edited = self.edit(AddNode(type_, after=after, edge=edge))
                if edited is not None and edited.node is not None:
                    self._open_node(edited.node, is_new=True)

        self.app.push_screen(Pick("Add a node", types_to_pick()), add)

    def action_rename(self) -> None:
        """Ask for another name."""
        node = self._one_node()
        if node is None:
            return

        def wrong(name: str) -> str | None:
            try:
                RenameNode(node, name).apply(self.file.design)
            except EditError as error:
                return error.message
            return None

        self.app.push_screen(
            NamePrompt(f"Rename {node}", node, wrong),
            lambda name: self._edit_unless_none(RenameNode(node, name) if name not in {None, node} else None),
        )

    def _edit_unless_none(self, edit: Edit | None) -> None:
        if edit is not None:
            self.edit(edit)

    def action_change_type(self) -> None:
        """Ask for another type."""
        node = self._one_node()
        if node is None:
            return
        current = str(self.file.design.nodes[node].table.get("type", ""))

        def change(type_: str | None) -> None:
            if type_ is not None and type_ != current:
                self.edit(ChangeType(node, type_))

        self.app.push_screen(Pick(f"The type of {node}", types_to_pick(), current=current), change)

    def action_delete(self) -> None:
        """Delete the selected edge, or the marked nodes, or the selected one."""
        edge = self.graph_view.selected_edge
        if edge is not None and not self.graph_view.marked:
            self.edit(DeleteEdge(edge))
        elif chosen := self._chosen():
            self.edit(DeleteNodes(chosen))
        else:
            self._one_node()

    def action_cut(self) -> None:
        """Take nodes out, to be pasted elsewhere."""
        chosen = self._chosen()
        if self._copy_nodes(chosen, silently=True):
            self.edit(CutNodes(chosen))
        else:
            self._one_node()

    def _copy_nodes(self, names: list[str], *, silently: bool = False) -> bool:
        """Copy nodes as the tables of a graph file; False where there are none."""
        if names:
            self.desk.cut = copied(self.file.design, names)
            self.copy_text(self.desk.cut, silently=silently)
        return bool(names)

    def action_paste(self, connected: bool = True) -> None:
        """Paste the nodes that were copied in the app."""
        if self.desk.cut:
            self._paste(self.desk.cut, connected)
        else:
            self.say("nothing was copied: y copies, x cuts; or paste with your terminal", "warning")

    def _paste(self, text: str, connected: bool = True) -> None:
        node = self._node
        self.edit(Paste(text, after=node if connected and node in self.file.design.nodes else None))

    def on_paste(self, event: events.Paste) -> None:
        """Paste what the terminal pastes, where the graph has the keys."""
        if self._draws:
            event.stop()
            self._paste(event.text)

    def action_duplicate(self) -> None:
        """Copy nodes beside themselves."""
        chosen = self._chosen()
        if chosen:
            self.edit(DuplicateNodes(chosen))
        else:
            self._one_node()

    def action_mark(self) -> None:
        """Mark the node, or take the mark off it."""
        node = self._one_node()
        if node is not None:
            marked = self.graph_view.marked ^ {node}
            self.graph_view.marked = self.outline.marked = marked
            self.say(f"{plural(len(marked), 'node')} marked" if marked else "no node is marked")

    def clear_marks(self) -> bool:
        """Take all marks off; False where there are none."""
        marked = self.graph_view.marked
        self.graph_view.marked = self.outline.marked = frozenset()
        return bool(marked)

    def action_set_start(self) -> None:
        """Let runs begin here."""
        node = self._one_node()
        if node is not None:
            self.edit(SetStart(node))

    # Edges

    def action_connect(self) -> None:
        """Ask where an edge from the node leads."""
        node = self._one_node()
        if node is None:
            return
        self.app.push_screen(
            Pick(f"Lead an edge from {node} to", targets_to_pick(self.file.design, node)),
            lambda target: self._connect(node, target) if target is not None else None,
        )

    @on(GraphPane.Connected)
    def _drawn_by_mouse(self, message: GraphPane.Connected) -> None:
        source, target = ("END" if end == END else end for end in (message.source, message.target))
        self._connect(source, target)

    def _connect(self, source: str, target: str) -> None:
        """Make an edge; where it is one of several, ask when it is taken."""
        edited = self.edit(Connect(source, target))
        if edited is not None and edited.edge is not None and len(edited.design.outgoing[source]) > 1:
            self._open_edge(edited.edge, is_new=True)

    def action_move_edge(self, by: int) -> None:
        """Let the selected edge be tried earlier or later."""
        edge = self.graph_view.selected_edge
        if edge is None:
            self.say("select an edge first: o goes through those of the node", "warning")
        else:
            self.edit(MoveEdge(edge, by))

    # Forms

    def open_form(self) -> None:
        """The form of what is selected."""
        edge, node = self.graph_view.selected_edge, self._node
        if edge is not None:
            self._open_edge(edge)
        elif node is not None and node in self.file.design.nodes:
            self._open_node(node)
        elif node == "END":
            self.say("END has nothing to edit")

    def _open_node(self, node: str, *, is_new: bool = False) -> None:
        form = NodeForm(
            self.file.design, node, edit_in_editor=self.edit_text, names=self._names(), is_new=is_new
        )
        self.app.push_screen(form, self._edit_unless_none)

    def _open_edge(self, edge: int, *, is_new: bool = False) -> None:
        source = str(self.file.design.edges[edge].table.get("from", ""))
        form = EdgeForm(
            self.file.design,
            edge,
            names=self._names(),
            preview=self._preview_for(source),
            edit_in_editor=self.edit_text,
            is_new=is_new,
        )
        self.app.push_screen(form, self._edit_unless_none)

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
            SettingsForm(self.file.design, edit_in_editor=self.edit_text), self._edit_unless_none
        )

    def action_declare(self, kind: Literal["state", "tools"], selected: str | None = None) -> None:
        """The keys of the state, or the tools; each edit opens the list again, where it was."""

        def changed(edit: Edit | None) -> None:
            if edit is not None:
                self.edit(edit)
                self.action_declare(kind, edit.new_name if isinstance(edit, EditKey | EditTool) else None)

        form = Declarations(self.file.design, kind, selected=selected, edit_in_editor=self.edit_text)
        self.app.push_screen(form, changed)

    # Problems

    def action_problem(self, by: int) -> None:
        """Go to the next problem, or the one before."""
        problem = self.problems_pane.step(by)
        if problem is None:
            self.say("nothing is wrong")
            return
        if problem.place.edge is not None or problem.place.node is not None:
            self.select(problem.place.node, problem.place.edge)
        self.say(problem.message, "error" if problem.is_error else "warning")

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
