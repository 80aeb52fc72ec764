"""``stepgraph settings``: what can be set, what is set, and setting it."""

from __future__ import annotations

import json
import re
import tomllib
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import tomli_w

from stepgraph.values import StepgraphError, did_you_mean

from ..settings import SettingInfo, read_settings, refusal, setting_infos
from ..text.plain import plural
from ..text.system import is_missing, settings_file
from .exits import Exit
from .parser import Parser, add_command
from .tables import Fit, listing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .output import Output


_PAGE = """\
# Settings

`stepgraph settings` lists every setting with its value, where that comes from and what it means.
`stepgraph settings set NAME VALUE` sets one, such as `auto_continue false` or `keys.debug.go g`.
The first of them writes the file, with all settings in comments; `stepgraph doctor` says where it is. The app
never writes it.

| setting | takes | default | means |
|---|---|---|---|"""


def template(infos: Iterable[SettingInfo]) -> str:
    """Write a settings file that lists what can be set, all of it in comments."""
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
    from ..settings import setting_infos

    print(page(setting_infos()), end="")


_COLUMNS: tuple[tuple[str, Fit], ...] = (
    ("NAME", "keep"),
    ("VALUE", "keep"),
    ("FROM", "keep"),
    ("MEANING", "fold"),
)
_COMMANDS = {"models": "models", "mcp": "tools"}


def list_settings(args: Namespace, output: Output) -> Exit:
    """List every setting with its value, where that comes from, and what it means."""
    from stepgraph.files import read_table

    file = settings_file()
    settings, wrong = read_settings(file)
    tables, line_of = ({}, None) if is_missing(file) else read_table(file)
    rows: list[dict[str, Any]] = []
    for info in setting_infos():
        value = getattr(settings, info.name)
        line = line_of((info.name,)) if line_of is not None and info.name in tables else None
        rows.append(
            {
                "name": info.name,
                "value": sorted(value) if info.name in _COMMANDS else value,
                "from": f"line {line}" if line else "default",
                "means": info.means,
                "takes": info.takes,
            }
        )
    if output.as_json:
        output.data({"file": str(file), "settings": rows, "wrong": wrong})
        return Exit.FAILED if wrong else Exit.DONE
    table = [
        (row["name"], _value_text(row["name"], row["value"]), row["from"], _meaning(row)) for row in rows
    ]
    output.table(listing(_COLUMNS, table, output.data_stream.columns))
    output.narrate(f"the file is {file}" + (", which is not there yet" if is_missing(file) else ""))
    for what in wrong:
        output.narrate(what)
    return Exit.FAILED if wrong else Exit.DONE


def _value_text(name: str, value: Any) -> str:
    if name in _COMMANDS:
        return ", ".join(value) or "none"
    return plural(len(value), "key") if name == "keys" else value_text(value)


def _meaning(row: dict[str, Any]) -> str:
    return f"{row['means']} ({row['takes']})"


def set_setting(args: Namespace, output: Output) -> Exit:
    """Set one setting in the file, which is written with all of them in comments where it is missing."""
    from stepgraph.files import read_table, write_bytes

    infos = setting_infos()
    head, _, key = args.name.partition(".")
    value = args.value if key else read_value(args.value)
    _refuse(infos, args.name, head, value if not key else _nested(key, args.value))
    file = settings_file()
    text = template(infos) if is_missing(file) else read_table(file)[1].text
    new = changed(text, args.name, value)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(file, new.encode())
    if output.as_json:
        output.data({"name": args.name, "value": value, "file": str(file)})
    else:
        output.narrate(f"{args.name} = {value_text(value)} in {file}")
    return Exit.DONE


def _nested(key: str, value: str) -> object:
    name, _, rest = key.partition(".")
    return {name: _nested(rest, value) if rest else value}


def _refuse(infos: list[SettingInfo], name: str, head: str, value: object) -> None:
    """Refuse what cannot be set here.

    Raises:
        StepgraphError: There is no such setting, it has commands of its own, or it does not take the value.
    """
    names = [info.name for info in infos]
    if head not in names:
        hint = did_you_mean(head, names, listing="there are")
        raise StepgraphError(f"there is no setting {head!r}", hint=hint)
    if head in _COMMANDS:
        raise StepgraphError(f"{name} is not one value", hint=f"see `stepgraph {_COMMANDS[head]}`")
    if (head == "keys") != ("." in name):
        raise StepgraphError(f"{name} cannot be set here", hint="`settings set keys.debug.go KEY` sets a key")
    wrong = refusal(head, value)
    if wrong:
        raise StepgraphError(wrong if head == "keys" else f"{name} {wrong}", hint="nothing was written")


def settings_options(parser: Parser) -> None:
    """Declare what ``settings`` and its verb take."""
    parser.set_defaults(command=list_settings)
    verbs = parser.add_subparsers(metavar="VERB", parser_class=Parser)
    add_command(verbs, "set", _set_options, "set one of them in the settings file")


def _set_options(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="the setting, such as auto_continue or keys.debug.go")
    parser.add_argument("value", metavar="VALUE", help="true, false, a text, or a list as JSON")
    parser.set_defaults(command=set_setting)
