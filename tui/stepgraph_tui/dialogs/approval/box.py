"""The frame of the approval dialog: the review, the fields to write in, and words about both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Horizontal, Vertical

from ...commands.live import live_keys
from ...text.plain import age
from ...widgets.lines import wrapped
from .edit_form import EditForm
from .panel import Counts, DecisionPanel
from .view import FRAME, FrameLine, ReviewView

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget

    from ...commands.hints import Hints
    from .deciding import DecisionState
    from .drafts import ReviewDraft

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
        hints: Names the keys.
        counts: Tells whether a key counts.
    """

    def __init__(self, hints: Hints, counts: Counts) -> None:
        self._hints = hints
        self.view, self.form, self.panel = ReviewView(hints), EditForm(), DecisionPanel(counts)
        self._title, self._clock, self._risk = (
            FrameLine(("┏", "━"), "━"),
            FrameLine(("━", "━"), "━"),
            FrameLine(("━", "━━━┓"), "━"),
        )
        self._middle, self._bottom = FrameLine(("┠", "┨"), "─"), FrameLine(("┗", "┛"), "━")
        self._clock.styles.width = _CLOCK
        top = Horizontal(self._title, self._clock, self._risk)
        super().__init__(top, self.view, self.form, self._middle, self.panel, self._bottom)

    def title(self, place: str, risk: str = "", what: str = "APPROVAL") -> None:
        """Show the title and the risk of the review in the frame."""
        self._title.say(f"{what} {place}".rstrip())
        self._risk.say("", f"RISK {risk.upper()}" if risk else "")
        self._risk.styles.width = len(risk) + 13

    def paint(self, state: DecisionState, draft: ReviewDraft, *, from_top: bool) -> None:
        """Show the page as it is now, and everything around it.

        Args:
            state: What can be done about the review.
            draft: What was written for it.
            from_top: Whether the page is shown from its top.
        """
        self.view.kept_from = state.refusals
        self.view.paint(self.row_width, from_top=from_top)
        self.show(state, draft)

    def show(self, state: DecisionState, draft: ReviewDraft) -> None:
        """Bring everything around the page up to date."""
        can_write = self.idle and not state.over and state.allowed
        self.panel.show_comment(
            draft.comment,
            wanted="reject" in state.allowed,
            write=self._hints("{approval.comment} write") if can_write else "",
            width=self.row_width,
        )
        if self.idle:
            too_long = self.view.too_long if state.can_approve else []
            lines = [*state.remarks.split("\n"), *too_long]
            self.panel.say([Text(part) for line in lines if line for part in wrapped(line, self.row_width)])
        self._ask()
        self.tell_time(state)
        self._fit(self.screen.size)
        self.look(state)

    def look(self, state: DecisionState) -> None:
        """Show how much lies above and below, or what must be read first; ask what is to be confirmed."""
        below, above = ("", "") if self.form.display else self.view.outside
        gate = self.view.way_on if self.idle and state.can_approve else ""
        self._middle.say(gate or below, "" if gate else above, strong=bool(gate))
        self._ask()

    def _ask(self) -> None:
        """Ask what is about to be confirmed, or name what must be read before that."""
        proposed = self.view.proposed
        if proposed is not None and self.asks:
            scrolls = self._hints.together("approval.page_up", "approval.page_down")
            self.panel.ask(proposed.lines(self.row_width, self.view.gate, scrolls, self.panel.onward))

    def tell_time(self, state: DecisionState) -> None:
        """Show how long the review has waited, or what happens when it times out; nothing once it is over.

        The clock is a widget of its own, so that it repaints no other cells than its own.
        """
        if not self.is_attached:  # the dialog is being put together, or taken down
            return
        text = state.countdown or ("" if state.waits is None else f"waiting {age(state.waits)}")
        width, narrowest = (_COUNTDOWN, _COUNTDOWN_FROM) if state.countdown else (_CLOCK, _CLOCK_FROM)
        self._clock.styles.width = width
        self._clock.display = self.screen.size.width >= narrowest
        self._clock.say("", text, strong=bool(state.countdown))

    @property
    def row_width(self) -> int:
        """How many cells a row of a page has."""
        return max(1, _width_on(self.screen.size) - FRAME)

    @property
    def idle(self) -> bool:
        """Whether keys are verbs: no field is open."""
        return not self.form.display and self.panel.idle

    @property
    def field(self) -> Widget | None:
        """The field that is open, or the first of the form."""
        return self.form.first if self.form.display else self.panel.field

    @property
    def asks(self) -> bool:
        """Whether what is open is a question that decides."""
        return self.panel.asks

    @property
    def writing(self) -> bool:
        """Whether a text or the form is open, in which keys need not be waited for."""
        return self.form.display or self.panel.writing

    @property
    def scrolled(self) -> Widget:
        """What the keys scroll."""
        return self.form if self.form.display else self.view

    @property
    def leaving(self) -> str:
        """The key that leaves what is open: in a field it cannot be a letter."""
        return next(iter(live_keys(self.screen).get("approval.later", ())), "")

    @property
    def keys(self) -> list[tuple[str, str]]:
        """What the keys do in what is open; none while nothing is."""
        if self.form.display:
            return self.form.keys(self._hints)
        return self.panel.keys(self._hints.key("form.accept"), self.leaving) if not self.idle else []

    def close_fields(self, draft: ReviewDraft) -> None:
        """Close whatever is written into; what was written is kept in the draft."""
        if self.panel.writes is not None:
            draft.keep(self.panel.writes, self.panel.text)
        if self.form.display:
            draft.edits = self.form.edits
        self.panel.close()
        self.form.display = False
        self.screen.set_focus(None)

    def _fit(self, size: Size) -> None:
        """Be as high as the content, or as the screen; leave out what a low screen cannot hold.

        Where there is room, some is kept for what comes to be asked, so that nothing moves then.
        """
        low, asking = size.height < _LOW, self.panel.field is not None
        alone = asking and size.height < _LOWEST
        room = size.height - (1 if low else 2)
        rows = len(self.view.rows) + _EDGES
        kept = max(self.panel.rows, min(_PANEL, room - rows))
        self.set_class(low, "-low")
        self.styles.width = _width_on(size)
        self.styles.height = room if self.form.display or low else min(room, rows + kept)
        self.view.display = not self.form.display and not alone
        self._middle.display = self.view.display or not low
        self.panel.display = not (low and self.form.display)
        self.panel.styles.min_height = 0 if low else kept
        self._bottom.display = not low
        self.panel.set_class(alone, "-alone")
        self.panel.set_class(low and asking, "-asks")
