"""What keys and forms of Design do in the graph: each asks for what it needs, and makes one edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from stepgraph.conditions import filed_condition
from stepgraph.editing import (
    AddNode,
    ChangeType,
    Connect,
    DeleteEdge,
    DeleteNodes,
    DuplicateNodes,
    EditError,
    EditPart,
    MoveEdge,
    Paste,
    Rename,
    SetStart,
    copied,
    fallback,
)
from stepgraph.graphs import END
from stepgraph.values import ExpressionError

from ...dialogs.design import DeclaredDialog, EdgeForm, NodeForm, SettingsForm
from ...dialogs.forms import FormDialog
from ...dialogs.pick import (
    BRANCH,
    NEW,
    NamePrompt,
    Pick,
    new_to_pick,
    places_to_pick,
    targets_to_pick,
    types_to_pick,
)
from ...dialogs.questions import GapQuestion
from ...documents.matching import Matching, names_for
from ...text.plain import place, plural
from .refusals import refused_edit

if TYPE_CHECKING:
    from stepgraph.editing import Edit, Edited, Part
    from stepgraph.values import Json

    from ...context import AppContext
    from .design_controller import DesignController
    from .run_controller import RunController
    from .surface import Surface


class GraphEdits:
    """Edits the nodes and edges that are selected or marked.

    Args:
        context: What the app shares: the nodes that were cut, too.
        design: Makes the edits.
        forms: Opens the forms of new nodes and edges.
        surface: The screen.
    """

    def __init__(
        self, context: AppContext, design: DesignController, forms: DesignForms, surface: Surface
    ) -> None:
        self._context = context
        self._design = design
        self._forms = forms
        self._surface = surface

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works, else why it does not."""
        refused = refused_edit(
            verb,
            node=self._design.node in self._design.file.design.nodes,
            edge=self._surface.selected_edge is not None,
            marks=bool(self._surface.marked),
            copied=bool(self._context.cut),
            hints=self._surface.hints,
        )
        return refused or True

    # Nodes

    async def action_add(self) -> None:
        """Ask for a type, and for the place where that is not plain; add a node there, and open its form."""
        edge, node = self._surface.selected_edge, self._design.node
        after = node if edge is None and node != "END" else None
        type_ = await self._surface.ask(Pick("Add a node", types_to_pick()))
        if type_ is not None and after is not None and self._leads_on(after):
            await self._ask_where(type_, after)
        elif type_ is not None:
            await self._add(AddNode(type_, after=after, edge=edge))

    def _leads_on(self, node: str) -> bool:
        """Check whether a node leads anywhere but straight to the end, where the next one simply follows."""
        design = self._design.file.design
        ways = [design.edges[position] for position in design.outgoing.get(node, ())]
        return any(way.target != END or not way.unconditional for way in ways)

    async def _ask_where(self, type_: str, node: str) -> None:
        """Ask whether a node is put into an edge of the one before it, or on a branch of its own."""
        design = self._design.file.design
        usual = fallback(design, node)
        current = str(design.edges.index(usual)) if usual is not None else BRANCH
        places = places_to_pick(design, node)
        place = await self._surface.ask(Pick(f"Where does the {type_} node go?", places, current=current))
        if place == BRANCH:
            await self._branch(node, AddNode(type_, after=node, branch=True))
        elif place is not None:
            await self._add(AddNode(type_, edge=int(place)))

    async def _add(self, edit: AddNode) -> str | None:
        """Add a node, and open its form; leaving that takes the node back."""
        edited = self._design.edit(edit)
        if edited is None or edited.node is None:
            return None
        return await self._forms.open_node(edited.node, made=edited)

    async def _branch(self, source: str, edit: AddNode) -> None:
        """Add a node that another one leads to; then ask when it does, where there are other ways."""
        node = await self._add(edit)
        if node is None:
            return
        design = self._design.file.design
        positions = design.outgoing.get(source, [])
        edge = next((place for place in positions if design.edges[place].target == node), None)
        if edge is not None and len(positions) > 1:
            await self._forms.open_edge(edge, is_new=True)

    async def action_rename(self) -> None:
        """Ask for another name."""
        node = self._design.one_node()
        if node is None:
            return

        def wrong(name: str) -> str | None:
            try:
                Rename("nodes", node, name).apply(self._design.file.design)
            except EditError as error:
                return error.message
            return None

        name = await self._surface.ask(NamePrompt(f"Rename {node}", node, wrong))
        if name is not None and name != node:
            self._design.edit(Rename("nodes", node, name))

    async def action_change_type(self) -> None:
        """Ask for another type."""
        node = self._design.one_node()
        if node is None:
            return
        current = str(self._design.file.design.nodes[node].table.get("type", ""))
        type_ = await self._surface.ask(Pick(f"The type of {node}", types_to_pick(), current=current))
        if type_ is not None and type_ != current:
            self._design.edit(ChangeType(node, type_))

    async def action_delete(self) -> None:
        """Delete the selected edge, or the marked nodes, or the selected one; a gap may be bridged."""
        edge = self._surface.selected_edge
        if edge is not None and not self._surface.marked:
            self._design.edit(DeleteEdge(edge))
        elif chosen := self._design.chosen_nodes():
            await self._delete(chosen)
        else:
            self._design.one_node()

    async def _delete(self, names: list[str]) -> None:
        """Delete nodes; ask first whether what led to them should lead on, where it could.

        They are kept to be pasted again, once they are deleted.
        """
        design = self._design.file.design
        try:
            bridged = DeleteNodes(names, bridge=True).apply(design)
        except EditError as error:
            edited = self._delete_and_keep(names, bridge=False)
            if edited is not None:
                self._surface.say(f"{edited.said}; not bridged: {error.message}", "warning")
            return
        new = [edge_in_words(edge) for edge in bridged.bridges]
        if not new or not self._design.file.readable:
            self._delete_and_keep(names, bridge=False)
            return
        asks = any(edge.source in names and not edge.unconditional for edge in bridged.gone)
        words = names[0] if len(names) == 1 else plural(len(names), "node")
        answer = await self._surface.ask(GapQuestion(words, new, len(bridged.gone), asks=asks))
        if answer is not None:
            self._delete_and_keep(names, bridge=answer == "bridge")

    def _delete_and_keep(self, names: list[str], *, bridge: bool) -> Edited | None:
        kept = copied(self._design.file.design, names)
        edited = self._design.edit(DeleteNodes(names, bridge=bridge))
        if edited is not None:
            self._context.cut = kept
        return edited

    async def action_change(self) -> None:
        """Edit the node or edge in its form."""
        await self._forms.open()

    def action_cut(self) -> None:
        """Cut nodes, to be pasted elsewhere."""
        chosen = self._design.chosen_nodes()
        if self._copy(chosen, silently=True):
            self._design.edit(DeleteNodes(chosen, "cut"))
        else:
            self._design.one_node()

    def copy_chosen(self) -> bool:
        """Copy nodes as they are in the file; False where an edge is selected, or nothing is."""
        return self._surface.selected_edge is None and self._copy(self._design.chosen_nodes())

    def _copy(self, names: list[str], *, silently: bool = False) -> bool:
        """Copy nodes as the tables of a graph file; False where there are none."""
        if names:
            self._context.cut = copied(self._design.file.design, names)
            self._surface.copy(self._context.cut, silently=silently)
        return bool(names)

    def action_paste(self, connected: bool = True) -> None:
        """Paste the nodes that were copied in the app."""
        self.paste(self._context.cut, connected=connected)

    def paste(self, text: str, *, connected: bool = True) -> None:
        """Paste the tables of a graph file after the selected node."""
        node = self._design.node
        self._design.edit(
            Paste(text, after=node if connected and node in self._design.file.design.nodes else None)
        )

    def action_duplicate(self) -> None:
        """Copy nodes beside themselves."""
        chosen = self._design.chosen_nodes()
        if chosen:
            self._design.edit(DuplicateNodes(chosen))
        else:
            self._design.one_node()

    def action_mark(self) -> None:
        """Mark the node, or take the mark off it."""
        node = self._design.one_node()
        if node is not None:
            marked = self._surface.marked ^ {node}
            self._surface.mark(marked)
            self._surface.say(f"{plural(len(marked), 'node')} marked" if marked else "no node is marked")

    def clear_marks(self) -> bool:
        """Clear all marks; False where there are none."""
        marked = self._surface.marked
        if marked:
            self._surface.mark(frozenset())
        return bool(marked)

    def action_set_start(self) -> None:
        """Start runs here."""
        node = self._design.one_node()
        if node is not None:
            self._design.edit(SetStart(node))

    # Edges

    async def action_connect(self) -> None:
        """Ask where an edge from the node leads, perhaps to a node that is not there yet."""
        node = self._design.one_node()
        if node is None:
            return
        design = self._design.file.design
        pick = Pick(
            f"Connect {node} to",
            targets_to_pick(design, node),
            offered=lambda text: new_to_pick(design, text),
        )
        target = await self._surface.ask(pick)
        if target == NEW:
            await self._connect_new(node, pick.typed)
        elif target is not None:
            await self.connect(node, target)

    async def _connect_new(self, node: str, typed: str) -> None:
        """Lead an edge to a new node: typed is its type, or its name, or nothing."""
        types = types_to_pick()
        type_: str | None = typed
        if typed not in (option.id for option in types):
            type_ = await self._surface.ask(Pick(f"The type of {typed or 'the new node'}", types))
        if type_ is not None:
            name = typed if typed and typed != type_ else None
            await self._branch(node, AddNode(type_, name, after=node, branch=True))

    async def connect(self, source: str, target: str) -> None:
        """Connect two nodes; where the edge is one of several, ask when it is taken."""
        edited = self._design.edit(Connect(source, target))
        if edited is not None and edited.edge is not None and len(edited.design.outgoing[source]) > 1:
            await self._forms.open_edge(edited.edge, made=edited, is_new=True)

    def action_move_edge(self, by: int) -> None:
        """Move the selected edge up or down."""
        edge = self._surface.selected_edge
        if edge is not None:
            self._design.edit(MoveEdge(edge, by))


