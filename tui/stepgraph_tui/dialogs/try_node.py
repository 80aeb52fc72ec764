"""The dialog that shows what came of trying a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rich.text import Text

from stepgraph.graphs import END
from stepgraph.nodes import ToolNode
from stepgraph.reviews import Decision, ReviewRequest
from stepgraph.runs import state_to_try, waypoint
from stepgraph.values import UNSET, StateError, StateKey, StepgraphError

from ..commands import dialog_bindings
from ..commands.hints import UNMAPPED, Hints
from ..text.plain import call_text, plural, took, value_text
from ..text.state_diff import differences
from ..widgets.lines import LOOKS
from ..widgets.lines.page import Line, blank, paragraph, row_parts, rows_of, text_block
from ..widgets.node.facts import MOST, fact, section
from ..widgets.node.visit import call_lines, error_lines
from ..widgets.part_styles import PartStyles
from ..widgets.why.edges import edge_lines
from ..worker import Try
from .forms.field import Answers, Field, FormKind, FormModel, FormProblem
from .forms.fields import MOST as MOST_FIELDS
from .forms.fields import changes, default_of, state_field
from .forms.form import FormContents, NoteRow
from .forms.formats import Editor, Format, Misfit, one_of
from .pages import Copy, Page

if TYPE_CHECKING:
    from rich.style import Style

    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import Verb
    from stepgraph.values import Json

    from ..run_view import RunSnapshot, RunView
    from ..view.reviews import SafeRequest
    from ..view.trials import TrialStory
    from ..widgets.lines import Role


_VALUE = 240  # characters of a value
_TONES: dict[str, Role] = {"+": "good", "~": "warn", "-": "bad"}


class TriedDialog(Page, inherit_bindings=False):
    """Shows what came of a trial; returns True to try the node once more.

    Args:
        work: The trial.
        tried: What came of it.
        mask: Hides the secrets of the graph and of the state.
        copy: Copies a text; nothing can be copied without it.
        hints: Names the keys.
    """

    BINDINGS = dialog_bindings("tried", "list")

    def __init__(
        self,
        work: Try,
        tried: TrialStory,
        copy: Copy | None = None,
        hints: Hints = UNMAPPED,
    ) -> None:
        super().__init__(f"Tried {tried.node}", copy)
        self._part_styles = PartStyles(self, LOOKS)
        self._told = [line.made_visible() for line in tried_lines(work, tried, hints)]

    def lines(self, width: int) -> Sequence[Text]:
        """Wrap all of it."""
        return [
            Text.assemble(*((text, self._style(role)) for text, role in row_parts(line, row, width)))
            for line in self._told
            for row in rows_of(line, 0, width)
        ]

    def text(self) -> str:
        """Return what ``y`` copies: the lines as they are without a width."""
        return "\n".join(line.plain for line in self._told)

    def _style(self, role: Role) -> Style:
        return self.rich_style if role == "plain" else self._part_styles[role]

    def action_again(self) -> None:
        """Try it once more."""
        self.dismiss(True)


def tried_lines(work: Try, tried: TrialStory, hints: Hints = UNMAPPED) -> Iterator[Line]:
    """Describe what a trial came to: how it went, what it changed, what it put out, where it would lead.

    Args:
        work: The trial.
        tried: What came of it.
        hints: Names the keys.
    """
    yield _outcome(work, tried, hints)
    yield paragraph("Nothing was recorded: this step is in no run.", "dim")
    row = tried.row
    if row.error is not None:
        source = work.app.source
        folder = source.parent if source is not None else None
        yield from section("Why it failed", error_lines(row.error, folder))
        if row.kind != "step":
            message = str(row.error.get("message", ""))
            yield from section("Asked and answered", call_lines(tried.calls, message))
    request = tried.request
    if request is not None:
        yield from section("A person would be asked", _request_lines(request, tried))
    if row.kind != "step":
        return
    yield from section("Asked and answered", call_lines(tried.calls, tried.output))
    yield from section("Changed", _changed(tried))
    if row.output:  # None where it is only the updates once more
        yield from section("Put out", text_block(row.output, "value"))
    yield from section("Where it would lead", edge_lines(tried.edges))


def _outcome(work: Try, tried: TrialStory, hints: Hints) -> Line:
    mark, headline = _headline(tried, hints)
    lasted = f"{'live, ' if work.live else ''}visit {work.visit}, {took(tried.record.duration)}"
    return Line((mark, (f"{tried.node} {headline}", "title")), (lasted, "dim"), hang=2)


def _headline(tried: TrialStory, hints: Hints) -> tuple[tuple[str, Role], str]:
    status = tried.record.status
    if status == "paused":
        return ("◆ ", "warn"), hints("asks a person: {tried.again} tries again with an answer")
    if status == "success":
        ends = {END: "the run would end", None: "no edge matches, and the run would end"}
        return (
            "✓ ",
            "good",
        ), f"is done: {ends.get(tried.next) or f'{tried.next} would be next'}"
    if status == "stopped":
        return ("● ", "warn"), "does not run: a run would stop here"
    routed = tried.record.row.kind == "step"
    return ("✗ ", "bad"), "is done, but no edge could be taken" if routed else "failed"


def _changed(tried: TrialStory) -> Iterator[Line]:
    found = tried.masked(differences(tried.tried.before, tried.tried.after))
    if not found:
        yield paragraph("nothing", "dim")
    for sign, path, old, new in found[:MOST]:
        words = {"+": value_text(new, _VALUE), "-": f"was {value_text(old, _VALUE)}"}.get(
            sign, f"{value_text(old, _VALUE)} → {value_text(new, _VALUE)}"
        )
        yield Line(((f"{sign} ", _TONES[sign]), (f"{path}  ", "name"), (words, "value")), hang=2)
    if len(found) > MOST:
        yield paragraph(f"… {plural(len(found) - MOST, 'more value')}", "dim")


def _request_lines(request: SafeRequest, tried: TrialStory) -> Iterator[Line]:
    yield from text_block(request.prompt)
    if request.action:
        yield fact("action", call_text(request.action, request.arguments), "value")
    for path, value in tried.shown_values():
        yield fact(path, "is missing" if value is None else value_text(value, _VALUE), "value")
    risk = f"{request.risk}: {request.risk_reason}" if request.risk_reason else request.risk
    yield fact("risk", risk)
    yield fact("answers", ", ".join(request.verbs))
    yield blank()


_MOST = 6
"""How many of a node's visits are offered, the last ones."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A state to try a node with, and how often a run had been there by then."""

    name: str
    trial: Callable[[], Try]
    """Reads it. It raises StoreError where the store cannot be read."""
    run_id: str = ""
    """The run that it is of; empty when it is of none."""


