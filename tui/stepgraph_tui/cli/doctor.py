"""``stepgraph doctor``: versions, paths, the store's health, and what the terminal can do."""

from __future__ import annotations

import os
import platform
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from stepgraph.stores import (
    ALONE,
    BACKUP,
    Damage,
    RunStatus,
    ServerStore,
    audit_damages,
    default_store_url,
    left_log,
    open_store,
    store_damages,
    store_file,
    without_password,
)
from stepgraph.values import StepgraphError, StoreError, data_folder
from stepgraph_tui.settings import read_settings
from stepgraph_tui.text.system import command, is_missing, settings_file, written_path

from .exits import Exit
from .parser import Parser
from .worker import workers_facts

if TYPE_CHECKING:
    from stepgraph.stores import StateStore

    from .output import Output

_TOLD = 20  # damages that are listed
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
    """Print what helps to find out why something does not work; a store that is ill gives exit 1.

    With ``--repair`` what is whole of the store is copied to a new file instead.
    """
    address = output.store if output.store is not None else default_store_url()
    if args.repair is not None:
        return _repair(output, address, args.repair)
    store = _store(output, address)
    facts: dict[str, dict[str, Any]] = {
        "versions": _versions(),
        "paths": _paths(),
        "settings": _settings(),
        "store": store,
        "terminal": _terminal(output),
    }
    workers = workers_facts(output) if store["health"] == "ok" else None
    if workers is not None:
        facts["workers"] = workers
    if output.as_json:
        output.data(facts)
    else:
        for title, table in facts.items():
            output.lines([title.upper()])
            output.page(_rows(table))
    if store.get("damage") and store_file(address) is not None:
        output.narrate(
            "what is whole of the store is copied to a new file, and the old one stays as it is, with:"
        )
        output.whole(f"  {command('doctor', '--repair', store=address)}")
    if store.get("audit"):
        output.narrate(
            "no repair mends the audit, and none hides it: keep the store, and compare it with a backup;"
            " see what the audit has with:"
        )
        output.whole(f"  {command('approvals', 'log', store=without_password(address))}")
    return Exit.DONE if store["health"] in ("ok", "not made yet") else Exit.FAILED


def _repair(output: Output, address: str, name: str) -> Exit:
    """Copy what is whole of a store to a new one, and list what was left out."""
    from stepgraph.stores.sqlite import free_name, repair

    file = store_file(address)
    if file is None and "://" in address:
        raise StoreError(
            f"the store {without_password(address)} is not a file that can be copied",
            hint="repair a server's data there: restore a backup of its database",
        )
    if file is None or (is_missing(file) and left_log(file) is None):
        raise StoreError(
            f"there is no store file at {without_password(address)}", hint="name one with --store"
        )
    new = written_path(name) if name else free_name(file, "repaired")
    with Counting(output, "copied") as counting:
        done = repair(file, new, counting.tell)
    if output.as_json:
        path = str(done.path) if done.is_made else None
        report = {"whole": done.whole, "left": done.left, "entries": done.entries}
        output.data({"path": path, **report})
    else:
        output.lines(done.lines())
    if done.whole:
        output.narrate(
            f"continue with the new store, or move it to the place of the old one ({ALONE}); see it:"
        )
        output.whole(f"  {command('runs', store=str(done.path))}")
    elif done.left:
        output.narrate(f"no run can be saved: {BACKUP}")
    return Exit.DONE if done.is_whole else Exit.FAILED


class Counting:
    """Tells on a terminal how many rows were read, once that has taken a second.

    Args:
        output: Where to.
        what: What is done with them.
    """

    def __init__(self, output: Output, what: str) -> None:
        self._output = output
        self._what = what
        self._began = time.monotonic()

    def tell(self, rows: int) -> None:
        """Report the count so far."""
        stream = self._output.told_stream
        if stream.isatty() and time.monotonic() - self._began > 1:
            stream.show_passing(f"{rows:,} rows {self._what}; ctrl+c stops")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._output.told_stream.show_passing()


