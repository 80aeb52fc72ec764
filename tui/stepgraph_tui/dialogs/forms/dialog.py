"""The dialog that shows a form: its keys, what is wrong, $EDITOR, and a question before leaving."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, TypeAlias

from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.timer import Timer
from textual.widgets import Collapsible, Static

from stepgraph.values import StepgraphError

from ...commands import COMMANDS, dialog_bindings
from ...commands.command import Wording
from ...commands.live import live_commands
from ...widgets.words import entitle
from ..dialog import TALKS, Dialog, key_line, key_text
from ..questions import Confirm
from .field import Answers, Field, FormModel, FormProblem, Result
from .field_view import FieldView, problem_lines
from .form import Form
from .formats import Misfit, TomlFormat

EditElsewhere: TypeAlias = Callable[[str, str], "str | None"]
"""Lets a person edit a text in $EDITOR, in a file whose name ends so; None when it was left as it is.

It raises StepgraphError when there is no editor, or it failed."""
_ROOMY = 50  # cells from which on labels are beside their fields
_SPARE = 2  # rows of a dialog that are there for messages
_PAUSE = 0.3  # seconds without a key, after which problems are looked for that take long to find
_NO_EDITOR = "no editor can be opened from here"


class StillFrame(Vertical):
    """A frame that keeps its height while messages come and go in it, with some room for them from the start.

    What does not fit is scrolled to. ``settle`` lets it take another height: something else is asked for.
    """

    def __init__(self) -> None:
        super().__init__(classes="frame")
        self._kept: tuple[int, Size, int] | None = None  # for which width and screen, and the height

    def settle(self) -> None:
        """Use the height that is needed now."""
        self._kept = None
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height that was needed at first, and a bit."""
        if self._kept is None or self._kept[:2] != (width, viewport):
            needed = super().get_content_height(container, viewport, width)
            self._kept = width, viewport, needed + max(_SPARE, viewport.height // 8)
        return self._kept[2]


class FormDialog(Dialog["Result | None"], Generic[Result], inherit_bindings=False):
    """Shows a form; hands back its result, or None when it is cancelled or nothing is to be done.

    Args:
        model: What kind of form it is.
        edit_in_editor: Opens $EDITOR; None when that is not possible.
    """

    BINDINGS = dialog_bindings("form", "form.editor")
    CSS_PATH = "form.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_ROOMY, "-roomy")]  # noqa: RUF012  # declared so by Screen

    def __init__(self, model: FormModel[Result], edit_in_editor: EditElsewhere | None = None) -> None:
        super().__init__(classes=f"-{model.KIND.style}")
        self.model = model
        self._edit_in_editor = edit_in_editor
        self._form = Form(model.contents, model.KIND.style, are_examples=model.are_examples)
        self._frame = StillFrame()
        self._below = Static(classes="wrong")
        self._below.display = False
        self._keys = Static(classes="keys")
        self._waiting: Timer | None = None
        self._asked = False  # whether what is missing counts

    def compose(self) -> ComposeResult:
        """Show the form, and below it what is wrong and which keys there are."""
        with self._frame:
            entitle(self._frame, self.model.heading)
            yield self._form
            yield self._below
            yield self._keys

    def begin(self) -> None:
        """Show what is wrong already, and focus the first field."""
        self._look_again()
        if self.model.begins_at is not None:
            self._form.go_to(self.model.begins_at)
        elif views := self._form.in_reach:
            views[0].focus_editor()

    def on_resize(self) -> None:
        """Take the height that is needed, once texts know their width and are wrapped."""
        self.call_after_refresh(self._frame.settle)

    def renamed(self) -> Mapping[str, Wording]:
        """Call accepting the form by what comes of it."""
        return {"form.accept": COMMANDS["form.accept"].renamed(self.model.KIND.verb)}

    # What is in it

    @property
    def answers(self) -> Answers:
        """What is in the fields."""
        return self.model.answers(self._form.texts)

    @property
    def focused_view(self) -> FieldView | None:
        """The field with the focus."""
        return self._form.focused_view

    @property
    def changed(self) -> bool:
        """Whether somebody changed something that would be lost."""
        return any(not field.begins for field in self.answers.changed)

    @property
    def holds_edit(self) -> bool:
        """Whether something was edited that is not handed back yet."""
        return self.model.KIND.is_edit and self.changed

    # What is wrong with it

    @on(FieldView.Changed)
    async def take_change(self) -> None:
        """Ask for other things where an answer changes that, and show what is wrong."""
        texts = self.model.refilled(self.answers)
        if texts is not None:
            await self._form.refill(self.model.contents)
            self._form.set_texts(texts)
            self._frame.settle()
        self._look_again()

    def _look_again(self) -> None:
        """Validate what was typed."""
        answers = self.answers
        self._form.look_at(self.model.absent(answers), self.model.remarks(answers))
        misfits = self._misfits(answers)
        if misfits:
            self._tell(answers.problems(misfits, asked=self._asked))
        else:
            self._check_soon(answers)
        self.say_keys()

    def _misfits(self, answers: Answers) -> dict[Field, Misfit]:
        return answers.misfits(self.model.absent(answers))

    def _check_soon(self, answers: Answers) -> None:
        """Look for problems now; where that takes long, once the keys pause."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        if self.model.is_slow(answers):
            self._waiting = self.set_timer(_PAUSE, self._check)
        else:
            self._check()

    def _check(self) -> None:
        answers = self.answers
        if not self._misfits(answers):
            self._tell(self.model.problems(answers))

    def _tell(self, problems: Iterable[FormProblem]) -> None:
        below = problem_lines(self._form.tell(problems))
        self._below.update(below)
        self._below.display = bool(below)

    # The editor

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only texts can be edited elsewhere."""
        if action != "edit_elsewhere":
            return True
        view = self._form.focused_view if self.is_mounted else None
        return self.model.KIND.is_edit and view is not None and view.is_text

    def action_edit_elsewhere(self) -> None:
        """Edit the text of the field in $EDITOR."""
        view = self._form.focused_view
        if view is None:
            return
        if self._edit_in_editor is None:
            self._tell([FormProblem(_NO_EDITOR)])
            return
        suffix = ".toml" if isinstance(view.field.format, TomlFormat) else ".txt"
        before = view.text
        try:
            text = self._edit_in_editor(before, suffix)
        except StepgraphError as error:
            self._tell([FormProblem(error.message)])
            return
        if text is not None:
            # Editors end the last line of a file, which is not meant to be part of the text.
            view.set_text(text if before.endswith("\n") else text.removesuffix("\n"))

    # Going from field to field, and leaving

    def action_next_field(self) -> None:
        """Accept the marked completion, else move to the next field."""
        view = self._form.focused_view
        if view is not None and view.tab_takes:
            view.take_offer()
        else:
            self.focus_next()

    def action_previous_field(self) -> None:
        """Move to the field before."""
        self.focus_previous()

    def on_key(self, event: events.Key) -> None:
        """Enter accepts where there is no field to leave."""
        if event.key == "enter" and self.focused is None:
            event.stop()
            self.action_accept()

    @on(Form.Finished)
    def action_accept(self) -> None:
        """Return the result of the answers, unless something is wrong with them."""
        answers = self.answers
        misfits = self._misfits(answers)
        if misfits:
            self.app.bell()
            self._asked = True
            self._form.go_to(next(iter(misfits)))
            self._tell(answers.problems(misfits, asked=True))
            return
        try:
            result = self.model.result(answers)
        except Misfit as misfit:
            self.app.bell()
            self._refuse(str(misfit))
            return
        self._hand_back(result)

    def _refuse(self, message: str) -> None:
        """Show why there is no result, at the field that causes it if one is known."""
        problems = list(self.model.problems(self.answers))
        refusal = next((problem for problem in problems if problem.message == message), None)
        if refusal is None:
            problems.append(FormProblem(message))
        elif refusal.field is not None:
            self._form.go_to(refusal.field)
        self._tell(problems)

    def _hand_back(self, result: Result | None) -> None:
        """Leave the form, where something cannot be taken back after a question."""
        if self.model.question is None:
            self.dismiss(result)
        else:
            self._leave_after(Confirm(*self.model.question), result)

    @work(group=TALKS, exclusive=True)  # keys in one burst ask once
    async def _leave_after(self, question: Confirm, result: Result | None) -> None:
        """Leave the form if that is meant."""
        if await self.app.push_screen_wait(question):
            self.dismiss(result)

    def action_cancel(self) -> None:
        """Close the list of completions, else leave the form; asks when something was changed."""
        view = self._form.focused_view
        if view is not None and view.offers_names:
            view.close_offers()
            return
        if self.changed:
            question = Confirm(f"Throw away what you {self.model.KIND.done}?", "Throw away")
            self._leave_after(question, None)
        else:
            self.dismiss(None)

    # The keys

    @on(Collapsible.Toggled)
    def _settle(self) -> None:
        """Make room for what is unfolded."""
        self._frame.settle()

    @on(events.DescendantFocus)
    @on(Collapsible.Toggled)
    @on(FieldView.OfferChanged)
    def say_keys(self) -> None:
        """Show what the keys do here."""
        self._keys.update(key_line(self._key_texts()))

    def _key_texts(self) -> Iterator[Text]:
        """Describe what the keys do, the most needed first: narrow forms show the first alone."""
        live = {live.command.id: live.keys[0] for live in live_commands(self)}
        view = self._form.focused_view
        if view is not None and view.offers_names:
            yield key_text(live.get("form.next", ""), "Take" if view.tab_takes else "Next")
            yield key_text("↓↑", "Choose")
            yield key_text(live.get("form.cancel", ""), "Close the list")
            return
        enter = self._enter(view)
        yield key_text("Enter", enter)
        yield key_text(live.get("form.cancel", ""), "Cancel")
        if "choice.take" in live and view is not None and view.has_choice:
            yield self._choosing(live, view.field.arrows)
        if enter != self.model.KIND.verb:
            yield key_text(live.get("form.accept", ""), self.model.KIND.verb)
        yield key_text(live.get("form.next", ""), "Next")
        if "form.editor" in live:
            yield key_text(live["form.editor"], "$EDITOR", "screen.edit_elsewhere")

    def _choosing(self, live: Mapping[str, str], arrows: str) -> Text:
        """Name the keys that choose a word; ``arrows`` is what those that go from word to word do."""
        there = f"{live['choice.previous']} {live['choice.next']}"
        if not arrows:
            return key_text(f"{there} {live['choice.take']}", "Choose")
        return key_text(there.replace("← →", "←→"), arrows)

    def _enter(self, view: FieldView | None) -> str:
        """Describe what Enter does, in one or two words."""
        if view is not None and not view.field.begins:
            is_last = view is self._form.in_reach[-1]
            return "New line" if view.breaks_lines else self.model.KIND.verb if is_last else "Next field"
        if view is None and self.focused is not None:
            return "Unfold" if self.query_one(Collapsible).collapsed else "Fold"
        return self.model.KIND.verb
