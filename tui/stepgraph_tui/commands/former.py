"""What keys did before the letters had one verb each: told for one release to those who still press them."""

from __future__ import annotations

FORMER: dict[str, tuple[str, ...]] = {
    "A": ("workbench.approvals", "app.inbox"),
    "D": ("debug.loop", "edit.duplicate"),
    "E": ("workbench.editor",),
    "F": ("graph.follow",),
    "H": ("graph.pan_left",),
    "I": ("debug.into",),
    "L": ("graph.pan_right",),
    "M": ("graph.map",),
    "R": ("workbench.runs", "home.runs", "inbox.runs"),
    "S": ("debug.start_over", "edit.start"),
    "W": ("state.break_changes",),
    "Z": ("graph.less",),
    "at": ("app.log",),
    "dollar_sign": ("debug.live",),
    "equals_sign": ("debug.version",),
    "greater_than_sign": ("workbench.wider",),
    "less_than_sign": ("workbench.narrower",),
    "o": ("home.open",),
    "p": ("debug.pause_after",),
    "quotation_mark": ("debug.replay",),
    "r": ("edit.rename",),
    "s": ("design.settings", "runs.sort", "inbox.sort"),
    "t": ("edit.type", "runs.totals"),
    "underscore": ("workbench.restore",),
    "v": ("graph.direction",),
    "x": ("home.forget",),
}
"""The commands that a key had, by the key as Textual names it."""