def _rows(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        for number, item in enumerate(value if isinstance(value, list) else [value]):
            yield "" if number else f"  {name}", str(item)


def _versions() -> dict[str, str]:
    import apsw

    versions = {
        "stepgraph": _version_of("stepgraph"),
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "sqlite": apsw.sqlite_lib_version(),
    }
    return versions | {name: _version_of(name) for name in _PACKAGES}


def _paths() -> dict[str, str]:
    from stepgraph.files import agreements_folder, examples_dir

    return {
        "settings": str(settings_file()),
        "data": str(data_folder()),
        "trust": str(agreements_folder()),
        "examples": str(examples_dir()),
    }


def _settings() -> dict[str, Any]:
    """Describe what the app makes of the user's settings."""
    file = settings_file()
    _, wrong = read_settings(file)
    if is_missing(file):
        return {"file": "none; the defaults apply"}
    return {"file": "read", "problems": wrong or "none"}


def _store(output: Output, address: str) -> dict[str, Any]:
    """Describe how the store does. One that does not exist is not made by asking."""
    file = store_file(address)
    facts: dict[str, Any] = {"address": without_password(address)}
    if file is not None and is_missing(file) and left_log(file) is None:
        return {**facts, "health": "not made yet"}
    health = "ok"
    try:
        writable = file is None or is_missing(file) or _is_writable(file)
        if writable:  # an older one is carried forward by it
            with open_store(address) as store:
                if file is None:
                    facts |= _rows_health(store, output)
                runs, paused = store.runs(), store.runs(RunStatus.PAUSED)
                facts |= {"runs": len(runs), "pending reviews": len(paused)}
                facts |= {"damaged runs": len(runs.damages)} if runs.damages else {}
        else:
            health = "read-only: its file or folder cannot be written; Stepgraph uses stores that can"
    except StepgraphError as error:
        health = str(error)
    if file is not None and left_log(file) is None:
        facts |= _file_health(output, file)
    if health == "ok" and facts.get("audit"):
        health = "its audit is broken"
    if health in ("ok", "its audit is broken") and facts.get("damage"):
        health = "damaged"
    return {"health": health, **facts}


def _is_writable(file: Path) -> bool:
    return os.access(file, os.W_OK) and os.access(file.resolve().parent, os.W_OK | os.X_OK)


def _rows_health(store: StateStore, output: Output) -> dict[str, Any]:
    """Look at every row of a store that is not a file, and describe the server that keeps it."""
    facts: dict[str, Any] = dict(store.about()) if isinstance(store, ServerStore) else {}
    with Counting(output, "checked") as counting:
        damages = list(store_damages(store, counting.tell))
    return (
        facts
        | _report_damages("damage", damages, output)
        | _report_damages("audit", audit_damages(store), output)
    )


def _file_health(output: Output, file: Path) -> dict[str, Any]:
    """Look at every row of a file; nothing is changed."""
    import apsw

    from stepgraph.stores.sqlite import file_damages, opened_to_look

    facts: dict[str, Any] = {}
    try:
        facts["size"] = f"{file.stat().st_size:,} bytes"
        with closing(opened_to_look(file)) as connection:
            facts["schema version"] = connection.pragma("user_version")
        with Counting(output, "checked") as counting:
            damages = list(file_damages(file, counting.tell))
    except (apsw.Error, OSError) as error:
        damages = [Damage(str(error))]
    facts |= _report_damages("damage", [damage for damage in damages if not damage.in_audit], output)
    return facts | _report_damages("audit", [damage for damage in damages if damage.in_audit], output)


def _report_damages(name: str, damages: list[Damage], output: Output) -> dict[str, Any]:
    """Print the first damages, or all as JSON; nothing if there are none."""
    more = 0 if output.as_json else len(damages) - _TOLD
    lines = [str(damage) for damage in damages[: -more if more > 0 else None]]
    return {name: [*lines, *([f"and {more:,} more"] if more > 0 else [])]} if damages else {}


def _terminal(output: Output) -> dict[str, Any]:
    console = output.console
    return {
        "standard output": "a terminal" if output.data_stream.isatty() else "no terminal",
        "standard input": "a terminal" if sys.stdin is not None and sys.stdin.isatty() else "no terminal",
        "TERM": os.environ.get("TERM", "not set"),
        "size": f"{console.width} x {console.height}",
        "encoding": output.data_stream.encoding,
        "colors": "off (NO_COLOR)" if console.no_color else console.color_system or "none",
    }


def _version_of(package: str) -> str:
    """Look up the version of an installed package, or that it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def doctor_options(parser: Parser) -> None:
    """Declare what ``doctor`` takes."""
    parser.add_argument(
        "--repair",
        nargs="?",
        const="",
        metavar="NEW",
        help="copy what is whole of a damaged store to a new file, NEW or one beside it; the old one is kept",
    )
    parser.set_defaults(command=doctor)