def edge_in_words(edge: Part) -> str:
    """Describe where an edge leads, and when."""
    ends = f"{place(edge.source)} → {place(edge.target)}"
    return ends if edge.unconditional else f"{ends}  when {_condition_text(edge.table.get('when'))}"


def _condition_text(when: object) -> str:
    """Describe what an edge asks; what is not a condition as it is in the file."""
    try:
        return filed_condition(when).describe()
    except ExpressionError:
        return str(when)


class DesignForms:
    """Opens the forms in which more than one thing is changed at a time.

    Args:
        design: Makes the edits.
        runs: The run that conditions are tried on.
        surface: The screen.
    """

    def __init__(self, design: DesignController, runs: RunController, surface: Surface) -> None:
        self._design = design
        self._file = design.file
        self._runs = runs
        self._surface = surface

    def availability(self, verb: str, *arguments: object) -> bool:
        """Check whether a key works: all of these do."""
        return True

    async def open(self) -> None:
        """Open the form of what is selected."""
        edge, node = self._surface.selected_edge, self._design.node
        if edge is not None:
            await self.open_edge(edge)
        elif node is not None and node in self._file.design.nodes:
            await self.open_node(node)
        elif node == "END":
            self._surface.say("END cannot be edited")

    async def open_node(self, node: str, *, made: Edited | None = None) -> str | None:
        """Open the form of a node; what is in that of a new one is there to be typed over.

        Args:
            node: The node.
            made: What added it just now; leaving the form takes that back.

        Returns:
            The name of the node; None where the form was left.
        """
        is_new = made is not None
        form = NodeForm(
            self._file.design,
            node,
            names=self._names(),
            tools=self._file.known_tools(),
            is_new=is_new,
            hints=self._surface.hints,
        )
        edit: EditPart | None = await self._surface.ask(FormDialog(form, self._surface.edit_text))
        self._finish(edit, made)
        return edit.new_name if edit is not None else None

    async def open_edge(self, edge: int, *, made: Edited | None = None, is_new: bool = False) -> None:
        """Open the form of an edge; that of a new one begins with its condition.

        Args:
            edge: The edge.
            made: What connected it just now; leaving the form takes that back.
            is_new: Whether it was made just now, perhaps with a node.
        """
        source = str(self._file.design.edges[edge].table.get("from", ""))
        form = EdgeForm(
            self._file.design,
            edge,
            names=self._names(),
            preview=self._preview_for(source),
            is_new=is_new,
        )
        edit: Edit | None = await self._surface.ask(FormDialog(form, self._surface.edit_text))
        self._finish(edit, made)

    def _finish(self, edit: Edit | None, made: Edited | None) -> None:
        """Apply the edit of a form; where it was left, undo what it was opened for."""
        if edit is None:
            if made is not None:
                self._design.take_back(made)
        elif made is None or edit.apply(made.design).design is not made.design:
            self._design.edit(edit)
        else:
            self._surface.say(made.said)

    def _preview_for(self, source: str) -> Callable[[Json], str]:
        """Build the preview of how often a condition would have matched in the run that is shown."""
        view = self._runs.shown.view
        if view is None:
            return lambda when: ""
        matching = Matching(view, source)
        return lambda when: matching.of(when).words()

    def _names(self) -> list[str]:
        """List what conditions and templates can name."""
        return names_for(self._file.checked.graph, self._runs.shown.view)

    async def action_settings(self) -> None:
        """Open the settings of the graph."""
        form = SettingsForm(self._file.design)
        edit = await self._surface.ask(FormDialog(form, self._surface.edit_text))
        if edit is not None:
            self._design.edit(edit)

    async def action_declare(self, kind: Literal["state", "tools"]) -> None:
        """List the keys of the state, or the tools; each edit opens the list again, where it was."""
        selected = None
        while True:
            edit = await self._surface.ask(
                DeclaredDialog(
                    self._file.design, kind, selected=selected, edit_in_editor=self._surface.edit_text
                )
            )
            if edit is None:
                return
            self._design.edit(edit)
            selected = edit.new_name if isinstance(edit, EditPart) else None
