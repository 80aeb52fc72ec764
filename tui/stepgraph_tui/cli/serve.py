"""``stepgraph serve``: graphs over HTTP, until somebody stops it."""

from __future__ import annotations

import gc
import os
import secrets
import shlex
import socket
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.runs import NO_LIMITS
from stepgraph.stores import ServerStore
from stepgraph.values import GraphFileError, StepgraphError
from stepgraph_tui.store_look import is_in_memory, reopening
from stepgraph_tui.text.characters import visible

from .exits import Exit
from .graphs import add_trust, named_graph
from .live import connections, consent
from .output import ensure_trusted
from .parser import Parser, whole_number
from .stored import address_of, command_store

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.stores import StateStore
    from stepgraph_tui.connections import Connections
    from stepgraph_tui.server.browser_app import BrowserApp
    from stepgraph_tui.server.guard import AccessRules
    from stepgraph_tui.server.listening import Listening

    from .output import Output

_STOPPING = b"\nstopping when the nodes that run are done; press ctrl+c again to quit at once\n"
_LAST_WORDS = b"\nleft at once: what the running nodes did is not recorded\n"


def serve(args: Namespace, output: Output) -> Exit:
    """Serve graphs until somebody stops it."""
    _refuse_without_packages(args.web)
    from stepgraph_tui.server.guard import TOKEN_VARIABLE, AccessRules, checked_token
    from stepgraph_tui.server.listening import bound

    token = checked_token(os.environ.pop(TOKEN_VARIABLE, None), args.host)  # node code need not find it
    made = secrets.token_urlsafe(24) if args.web and token is None else ""
    access = AccessRules(args.host, token or made or None, [*args.allow_host, socket.gethostname()])
    with ExitStack() as stack:
        listening = stack.enter_context(bound(args.host, args.port))  # before anybody is asked for trust
        browser = stack.enter_context(_browser_port(args)) if args.web else None
        graphs = _read(output, args.files, args.trust)
        for app in graphs.values():
            ensure_trusted(output, app, args.trust)
        answering = stack.enter_context(closing(connections(output, tells=args.live)))
        if args.live and not _agreed(output, answering, graphs):
            return Exit.DONE
        answering.drives_live = args.live
        store = stack.enter_context(command_store(output, create=True))
        beside = (
            _browser_app(args, output, store, browser, access, listening.url) if browser is not None else None
        )
        output.narrate(f"serving {', '.join(graphs)} on {listening.url}")
        output.narrate(f"the inbox is at {listening.url}/, the API reference at {listening.url}/docs")
        if browser is not None:
            output.narrate(f"the app itself is at {browser.url}" + (f"/?token={made}" if made else ""))
        if made:
            output.narrate(
                "its token was made for this start; the inbox and the API need it, too "
                f"({TOKEN_VARIABLE} sets one)"
            )
        elif access.needs_token:
            output.narrate(f"clients must show the token in {TOKEN_VARIABLE}")
        output.narrate("press ctrl+c to stop; running nodes finish first")
        own = stack.enter_context(reopening(store)())
        _run(args, output, listening, store, own, graphs, access, beside, answering)
    output.narrate("stopped; `stepgraph runs` lists what is ready to go on")
    return Exit.DONE


def _agreed(output: Output, answering: Connections, graphs: Mapping[str, CompiledGraph]) -> bool:
    """Print whom the runs of each graph will call, and ask for consent."""
    limits = {name: NO_LIMITS.over(app.settings) for name, app in graphs.items()}
    head = "runs of {} are LIVE; they ask:"
    return all(
        consent(output, answering, app, limits[name], head.format(name)) for name, app in graphs.items()
    )


def _refuse_without_packages(web: bool) -> None:
    """Refuse to begin where what the extra brings is not there.

    Raises:
        StepgraphError: A package is missing.
    """
    for package in ("fastapi", "uvicorn", *(["textual_serve"] if web else [])):
        try:
            import_module(package)
        except ModuleNotFoundError as error:
            raise StepgraphError(
                f"serving needs the package {error.name}, which is not installed",
                hint='install it with: pip install "stepgraph[serve]"',
            ) from error


def _run(
    args: Namespace,
    output: Output,
    listening: Listening,
    store: StateStore,
    own: StateStore,
    graphs: Mapping[str, CompiledGraph],
    access: AccessRules,
    beside: BrowserApp | None,
    answering: Connections,
) -> None:
    """Serve until a signal comes, and wait for the nodes that run.

    Requests and runs have a connection each: what waits for a store that is away holds nobody else up.
    """
    from stepgraph_tui.server.driver import ThreadDriver
    from stepgraph_tui.server.listening import HttpServer
    from stepgraph_tui.server.pages import Site
    from stepgraph_tui.server.service import Service

    log = ServerLog(output)
    known = {app.definition_hash: app for app in graphs.values()}
    driver = ThreadDriver(own, known, log.failed, answering=answering)
    if isinstance(store, ServerStore) and isinstance(own, ServerStore):
        store.on_outage = lambda outage: False  # clients learn it at once: they can ask again
        own.on_outage = lambda outage: not driver.stopping  # else what a node has done would be lost
    service = Service(store, graphs, driver, any_start=args.any_start, live=args.live)
    other, app_url = (beside.serving, beside.url) if beside is not None else (nullcontext, "")
    connections = beside.connections if beside is not None else None
    site = Site(service, access, log.line, log.failed, other, app_url)
    output.keep_apart()
    gc.freeze()
    gc.enable()
    try:
        HttpServer(site, _tell_stopping, _leave, connections).run_on(listening)
    finally:
        driver.close()


