"""The dialog that shows a form: its keys, what is wrong, $EDITOR, and a question before leaving."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, Union, get_args, get_origin

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.timer import Timer
from textual.widgets import Collapsible, Static

from stepgraph.values import UNSET, StateKey, StepgraphError, model_of

from ...commands import COMMANDS, dialog_bindings
from ...commands.command import Wording
from ...commands.live import live_commands
from ...text.typed import refusal_by
from ...widgets.words import entitle
from ..dialog import Dialog, key_line, key_text
from ..questions import Confirm
from .field import Answers, EmptyField, Field, FormModel, FormProblem, Holds, Result
from .field_view import FieldView, told
from .form import Form
from .formats import (
    NO_YES,
    ChoiceFormat,
    Editor,
    Format,
    Misfit,
    NumberFormat,
    SomeFormat,
    TextFormat,
    TomlFormat,
    is_plain,
    one_of,
)

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from stepgraph.graphs import CompiledGraph
    from stepgraph.values import Declared, Json


EditElsewhere: TypeAlias = Callable[[str, str], "str | None"]
"""Lets a person edit a text in $EDITOR, in a file whose name ends so; None when it was left as it is.

It raises StepgraphError when there is no editor, or it failed."""
_ROOMY = 50  # cells from which on labels stand beside their fields
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
        self.call_after_refresh(self._frame.settle)  # texts are wrapped once they know their width
        if self.model.begins_at is not None:
            self._form.go_to(self.model.begins_at)
        elif views := self._form.in_reach:
            views[0].focus_editor()

    def renamed(self) -> Mapping[str, Wording]:
        """Call accepting the form by what comes of it."""
        return {"form.accept": COMMANDS["form.accept"].called(self.model.KIND.verb)}

    # What stands in it

    @property
    def answers(self) -> Answers:
        """What stands in the fields."""
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
        """Ask for other things where an answer changes that, and say what is wrong."""
        texts = self.model.refilled(self.answers)
        if texts is not None:
            await self._form.refill(self.model.contents)
            self._form.put(texts)
            self._frame.settle()
        self._look_again()

    def _look_again(self) -> None:
        """Validate what was typed."""
        answers = self.answers
        self._form.look_at(self.model.absent(answers), self.model.remarks(answers))
        misfits = self._misfits(answers)
        if misfits:
            self._tell(answers.told(misfits, asked=self._asked))
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
        below = told(self._form.tell(problems))
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
            view.put(text if before.endswith("\n") else text.removesuffix("\n"))

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
            self._tell(answers.told(misfits, asked=True))
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

        def answered(yes: bool | None) -> None:
            if yes:
                self.dismiss(result)

        if self.model.question is None:
            self.dismiss(result)
        else:
            self.app.push_screen(Confirm(*self.model.question), answered)

    def action_cancel(self) -> None:
        """Close the list of completions, else leave the form; asks when something was changed."""
        view = self._form.focused_view
        if view is not None and view.offers_names:
            view.close_offers()
            return

        def thrown_away(yes: bool | None) -> None:
            if yes:
                self.dismiss(None)

        if self.changed:
            self.app.push_screen(
                Confirm(f"Throw away what you {self.model.KIND.done}?", "Throw away"), thrown_away
            )
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


_NONE = "none"
_LINES: Editor = "lines"


def fields_of(declared: type[Declared] | type[BaseModel], table: Mapping[str, Any]) -> dict[str, Field]:
    """Build the fields of a model's settings, in its order, with what stands in a table.

    Args:
        declared: The settings of a node type, or a kind of table of a graph file.
        table: What there is now.
    """
    found = {}
    for key, info in model_of(declared).model_fields.items():
        name, holds = info.alias or key, _holds(info)
        value = table.get(name, UNSET)
        found[name] = Field(
            name,
            _format(info, holds, value),
            value,
            _default(info),
            info.description or "",
            holds=holds,
            empty=str(_said(info, "empty") or ""),
            example=next(iter(info.examples or ()), UNSET),
        )
    return found


def _default(field: FieldInfo) -> Any:
    if field.is_required() or field.default is UNSET:  # get_default would copy UNSET
        return UNSET
    return field.get_default(call_default_factory=True)


def _said(field: FieldInfo, what: str) -> Any:
    """Read what the model says of a field for forms."""
    extra = field.json_schema_extra
    return extra.get(what) if isinstance(extra, dict) else None


def _holds(field: FieldInfo) -> Holds:
    said = _said(field, "holds")
    if said == "condition":
        return "expression"
    known: tuple[Holds, ...] = ("template", "key", "path", "tool", "node")
    return next((one for one in known if one == said), "")


def _format(info: FieldInfo, holds: Holds, value: Any) -> Format:
    """Choose the format of a field by its type; what is of no simple type is written as TOML."""
    bare, optional = _bare(info.annotation)
    origin, arguments = get_origin(bare), get_args(bare)
    if bare is str:
        several = holds == "template" or (isinstance(value, str) and "\n" in value)
        return TextFormat("lines" if several else "line" if holds else "wrapped")
    if bare is bool:
        return ChoiceFormat({_NONE: UNSET, **NO_YES.words}) if optional else NO_YES
    if bare in (int, float):
        return NumberFormat(whole=bare is int)
    if origin is Literal:
        return one_of(arguments, optional=_NONE if optional else "")
    if origin in (tuple, list):
        return _list(arguments)
    if origin is dict:
        by_paths = "path" in (holds, _said(info, "keys"))
        return TomlFormat(("table",), by_paths=by_paths, editor=_LINES)
    return TomlFormat(tuple(_said(info, "types") or ()), editor=_LINES if _said(info, "types") else "wrapped")


def _list(arguments: tuple[Any, ...]) -> Format:
    item, _ = _bare(arguments[0]) if arguments else (Any, False)
    words = get_args(item) if get_origin(item) is Literal else ()
    if words and all(isinstance(word, str) for word in words):
        return SomeFormat(words)
    return TomlFormat(("list",), editor=_LINES)


def _bare(annotation: Any) -> tuple[Any, bool]:
    """Strip a type of what is said beside it, and tell whether None will do as well."""
    while hasattr(annotation, "__metadata__"):  # Annotated
        annotation = annotation.__origin__
    if get_origin(annotation) in (Union, types.UnionType):
        others = [one for one in get_args(annotation) if one is not type(None)]
        if len(others) == 1 and len(others) < len(get_args(annotation)):
            return _bare(others[0])[0], True
    return annotation, False


MOST = 40
"""Fields of one kind; more would take long to draw."""


def state_field(
    key: StateKey,
    value: Json,
    *,
    required: bool = False,
    accept: Callable[[Any], Any] | None = None,
    keeps_empty: bool | None = None,
) -> Field:
    """Build a field for the value of a state key.

    Args:
        key: The key; a bare one where the graph declares none.
        value: The value to begin with; None for none.
        required: Whether there must be one.
        accept: Takes the value that was typed; when None, it need only be there where it is required.
        keeps_empty: Whether an empty text is a value; when None, it is where the value is a text.
    """
    takes_text = key.type == "text" or (key.type is None and key.secret)  # quotes cannot be seen there
    is_text = takes_text and (value is None or (isinstance(value, str) and is_plain(value)))
    if keeps_empty is None:
        keeps_empty = isinstance(value, str)
    may_be_text = key.type is None and (value is None or isinstance(value, str))
    format_ = _text(key, keeps_empty=keeps_empty) if is_text else _toml(key, bare=may_be_text)
    words = [
        key.type or ("text" if is_text else "any value"),
        *["secret"] * key.secret,
        *["required"] * required,
    ]
    words += [format_.syntax] if format_.syntax else []
    return Field(
        key.name,
        format_,
        UNSET if value is None else value,
        note=key.note,
        kind=", ".join(words),
        secret=key.secret,
        required=required,
        accept=accept or (_given if required else _or_none),
    )


def _text(key: StateKey, *, keeps_empty: bool) -> Format:
    editor: Editor = "line" if key.secret else "wrapped"
    return TextFormat(editor, keeps_empty=keeps_empty, refusal=refusal_by(key, key.name))


def _toml(key: StateKey, *, bare: bool) -> Format:
    """Write a value as TOML; secrets, numbers and booleans never have line breaks."""
    is_line = key.secret or key.type in ("number", "boolean")
    return TomlFormat(
        (key.type,) if key.type is not None else (),
        nulls=True,
        bare=bare,
        secret=key.secret,
        refusal=refusal_by(key, key.name),
        editor="line" if is_line else "wrapped",
    )


def _given(value: Any) -> Any:
    if value is UNSET or value is None:
        raise EmptyField("is missing")
    return value


def _or_none(value: Any) -> Any:
    return UNSET if value is None else value


def input_fields(app: CompiledGraph, given: Mapping[str, Json]) -> tuple[list[Field], list[Field]]:
    """Build the fields of a graph's inputs, and those of all other keys.

    Args:
        app: The graph.
        given: Values to begin with; defaults stand where there are none.
    """
    keys = {**app.keys, **{name: StateKey(name) for name in given if name not in app.keys}}
    inputs: list[Field] = []
    others: list[Field] = []
    for name, key in keys.items():
        if app.around(name):  # where the run enters a subgraph, its state begins
            continue
        required = key.input and not key.has_default
        field = state_field(key, given.get(name, default_of(key)), required=required)
        (inputs if key.input else others).append(field)
    return inputs, others


def default_of(key: StateKey) -> Json:
    """Return the default of a key; None for none."""
    return key.default if key.has_default else None  # type: ignore[return-value]  # compile() has checked it


def changes(answers: Answers, fields: Iterable[Field]) -> dict[str, Json]:
    """Return the values of the keys whose fields were changed; None for one that was emptied."""
    values = {field.name: answers.value(field) for field in fields if answers.has_changed(field)}
    return {name: None if value is UNSET else value for name, value in values.items()}
