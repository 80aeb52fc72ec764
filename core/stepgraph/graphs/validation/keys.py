"""The declared keys of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from ...values.errors import StateError
from ...values.json_values import Json, plain
from ...values.problems import did_you_mean
from ...values.state import HOLDS, Reducer, StateKey, ValueType, fits, type_name
from .names import is_sound, quoted

if TYPE_CHECKING:
    from .outline import Outline
    from .report import Report


def check_keys(outline: Outline, report: Report) -> None:
    """Report what is wrong with the declarations of state keys."""
    for name, key in outline.graph.keys.items():
        _key(name, key, report)


def _key(name: object, key: StateKey, report: Report) -> None:
    if not isinstance(name, str):
        report.error("G022", f"the state key {quoted(name)} is no text", ("state",), "name it by a text")
        return
    path = ("state", name)
    what = f"the state key {quoted(name)}"
    if not name.strip():
        report.error("G022", "a state key has a blank name", path, "name it, or remove it")
    elif not is_sound(name):
        report.error("G022", f"{what} has half a character in it", path, "retype it")
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
    hint = did_you_mean(str(value)[:60], choices, listing="it takes")
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
