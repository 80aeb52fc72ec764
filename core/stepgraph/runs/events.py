"""What listeners hear: one event for each completed step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..values.json_values import class_name, preview


@dataclass(frozen=True, slots=True)
class StepCompleted:
    """A step that has been routed and committed."""

    graph: str
    """The graph's name."""
    run_id: str
    node: str
    step: int
    """The step's number, from 1."""
    max_steps: int
    """The number of steps at which the run is stopped."""
    output: str
    """What the node put out."""
    next: str | None
    """The node that comes next, END, or None when the routing failed."""
    duration: float
    """How long the node took, in seconds."""


Listener = Callable[[StepCompleted], object]


def notify(listeners: tuple[Listener, ...], event: StepCompleted) -> None:
    """Tell every listener; one that raises is logged and changes nothing."""
    for listener in listeners:
        try:
            listener(event)
        except (Exception, SystemExit) as error:  # a listener may be anything, and never breaks a run
            where = f"at step {event.step} of run {event.run_id}"
            told = f"listener {preview(listener)} raised {class_name(error)} {where}"
            import logging  # only where a listener fails

            log = logging.getLogger("stepgraph.runs.events")
            try:
                log.exception(told)
            except BaseException:  # what it raised raises in turn when it is shown
                log.error(told)
