"""The settings file as text: the commented one that is written first, and one value changed in it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import tomli_w

from stepgraph.values import StepgraphError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .settings import SettingInfo


_PAGE = """\
# Settings

`stepgraph settings` lists every setting with its value, where that comes from and what it means.
`stepgraph settings set NAME VALUE` sets one, such as `auto_continue false` or `keys.debug.go g`.
The first of them writes the file, with all settings in comments; `stepgraph doctor` says where it is. The app
never writes it.

| setting | takes | default | means |
|---|---|---|---|"""


def template(infos: Iterable[SettingInfo]) -> str:
    """Write a settings file that says what can be set, all of it in comments."""
    lines = [
        "# Settings of Stepgraph. Take the # away from a line to set it; `stepgraph settings` lists them."
    ]
    for info in infos:
        if not isinstance(info.default, Mapping):
            lines += ["", f"# {info.means} ({info.takes})", f"# {info.name} = {value_text(info.default)}"]
    return "\n".join([*lines, ""])


def page(infos: Iterable[SettingInfo]) -> str:
    """Write the page of docs on settings."""
    rows = [f"| `{info.name}` | {info.takes} | {_default(info)} | {info.means} |" for info in infos]
    return "\n".join([_PAGE, *rows, ""])


def _default(info: SettingInfo) -> str:
    return "none" if isinstance(info.default, Mapping) else f"`{value_text(info.default)}`"


def value_text(value: object) -> str:
    """Write a value as TOML."""
    value = list(value) if isinstance(value, tuple) else value
    return tomli_w.dumps({"x": value}).removeprefix("x = ").strip()


def changed(text: str, name: str, value: object) -> str:
    """Set one value in a settings file, and leave everything else as it is.

    Args:
        text: The file.
        name: The setting; ``keys.debug.go`` for a key of a command.
        value: Its new value.

    Raises:
        StepgraphError: The file says it in a way that is left to a person.
    """
    table, _, key = name.partition(".")
    line = f"{key or table} = {value_text(value)}"
    wanted = _with(tomllib.loads(text), name.split("."), value)
    for candidate in _candidates(text, table if key else "", key or table, line):
        try:
            if tomllib.loads(candidate) == wanted:
                return candidate
        except tomllib.TOMLDecodeError:
            continue
    raise StepgraphError(f"{name} is set over several lines", hint="change it in the file")


def _candidates(text: str, table: str, key: str, line: str) -> Iterable[str]:
    """Write the line over the one that sets it, over its comment, at the head of its table, or at the end."""
    at_start = rf"^[ \t]*{re.escape(key)}[ \t]*=[^\n]*?([ \t]+#[^\n\"']*)?$"
    for match in re.finditer(at_start, text, re.MULTILINE):
        yield f"{text[: match.start()]}{line}{match[1] or ''}{text[match.end() :]}"
    for match in re.finditer(rf"^#[ \t]*{re.escape(key)} = [^\n]*$", text, re.MULTILINE):
        yield f"{text[: match.start()]}{line}{text[match.end() :]}"
    if table:
        for match in re.finditer(rf"^\[{re.escape(table)}\][^\n]*\n?", text, re.MULTILINE):
            yield f"{text[: match.end()]}{line}\n{text[match.end() :]}"
        yield f"{text.rstrip()}\n\n[{table}]\n{line}\n".lstrip()
        return
    first = re.search(r"^\[", text, re.MULTILINE)
    place = first.start() if first else len(text)
    before = text[:place]
    yield f"{before}{'' if not before or before.endswith(chr(10)) else chr(10)}{line}\n{text[place:]}"


def _with(table: Mapping[str, Any], path: list[str], value: object) -> dict[str, Any]:
    first, *rest = path
    value = list(value) if isinstance(value, tuple) else value
    return {**table, first: _with(table.get(first, {}), rest, value) if rest else value}


def read_value(text: str) -> object:
    """Read a value that was written in a shell: true, false, a JSON list, else a text."""
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


if __name__ == "__main__":
    from .settings import setting_infos

    print(page(setting_infos()), end="")
