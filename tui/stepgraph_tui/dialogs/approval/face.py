"""What the approval dialog looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Region

from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.dialogs.dialog import scroll
from stepgraph_tui.widgets.row import between
from stepgraph_tui.words.text import visible

from .desk import Desk
from .details import details, difference, proposal, too_long
from .drafts import Draft
from .edit_form import EditForm
from .keys import Keys
from .said import key_of
from .sheet import FRAME, Edge, Sheet
from .summary import Summary, identity, summary
from .verb_line import VerbLine

if TYPE_CHECKING:
    from textual.widget import Widget

    from stepgraph.review import Decision

    from .rows import Row
    from .subject import Difference, Subject

PageName = Literal["summary", "details", "difference", "proposal"]
_EDGES, _DESK, _WIDEST = 3, 5, 100  # rows, rows, cells
_LOW = 16  # rows; on a lower screen only one thing is shown at a time


class Face(Keys, inherit_bindings=False):
    """Shows a review, page by page.

    Args:
        time: The time, in seconds since 1970.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    AUTO_FOCUS = ""
    CSS_PATH = "approval.tcss"
    ALLOW_SELECT = False

    def __init__(
        self,
        *,
        time: Callable[[], float],
        now: Callable[[], float],
        stamp: Callable[[events.Event], float],
    ) -> None:
        super().__init__(now=now, stamp=stamp)
        self.time = time
        self.subject: Subject | None = None
        self.draft = Draft()
        self.page: PageName = "summary"
        self.decision: Decision | None = None
        """What is about to be confirmed."""
        self.over = ""
        """Why nothing can be decided here any more; empty while it can."""
        self.since_then: tuple[Difference, ...] | None = None
        """What was changed after the question, once it is not what waits any more."""
        self.notice = ""
        """What is said beside the verbs."""
        self.read = False
        """Whether the question and the whole action have been seen."""
        self._summary = Summary([], 0, whole=False)
        self.top, self.middle, self.bottom = Edge("┏┓", "━"), Edge("┠┨", "─"), Edge("┗┛", "━")
        self.sheet, self.form, self.desk = Sheet(), EditForm(), Desk(self.counts)
        self.verb_line = VerbLine()
        self.box = Vertical(
            self.top, self.sheet, self.form, self.middle, self.desk, self.bottom, classes="box"
        )

    def compose(self) -> ComposeResult:
        """The box, and the keys at the bottom of the screen."""
        yield self.box
        yield self.verb_line

    def on_mount(self) -> None:
        """Keep the time."""
        self.set_interval(0.1, self._count_down)

    # Which keys count

    def _count_down(self) -> None:
        if self.verb_line.waits:
            self.say_keys()

    def counts(self, event: events.Event) -> bool:
        """Whether an event comes late enough; say how long it still is until one does."""
        counted = super().counts(event)
        self._count_down()
        return counted

    @property
    def idle(self) -> bool:
        """Whether keys are verbs: no field is open."""
        return not self.form.display and self.desk.field is None

    @property
    def field(self) -> Widget | None:
        """The field that is open, or the first of the form."""
        return self.form.first if self.form.display else self.desk.field

    @property
    def asks(self) -> bool:
        """Whether what is open is a question that decides."""
        return self.desk.field is not None and self.desk.writes is None

    # What is shown

    @property
    def row_width(self) -> int:
        """How many cells a row of a page has."""
        return max(1, min(self.size.width, _WIDEST) - FRAME)

    def turn_page(self, page: PageName) -> None:
        """Show another page, from its top."""
        self.page = page
        self.paint(from_top=True)

    def paint(self, *, from_top: bool = False) -> None:
        """Show the page as it is now."""
        self.sheet.show(self._rows(), from_top=from_top)
        self.say()

    def _rows(self) -> list[Row]:
        subject, width = self.subject, self.row_width
        if subject is None:
            return []
        if self.page == "details":
            return details(subject, width)
        if self.page == "difference":
            if self.since_then is not None:
                return difference(self.since_then, "the question", width)
            return difference(subject.changed, subject.since, width)
        if self.page == "proposal" and self.decision is not None:
            return proposal(subject, self.decision, width)
        self._summary = summary(subject, self.time(), width)
        return self._summary.rows

    def say(self) -> None:
        """Bring everything around the page up to date."""
        if self.subject is not None:
            self.set_class(self.subject.high, "-high")
        self.desk.show_comment(self._comment())
        if self.idle:
            said = self.over or f"{self.notice}\n{self._gate()}"
            self.desk.say([Text(line) for line in said.split("\n") if line])
        self.fit()
        self.say_keys()

    def _comment(self) -> Text:
        written = " ".join(visible(self.draft.comment).split("\\n"))
        reject = self.subject is not None and "reject" in self.subject.review.request.verbs
        words = written or ("(none; required to reject)" if reject else "(none)")
        write = f"{key_of('comment')} write" if self.idle and not self.over else ""
        note = f"draft  {write}" if written else write
        left = Text.assemble(("Comment   ", "bold"), (words, "" if written else "dim"))
        return between(left, Text(f"  {note}", "dim"), self.row_width)

    def _gate(self) -> str:
        """What must be done before anything can be approved; empty when it was done."""
        if self.subject is None or self.read:
            return ""
        if too_long(self.subject):
            return "too long to be shown here to its end: approve it on the command line\nstepgraph approvals"
        return f"approving waits until the whole action was seen: scroll down, or {key_of('details')}"

    def fit(self) -> None:
        """Make the box as high as its content, or as the screen; leave out what a low screen cannot hold."""
        low, asking = self.size.height < _LOW, self.desk.field is not None
        room = self.size.height - (1 if low else 2)
        wanted = len(self.sheet.rows) + _EDGES + max(_DESK, self.desk.rows)
        self.set_class(low, "-low")
        self.box.styles.height = room if self.form.display or low else min(room, wanted)
        self.sheet.display = not self.form.display and not (low and asking)
        self.middle.display = self.sheet.display or not low
        self.desk.display = not (low and self.form.display)
        self.bottom.display = not low
        self.desk.set_class(low and asking, "-alone")

    def say_keys(self) -> None:
        """Say which keys work now."""
        left = self.quiet_wanted
        instead = f"keys in {left:.1f} s" if left > 0 and self.desk.writes is None else ""
        if self.form.display:
            self.verb_line.show(self.form.keys)
        elif self.desk.field is not None:
            self.verb_line.show(self.desk.keys, instead)
        else:
            self.verb_line.show(self.verb_keys(), instead)

    def verb_keys(self) -> list[tuple[str, str]]:
        """The keys that work while no field is open, the one that leaves last."""
        if self.over:
            copy = [("y", "Copy what you wrote")] if self.draft else []
            return [*copy, (f"Enter {key_of('later')}", "Close")]
        live = [
            one for one in live_commands(self) if one.command.context == "approval" and one.command.footer
        ]
        live.sort(key=lambda one: one.command.footer)
        keys = [(one.keys[0], one.command.label) for one in live]
        return [*keys[:-1], (keys[-1][0], "Back")] if self.page != "summary" else keys

    @on(Sheet.Looked)
    def look(self) -> None:
        """Note what has been seen, and say how much there is below."""
        seen, count = self.sheet.seen, len(self.sheet.rows)
        below = f"▼ {count - seen:,} more line{'s' if count - seen > 1 else ''}" if seen < count else ""
        above = f"▲ {self.sheet.scroll_offset.y:,} above" if self.sheet.scroll_offset.y else ""
        self.middle.say(below, above)
        if self.subject is None or self.read or self.over:
            return
        on_summary = self.page == "summary" and self._summary.whole and seen >= self._summary.must_see
        if on_summary or (self.page == "details" and not too_long(self.subject)):
            self.read = True
            self.say()

    def on_resize(self) -> None:
        """Put the page together for another width."""
        self.paint()

    def tell_time(self) -> None:
        """Say how long the review has waited by now."""
        if self.subject is not None and self.page == "summary" and self.sheet.rows:
            self.sheet.rows = [identity(self.subject, self.time()), *self.sheet.rows[1:]]
            self.sheet.refresh(Region(0, 0, self.sheet.size.width, 1))

    def action_scroll(self, way: str) -> None:
        """Scroll what the review says, or the form where that is open."""
        scroll(self.form if self.form.display else self.sheet, way)
