"""The node type ``wait``: go on after some time, or at a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from ..reviews.model import ReviewRequest
from ..reviews.terms import TIMEOUT, waiting_for
from ..templates.template import Template
from ..values.declared import LONGEST, Declared, duration_text, field, parse_duration
from ..values.errors import NodeFailed
from .base import BaseNode, NodeFacts, NodeResult, holding

if TYPE_CHECKING:
    from ..values.state import State

OVER, SKIPPED = "over", "skipped"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")


class WaitSettings(Declared):
    """The settings of a ``wait`` node."""

    interval: str = field(
        "",
        alias="for",
        description="How long to wait, such as 30s, 10m, 2h or 1d; a template.",
        examples=["2h"],
        json_schema_extra=holding("template"),
    )
    until: str = field(
        "",
        description="Or until when, such as 2026-03-01T09:00:00Z; a template.",
        examples=["2026-03-01T09:00:00Z"],
        json_schema_extra=holding("template"),
    )
    output: str = field(
        "waited",
        min_length=1,
        description="The state key for the outcome: over, or skipped by a person.",
        json_schema_extra=holding("key"),
    )

    def _check(self) -> None:
        """Refuse what says no time, or two, and what is none whatever the state."""
        if bool(self.interval) == bool(self.until):
            raise ValueError('say how long it waits: for = "2h", or until = "2026-03-01T09:00:00Z"')
        if "{" not in self.interval + self.until:
            _seconds(self.interval) if self.interval else _moment(self.until)


class WaitNode(BaseNode):
    """Waits for a duration, or until a time.

    The run is paused meanwhile, as at a review, and whoever looks at it first when the time has come lets it
    go on: a worker, the app, or a command. A person may go on sooner by approving it; who did is recorded.
    What is over already when the run comes is not waited for.
    """

    type: ClassVar[str] = "wait"
    Settings = WaitSettings
    settings: WaitSettings

    def execute(self, state: State) -> NodeResult:
        """Wait, or go on."""
        text, seconds = self._time(state)
        if seconds <= 0:
            return NodeResult({self.settings.output: OVER}, f"{text}: it is over already")
        request = ReviewRequest(text, "go on", allow=("approve",), risk="low", terms=waiting_for(seconds))
        decision = state.decision
        if decision is None or not decision.is_about(self.name, request, {}):
            return NodeResult.pause(request)
        if decision.by == TIMEOUT:
            return NodeResult({self.settings.output: OVER}, f"{text}: it is over")
        reason = f"skipped by {decision.by or 'somebody'}"
        return NodeResult(
            {self.settings.output: SKIPPED}, f"{reason}: {decision.comment}" if decision.comment else reason
        )

    def _time(self, state: State) -> tuple[str, float]:
        """Describe what is waited for, and how many seconds that is.

        Raises:
            NodeFailed: It is no time.
        """
        template = self._text
        given = template.render(state).strip()
        try:
            if self.settings.interval:
                seconds = _seconds(given)
                return f"Waits for {duration_text(seconds)}", seconds
            moment = _moment(given)
            left = moment.timestamp() - (self.services.now() if self.services is not None else 0.0)
        except ValueError as error:
            raise NodeFailed(f"{template.where!r}: {error}") from None
        if left > LONGEST:
            raise NodeFailed(f"{template.where!r} is {given!r}: at most ten years")
        if left <= 0:  # it may be before all that UTC has
            return f"Waits until {given}", left
        return f"Waits until {moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC", left

    @property
    def _text(self) -> Template:
        """The one of its settings that says the time."""
        settings = self.settings
        return Template(settings.interval, "for") if settings.interval else Template(settings.until, "until")

    def facts(self) -> NodeFacts:
        """Declare the text that says the time, and its output."""
        return NodeFacts(templates=(self._text,), writes=frozenset({self.settings.output}))


def _seconds(text: str) -> float:
    """Read a length of time.

    Raises:
        ValueError: It is none.
    """
    try:
        return parse_duration(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a duration: {error}") from None


def _moment(text: str) -> datetime:
    """Read a time that has a zone.

    Raises:
        ValueError: It is none.
    """
    try:
        found = datetime.fromisoformat(text) if _TIME.fullmatch(text) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        hint = "write it as 2026-03-01T09:00:00Z, or with +01:00 for Z"
        what = "no time" if found is None else "a time without a zone"
        raise ValueError(f"{text!r} is {what}: {hint}")
    return found
