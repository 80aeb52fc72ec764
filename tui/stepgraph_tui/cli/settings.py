"""``stepgraph settings``: what can be set, what is set, and setting it."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from stepgraph.values import StepgraphError, did_you_mean
from stepgraph_tui.settings import SettingInfo, read_settings, refusal, setting_infos
from stepgraph_tui.settings_text import changed, read_value, template, value_text
from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.system import is_missing, settings_file

from .exits import Exit
from .tables import Fit, listing
from .usage import Parser, add_command

if TYPE_CHECKING:
    from .output import Output

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
    said, line_of = ({}, None) if is_missing(file) else read_table(file)
    rows: list[dict[str, Any]] = []
    for info in setting_infos():
        value = getattr(settings, info.name)
        line = line_of((info.name,)) if line_of is not None and info.name in said else None
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
    table = [(row["name"], _shown(row["name"], row["value"]), row["from"], _meaning(row)) for row in rows]
    output.table(listing(_COLUMNS, table, output.data_stream.columns))
    output.narrate(f"the file is {file}" + (", which is not there yet" if is_missing(file) else ""))
    for what in wrong:
        output.narrate(what)
    return Exit.FAILED if wrong else Exit.DONE


def _shown(name: str, value: Any) -> str:
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
