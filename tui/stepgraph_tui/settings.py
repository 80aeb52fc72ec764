"""The user's settings: one file, read once, never written by the app."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from stepgraph.reviews import person
from stepgraph.values import GraphFileError, did_you_mean, json_line

from .drawing.model import Direction, Zoom
from .text.characters import visible
from .text.plain import shortened
from .text.system import default_name, is_missing

if TYPE_CHECKING:
    from stepgraph.extras.mcp import McpSettings
    from stepgraph.models import ModelSettings
    from stepgraph.values import KeyPath, Problem


Notify = Literal["off", "title", "bell", "osc9", "osc777"]
"""How a person is notified of a new review; all but ``off`` also count what waits in the title."""
_LONGEST = 200  # characters of a notification
_SAVE_TITLE, _RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"


class TerminalSignals:
    """Writes the sequences for a bell, a title and a notification; no text of others is ever part of one.

    Args:
        kind: Which of them are wanted.
        write: Writes to the terminal.
        environment: Of the process: inside tmux, what is meant for the desktop is handed through.
    """

    def __init__(self, kind: Notify, write: Callable[[str], object], environment: Mapping[str, str]) -> None:
        self._kind, self._write = kind, write
        self._in_tmux = "TMUX" in environment
        self._titled: str | None = None

    def show_count(self, waiting: int) -> None:
        """Show the number of pending reviews in the title, unless it is there already."""
        title = f"Stepgraph: {waiting} waiting" if waiting else "Stepgraph"
        if self._kind != "off" and title != self._titled:
            before, self._titled = self._titled, title
            self._write(f"{_SAVE_TITLE if before is None else ''}\x1b]2;{title}\x07")

    def call(self, text: str) -> None:
        """Call a person: by the bell, or by a notification of the desktop that names what has come."""
        message = _plain(text)
        match self._kind:
            case "bell":
                self._write("\x07")
            case "osc9":
                self._write(self._passed_on(f"\x1b]9;Stepgraph: {message}\x07"))
            case "osc777":
                self._write(self._passed_on(f"\x1b]777;notify;Stepgraph;{message}\x07"))

    def _passed_on(self, sequence: str) -> str:
        """Wrap a sequence so that tmux hands it to the terminal around it, where it is allowed to."""
        doubled = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{doubled}\x1b\\" if self._in_tmux else sequence

    def close(self) -> None:
        """Restore the title that was there before."""
        if self._titled is not None:
            self._write(_RESTORE_TITLE)


def _plain(text: str) -> str:
    """Write a text on one line, without what ends a sequence or parts it."""
    return shortened(
        "".join(" " if sign == ";" else sign for sign in visible(text) if sign.isprintable()), _LONGEST
    )


Ascii = Literal["auto", "always", "never"]
Report = Callable[["KeyPath", str], None]
"""Takes where something is wrong in the file, and what."""


def _means(text: str) -> Mapping[str, str]:
    """Return what a setting means, which ``stepgraph settings`` and its page of docs tell."""
    return {"means": text}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user can set in ``settings.toml``."""

    theme: str = field(default="stepgraph-dark", metadata=_means("the colors of the app"))
    zoom: Zoom = field(
        default="compact", metadata=_means("how much detail a graph is drawn in when it is first opened")
    )
    direction: Direction = field(
        default="TB", metadata=_means("how a graph is drawn: TB from top to bottom, LR from left to right")
    )
    follow: bool = field(default=True, metadata=_means("whether the drawing keeps the next node in view"))
    auto_continue: bool = field(
        default=True, metadata=_means("whether a run continues by itself after a decision")
    )
    ascii: Ascii = field(
        default="auto", metadata=_means("whether the screen is ASCII alone; auto looks at the terminal")
    )
    name: str = field(
        default_factory=default_name,
        metadata=_means("who decides reviews; login@machine unless set"),
    )
    notify: Notify = field(
        default="bell", metadata=_means("how you are notified of a review that comes while the app is open")
    )
    on_pause: Sequence[str] = field(
        default=(), metadata=_means("a command for each such review, which reads it as JSON")
    )
    keys: Mapping[str, str] = field(
        default_factory=dict,
        metadata=_means("other keys for commands, by ids in KEYS.md: n, or gn for two keys"),
    )
    models: Mapping[str, ModelSettings] = field(
        default_factory=dict, metadata=_means("the models that live runs may call: see `stepgraph models`")
    )
    mcp: Mapping[str, McpSettings] = field(
        default_factory=dict, metadata=_means("the MCP servers of tools: see `stepgraph tools`")
    )


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What there is to know of a setting."""

    name: str
    means: str
    takes: str
    """The values that it takes."""
    default: object


def setting_infos() -> list[SettingInfo]:
    """List all settings, in the order of the docs."""
    plain = Settings(name="you@machine")
    return [
        SettingInfo(each.name, each.metadata["means"], _takes(each.name), getattr(plain, each.name))
        for each in fields(Settings)
    ]


def _takes(name: str) -> str:
    if name in _FLAGS:
        return "true, false"
    kinds = {
        "theme": "a theme, such as stepgraph-light, nord or gruvbox",
        "name": "a text",
        "on_pause": "a list of words",
        "keys": "a table",
    }
    return kinds.get(name) or ", ".join(_CHOICES.get(name, ["tables"]))


def refusal(name: str, value: object) -> str | None:
    """Explain why a setting cannot have a value, in words that follow its name; None where it can."""
    wrong: list[str] = []
    _settings({name: value}, lambda _, what: wrong.append(what.removeprefix(f"{name} ")))
    return wrong[0] if wrong else None


def read_settings(path: Path) -> tuple[Settings, list[str]]:
    """Read the settings of a file, and what is wrong with it: each with file, line and a hint.

    What is wrong is left at its default, and the rest is used. A file that is not there is not wrong.
    """
    from stepgraph.files import read_table

    if is_missing(path):
        return Settings(), []
    try:
        table, line_of = read_table(path)
    except GraphFileError as error:
        return Settings(), [_problem_text(problem) for problem in error.problems]
    wrong: list[tuple[int, str]] = []

    def report(where: KeyPath, what: str) -> None:
        wrong.append((line_of(where) or 1, what))

    settings = _settings(table, report)
    return settings, [f"{path}:{line}: {what}" for line, what in sorted(wrong)]


def _problem_text(problem: Problem) -> str:
    place = (problem.place.file or "") + (f":{problem.place.line}" if problem.place.line else "")
    of_graphs = problem.code in ("F004", "F007")  # their hints speak of graph files
    hint = f" ({problem.hint})" if problem.hint and not of_graphs else ""
    return f"{place}: {problem.message}{hint}"


def _settings(table: Mapping[str, object], report: Report) -> Settings:
    given: dict[str, Any] = {}
    names = [entry.name for entry in fields(Settings)]
    for name, value in table.items():
        if name not in names:
            report((name,), f"there is no setting {_quoted(name)} ({did_you_mean(name, names)})")
        elif name == "keys":
            given[name] = _keys(value, report)
        elif name == "on_pause":
            given[name] = _words(value, report)
        elif name == "models":
            given[name] = _models(value, report)
        elif name == "mcp":
            given[name] = _servers(value, report)
        else:
            refused = _refusal(name, value)
            if refused:
                report((name,), f"{name} {refused}")
            else:
                given[name] = value
    return Settings(**given)


def _keys(value: object, report: Report) -> Mapping[str, str]:
    if not isinstance(value, dict):
        report(("keys",), f"keys takes a table, not {_value(value)}")
        return {}
    from stepgraph_tui.commands.remapping import read_keys

    return read_keys(value, report)


def _models(value: object, report: Report) -> Mapping[str, ModelSettings]:
    from stepgraph.models import read_models

    return read_models(value, report)


def _servers(value: object, report: Report) -> Mapping[str, McpSettings]:
    from stepgraph.extras.mcp import read_servers

    return read_servers(value, report)


def _words(value: object, report: Report) -> Sequence[str]:
    """Read a command as a list of words; no shell reads it, so nothing in it needs quotes."""
    if isinstance(value, list) and all(isinstance(word, str) and "\0" not in word for word in value):
        return tuple(value)
    hint = 'such as ["notify-send", "Stepgraph"]'
    report(("on_pause",), f"on_pause takes a list of texts, {hint}, not {_value(value)}")
    return ()


_FLAGS = ("follow", "auto_continue")
_CHOICES = {
    "zoom": get_args(Zoom),
    "direction": get_args(Direction),
    "ascii": get_args(Ascii),
    "notify": get_args(Notify),
}


def _refusal(name: str, value: object) -> str | None:
    """Describe what is wrong with a setting's value, in words that follow its name."""
    if name in _FLAGS:
        return None if isinstance(value, bool) else f"takes true or false, not {_value(value)}"
    if not isinstance(value, str):
        return f"takes a text, not {_value(value)}"
    if name == "name":
        return None if person(value) and value.isprintable() else "takes a name that can be printed"
    choices = _CHOICES[name] if name in _CHOICES else _themes()
    if value in choices:
        return None
    return f"is {_quoted(value)} ({did_you_mean(value, choices, listing='it takes')})"


def _themes() -> tuple[str, ...]:
    from stepgraph_tui.themes import theme_names

    return theme_names()


def _quoted(text: str) -> str:
    return json_line(text)


def _value(value: object) -> str:
    """Write a value of a TOML file in a few characters."""
    return json_line(value) if isinstance(value, (str, int, float, bool)) else f"a {type(value).__name__}"
