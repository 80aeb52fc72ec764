"""Asking for a name."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from stepgraph_tui.commands import dialog_bindings
from stepgraph_tui.commands.live import live_keys
from stepgraph_tui.dialogs.dialog import Dialog, key_line, key_text
from stepgraph_tui.text.characters import visible
from stepgraph_tui.widgets.chrome.find_bar import LineField

from ...widgets.words import Words, entitle
from .pick import LONGEST


class NamePrompt(Dialog[str | None], inherit_bindings=False):
    """Asks for a name; hands it back without blanks around it, or None.

    Args:
        title: What is to be named.
        value: The name that is there at first, selected. It is handed back as it is when it was left so.
        check: What is wrong with a name; None when nothing is. It is asked at every key.
        verb: What Enter does, in one or two words.
    """

    AUTO_FOCUS = "LineField"
    BINDINGS = dialog_bindings("form")
    CSS_PATH = "pick.tcss"

    def __init__(
        self, title: str, value: str, check: Callable[[str], str | None], *, verb: str = "Rename"
    ) -> None:
        super().__init__()
        self._heading, self._value, self._check, self._verb = title, value, check, verb
        self._shown = visible(value)

    def compose(self) -> ComposeResult:
        """Show the field, what is wrong below it, and the keys."""
        with Vertical(classes="pick") as frame:
            entitle(frame, self._heading)
            yield LineField(self._shown, compact=True, max_length=max(LONGEST, len(self._shown)))
            yield Words(classes="wrong -wrong")
            yield Static(classes="hint keys")

    def begin(self) -> None:
        """Show what the keys do."""
        cancel = live_keys(self).get("form.cancel", ())[:1]
        keys = [key_text("Enter", self._verb), *(key_text(key, "Cancel") for key in cancel)]
        self.query_one(".keys", Static).update(key_line(keys))

    @property
    def name_given(self) -> str:
        """The name as it is in the field."""
        typed = self.query_one(LineField).value
        return self._value if typed == self._shown else typed.strip()

    @on(Input.Changed)
    def say_what_is_wrong(self) -> None:
        """Show what is wrong below the field."""
        self._tell(self._check(self.name_given))

    def _tell(self, wrong: str | None) -> None:
        self.query_one(Words).say(wrong or "", wrong=wrong is not None)

    @on(Input.Submitted)
    def action_accept(self) -> None:
        """Return the name, unless something is wrong with it."""
        wrong = self._check(self.name_given)
        if wrong is None:
            self.dismiss(self.name_given)
        else:
            self._tell(wrong)
            self.app.bell()

    def action_cancel(self) -> None:
        """Return nothing."""
        self.dismiss(None)

    def action_next_field(self) -> None:
        """There is one field only."""

    def action_previous_field(self) -> None:
        """There is one field only."""