def beginnings(
    app: CompiledGraph, node: str, moment: RunSnapshot | None = None, before: Try | None = None
) -> list[Beginning]:
    """List what a node can be tried with, the likeliest first.

    That is what was last tried, then the past state that is viewed, then the states that the node was
    visited with, the newest first; and where the run is now comes before them when the node is next.

    Args:
        app: The graph, which need not be that of the run.
        node: The node.
        moment: A run, and which step of it is viewed.
        before: The last trial, for another one.
    """
    found = []
    if before is not None:
        found.append(Beginning("as last tried", lambda: replace(before, app=app)))
    if moment is not None:
        found += _of_run(app, node, moment)
    found.append(Beginning("the defaults", lambda: Try(app, node, {})))
    return found


def _of_run(app: CompiledGraph, node: str, moment: RunSnapshot) -> Iterator[Beginning]:
    view, run = moment.view, moment.view.run

    def at(name: str, row: int, step: int) -> Beginning:
        return Beginning(name, lambda: _trial(app, node, view, row, step), view.run_id)

    now = at(f"now, after step {run.step}" if run.step else "now, at the start", view.version, run.step + 1)
    if not moment.live:
        record = moment.record
        label = f"viewed, after step {moment.step}" if moment.step else "viewed, the start"
        yield at(label, record.row.seq if record is not None else 1, moment.step + 1)
    is_next = run.current == node
    if is_next:
        yield now
    visited = (record for record in reversed(view.steps) if record.node == node)
    for _, record in zip(range(_MOST), visited, strict=False):
        yield at(f"before step {record.step}", record.row.seq - 1, record.step)
    if not is_next:
        yield now


def _trial(app: CompiledGraph, node: str, view: RunView, row: int, step: int) -> Try:
    """Take the state after a row of a run's ledger. What the run has no more, no default brings back."""
    steps = [record for record in view.steps if record.row.seq <= row]
    visits = Counter(record.node for record in steps)
    last = next((record for record in reversed(steps) if record.node == node), None)
    values = view.store.values(view.run_id, row)
    gone = {name: None for name in view.plan.keys if name in app.keys and name not in values}
    return Try(
        app,
        node,
        {**values, **gone},
        step=step,
        visit=visits.pop(node, 0) + 1,
        visits=visits,
        previous_output=last.output if last is not None else None,
        last_output=(steps[-1].output or "") if steps else "",
    )


