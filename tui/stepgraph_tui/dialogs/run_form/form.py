"""The form that starts a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.widgets import Static

from stepgraph.runs.operations import initial_state
from stepgraph_tui.words.text import plural

from .questions import Question, RunIdQuestion, questions
from .values_form import MOST, ValuesForm

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.values.json_values import Json


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a new run begins with."""

    values: dict[str, Json]
    """What differs from the defaults, or was given to the form; None takes a default away."""
    run_id: str | None = None
    """None for one that is made up."""


class RunForm(ValuesForm[RunInputs]):
    """Asks for the inputs of a run; None when it is cancelled. Nothing runs by it.

    With everything filled in, one Enter accepts it.

    Args:
        app: The graph.
        given: Values to begin with, such as the inputs of the run before; defaults stand where there are
            none.
        title: The form's heading.
    """

    CSS_PATH = "run_form.tcss"
    VERB = "Start"

    def __init__(
        self, app: CompiledGraph, given: Mapping[str, Json] | None = None, title: str | None = None
    ) -> None:
        self._graph = app
        self._given = dict(given or {})
        inputs, others = questions(app, self._given)
        left_out = max(0, len(inputs) - MOST) + max(0, len(others) - MOST)
        heading = title if title is not None else f"Start a run of {app.name}"
        super().__init__(heading, inputs[:MOST], others[:MOST], left_out)

    def head(self) -> Iterator[Static]:
        """Say so when nothing is asked for."""
        if not self.asked:
            yield Static("This graph asks for nothing: every value has its default.", classes="note")

    def folded(self) -> Iterator[Question]:
        """How the run is called."""
        yield RunIdQuestion()

    def more(self) -> str:
        """The run's id, and how many keys that are no inputs."""
        others = len(self.others)
        return "More: the run's id" + (f" and {plural(others, 'other key')}" if others else "")

    def elsewhere(self) -> str:
        """The command line takes all."""
        return ", with `stepgraph run --input`"

    def result(self) -> RunInputs:
        """The inputs of the run."""
        values = {**self._given, **self.changes()}
        initial_state(self._graph, values)  # what no field could know
        named = (field.text for field in self.fields if isinstance(field.question, RunIdQuestion))
        return RunInputs(values, next(named).strip() or None)
