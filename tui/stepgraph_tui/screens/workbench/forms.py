"""The forms of Design: each opens with what the graph has now, and hands back one edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from stepgraph.editing import EditPart
from stepgraph_tui.dialogs.design import DeclaredDialog, EdgeForm, NodeForm, SettingsForm
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.documents.matching import Matching
from stepgraph_tui.documents.names_for import names_for

if TYPE_CHECKING:
    from stepgraph.editing import Edit, Edited
    from stepgraph.values import Json

    from .design_controller import DesignController
    from .run_controller import RunController
    from .surface import Surface


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
            made: What added it just now; who leaves the form takes that back.

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
            made: What connected it just now; who leaves the form takes that back.
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
