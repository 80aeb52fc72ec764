"""The form of a breakpoint: where a run halts, on which condition, how often, or what it logs instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stepgraph.expressions import parse, written_key
from stepgraph.runs.debug import Breakpoint, CompiledBreakpoints, format_breakpoint, parse_breakpoint
from stepgraph.values import UNSET, BreakpointError, ExpressionError

from .forms import completing
from .forms.field import Answers, EmptyField, Field, FormKind, FormModel, FormProblem
from .forms.form import FormContents
from .forms.formats import NO_YES, Misfit, NumberFormat, TextFormat

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph


_WHERE = (
    "NODE, after:NODE, edge:A->B, key:NAME (it changes), key:NAME=VALUE, type:NAME, fail, pause or nomatch."
)
_CONDITION = "An expression on the state before the step, such as score < 3. Empty: always."
_LOG = "A line for the Log, such as n is {{ n }}: the run continues. Empty: it halts."
_MOST = 500  # nodes and edges that are offered


class BreakForm(FormModel[Breakpoint]):
    """Asks for a breakpoint, spelled as on the command line; its options have fields of their own.

    Args:
        plan: The graph.
        entry: What to begin with; one that has an id is changed.
        names: The names that conditions can use.
    """

    KIND = FormKind("Set", "setting", "changed", is_edit=True)

    def __init__(self, plan: CompiledGraph, entry: Breakpoint | None, names: Sequence[str]) -> None:
        self._plan, self._entry = plan, entry
        self.heading = f"Breakpoint {entry.id}" if entry is not None and entry.id else "New breakpoint"
        bare = replace(entry, when=None, skip=0, every=1, log=None) if entry is not None else None
        line = TextFormat("line")
        self._where = Field(
            "where",
            line,
            format_breakpoint(bare) if bare is not None else UNSET,
            note=_WHERE,
            completer=completing.whole(list(_places(plan, names))),
            required=True,
            accept=_require_place,
        )
        self._when = Field(
            "condition",
            TextFormat(),
            entry.when if entry is not None and entry.when is not None else UNSET,
            note=_CONDITION,
            completer=completing.expression(names),
        )
        self._skip = Field(
            "after",
            NumberFormat(whole=True),
            entry.skip if entry is not None and entry.skip else UNSET,
            0,
            note="How many hits are let pass at first.",
        )
        self._every = Field(
            "every",
            NumberFormat(whole=True),
            entry.every if entry is not None and entry.every > 1 else UNSET,
            1,
            note="Of the further hits only each so-manieth counts.",
        )
        self._log = Field(
            "log",
            TextFormat(),
            entry.log if entry is not None and entry.log is not None else UNSET,
            note=_LOG,
            completer=completing.template(names),
        )
        self._on = Field(
            "on", NO_YES, entry.enabled if entry is not None else True, note="Whether it counts."
        )
        self.contents = FormContents([self._where, self._when, self._skip, self._every, self._log, self._on])

    @property
    def begins_at(self) -> Field | None:
        """Begin where something is missing: the place, or else the condition."""
        return self._when if self._entry is not None else None

    def result(self, answers: Answers) -> Breakpoint:
        """Return the breakpoint, with the id that it had.

        Raises:
            Misfit: It cannot be read, or can never be met.
        """
        for problem in self.problems(answers):
            raise Misfit(problem.message)
        return self._read_breakpoint(answers)

    def _read_breakpoint(self, answers: Answers) -> Breakpoint:
        """Read the breakpoint; what the place itself says holds where its own field is empty.

        Raises:
            BreakpointError: It cannot be read.
        """
        made = parse_breakpoint(answers.value(self._where), self._plan)
        fields: dict[str, Any] = {
            name: value
            for name, field in (
                ("when", self._when),
                ("skip", self._skip),
                ("every", self._every),
                ("log", self._log),
            )
            if (value := answers.value(field)) is not UNSET
        }
        enabled = answers.value(self._on)
        made = replace(made, **fields, enabled=enabled is not False)
        id = self._entry.id if self._entry is not None else ""
        return Breakpoint.from_json(made.to_json(), id)

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Find what cannot be read, or is not in the graph."""
        try:
            made = self._read_breakpoint(answers)
        except BreakpointError as error:
            counts = {"skip": self._skip, "every": self._every}
            yield FormProblem(str(error), counts.get(error.message.split(" ")[0], self._where))
            return
        for part, field in (
            (replace(made, when=None, log=None), self._where),
            (replace(made, log=None), self._when),
            (made, self._log),
        ):
            for broken in CompiledBreakpoints([part], self._plan).broken:
                message, _, excerpt = broken.reason.partition("\n")
                yield FormProblem(message, field, excerpt=excerpt)
                return


def _require_place(value: Any) -> Any:
    if value is UNSET:
        raise EmptyField("say where: a node, an edge, a key, or fail, pause, nomatch")
    return value


def _places(plan: CompiledGraph, names: Sequence[str]) -> Iterator[str]:
    """Offer what a breakpoint can wait for, the most common first."""
    for node in list(plan.nodes)[:_MOST]:
        yield format_breakpoint(Breakpoint("before", node))
    for node in list(plan.nodes)[:_MOST]:
        yield format_breakpoint(Breakpoint("after", node))
    for edge in list(plan.edges)[:_MOST]:
        yield format_breakpoint(Breakpoint("edge", edge.source, edge.target))
    for path in dict.fromkeys((*map(written_key, plan.keys), *names)):
        if not path.startswith("visits") and path not in ("step", "last_output"):
            yield f"key:{path}"
            yield f"type:{path}"
    yield from ("fail", "pause", "nomatch")


class WatchForm(FormModel[str]):
    """Asks for the expression of a watch.

    Args:
        text: The expression that is edited; None for a new watch.
        names: What can be completed.
    """

    KIND = FormKind("Watch")

    def __init__(self, text: str | None, names: Sequence[str]) -> None:
        self.heading = "Watch an expression" if text is None else "Edit the watch"
        self._text = Field(
            "expression",
            TextFormat("line"),
            UNSET if text is None else text,
            note="Such as order.amount, score > 3 or visits.draft; written as conditions are.",
            holds="expression",
            completer=completing.expression(names),
            required=True,
            accept=_expression,
        )
        self.contents = FormContents([self._text])

    def result(self, answers: Answers) -> str:
        """Return the expression."""
        text: str = answers.value(self._text)
        return text


def _expression(value: Any) -> Any:
    """Accept a text that can be asked of a run."""
    if value is UNSET:
        raise EmptyField("write an expression, such as order.amount")
    try:
        parse(value)
    except ExpressionError as error:
        raise Misfit(f"{error.message} ({error.hint})" if error.hint else error.message) from None
    return value.strip()
