"""What the keys of Design do: each asks for what it needs, and makes one edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, on

from stepgraph.editing import EditError
from stepgraph.editing.edges import Connect, DeleteEdge, MoveEdge
from stepgraph.editing.nodes import AddNode, ChangeType, DeleteNodes, DuplicateNodes, SetStart
from stepgraph.editing.pasting import CutNodes, Paste, copied
from stepgraph.editing.renaming import RenameNode
from stepgraph.graph_parts import END
from stepgraph_tui.dialogs.pick import NamePrompt, Pick, targets_to_pick, types_to_pick
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.words.text import plural

from .forms import WorkbenchForms

if TYPE_CHECKING:
    pass


class WorkbenchEdits(WorkbenchForms):
    """A workbench with the keys of Design."""

    def action_copy(self) -> None:
        """In Design nodes are copied as they stand in the file."""
        edge = self.graph_view.selected_edge
        if not self.draws or edge is not None or not self._copy_nodes(self.chosen()):
            super().action_copy()

    def action_back(self) -> None:
        """Take the marks off before anything else is left."""
        if self.searching or not (self.draws and self.clear_marks()):
            super().action_back()

    # Nodes

    def action_add(self) -> None:
        """Ask for a type, and add a node of it; then its form."""
        edge = self.graph_view.selected_edge
        after = self.node if edge is None and self.node != "END" else None

        def add(type_: str | None) -> None:
            if type_ is not None:
                edited = self.edit(AddNode(type_, after=after, edge=edge))
                if edited is not None and edited.node is not None:
                    self.open_node(edited.node, is_new=True)

        self.app.push_screen(Pick("Add a node", types_to_pick()), add)

    def action_rename(self) -> None:
        """Ask for another name."""
        node = self.one_node()
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
            lambda name: self.edit_unless_none(RenameNode(node, name) if name not in {None, node} else None),
        )

    def action_change_type(self) -> None:
        """Ask for another type."""
        node = self.one_node()
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
        elif chosen := self.chosen():
            self.edit(DeleteNodes(chosen))
        else:
            self.one_node()

    def action_cut(self) -> None:
        """Take nodes out, to be pasted elsewhere."""
        chosen = self.chosen()
        if self._copy_nodes(chosen, silently=True):
            self.edit(CutNodes(chosen))
        else:
            self.one_node()

    def _copy_nodes(self, names: list[str], *, silently: bool = False) -> bool:
        """Copy nodes as the tables of a graph file; False where there are none."""
        if names:
            self.desk.cut = copied(self.file.design, names)
            self.copy_text(self.desk.cut, silently=silently)
        return bool(names)

    def action_paste(self, connected: bool = True) -> None:
        """Paste the nodes that were copied in the app."""
        self._paste(self.desk.cut, connected)

    def _paste(self, text: str, connected: bool = True) -> None:
        node = self.node
        self.edit(Paste(text, after=node if connected and node in self.file.design.nodes else None))

    def on_paste(self, event: events.Paste) -> None:
        """Paste what the terminal pastes, where the graph has the keys."""
        if self.draws:
            event.stop()
            self._paste(event.text)

    def action_duplicate(self) -> None:
        """Copy nodes beside themselves."""
        chosen = self.chosen()
        if chosen:
            self.edit(DuplicateNodes(chosen))
        else:
            self.one_node()

    def action_mark(self) -> None:
        """Mark the node, or take the mark off it."""
        node = self.one_node()
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
        node = self.one_node()
        if node is not None:
            self.edit(SetStart(node))

    # Edges

    def action_connect(self) -> None:
        """Ask where an edge from the node leads."""
        node = self.one_node()
        if node is None:
            return
        self.app.push_screen(
            Pick(f"Lead an edge from {node} to", targets_to_pick(self.file.design, node)),
            lambda target: self._connect(node, target) if target is not None else None,
        )

    @on(GraphView.Connected)
    def _drawn_by_mouse(self, message: GraphView.Connected) -> None:
        source, target = ("END" if end == END else end for end in (message.source, message.target))
        self._connect(source, target)

    def _connect(self, source: str, target: str) -> None:
        """Make an edge; where it is one of several, ask when it is taken."""
        edited = self.edit(Connect(source, target))
        if edited is not None and edited.edge is not None and len(edited.design.outgoing[source]) > 1:
            self.open_edge(edited.edge, is_new=True)

    def action_move_edge(self, by: int) -> None:
        """Let the selected edge be tried earlier or later."""
        edge = self.graph_view.selected_edge
        if edge is not None:
            self.edit(MoveEdge(edge, by))
