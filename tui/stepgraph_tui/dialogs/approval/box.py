"""The box of the dialog: the page in its frame, the form in place of it, the panel below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical

from stepgraph_tui.commands.live import live_keys
from stepgraph_tui.text.plain import age

from .view import FRAME, FrameLine

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget

    from stepgraph_tui.commands.hints import Hints

    from .drafts import ReviewDraft
    from .edit_form import EditForm
    from .panel import DecisionPanel
    from .view import ReviewView

_EDGES, _PANEL = 3, 5  # rows of the frame; rows of the panel where there is room for what comes to be asked
_LOW = 16  # rows; on a lower screen the frame has no bottom
_LOWEST = 12  # rows; on a lower screen only one thing is shown at a time
_WIDE, _BESIDE = 100, 20  # cells; of wider screens, these are left beside the box
_CLOCK, _CLOCK_FROM = 20, 56  # cells of the clock, and of the narrowest screen that has it
_COUNTDOWN, _COUNTDOWN_FROM = 34, 72  # the same of what counts down to a deadline


def _width_on(screen: Size) -> int:
    return min(screen.width, max(_WIDE, screen.width - _BESIDE))


class ReviewBox(Vertical):
    """Arranges what a review is read on and what is written into, and knows which field is open.

    Args:
        view: The page that is read.
        form: The fields of an edit, shown in place of the page.
        panel: The comment, and the field of a text, of a name or of a confirmation.
    """

    def __init__(self, view: ReviewView, form: EditForm, panel: DecisionPanel) -> None:
        self._title, self._clock, self._risk = (
            FrameLine(("┏", "━"), "━"),
            FrameLine(("━", "━"), "━"),
            FrameLine(("━", "━━━┓"), "━"),
        )
        self._middle, self._bottom = FrameLine(("┠", "┨"), "─"), FrameLine(("┗", "┛"), "━")
        self._view, self._form, self._panel = view, form, panel
        self._clock.styles.width = _CLOCK
        top = Horizontal(self._title, self._clock, self._risk)
        super().__init__(top, view, form, self._middle, panel, self._bottom)

    def title(self, place: str, risk: str = "", what: str = "APPROVAL") -> None:
        """Say in the frame which review is shown, and what it is."""
        self._title.say(f"{what} {place}".rstrip())
        self._risk.say("", f"RISK {risk.upper()}" if risk else "")
        self._risk.styles.width = len(risk) + 13

    def tell_time(self, waits: float | None, countdown: str) -> None:
        """Say for how long the review has waited, or what it does by itself; nothing once it is over.

        The clock is a widget of its own, so that it repaints no other cells than its own.

        Args:
            waits: For how many seconds it has waited; None where it does not wait any more.
            countdown: What it does by itself and when; empty where that is nothing.
        """
        told = countdown or ("" if waits is None else f"waiting {age(waits)}")
        self._clock.styles.width = _COUNTDOWN if countdown else _CLOCK
        self._clock.display = self.screen.size.width >= (_COUNTDOWN_FROM if countdown else _CLOCK_FROM)
        self._clock.say("", told, strong=bool(countdown))

    def say_outside(self, gate: str) -> None:
        """Say in the frame how much is above and below what is seen, or what must be read first."""
        below, above = ("", "") if self._form.display else self._view.outside
        gate = gate if self.idle else ""
        self._middle.say(gate or below, "" if gate else above, strong=bool(gate))

    @property
    def row_width(self) -> int:
        """How many cells a row of a page has."""
        return max(1, _width_on(self.screen.size) - FRAME)

    @property
    def idle(self) -> bool:
        """Whether keys are verbs: no field is open."""
        return not self._form.display and self._panel.idle

    @property
    def field(self) -> Widget | None:
        """The field that is open, or the first of the form."""
        return self._form.first if self._form.display else self._panel.field

    @property
    def asks(self) -> bool:
        """Whether what is open is a question that decides."""
        return self._panel.asks

    @property
    def writing(self) -> bool:
        """Whether a text or the form is open, in which keys need not be waited for."""
        return self._form.display or self._panel.writes is not None

    @property
    def scrolled(self) -> Widget:
        """What the keys scroll."""
        return self._form if self._form.display else self._view

    @property
    def leaving(self) -> str:
        """The key that leaves what is open: in a field it cannot be a letter."""
        return next(iter(live_keys(self.screen).get("approval.later", ())), "")

    def keys(self, hints: Hints) -> list[tuple[str, str]]:
        """Name what the keys do in what is open; none while nothing is."""
        if self._form.display:
            return self._form.keys(hints)
        return self._panel.keys(hints.key("form.accept"), self.leaving) if not self.idle else []

    def close_fields(self, draft: ReviewDraft) -> None:
        """Close whatever is written into; what was written is kept in the draft."""
        if self._panel.writes is not None:
            draft.keep(self._panel.writes, self._panel.text)
        if self._form.display:
            draft.edits = self._form.edits
        self._panel.close()
        self._form.display = False
        self.screen.set_focus(None)

    def fit(self, size: Size) -> None:
        """Be as high as the content, or as the screen; leave out what a low screen cannot hold.

        Where there is room, some is kept for what comes to be asked, so that nothing moves then.
        """
        low, asking = size.height < _LOW, self._panel.field is not None
        alone = asking and size.height < _LOWEST
        room = size.height - (1 if low else 2)
        rows = len(self._view.rows) + _EDGES
        kept = max(self._panel.rows, min(_PANEL, room - rows))
        self.set_class(low, "-low")
        self.styles.width = _width_on(size)
        self.styles.height = room if self._form.display or low else min(room, rows + kept)
        self._view.display = not self._form.display and not alone
        self._middle.display = self._view.display or not low
        self._panel.display = not (low and self._form.display)
        self._panel.styles.min_height = 0 if low else kept
        self._bottom.display = not low
        self._panel.set_class(alone, "-alone")
        self._panel.set_class(low and asking, "-asks")
