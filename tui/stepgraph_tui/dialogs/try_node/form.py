"""The form that tries a node: with which state, and with which values of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text
from textual import on
from textual.widget import Widget
from textual.widgets import Static

from stepgraph.runs.trial import state_to_try
from stepgraph.values.errors import StepgraphError
from stepgraph.values.state import StateKey
from stepgraph_tui.dialogs.design.choice import Choice
from stepgraph_tui.dialogs.key_text import key_text
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.dialogs.run_form.field import Field
from stepgraph_tui.dialogs.run_form.questions import KeyQuestion, default_of
from stepgraph_tui.dialogs.run_form.values_form import MOST, ValuesForm
from stepgraph_tui.stepping import Try
from stepgraph_tui.words.text import plural, visible

from .answer import AnswerQuestion
from .looking import effects, keys_read

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.reviews.model import Decision, Verb
    from stepgraph.values.json_values import Json

    from .beginnings import Beginning

Masked = Callable[[str, "Json"], "Json"]
"""Hides the secrets in the value of a key."""


class TryQuestion(KeyQuestion):
    """Asks for the value of a key; a node can be tried without any of them."""

    @property
    def required(self) -> bool:
        """Whether it must have a value: never."""
        return False


class _Questions(NamedTuple):
    asked: list[TryQuestion]
    others: list[TryQuestion]
    left_out: int


class TryForm(ValuesForm[Try]):
    """Asks for the state to try a node with; None when it is cancelled. Nothing runs by it.

    One Enter accepts it as it stands. What was typed stays when another state is chosen.

    Args:
        app: The graph.
        node: The node.
        beginnings: The states to choose from; the first is chosen.
        masked: Hides secrets: a value that holds one cannot be seen in its field.
        verbs: The verbs that can answer what the node asks; none when it is not known to ask.
        by: Who answers.
    """

    CSS_PATH = "../run_form/run_form.tcss"
    DEFAULT_CSS = "TryForm .effects { color: $warning; margin-bottom: 1; }"
    VERB = "Try"

    def __init__(
        self,
        app: CompiledGraph,
        node: str,
        beginnings: Sequence[Beginning],
        *,
        masked: Masked = lambda _, value: value,
        verbs: Sequence[Verb] = (),
        by: str = "",
    ) -> None:
        self._graph, self._effects = app, effects(app, node)
        self._read = keys_read(app, node)
        self._beginnings = {beginning.name: beginning for beginning in beginnings}
        self._masked, self._by = masked, by
        self._choice = Choice(tuple(self._beginnings), beginnings[0].name)
        self._trial, self._wrong = self._begun(Try(app, node, {}))
        self._answer = AnswerQuestion(verbs, self._trial.decision) if verbs else None
        super().__init__(f"Try {node}: nothing is recorded", *self._questions())

    def _begun(self, otherwise: Try) -> tuple[Try, str]:
        """The chosen state, or why it cannot be had."""
        try:
            return self._beginnings[self._choice.text].trial(), ""
        except StepgraphError as error:
            return otherwise, error.message

    # What is asked for

    def head(self) -> Iterator[Widget]:
        """What happens to the world, the state to begin with, and the answer."""
        if self._effects:
            yield Static(Text(f"! {self._effects}", "bold"), classes="effects")
        yield Static(Text("begin with the state", "bold"))
        yield self._choice
        yield Static(Text(self._standing()), classes="note standing")
        yield Static("")
        if self._answer is not None:
            yield Field(self._answer)

    def _standing(self) -> str:
        """Where the run would be, and what the node would know of its last visit."""
        trial, settings = self._trial, self._graph.settings
        run_id = self._beginnings[self._choice.text].run_id
        run = f"run {visible(run_id)}, " if run_id else ""
        refines = trial.visit > 1 and settings.feedback and trial.node not in settings.no_feedback
        feedback = ", with feedback on its last output" if refines else ""
        return f"{run}as step {trial.step}, visit {trial.visit}{feedback}"

    def _questions(self, typed: Collection[str] = ()) -> _Questions:
        """What to ask for: the keys that the node reads and those that were typed, then the others."""
        known = dict.fromkeys([*self._graph.keys, *self._trial.values])
        wanted = {*typed, *(known if self._read is None else self._read)}
        first = [*(name for name in known if name in wanted), *sorted(wanted - known.keys())]
        others = [name for name in known if name not in wanted]
        return _Questions(
            [self._question(name) for name in first[:MOST]],
            [self._question(name) for name in others[:MOST]],
            max(0, len(first) - MOST) + max(0, len(others) - MOST),
        )

    def _question(self, name: str) -> TryQuestion:
        key = self._graph.keys.get(name) or StateKey(name)
        value = self._trial.values.get(name, default_of(key))
        if self._masked(name, value) != value:
            key = replace(key, secret=True)
        return TryQuestion(key, value)

    def more(self) -> str:
        """How many keys the node is not known to read."""
        count = len(self.others) + self.left_out
        return f"More: {plural(count, 'key')} that it does not read" if count else ""

    @on(Choice.Changed)
    async def begin_anew(self) -> None:
        """Take the values of the state that is chosen, but for what was typed."""
        typed = {field.question.name: field.text for field in self._key_fields() if field.changed}
        self._trial, wrong = self._begun(self._trial)
        self.tell(wrong)
        self.query_one(".standing", Static).update(Text(self._standing()))
        await self.ask_anew(*self._questions(typed))
        for field in self._key_fields():
            if field.question.name in typed:
                field.put(typed[field.question.name])
        self.say_keys()

    def _key_fields(self) -> list[Field]:
        return [field for field in self.fields if isinstance(field.question, TryQuestion)]

    def focus_first(self) -> None:
        """Begin where the state is chosen."""
        self.tell(self._wrong)
        self._choice.focus()

    # The keys

    def enter(self) -> str:
        """What Enter does, in one or two words."""
        return self.VERB if self.focused is self._choice else super().enter()

    def field_keys(self, live: Mapping[str, str]) -> Iterator[Text]:
        """The arrows choose the state."""
        if self.focused is self._choice and len(self._beginnings) > 1:
            yield key_text("←→", "Another state")

    # Leaving the form

    @on(Choice.Entered)
    def try_as_it_is(self) -> None:
        """One Enter is enough."""
        self.action_accept()

    def result(self) -> Try:
        """The trial, with the values and the answer as they stand here."""
        values = {**self._trial.values, **self.changes()}
        state_to_try(self._graph, values)  # what no field could know
        return replace(self._trial, values=values, decision=self._decision())

    def _decision(self) -> Decision | None:
        answer = self._answer
        if answer is None:
            return None
        return next(answer.read(field.text, self._by) for field in self.fields if field.question is answer)

    def hand_back(self, result: Try) -> None:
        """Ask once more where something happens that cannot be taken back."""

        def answered(yes: bool | None) -> None:
            if yes:
                self.dismiss(result)

        if self._effects:
            question = f"Try {self._trial.node}? {self._effects}."
            self.app.push_screen(Confirm(question, "Try it"), answered)
        else:
            self.dismiss(result)
