"""The graph as a whole: its name, its start, its caps, and whether there is anything in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, get_args

from ...values.problems import did_you_mean
from ..parts import MAX_STEPS, RESERVED, OnMaxSteps, OnNoMatch
from .names import is_sound, listed, quoted

if TYPE_CHECKING:
    from .outline import Outline
    from .report import Report


def check_settings(outline: Outline, report: Report) -> None:
    """Report what is wrong with the graph's settings."""
    _name(outline.settings.name, report)
    if outline.nodes:
        _start(outline.settings.start, outline, report)
    else:  # what could it start with?
        report.error("G002", "the graph has no nodes", ("nodes",), "add the first one")
    _caps(outline, report)
    _feedback(outline, report)


def _name(name: object, report: Report) -> None:
    if not isinstance(name, str):
        report.error(
            "G001", f"the graph's name is {quoted(name)}, which is no text", ("name",), "name it by a text"
        )
    elif not name.strip():
        report.error("G001", "the graph has no name", ("name",), 'such as name = "refund-triage"')
    elif not is_sound(name):
        report.error(
            "G001", f"the graph's name {quoted(name)} has half a character in it", ("name",), "retype it"
        )


def _start(start: object, outline: Outline, report: Report) -> None:
    known = f"name one of {listed(outline.nodes)}"
    if not isinstance(start, str):
        given = (
            "the graph has no start" if start is None else f"the start is {quoted(start)}, which is no text"
        )
        report.error("G007", given, ("start",), known)
    elif not start.strip():
        report.error("G007", "the graph has no start", ("start",), known)
    elif start in RESERVED:
        report.error("G009", "the graph starts at END, so nothing would ever run", ("start",), known)
    elif start not in outline.nodes:
        hint = outline.names.hint(start)
        report.error("G008", f"the start {quoted(start)} is no node of the graph", ("start",), hint)


def _caps(outline: Outline, report: Report) -> None:
    settings = outline.settings
    steps: object = settings.max_steps
    if not isinstance(steps, int) or isinstance(steps, bool):
        message = f"max_steps is {quoted(steps)}, which is no whole number"
        report.error("G006", message, ("max_steps",), "give the most steps that a run may take, such as 50")
    elif steps < 1:
        message = f"max_steps is {quoted(steps)}, so no run could take a step"
        report.error("G006", message, ("max_steps",), "give it 1 or more")
    elif steps > MAX_STEPS:
        message = f"max_steps is {quoted(steps)}, more than can be counted"
        report.error("G006", message, ("max_steps",), f"give it at most {MAX_STEPS:,}")
    for name, choices in (("on_max_steps", get_args(OnMaxSteps)), ("on_no_match", get_args(OnNoMatch))):
        value: object = getattr(settings, name)
        if value not in choices:
            hint = did_you_mean(str(value)[:60], choices, listing="it takes")
            report.error("G006", f"{name} is {quoted(value)}, which it does not take", (name,), hint)
    seconds: object = settings.max_seconds
    if seconds is not None and not _is_duration(seconds):
        message = f"max_seconds is {quoted(seconds)}, which is no time that a run could have"
        report.error("G006", message, ("max_seconds",), "give a number above 0, or leave it out")


def _is_duration(seconds: object) -> bool:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return False
    return seconds > 0 and (isinstance(seconds, int) or math.isfinite(seconds))


def _feedback(outline: Outline, report: Report) -> None:
    feedback: object = outline.settings.feedback
    if not isinstance(feedback, bool):
        report.error("G006", f"feedback is {quoted(feedback)}", ("feedback",), "give it true or false")
    without: tuple[object, ...] = outline.settings.no_feedback
    letters = "".join(name for name in without if isinstance(name, str) and len(name) == 1)
    if len(letters) == len(without) > 1 and letters in outline.nodes:
        message = f"no_feedback is the text {quoted(letters)}, not a list of names"
        report.error("G015", message, ("no_feedback",), f"write [{letters!r}]")
        return
    for name in without:
        if not isinstance(name, str):
            message = f"no_feedback names {quoted(name)}, which is no text"
            report.error("G015", message, ("no_feedback",), "give the names of nodes")
        elif name not in outline.nodes:
            message = f"no_feedback names {quoted(name)}, which is no node of the graph"
            report.error("G015", message, ("no_feedback",), outline.names.hint(name), name)
