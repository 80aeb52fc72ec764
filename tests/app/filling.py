"""Filling in the forms of the app with keys, by the names of their fields."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea

from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.dialogs.forms.field import FormModel
from stepgraph_tui.dialogs.forms.field_view import FieldView, WordChoice
from tests.app.bench import P, dialog, press, text
from tests.app.hearing import PATIENCE

_TYPED = 12  # characters; what is longer comes through the clipboard of the terminal
_NAMES = {" ": "space", "_": "underscore", "\n": "enter"}


def form_on_top(pilot: P, kind: type[FormModel[Any]] = FormModel) -> FormDialog[Any]:
    """The form that is open, which is of this kind."""
    form = dialog(pilot, FormDialog)
    assert isinstance(form.model, kind), f"{form.model} is on top, not {kind.__name__}:\n{text(pilot)}"
    return form


def field_in_focus(pilot: P) -> FieldView:
    """The field that keys go to."""
    field = form_on_top(pilot).focused_view
    assert field is not None, text(pilot)
    return field


async def fill(pilot: P, accept: str = "ctrl+j", /, **values: str) -> None:
    """Fill in fields of the form on top, and accept it.

    Args:
        pilot: The app.
        accept: The key that accepts; empty to leave the form open.
        values: What to write or to choose, by the names of the fields.
    """
    for name, value in values.items():
        await go_to(pilot, name)
        if field_in_focus(pilot).is_text:
            await _write(pilot, value)
        else:
            await _choose(pilot, value)
    if accept:
        await press(pilot, accept)


async def go_to(pilot: P, name: str) -> None:
    """Go to a field with tab, and unfold the rest where it is folded."""
    form = form_on_top(pilot)
    wanted = _first(form, lambda widget: _name_of(widget) == name)
    if wanted is None:
        unfolds = _first(form, lambda widget: not _name_of(widget))
        assert unfolds is not None, text(pilot)
        await _tab_to(pilot, unfolds)
        await pilot.press("enter")
        await pilot.pause()
        wanted = _first(form, lambda widget: _name_of(widget) == name)
    assert wanted is not None, text(pilot)
    await _tab_to(pilot, wanted)


def _first(form: FormDialog[Any], holds: Callable[[Widget], bool]) -> Widget | None:
    return next(filter(holds, form.focus_chain), None)


async def _tab_to(pilot: P, widget: Widget) -> None:
    form = form_on_top(pilot)
    assert form.focused is not None
    by = form.focus_chain.index(widget) - form.focus_chain.index(form.focused)
    keys = ["tab" if by > 0 else "shift+tab"] * abs(by)
    await at_once(pilot, lambda: form.focused is widget, *keys)


def _name_of(widget: Widget) -> str:
    """The name of the field that a widget belongs to; empty for none."""
    return next((one.field.name for one in widget.ancestors if isinstance(one, FieldView)), "")


async def at_once(pilot: P, done: Callable[[], bool], *keys: str) -> None:
    """Press keys as fast as a person who knows them, without a look at the screen between them."""
    for key in keys:
        pilot.app.post_message(events.Key(_NAMES.get(key, key), key if len(key) == 1 else None))
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, f"{keys} did something else:\n{text(pilot)}"
        await asyncio.sleep(0)


async def type_in(pilot: P, words: str) -> None:
    """Type a text into the line that has the focus."""
    line = pilot.app.focused
    assert isinstance(line, Input)
    await at_once(pilot, lambda: line.value == words, *words)
    await pilot.pause()


async def paste(pilot: P, words: str) -> None:
    """Let the terminal paste a text into what has the focus, as it does: everything at once."""
    target = pilot.app.focused or pilot.app.screen
    target.post_message(events.Paste(words))
    await pilot.pause()


async def _write(pilot: P, value: str) -> None:
    field = field_in_focus(pilot)
    if field.text:
        all_of_it = ("f7", "delete") if isinstance(pilot.app.focused, TextArea) else ("end", "ctrl+u")
        await at_once(pilot, lambda: not field.text, *all_of_it)
    is_long = len(value) > _TYPED or "\n" in value
    if is_long:
        assert pilot.app.focused is not None
        pilot.app.focused.post_message(events.Paste(value))
    await at_once(pilot, lambda: field.text == value, *("" if is_long else value))
    await pilot.pause()  # names are offered
    if field.offers_names:
        await pilot.press("escape")
    assert field.text == value


async def _choose(pilot: P, value: str) -> None:
    """Go over the words until the right one is chosen."""
    editor = pilot.app.focused
    assert isinstance(editor, WordChoice)
    by = editor.words.index(value) - (editor.words.index(editor.text) if editor.text else 0)
    await at_once(pilot, lambda: editor.text == value, *["right" if by > 0 else "left"] * abs(by))
    await pilot.pause()  # other fields may be there now
