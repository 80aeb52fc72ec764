"""A field of one line, as forms, searches and lists have it."""

from __future__ import annotations

from textual import events
from textual.reactive import reactive
from textual.widgets import Input

from stepgraph_tui.text.plain import visible


class LineField(Input):
    """A field of one line. Who goes there and types replaces what stands in it."""

    cursor_blink = reactive(False, init=False)  # a cursor that blinks writes to the terminal for ever

    def on_paste(self, event: events.Paste) -> None:
        """Take the first line, with control characters as escapes, in place of what is selected."""
        event.stop()
        event.prevent_default()
        self.replace(visible(event.text.split("\n")[0].rstrip("\r")), *sorted(self.selection))