Masked = Callable[[str, "Json"], "Json"]
"""Hides the secrets in the value of a key."""
SCRIPTED, LIVE = "scripted", "live"
"""Who answers where a node asks a model."""
_WORDED = "respond"
"""The verb that is nothing without words."""


class TryForm(FormModel[Try]):
    """Asks for the state to try a node with. Nothing runs by it.

    One Enter accepts it as it stands. What was typed stays when another state is chosen.

    Args:
        app: The graph.
        node: The node.
        beginnings: The states to choose from; the first is chosen.
        masked: Hides secrets: a value that holds one cannot be seen in its field.
        verbs: The verbs that can answer what the node asks; none when it is not known to ask.
        by: Who answers.
        live: Whether real models answer at first; None where the node asks none.
    """

    KIND = FormKind("Try")

    def __init__(
        self,
        app: CompiledGraph,
        node: str,
        beginnings: Sequence[Beginning],
        *,
        masked: Masked = lambda _, value: value,
        verbs: Sequence[Verb] = (),
        by: str = "",
        live: bool | None = None,
    ) -> None:
        self.heading = f"Try {node}: nothing is recorded"
        self._graph, self._effects, self._masked = app, effects(app, node), masked
        self._read = keys_read(app, node)
        self._beginnings = {beginning.name: beginning for beginning in beginnings}
        self._chosen = beginnings[0].name
        self._trial, self._wrong = Try(app, node, {}), ""
        self._begin()
        self._choice = Field(
            "start from the state",
            one_of(tuple(self._beginnings)),
            self._chosen,
            begins=True,
            arrows="Another state",
        )
        self._answer = answer_field(verbs, by, self._trial.decision) if verbs else None
        self._models = models_field(live) if live is not None else None
        self._keys: list[Field] = []
        self._ask(())

    def _begin(self) -> None:
        """Take the chosen state, or note why it cannot be had."""
        try:
            self._trial, self._wrong = self._beginnings[self._chosen].trial(), ""
        except StepgraphError as error:
            self._wrong = error.message

    def _ask(self, typed: Collection[str]) -> None:
        """Ask for the keys that the node reads and for those that were typed, then for the others."""
        known = dict.fromkeys([*self._graph.keys, *self._trial.values])
        wanted = {*typed, *(known if self._read is None else self._read)}
        first = [*(name for name in known if name in wanted), *sorted(wanted - known.keys())]
        others = [name for name in known if name not in wanted]
        asked, folded = [list(map(self._key_field, names[:MOST_FIELDS])) for names in (first, others)]
        self._keys = [*asked, *folded]
        effects = [NoteRow(f"! {self._effects}", "effects")] if self._effects else []
        answer = [field for field in (self._models, self._answer) if field is not None]
        left_out = max(0, len(first) - MOST_FIELDS) + max(0, len(others) - MOST_FIELDS)
        count = len(folded) + left_out
        self.contents = FormContents(
            [*effects, self._choice, *answer, *asked],
            folded,
            f"More: {plural(count, 'key')} that it does not read" if count else "",
            rest=f"and {left_out:,} more, which have no field here" if folded and left_out else "",
        )

    def _key_field(self, name: str) -> Field:
        key = self._graph.keys.get(name) or StateKey(name)
        value = self._trial.values.get(name, default_of(key))
        if self._masked(name, value) != value:
            key = replace(key, secret=True)
        return state_field(key, value)

    def refilled(self, answers: Answers) -> Mapping[Field, str] | None:
        """Take the values of the state that is chosen, but for what was typed."""
        if answers.text(self._choice) == self._chosen:
            return None
        typed = {field.name: answers.text(field) for field in self._keys if answers.has_changed(field)}
        self._chosen = answers.text(self._choice)
        self._begin()
        self._ask(typed)
        return {field: typed[field.name] for field in self._keys if field.name in typed}

    def remarks(self, answers: Answers) -> Mapping[Field, str]:
        """Describe where the run would be, and what the node would know of its last visit."""
        trial, settings = self._trial, self._graph.settings
        run_id = self._beginnings[self._chosen].run_id
        run = f"run {run_id}, " if run_id else ""
        refines = trial.visit > 1 and settings.feedback and trial.node not in settings.no_feedback
        feedback = ", with feedback on its last output" if refines else ""
        return {self._choice: f"{run}as step {trial.step}, visit {trial.visit}{feedback}"}

    def problems(self, answers: Answers) -> list[FormProblem]:
        """Explain why the chosen state cannot be had."""
        return [FormProblem(self._wrong)] if self._wrong else []

    def result(self, answers: Answers) -> Try:
        """Return the trial, with the values and the answer as they stand here."""
        values = {**self._trial.values, **changes(answers, self._keys)}
        try:
            state_to_try(self._graph, values)  # what no field could know
        except StateError as error:
            raise Misfit(error.message) from None
        decision: Any = answers.value(self._answer) if self._answer is not None else UNSET
        live = self._models is not None and answers.text(self._models) == LIVE
        return replace(
            self._trial, values=values, decision=None if decision is UNSET else decision, live=live
        )

    @property
    def question(self) -> tuple[str, str] | None:
        """Asks once more where something happens that cannot be taken back."""
        return (f"Try {self._trial.node}? {self._effects}.", "Try it") if self._effects else None


