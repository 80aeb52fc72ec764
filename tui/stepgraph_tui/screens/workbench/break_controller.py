"""The breakpoints of a graph file: they are kept, shown, set by keys, and handed to what drives the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from stepgraph.graphs import END, CompiledGraph
from stepgraph.values import ExpressionError, GraphError, StepgraphError

from ...cli_equivalents import Equivalents
from ...drawing.picture.run_marks import NO_BREAKS, BreakMarks, break_marks, leads
from ...text.plain import plural
from ...widgets.breaks import NO_LIST, BreakList
from .panes import KeptEntries
from .refusals import NO_NODE

if TYPE_CHECKING:
    from stepgraph.graphs import Edge, StateGraph
    from stepgraph.runs.debug import Breakpoint

    from ...context import AppContext
    from ...documents import OpenedGraph
    from ...widgets.breaks import BreaksPane
    from ...worker import SteppingThread
    from .run_controller import RunController
    from .surface import Surface


_NONE: Mapping[str, str] = {}


class BreakController:
    """Sets breakpoints, keeps them for the graph file, and shows which one the run halts at.

    A run without a file has breakpoints, too; they last until it is closed.

    Args:
        context: What the app shares.
        file: The graph file.
        surface: The screen.
        runs: Drives the run that is shown.
    """

    def __init__(
        self,
        context: AppContext,
        file: OpenedGraph,
        surface: Surface,
        runs: RunController,
    ) -> None:
        self._context = context
        self._file = file
        self._surface = surface
        self._kept: KeptEntries[Breakpoint] = KeptEntries(file.path, "b")
        self._runs = runs
        self._compiled: tuple[object, object, Mapping[str, str]] = (None, (), {})
        self._marked: tuple[tuple[object, ...], BreakMarks] = ((None,) * 4, NO_BREAKS)
        self._built: tuple[object, CompiledGraph | None] = (None, None)

    # What is kept

    @property
    def entries(self) -> tuple[Breakpoint, ...]:
        """The breakpoints, in the order in which they were added."""
        return self._kept.entries

    def look(self) -> None:
        """Load what another process has changed; report which breakpoints cannot be read."""
        before = self._kept.damaged
        try:
            if not self._kept.look():
                return
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        self._changed()
        if set(self._kept.damaged) - set(before):
            count = plural(len(self._kept.damaged), "kept breakpoint")
            message = f"{count} cannot be read: {{workbench.breaks}} shows why"
            self._surface.say(self._surface.hints(message), "warning")

    def _changed(self) -> None:
        """Show them, and let the run that is under way go by them from its next step on."""
        self._runs.thread.set_breakpoints(self.entries)
        self._surface.show()

    def _add(self, made: Breakpoint) -> str | None:
        """Keep one more; a refusal is shown.

        Returns:
            Its id; None when it was refused.
        """
        if reason := self._reason(made):
            self._surface.say(f"{self._runs.shown.masked(made.place())} can never be hit: {reason}", "error")
            return None
        ids: list[str] = []
        if not self._does(lambda: ids.append(self._kept.add(made))):
            return None
        self._note("--add", self._breakpoint_text(made))
        return ids[0]

    def _replace(self, made: Breakpoint) -> bool:
        return self._does(lambda: self._kept.replace(made))

    def _remove(self, id: str) -> bool:
        done = self._does(lambda: self._kept.remove(id))
        if done:
            self._note("--remove", id)
        return done

    def _does(self, change: Callable[[], object]) -> bool:
        """Change what is kept; False where it was refused, with a message."""
        try:
            change()
        except StepgraphError as error:
            self._surface.tell_error(error)
            return False
        self._changed()
        return True

    def _note(self, option: str, word: str) -> None:
        if self._file.path is not None:
            self._surface.note(Equivalents().breaks(self._file.path, option, word))

    @staticmethod
    def _breakpoint_text(made: Breakpoint) -> str:
        from stepgraph.runs.debug import format_breakpoint

        return format_breakpoint(made)

    # What is shown

    @property
    def plan(self) -> CompiledGraph | None:
        """The graph that breakpoints name things of: the run's, else the file's; None when it cannot run."""
        view = self._runs.shown.view
        if view is not None:
            return view.plan
        graph: StateGraph | CompiledGraph | None = self._file.checked.graph
        if graph is not self._built[0]:
            self._built = graph, _compiled(graph)
        return self._built[1]

    def _broken(self) -> Mapping[str, str]:
        """Explain for each breakpoint that can never be hit why not."""
        plan = self.plan if self.entries else None
        if plan is None:
            return _NONE
        if self._compiled[:2] != (plan, self.entries):
            from stepgraph.runs.debug import CompiledBreakpoints

            found = CompiledBreakpoints(self.entries, plan).broken
            self._compiled = plan, self.entries, {each.breakpoint.id: each.reason for each in found}
        return self._compiled[2]

    def _reason(self, made: Breakpoint) -> str:
        """Explain why a breakpoint can never be met; nothing when it can."""
        plan = self.plan
        if plan is None:
            return ""
        from stepgraph.runs.debug import CompiledBreakpoints

        broken = CompiledBreakpoints([made], plan).broken
        return broken[0].reason.splitlines()[0] if broken else ""

    def break_list(self) -> BreakList:
        """Return what the tab lists."""
        if not self.entries and not self._kept.damaged:
            return NO_LIST
        damaged = tuple((each.id, each.describe()) for each in self._kept.damaged)
        hit = self._runs.hit
        return BreakList(self.entries, self._broken(), damaged, hit.breakpoint.id if hit is not None else "")

    def marks(self) -> BreakMarks:
        """Return the signs in the graph that is drawn."""
        if not self.entries:
            return NO_BREAKS
        graph, broken = self._surface.graph, self._broken()
        hit = self._runs.hit.breakpoint if self._runs.hit is not None else None
        key = graph, self.entries, broken, hit
        if any(new is not old for new, old in zip(key, self._marked[0], strict=True)):
            edges = graph.edges if graph is not None else ()
            self._marked = key, break_marks(self.entries, edges, broken, hit)
        return self._marked[1]

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works: without a graph none does."""
        return self._surface.graph is not None or "there is no graph to put a breakpoint in"

    def action_toggle(self) -> None:
        """Set a breakpoint at what is selected; switch or remove the one that is there."""
        edge = self._edge()
        if edge is not None:
            self.toggle_edge(edge)
            return
        node = self._node()
        if node is not None:
            here = [each for each in self.entries if (each.kind, each.node) == ("before", node)]
            self._toggle(here, lambda made: made("before", node), f"before {node}")

    def toggle_edge(self, index: int) -> None:
        """Set a breakpoint on an edge, by its count in the file; switch or remove one that is there."""
        edge = self._edge_of(index)
        if edge is None:
            self._surface.say("this edge is not in the graph that is drawn", "warning")
            return
        here = [each for each in self.entries if each.kind == "edge" and leads(each, edge)]
        label = self._label(edge)
        self._toggle(
            here, lambda made: made("edge", edge.source, edge.target, label), f"{edge.source} → {edge.target}"
        )

    def _toggle(
        self, here: list[Breakpoint], make: Callable[[type[Breakpoint]], Breakpoint], place: str
    ) -> None:
        """Set one where there is none; remove a plain one; what took work to write is only switched."""
        from stepgraph.runs.debug import Breakpoint

        made = make(Breakpoint)
        if not here:
            id = self._add(made)
            if id is not None:
                again = ", this one when it comes there again" if self._stands_at(made) else ""
                self._surface.say(f"breakpoint {id}: a run halts {_at(made)}{place}{again}")
        elif len(here) == 1 and here[0].enabled and replace(here[0], id="", label=made.label) == made:
            if self._remove(here[0].id):
                self._surface.say(f"breakpoint {here[0].id} removed: a run goes on {_at(made)}{place}")
        else:
            on = not any(each.enabled for each in here)
            for each in here:
                self._switch(each, on=on)
            ids = ", ".join(each.id for each in here)
            self._surface.say(f"breakpoint {ids} switched {'on' if on else 'off'}: {_at(made)}{place}")

    def _stands_at(self, made: Breakpoint) -> bool:
        """Check whether the run that is shown is there already, and continues from there."""
        view = self._runs.shown.view
        return view is not None and made.kind == "before" and view.run.current == made.node

    async def action_ask(self) -> None:
        """Open the form for a breakpoint at what is selected."""
        edge, node = self._edge(), self._surface.pointed_at
        from stepgraph.runs.debug import Breakpoint

        made = None
        found = self._edge_of(edge) if edge is not None else None
        if found is not None:
            made = Breakpoint("edge", found.source, found.target, self._label(found))
        elif node is not None and node != END:
            made = Breakpoint("before", node)
        await self._ask(made)

    async def hear(self, message: BreaksPane.Asked) -> None:
        """Handle the pane's request."""
        if message.verb == "remove":
            self._remove_and_say(message.id)
        elif message.verb == "switch" and message.entry is not None:
            self._switch_and_say(message.entry)
        else:
            await self._ask(message.entry)

    async def _ask(self, entry: Breakpoint | None) -> None:
        """Open the form: for a new breakpoint, or to change one that is kept."""
        plan = self.plan
        if plan is None:
            self._surface.say("the graph cannot run yet: fix its errors first", "warning")
            return
        from stepgraph_tui.dialogs.break_form import BreakForm
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.documents.matching import names_for

        form = BreakForm(plan, entry, names_for(plan, self._runs.shown.view))
        made: Breakpoint | None = await self._surface.ask(FormDialog(form, self._surface.edit_text))
        if made is None:
            return
        id = (made.id if self._replace(made) else None) if made.id else self._add(made)
        if id is not None:
            self._surface.say(f"breakpoint {id}: {self._runs.shown.masked(made.describe())}")

    def _switch_and_say(self, entry: Breakpoint) -> None:
        """Switch a breakpoint on or off, and say so."""
        on = not entry.enabled
        if self._switch(entry, on=on):
            self._surface.say(f"breakpoint {entry.id} is {'on' if on else 'off'}")

    def _switch(self, entry: Breakpoint, *, on: bool) -> bool:
        done = self._replace(replace(entry, enabled=on))
        if done:
            self._note("--on" if on else "--off", entry.id)
        return done

    def _remove_and_say(self, id: str) -> None:
        """Remove a breakpoint, damaged or not, and name the key that brings it back."""
        entry = next((each for each in self.entries if each.id == id), None)
        if self._remove(id):
            place = f": {self._runs.shown.masked(entry.describe())}" if entry is not None else ""
            self._surface.say(f"breakpoint {id} removed{place}")

    def break_on_value(self, path: str, *values: Any) -> None:
        """Break where a part of the state changes, or becomes a value.

        Args:
            path: The part, spelled as in conditions.
            *values: The value that it is to become; none for any change.
        """
        from stepgraph.runs.debug import Breakpoint

        made = (
            Breakpoint("becomes", path=path, value=values[0]) if values else Breakpoint("changes", path=path)
        )
        same = next((each for each in self.entries if replace(each, id="", enabled=True) == made), None)
        if same is not None:
            self._switch_and_say(same)
        elif (id := self._add(made)) is not None:
            self._surface.say(f"breakpoint {id}: a run halts when {self._runs.shown.masked(made.place())}")

    def rename(self, what: Literal["node", "key"], old: str, new: str) -> None:
        """Follow a node or a key of the state to its new name, in conditions too."""
        for each in self.entries:
            try:
                follow = each.with_node_renamed if what == "node" else each.with_key_renamed
                now = follow(old, new)
            except ExpressionError as error:
                self._surface.say(f"breakpoint {each.id} still says {old}: {error.message}", "warning")
                continue
            if now != each:
                self._replace(now)

    # What is selected

    def _edge(self) -> int | None:
        """Find the selected edge; None where the keys go to a list of steps."""
        return None if self._surface.is_in_trace else self._surface.selected_edge

    def _node(self) -> str | None:
        """Find the selected node; where there is none to halt before, say so."""
        node = self._surface.pointed_at
        if node is None:
            self._surface.say(NO_NODE, "warning")
        elif node == END:
            self._surface.say("a run ends at END: it cannot halt there", "warning")
            return None
        return node

    def _edge_of(self, index: int) -> Edge | None:
        graph = self._surface.graph
        return (
            next((edge for edge in graph.edges if edge.index == index), None) if graph is not None else None
        )

    def _label(self, edge: Edge) -> str | None:
        """Return a label that tells an edge from others between the same nodes; None if there are none."""
        graph = self._surface.graph
        ends = edge.source, edge.target
        same = [each for each in graph.edges if (each.source, each.target) == ends] if graph else []
        return edge.describe() if len(same) > 1 else None