def _browser_port(args: Namespace) -> AbstractContextManager[Listening]:
    """Listen for browsers on the next port.

    Raises:
        StepgraphError: Other machines could reach it, or the port is taken.
    """
    from stepgraph_tui.server.browser_app import refuse_remote
    from stepgraph_tui.server.listening import bound

    refuse_remote(args.host)
    return bound(args.host, args.port and args.port + 1)


def _browser_app(
    args: Namespace,
    output: Output,
    store: StateStore,
    listening: Listening,
    access: AccessRules,
    inbox: str,
) -> BrowserApp:
    """Build the server of the app: on the graph file, if there is one, else on the home screen.

    The environment tells it the store: the address may have a password, which others could read in a command.
    """
    from stepgraph_tui.server.browser_app import BrowserApp

    if is_in_memory(store.url):
        raise StepgraphError(
            "the app runs in a process of its own, and cannot see a store in memory",
            hint="name a file with --store",
        )
    only = args.files[0] if len(args.files) == 1 else None
    files = [str(only)] if only is not None and not only.is_dir() else []
    os.environ["STEPGRAPH_STORE"] = address_of(output)
    command = shlex.join([sys.executable, "-P", "-m", "stepgraph_tui", *files])  # -P: see workers/supervised
    return BrowserApp(command, listening, access, f"{inbox}/login")


class ServerLog:
    """Tells what happens and when, a line at a time: threads and requests tell at once.

    Args:
        output: Where to.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        """Print one line."""
        with self._lock:
            self._output.narrate(visible(f"{time.strftime('%H:%M:%S')} {text}"))

    def failed(self, what: str, error: BaseException) -> None:
        """Print a line about a failure; an unexpected error goes to a file as a whole."""
        if isinstance(error, StepgraphError):
            self.line(f"{what}: {error.message}")
            return
        from .exits import report_file

        file = report_file(error)
        self.line(
            f"{what}: {type(error).__name__}" + (f"; please report it with the file {file}" if file else "")
        )


def _tell_stopping() -> None:
    """Write without Python's buffers: the signal may have come while they were being written."""
    with suppress(OSError):  # nobody listens any more
        os.write(2, _STOPPING)


def _leave() -> None:
    """End at once: a node cannot be interrupted in any gentler way."""
    os.write(2, _LAST_WORDS)
    os._exit(Exit.INTERRUPTED)


def _read(output: Output, files: Iterable[Path], trust: bool) -> dict[str, CompiledGraph]:
    """Read the graphs that are served, by their names.

    Raises:
        GraphFileError: A file cannot be read, or a folder has none.
        GraphError: A graph has errors.
        TrustError: A graph is in a module that nobody has trusted.
        StepgraphError: Two graphs have one name.
    """
    graphs: dict[str, CompiledGraph] = {}
    places: dict[str, Path] = {}
    for file in [each for given in files for each in _graph_files(given)]:
        app = named_graph(output, file, trust).compile()
        other = places.setdefault(app.name, file)
        if app.name in graphs and other.resolve() != file.resolve():
            raise StepgraphError(
                f"two graphs have the name {app.name!r}: {other} and {file}",
                hint="clients name graphs: give one of them another name",
            )
        graphs[app.name] = app
    return graphs


def _graph_files(given: Path) -> list[Path]:
    if not given.is_dir():
        return [given]
    found = sorted(file for file in given.glob("*.toml") if file.is_file())
    if not found:
        raise GraphFileError(
            f"folder {given} has no graph files", hint="name a folder with .toml files in it"
        )
    return found


def serve_options(parser: Parser) -> None:
    """Declare what ``serve`` takes."""
    parser.add_argument("files", metavar="FILE|FOLDER|MODULE:NAME", type=Path, nargs="+")
    listens = "where to listen (default: 127.0.0.1); others need STEPGRAPH_TOKEN"
    parser.add_argument("--host", default="127.0.0.1", help=listens)
    port = "0 takes any free one (default: 8000)"
    parser.add_argument("--port", default=8000, type=whole_number, help=port)
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another host name of the server; repeatable",
    )
    parser.add_argument("--any-start", action="store_true", help="let clients choose the start node")
    parser.add_argument(
        "--live", action="store_true", help="let runs call the models of your settings, not scripted replies"
    )
    parser.add_argument("--web", action="store_true", help="serve the app itself, too, on the next port")
    add_trust(parser)
    parser.set_defaults(command=serve)
