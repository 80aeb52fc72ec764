"""The dialog in which several reviews are decided at once, after all of them were listed."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from stepgraph.reviews import Decision, ListedReview, Verb, question_of, refuse_together
from stepgraph_tui.commands import dialog_bindings
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.text.inbox import act_text, place_text
from stepgraph_tui.text.plain import QUOTE, WHOLE, age, key_text, plural, value_text, visible_lines
from stepgraph_tui.text.reviews import countdown, other_name, refusals, term_rows
from stepgraph_tui.widgets.lines import wrapped
from stepgraph_tui.widgets.scrolling import scroll

from .approval.arming import ArmedKeys, stamped_now
from .approval.onward import Onward
from .approval.panel import DecisionPanel
from .dialog import Dialog

if TYPE_CHECKING:
    from stepgraph.reviews import Review

_WIDEST, _FRAME = 110, 4  # cells of the dialog, as its style has it; of its frame
_AROUND, _LEAST = (
    5,
    3,
)  # rows that are neither list nor panel: frame, rule, keys; rows that the list has at least
_NO_REASON = "✗ the reason is missing: write it, or leave with {bulk.later}"
_TELLS_NO = "nothing here can be decided any more: none of it waits"


@dataclass(frozen=True, slots=True)
class BulkAnswer:
    """What was decided of several reviews."""

    decision: Decision
    goes_on: bool
    """Whether their runs are to continue then."""


class BulkDialog(Dialog["BulkAnswer | None"], inherit_bindings=False):
    """Lists reviews, and asks whether all of them are to be rejected, or approved where that may be.

    Nothing is decided by one key, by a click, or by a key that was typed for something else. What it returns
    is for all of them that still wait; None leaves them waiting.

    Args:
        reviews: The reviews, secrets hidden.
        me: Who decides.
        waiting: Reads which reviews still wait, by their ids.
        onward: Tells what follows a decision of all that are given.
        hints: Names the keys.
        time: The time, in seconds since 1970.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    ALLOW_SELECT = False
    BINDINGS = dialog_bindings("bulk")
    CSS_PATH = "bulk.tcss"

    def __init__(
        self,
        reviews: Sequence[ListedReview],
        *,
        me: str,
        waiting: Callable[[], Collection[str]],
        onward: Callable[[Sequence[Review]], Onward] = lambda reviews: Onward(),
        hints: Hints = UNMAPPED,
        time: Callable[[], float] = clock.time,
        now: Callable[[], float] = stamped_now,
        stamp: Callable[[events.Event], float] = lambda event: event.time,
    ) -> None:
        super().__init__()
        self._all, self._me, self._waiting, self._onward = reviews, me, waiting, onward
        self.left: Sequence[ListedReview] = reviews
        """The reviews that still waited at the last look."""
        self._hints, self._time = hints, time
        self._comment = ""
        self._frame = Vertical()
        self._list = VerticalScroll(Static(), can_focus=False)
        self.panel = DecisionPanel(self._counts)
        self._keys = ArmedKeys(self, self.panel, self._named_keys, now=now, stamp=stamp)
        self._seen = False
        self._shown: Text | None = None

    def compose(self) -> ComposeResult:
        """Frame the list and the panel; the keys are at the bottom of the screen."""
        with self._frame:
            yield self._list
            yield self.panel
        yield self._keys.line

    def begin(self) -> None:
        """List the reviews, and look whether they still wait."""
        self._keys.begin()
        self.watch(self._list, "scroll_y", self._look, init=False)
        self._fit()
        self._show()

    def on_screen_resume(self) -> None:
        """Wait again: what lay above the dialog is gone."""
        self._keys.arm_anew()

    def on_resize(self) -> None:
        """Look again what can be seen."""
        self.call_after_refresh(self._look)

    # Which keys count, and for what

    def _counts(self, event: events.Event) -> bool:
        return self._keys.count(event)

    async def on_key(self, event: events.Key) -> None:
        """Pass the key on once keys count."""
        await self._keys.take(event)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """End the quiet period with a click, which does nothing else."""
        self._keys.count(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Find which keys work now."""
        if action != "decide":
            return True
        return self.panel.idle and bool(self.left) and not self._refused(cast(Verb, parameters[0]))

    # What is listed

    def _refused(self, verb: Verb) -> str:
        left, now = [listed.review for listed in self.left], self._time()
        kept = (refusals(review, self._me, now).get(verb) for review in left)
        refused = refuse_together(left, verb) or next((str(why) for why in kept if why is not None), "")
        if not refused and verb == "approve" and not self._seen:
            return self._read_first
        return refused

    @property
    def _read_first(self) -> str:
        return f"read to the end before you approve: {self._hints.key('bulk.page_down')}"

    @property
    def _width(self) -> int:
        """How many cells a line has within the frame."""
        return max(1, min(self.size.width, _WIDEST) - _FRAME)

    def look_again(self) -> None:
        """Check whether somebody else has decided some of them."""
        if self.is_active:
            self._show()

    def _show(self) -> None:
        """List them as they are now; nothing is painted that is there already."""
        waiting = self._waiting()
        self.left = left = [listed for listed in self._all if listed.review.id in waiting]
        shown = Text("\n").join(self._lines({listed.review.id for listed in left}))
        if shown == self._shown:
            return
        self._shown = shown
        waits = "waits" if len(left) == 1 else "wait"
        fewer = f", {len(left)} still {waits}" if len(left) < len(self._all) else ""
        self._frame.border_title = Content(f"{plural(len(self._all), 'REVIEW').upper()}{fewer}")
        self._list.query_one(Static).update(shown)
        self._show_comment()
        self.call_after_refresh(self._look)

    def _show_comment(self) -> None:
        decision = self.panel.decision
        wanted = decision is None or decision.verb == "reject"
        self.panel.show_comment(self._comment, wanted=wanted, write="", width=self._width)

    def _lines(self, left: set[str]) -> Iterator[Text]:
        """Write what they ask, in full where it is the same, and below that each of them."""
        one = self._all[0].review
        questions = {question_of(listed.review) for listed in self._all}
        is_same = len({question[:-1] for question in questions}) == 1
        same_terms = len({terms for *_, terms in questions}) == 1
        now = self._time()
        if is_same:
            yield Text(f"All of them ask the same, {one.request.risk} risk:", "bold")
            yield from (Text(f"{QUOTE}{line}") for line in visible_lines(one.request.prompt))
            if one.request.action or one.request.arguments:
                yield Text(f"Action  {act_text(one)}")
            for path, value in one.values.items():
                yield Text(f"Shown   {key_text(path)} = {value_text(value, WHOLE)}")
            if same_terms and (people := _people(one, now)):
                yield Text(people)
            yield Text()
        for listed in self._all:
            review = listed.review
            head = f"{review.id}  {review.request.risk} risk  {age(now - review.asked_at)}  "
            text = f"{head}{place_text(review)}  run {review.run_id}"
            until = ""
            if review.id in left:
                until = countdown(review, now, seconds=False)
                yield Text(f"{text}  {until}" if until and is_same else text)
            else:
                is_late = review.deadline is not None and review.deadline <= now
                why = "its deadline has passed" if is_late else "decided elsewhere"
                yield Text(f"{text}: {why}", "strike")
            if not is_same:
                until = f"{until}  " if until else ""
                yield Text(f"    {until}{act_text(review)}", "dim")
            if not (is_same and same_terms) and (people := _people(review, now)):
                yield Text(f"    {people}", "dim")

    def _look(self) -> None:
        """Record what was on the screen, and show what may be done now."""
        is_laid_out = 0 < self._list.size.height <= self._room
        if is_laid_out and self._list.scroll_y >= self._list.max_scroll_y:
            self._seen = True
        if self.panel.idle:
            self.panel.say([Text(part) for line in self._remarks() for part in wrapped(line, self._width)])
        self._fit()
        self.refresh_bindings()
        self._keys.show()

    def _fit(self) -> None:
        """Leave the list the rows that the panel does not need, whatever that has to say."""
        self._list.styles.max_height = self._room

    @property
    def _room(self) -> int:
        return max(_LEAST, self.app.size.height - _AROUND - self.panel.rows)

    def _remarks(self) -> Iterator[str]:
        if not self.left:
            yield _TELLS_NO
            return
        yield "One comment goes with each of them."
        reasons = dict.fromkeys(self._refused(verb) for verb in ("approve", "reject"))
        yield from filter(None, reasons)
        names = (other_name(listed.review, self._me, self._time()) for listed in self.left)
        if tip := next(filter(None, names), ""):
            yield tip

    def _named_keys(self) -> list[tuple[str, str]]:
        if not self.panel.idle:
            return self.panel.keys(self._hints.key("form.accept"), self._hints.key("bulk.later"))
        live = [one for one in live_commands(self) if one.command.context == "bulk" and one.command.footer]
        return [(one.keys[0], one.command.label) for one in sorted(live, key=lambda one: one.command.footer)]

    # What the keys do

    def action_decide(self, verb: Verb) -> None:
        """Ask for the comment, or for the reason; then once more."""
        self.panel.write("reason" if verb == "reject" else "comment", self._comment)
        self._fit()
        self._keys.show()

    @on(DecisionPanel.Typed)
    def _keep(self, message: DecisionPanel.Typed) -> None:
        self._comment = message.text

    @on(DecisionPanel.Written)
    def _confirm(self, message: DecisionPanel.Written) -> None:
        """Ask once more; keys count only after another moment of quiet."""
        self._comment = message.text
        if message.what == "reason" and not message.text.strip():
            self.panel.say([Text(self._hints(_NO_REASON), "bold")])
            return
        make = Decision.reject if message.what == "reason" else Decision.approve
        decision = replace(make(by=self._me, comment=self._comment), source="app")
        onward = self._onward([listed.review for listed in self.left])
        self.panel.confirm(decision, None, onward)
        count = plural(len(self.left), "review")
        asked = [Text(f"{decision.verb.capitalize()} {count}, all that are listed above?", "bold")]
        lines = [onward.kept] if onward.kept else []
        lines.append(onward.asks(decision))
        self.panel.ask([*asked, *(Text(part) for line in lines for part in wrapped(line, self._width))])
        self._show_comment()
        self._fit()
        self._keys.arm_anew()

    @on(DecisionPanel.Confirmed)
    def _send(self, message: DecisionPanel.Confirmed) -> None:
        decision = self.panel.decision
        if decision is not None:
            self.dismiss(BulkAnswer(decision, message.goes_on))

    def action_later(self) -> None:
        """Leave what was begun last; without anything begun, close. All of them stay pending."""
        if self.panel.idle:
            self.dismiss(None)
        else:
            self.panel.close()
            self._show_comment()
            self._look()

    def action_scroll(self, way: str) -> None:
        """Scroll the list."""
        scroll(self._list, way)


def _people(review: Review, now: float) -> str:
    """Describe who decides a review, and who has approved it so far; empty where anybody may."""
    rows = term_rows(review, now, counts=False)
    return "   ".join(f"{heading}: {text}" for heading, text in rows if heading in ("decides", "votes"))
