"""The styles of the parts of a widget, by what each part is."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from rich.style import Style
from textual.style import Style as Look
from textual.widget import Widget

MUTED = "$text-muted"
"""Less than text."""
_VARIABLE = re.compile(r"\$([\w-]+)")


class PartStyles:
    """Looks up how a part is painted, once for each change of the theme or of the widget's own look.

    Component classes would do the same, but Textual computes all of them for each widget at each change of
    styles: with a dozen panes that is a sixth of a start.

    Args:
        widget: What the parts are painted on.
        looks: The look of each part as in Textual's markup, such as ``bold $text-accent``; variables are
            those of the theme.
        over: The parts that are laid over others, whose colors stay where these have none.
    """

    def __init__(self, widget: Widget, looks: Mapping[str, str], over: Collection[str] = ()) -> None:
        self._widget, self._looks, self._over = widget, looks, over
        self._ground = Look()  # what the widget looks like itself
        self._styles: dict[str, Style] = {}

    def __getitem__(self, part: str) -> Style:
        ground = self._widget.visual_style
        if ground is not self._ground:  # Textual makes another one after each change
            self._ground = ground
            self._styles.clear()
        style = self._styles.get(part)
        if style is None:
            look = self._look(self._looks[part])
            style = (look if part in self._over else ground + look).rich_style
            self._styles[part] = style
        return style

    def _look(self, words: str) -> Look:
        """Parse a look. Variables are filled in here: Textual's markup drops the percentage of a color."""
        variables = self._widget.app.theme_variables
        while (found := _VARIABLE.search(words)) is not None:
            value = variables[found[1]]
            words = words.replace(found[0], "" if value == "none" else value, 1)  # no style of a text
        return Look.parse(words)