def _at(made: Breakpoint) -> str:
    return "" if made.kind == "before" else "on the edge "


def _compiled(graph: StateGraph | CompiledGraph | None) -> CompiledGraph | None:
    if graph is None or isinstance(graph, CompiledGraph):
        return graph
    try:
        return graph.compile()
    except GraphError:
        return None


class PauseMarks:
    """Marks the nodes after which a run pauses.

    Args:
        surface: The screen.
        thread: Drives the run.
    """

    def __init__(self, surface: Surface, thread: SteppingThread) -> None:
        self._surface, self._thread = surface, thread

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes that are marked."""
        return self._thread.pause_after

    def toggle(self, node: str) -> None:
        """Mark a node, or take its mark off it."""
        if node == END:
            self._surface.say("a run ends at END: it cannot pause there", "warning")
            return
        self._set(self.nodes ^ {node})
        self._surface.show()
        on = node in self.nodes
        message = "marked: {debug.go} pauses after it" if on else "unmarked: {debug.go} runs on after it"
        self._surface.say(f"{node} is {self._surface.hints(message)}")

    def rename(self, old: str, new: str) -> None:
        """Keep the mark on a node that has another name now."""
        if old in self.nodes:
            self._set(self.nodes - {old} | {new})

    def _set(self, nodes: frozenset[str]) -> None:
        self._thread.pause_after = nodes
        self._surface.keep_place()

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool:
        """Check whether the key works; where nothing is selected it says so."""
        return True

    def action_toggle(self) -> None:
        """Mark the selected node (in the trace: the step's), or take the mark off it."""
        node = self._surface.pointed_at
        if node is None:
            self._surface.say(NO_NODE, "warning")
        else:
            self.toggle(node)