# The answer


@dataclass(frozen=True, slots=True)
class AnswerFormat(Format):
    """The answer of a person to a node that asks: a verb, and its words behind a colon.

    Args:
        verbs: The verbs on offer.
        by: Who decides.
    """

    verbs: tuple[Verb, ...]
    by: str = ""
    editor: Editor = "line"

    def write(self, value: Decision) -> str:
        """Write the verb and its words."""
        words = value.text or value.comment
        return f"{value.verb}: {words}" if words else value.verb

    def read(self, text: str) -> Decision:
        """Parse the text into a decision."""
        verb, _, words = text.partition(":")
        verb, words = verb.strip().lower(), words.strip()
        offered = next((one for one in self.verbs if one == verb), None)
        if offered is None:
            raise Misfit(f"is one of: {', '.join(self.verbs)}")
        if offered == _WORDED:
            if not words:
                raise Misfit("takes a text: respond: TEXT")
            return Decision(offered, text=words, by=self.by)
        return Decision(offered, comment=words, by=self.by)


def answer_field(verbs: Sequence[Verb], by: str, given: Decision | None = None) -> Field:
    """Build the field of an answer.

    An edit is not among them: the values that it would change are in the form.

    Args:
        verbs: The verbs on offer.
        by: Who answers.
        given: The answer to begin with.
    """
    offered = tuple(verb for verb in verbs if verb != "edit")
    kind = " or ".join(f"{verb}: TEXT" if verb == _WORDED else verb for verb in offered)
    note = "What a person answers; empty shows what would be asked."
    value: Any = UNSET if given is None else given
    return Field("answer", AnswerFormat(offered, by), value, note=note, kind=kind)


def models_field(live: bool) -> Field:
    """Build the field that says who answers where the node asks a model."""
    note = "Whether real models answer, which may cost money and is asked about, or scripted replies."
    return Field("models", one_of((SCRIPTED, LIVE)), LIVE if live else SCRIPTED, note=note)


# What can be known of a node before it runs


def keys_read(app: CompiledGraph, node: str) -> frozenset[str] | None:
    """Return the keys that a node and the conditions after it are known to read; None when it may be any."""
    facts = app.nodes[node].facts
    if facts.reads is None:
        return None
    asked = {key for edge in app.edges_from(node) for key in edge.condition.reads}
    return facts.all_reads | (asked - (facts.writes or frozenset()))


def verbs_offered(app: CompiledGraph, node: str) -> tuple[Verb, ...]:
    """Return the verbs that can answer what a node will ask; none when it is not known to ask."""
    entry = app.nodes[node]
    if entry.tools_that_ask(app.tools):
        return ReviewRequest("").verbs
    if not entry.is_approval:
        return ()
    settings: Any = getattr(entry.node, "settings", None)
    return ReviewRequest("", editable=settings.editable, allow=settings.allow).verbs


def effects(app: CompiledGraph, node: str) -> str:
    """Describe a node's effects outside the state; empty when none is known."""
    if waypoint(app, node).side_effects:
        return "This node has side effects: they will really happen"
    entry = app.nodes[node]
    acting = [tool.name for tool in app.tools.values() if tool.side_effects]
    is_open = isinstance(entry.node, ToolNode) and not entry.facts.tools  # the state says which tool it calls
    if acting and is_open:
        return f"This node may call {', '.join(acting)}: side effects will really happen"
    return ""
