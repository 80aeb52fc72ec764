"""The form that tries a node: with which state, with which values of it, and with which answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stepgraph.nodes.tool import ToolNode
from stepgraph.reviews.model import Decision, ReviewRequest
from stepgraph.runs.decision_preview import waypoint
from stepgraph.runs.trial import state_to_try
from stepgraph.values.errors import StateError, StepgraphError
from stepgraph.values.state import UNSET, StateKey
from stepgraph_tui.dialogs.forms.field import Answers, Field, FormProblem
from stepgraph_tui.dialogs.forms.form import FormContents, NoteRow
from stepgraph_tui.dialogs.forms.formats import Editor, Format, Misfit, one_of
from stepgraph_tui.dialogs.forms.model import FormKind, FormModel
from stepgraph_tui.dialogs.forms.of_state import MOST, changes, default_of, state_field
from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.worker import Try

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.reviews.model import Verb
    from stepgraph.values.json_values import Json

    from .beginnings import Beginning

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
        asked, folded = [list(map(self._key_field, names[:MOST])) for names in (first, others)]
        self._keys = [*asked, *folded]
        effects = [NoteRow(f"! {self._effects}", "effects")] if self._effects else []
        answer = [field for field in (self._models, self._answer) if field is not None]
        left_out = max(0, len(first) - MOST) + max(0, len(others) - MOST)
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
        """Tell where the run would be, and what the node would know of its last visit."""
        trial, settings = self._trial, self._graph.settings
        run_id = self._beginnings[self._chosen].run_id
        run = f"run {visible(run_id)}, " if run_id else ""
        refines = trial.visit > 1 and settings.feedback and trial.node not in settings.no_feedback
        feedback = ", with feedback on its last output" if refines else ""
        return {self._choice: f"{run}as step {trial.step}, visit {trial.visit}{feedback}"}

    def problems(self, answers: Answers) -> list[FormProblem]:
        """Tell why the chosen state cannot be had."""
        return [FormProblem(self._wrong)] if self._wrong else []

    def result(self, answers: Answers) -> Try:
        """Give the trial, with the values and the answer as they stand here."""
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
        """Give the verb and its words."""
        words = value.text or value.comment
        return f"{value.verb}: {words}" if words else value.verb

    def read(self, text: str) -> Decision:
        """Give the decision that a text stands for."""
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
    """Make the field of an answer.

    An edit is not among them: the values that it would change stand in the form.

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
    """Make the field that says who answers where the node asks a model."""
    note = "Whether real models answer, which may cost money and is asked about, or canned replies."
    return Field("models", one_of((SCRIPTED, LIVE)), LIVE if live else SCRIPTED, note=note)


# What can be known of a node before it runs


def keys_read(app: CompiledGraph, node: str) -> frozenset[str] | None:
    """Give the keys that a node and the conditions behind it are known to read; None when it may be any."""
    facts = app.nodes[node].facts
    if facts.reads is None:
        return None
    asked = {key for edge in app.edges_from(node) for key in edge.condition.reads}
    return facts.all_reads | (asked - (facts.writes or frozenset()))


def verbs_offered(app: CompiledGraph, node: str) -> tuple[Verb, ...]:
    """Give the verbs that can answer what a node will ask; none when it is not known to ask."""
    entry = app.nodes[node]
    if entry.tools_that_ask(app.tools):
        return ReviewRequest("").verbs
    if not entry.is_approval:
        return ()
    settings: Any = getattr(entry.node, "settings", None)
    return ReviewRequest("", editable=settings.editable, allow=settings.allow).verbs


def effects(app: CompiledGraph, node: str) -> str:
    """Tell what running a node does to the world outside the state, in words; empty when nothing is known."""
    if waypoint(app, node).side_effects:
        return "This node has side effects: they will really happen"
    entry = app.nodes[node]
    acting = [visible(tool.name) for tool in app.tools.values() if tool.side_effects]
    is_open = isinstance(entry.node, ToolNode) and not entry.facts.tools  # the state says which tool it calls
    if acting and is_open:
        return f"This node may call {', '.join(acting)}: side effects will really happen"
    return ""
