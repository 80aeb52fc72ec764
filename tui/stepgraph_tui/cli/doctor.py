"""``stepgraph doctor``: versions, paths, the store's health, and what the terminal can do."""

from __future__ import annotations

import os
import platform
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.stores import default_store_url, open_store, store_file
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import StepgraphError
from stepgraph.values.folders import data_folder
from stepgraph_tui.settings import read_settings, settings_file
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.system import is_missing

from .exits import Exit
from .usage import Parser, version_of

if TYPE_CHECKING:
    from .output import Output

_PACKAGES = (
    "textual",
    "rich",
    "networkx",
    "pydantic",
    "jinja2",
    "tomli-w",
    "platformdirs",
    "watchfiles",
    "apsw",
)


def doctor(args: Namespace, output: Output) -> Exit:
    """Print what helps to find out why something does not work; a store that is ill gives exit 1."""
    address = output.store if output.store is not None else default_store_url()
    store = _store(address)
    facts: dict[str, dict[str, Any]] = {
        "versions": _versions(),
        "paths": _paths(),
        "settings": _settings(),
        "store": store,
        "terminal": _terminal(output),
    }
    if output.as_json:
        output.data(facts)
    else:
        from .tables import page

        for title, table in facts.items():
            output.lines([title.upper()])
            output.show(page((f"  {name}", _words(value)) for name, value in table.items()))
    return Exit.DONE if store["health"] in ("ok", "not made yet") else Exit.FAILED


def _words(value: object) -> str:
    return "\n".join(map(visible, value)) if isinstance(value, list) else visible(str(value))


def _versions() -> dict[str, str]:
    import apsw

    versions = {
        "stepgraph": version_of("stepgraph"),
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "sqlite": apsw.sqlite_lib_version(),
    }
    return versions | {name: version_of(name) for name in _PACKAGES}


def _paths() -> dict[str, str]:
    from stepgraph.files.examples import examples_dir
    from stepgraph.files.trust import agreements_folder

    return {
        "settings": str(settings_file()),
        "data": str(data_folder()),
        "trust": str(agreements_folder()),
        "examples": str(examples_dir()),
    }


def _settings() -> dict[str, Any]:
    """Tell what the app makes of the user's settings."""
    file = settings_file()
    _, wrong = read_settings(file)
    if is_missing(file):
        return {"file": "none; the defaults apply"}
    return {"file": "read", "problems": wrong or "none"}


def _store(address: str) -> dict[str, Any]:
    """Tell how the store does. One that does not exist is not made by asking."""
    file = store_file(address)
    facts: dict[str, Any] = {"address": address}
    if file is not None and is_missing(file):
        return {**facts, "health": "not made yet"}
    try:
        with open_store(address) as store:
            facts |= {
                "runs": len(store.runs()),
                "pending reviews": len(store.runs(RunStatus.PAUSED)),
            }
        if file is not None:
            facts |= _file_health(file)
    except StepgraphError as error:
        return {**facts, "health": str(error)}
    return {"health": "ok", **facts}


def _file_health(file: Path) -> dict[str, Any]:
    import apsw

    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from somebody else
        found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
        schema = connection.pragma("user_version")
    except apsw.Error as error:
        found, schema = [str(error)], "unknown"
    finally:
        connection.close()
    healthy = found == ["ok"]
    return {
        "health": "ok" if healthy else f"damaged: {'; '.join(map(str, found))}",
        "schema version": schema,
        "size": f"{file.stat().st_size:,} bytes",
    }


def _terminal(output: Output) -> dict[str, Any]:
    console = output.console
    return {
        "standard output": "a terminal" if output.data_stream.isatty() else "no terminal",
        "standard input": "a terminal" if sys.stdin is not None and sys.stdin.isatty() else "no terminal",
        "TERM": os.environ.get("TERM", "not set"),
        "size": f"{console.width} x {console.height}",
        "encoding": output.data_stream.encoding,
        "colours": "off (NO_COLOR)" if console.no_color else console.color_system or "none",
    }


def doctor_options(parser: Parser) -> None:
    """Declare what ``doctor`` takes: nothing."""
    parser.set_defaults(command=doctor)
