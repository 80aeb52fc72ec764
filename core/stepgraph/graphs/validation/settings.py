"""The graph as a whole: its name, its start, its caps, the declared keys of its state."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, get_args

from ...values.compare import type_name
from ...values.errors import StateError
from ...values.json_values import Json, plain
from ...values.merging import HOLDS
from ...values.problems import did_you_mean
from ...values.state import Reducer, StateKey, ValueType, fits
from ..parts import MAX_STEPS, RESERVED, OnMaxSteps, OnNoMatch, ReviewPolicy
from .names import is_sound, listed, quoted

if TYPE_CHECKING:
    from .checked_graph import CheckedGraph
    from .report import Report


def check_settings(checked: CheckedGraph, report: Report) -> None:
    """Report what is wrong with the graph's settings."""
    _name(checked.settings.name, report)
    if checked.nodes:
        _start(checked.settings.start, checked, report)
    else:  # what could it start with?
        report.error("G002", "the graph has no nodes", ("nodes",), "add the first one")
    _caps(checked, report)
    _feedback(checked, report)


def _name(name: object, report: Report) -> None:
    if not isinstance(name, str):
        report.error(
            "G001", f"the graph's name is {quoted(name)}, which is not text", ("name",), "name it by a text"
        )
    elif not name.strip():
        report.error("G001", "the graph has no name", ("name",), 'such as name = "refund-triage"')
    elif not is_sound(name):
        report.error(
            "G001", f"the graph's name {quoted(name)} contains an unpaired surrogate", ("name",), "retype it"
        )


def _start(start: object, checked: CheckedGraph, report: Report) -> None:
    known = f"name one of {listed(checked.nodes)}"
    if not isinstance(start, str):
        given = (
            "the graph has no start" if start is None else f"the start is {quoted(start)}, which is not text"
        )
        report.error("G007", given, ("start",), known)
    elif not start.strip():
        report.error("G007", "the graph has no start", ("start",), known)
    elif start in RESERVED:
        report.error("G009", "the graph starts at END, so nothing would ever run", ("start",), known)
    elif start not in checked.nodes:
        hint = checked.names.hint(start)
        report.error("G008", f"the start {quoted(start)} is not a node of the graph", ("start",), hint)


def _caps(checked: CheckedGraph, report: Report) -> None:
    settings = checked.settings
    steps: object = settings.max_steps
    if not isinstance(steps, int) or isinstance(steps, bool):
        message = f"max_steps is {quoted(steps)}, which is not a whole number"
        report.error(
            "G006", message, ("max_steps",), "give the largest number of steps a run may take, such as 50"
        )
    elif steps < 1:
        message = f"max_steps is {quoted(steps)}, so no run could take a step"
        report.error("G006", message, ("max_steps",), "give it 1 or more")
    elif steps > MAX_STEPS:
        message = f"max_steps is {quoted(steps)}, more than can be counted"
        report.error("G006", message, ("max_steps",), f"give it at most {MAX_STEPS:,}")
    for name, kind in (("on_max_steps", OnMaxSteps), ("on_no_match", OnNoMatch), ("review", ReviewPolicy)):
        value: object = getattr(settings, name)
        choices = get_args(kind)
        if value not in choices:
            hint = did_you_mean(str(value), choices, listing="it takes")
            report.error("G006", f"{name} is {quoted(value)}, which it does not take", (name,), hint)
    seconds: object = settings.max_seconds
    if seconds is not None and not _is_positive(seconds):
        message = f"max_seconds is {quoted(seconds)}, which is not a possible time limit"
        report.error("G006", message, ("max_seconds",), "give a number above 0, or leave it out")
    cost: object = settings.max_cost
    if cost is not None and not _is_positive(cost):
        message = f"max_cost is {quoted(cost)}, which is not an amount of US dollars"
        report.error("G006", message, ("max_cost",), "give a number above 0, or leave it out")
    tokens: object = settings.max_tokens
    if tokens is not None and not (type(tokens) is int and tokens > 0):
        message = f"max_tokens is {quoted(tokens)}, which is not a number of tokens"
        report.error("G006", message, ("max_tokens",), "give a whole number above 0, or leave it out")


def _is_positive(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return value > 0 and (isinstance(value, int) or math.isfinite(value))


def _feedback(checked: CheckedGraph, report: Report) -> None:
    feedback: object = checked.settings.feedback
    if not isinstance(feedback, bool):
        report.error("G006", f"feedback is {quoted(feedback)}", ("feedback",), "give it true or false")
    without: tuple[object, ...] = checked.settings.no_feedback
    letters = "".join(name for name in without if isinstance(name, str) and len(name) == 1)
    if len(letters) == len(without) > 1 and letters in checked.nodes:
        message = f"no_feedback is the text {quoted(letters)}, not a list of names"
        report.error("G015", message, ("no_feedback",), f"write [{letters!r}]")
        return
    for name in without:
        if not isinstance(name, str):
            message = f"no_feedback names {quoted(name)}, which is not text"
            report.error("G015", message, ("no_feedback",), "give the names of nodes")
        elif name not in checked.nodes:
            message = f"no_feedback names {quoted(name)}, which is not a node of the graph"
            report.error("G015", message, ("no_feedback",), checked.names.hint(name), name)


def check_keys(checked: CheckedGraph, report: Report) -> None:
    """Report what is wrong with the declarations of state keys."""
    for name, key in checked.graph.keys.items():
        _key(name, key, report)


def _key(name: object, key: StateKey, report: Report) -> None:
    if not isinstance(name, str):
        report.error("G022", f"the state key {quoted(name)} is not text", ("state",), "name it by a text")
        return
    path = ("state", name)
    what = f"the state key {quoted(name)}"
    if not name.strip():
        report.error("G022", "a state key has a blank name", path, "name it, or remove it")
    elif not is_sound(name):
        report.error("G022", f"{what} contains an unpaired surrogate", path, "retype it")
    report.flags("G022", what, {"input": key.input, "secret": key.secret}, path)
    sound = _choice("reducer", key.reducer, get_args(Reducer), what, name, report)
    if key.type is not None:
        sound &= _choice("type", key.type, get_args(ValueType), what, name, report)
    if sound:
        _fit(key, what, report)


def _choice(
    field: str, value: object, choices: tuple[str, ...], what: str, name: str, report: Report
) -> bool:
    if value in choices:
        return True
    hint = did_you_mean(str(value), choices, listing="it takes")
    report.error("G022", f"{what} has the unknown {field} {quoted(value)}", ("state", name, field), hint)
    return False


def _fit(key: StateKey, what: str, report: Report) -> None:
    """Report a type that the reducer cannot work with, and a default that fits neither."""
    held = HOLDS.get(key.reducer)
    if held is not None and key.type not in (None, held):
        message = f'{what} has the type {key.type}, but its reducer "{key.reducer}" makes it a {held}'
        report.error(
            "G022", message, ("state", key.name, "type"), f'make it type = "{held}", or leave it out'
        )
        return
    if not key.has_default or key.default is None:
        return
    path = ("state", key.name, "default")
    try:
        default: Json = plain(key.default, f'the default of state["{key.name[:60]}"]')
    except StateError as error:
        report.error("G022", error.message, path, error.hint)
        return
    wanted = key.type or held
    if wanted is not None and not fits(default, wanted):
        reason = "it is declared as" if key.type else f'its reducer "{key.reducer}" needs'
        message = f"the default of {what} is {_a(type_name(default))}, and {reason} {_a(wanted)}"
        report.error("G022", message, path, f"make the default {_a(wanted)}")


def _a(noun: str) -> str:
    return noun if noun in ("text", "null") else f"a {noun}"
