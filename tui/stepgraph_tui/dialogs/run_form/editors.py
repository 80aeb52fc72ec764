"""Text fields in which nothing that is pasted can move the terminal's cursor."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import Input, TextArea

from stepgraph_tui.words.text import visible


class LineField(Input):
    """A field of one line. Who goes there and types replaces what stands in it."""

    def on_paste(self, event: events.Paste) -> None:
        """Take the first line, with control characters as escapes, in place of what is selected."""
        event.stop()
        event.prevent_default()
        self.replace(visible(event.text.split("\n")[0].rstrip("\r")), *sorted(self.selection))


class TextField(TextArea):
    """A field that grows with its text. Enter breaks the line only where the text has lines already."""

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line now."""
        return self.document.line_count > 1

    class Entered(Message):
        """Enter was pressed in a text of one line."""

    def on_key(self, event: events.Key) -> None:
        """Keep Enter out of a text of one line."""
        if event.key == "enter" and not self.breaks_lines:
            event.stop()
            event.prevent_default()
            self.post_message(self.Entered())

    def on_paste(self, event: events.Paste) -> None:
        """Take all lines, with other control characters as escapes."""
        event.stop()
        event.prevent_default()
        lines = event.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.replace("\n".join(map(visible, lines)), *self.selection, maintain_selection_offset=False)
