"""The header and the NEXT line, written from what the controllers know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...status_text import FileState, RunningNode, Situation, next_step_text, no_graph_text, status_text

if TYPE_CHECKING:
    from ...widgets.chrome.status_lines import HeaderLine
    from .screen import Workbench


class StatusLines:
    """Writes the header and the NEXT line.

    Args:
        header: The line above the panes.
        screen: Has the other one, and all that both show.
    """

    def __init__(self, header: HeaderLine, screen: Workbench) -> None:
        self._header, self._screen = header, screen
        self._workers = ""  # how workers are at the run, as it was written last
        self._outside: tuple[object, bool] = None, False  # a graph, and whether it reaches outside
        self._said_of: tuple[int | None, str] = None, ""  # an edge that was selected, and its words

    def show(self) -> None:
        """Write both lines as things are now."""
        self._workers = self._workers_now
        now, header, line = self._situation, self._header, self._screen.next_line
        self._screen.panes.show_running(now.running)
        self._screen.panes.tell_no_graph(no_graph_text(now))
        status, following = status_text(now), next_step_text(now)
        header.mode = self._screen.design.mode.upper()
        header.waiting = self._screen.runs.shown.reviews.count
        header.graph, header.status_word, header.answers = status.graph, status.word, status.answers
        header.run_id, header.step, header.max_steps = status.run_id, status.step, status.max_steps
        line.what, line.text, line.twin = following.word, following.text, following.command
        edge, text = self._said_of
        if now.edge != edge and line.says(text):
            line.clear()

    def look_again(self) -> None:
        """Write both lines again where workers have begun with the run, or are done with it."""
        if self._workers_now != self._workers:
            self.show()

    @property
    def _workers_now(self) -> str:
        run = self._screen.runs.shown.run
        return "" if run is None else self._screen.context.engine_look.words(run.id)

    def say_edge(self, edge: int) -> None:
        """Describe the selected edge for as long as it is selected."""
        self._said_of = edge, self._screen.panes.edge_in_words(edge)
        self._screen.say(self._said_of[1])

    @property
    def _reaches_outside(self) -> bool:
        """Whether the graph that is shown runs more than what is scripted; found out once for each graph."""
        graph = self._screen.panes.graph
        if graph is not self._outside[0]:
            from stepgraph.files import reaches_outside  # with what reads definitions

            self._outside = graph, graph is not None and reaches_outside(graph)
        return self._outside[1]

    @property
    def _situation(self) -> Situation:
        """All that the lines depend on, as it is now."""
        to, panes = self._screen, self._screen.panes
        runs, design, running = to.runs, to.design, to.runs.running
        return Situation(
            file=FileState.of(to.file, to.files.on_disk),
            graph=panes.graph.name if panes.graph is not None else None,
            answers="CODE" if to.live.word == "SCRIPTED" and self._reaches_outside else to.live.word,
            designing=design.is_on,
            node=panes.graph_view.selection.node,
            edge=panes.graph_view.selection.edge,
            moment=runs.shown.moment,
            is_older=not design.is_on and bool(runs.shown.changes),
            running=RunningNode(running.node, runs.seconds, to.trials.is_running, runs.thread.calls)
            if running is not None
            else None,
            importing=runs.importing,
            store=to.context.address,
            workers=self._workers,
            hints=to.hints,
        )
