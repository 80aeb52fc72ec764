"""``stepgraph [FILE]``: the app."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.files import GraphNotNamed, located
from stepgraph_tui.store_look import reopening
from stepgraph_tui.text.system import has_terminal, settings_file

from .exits import Exit
from .stored import command_store

if TYPE_CHECKING:
    from stepgraph.stores import StateStore
    from stepgraph_tui.app import StepgraphApp
    from stepgraph_tui.worker.capture import Capture

    from .output import Output

_STANDS_STILL = 10.0
"""The longest that a server which says nothing may hold up the screen, in seconds."""
_IN_A_BROWSER = "textual.drivers.web_driver:WebDriver"


def open_app(args: Namespace, output: Output) -> Exit:
    """Open the app, on a graph file or on its home screen."""
    if not _at_a_terminal():
        file = "FILE" if args.file is None else str(args.file)
        output.error(
            "there is no terminal to open the app in",
            f"`{output.command('run', file)}` runs a graph without one, `stepgraph demo` gives a tour",
        )
        return Exit.USAGE
    choices: Sequence[Path] = ()
    if args.file is not None:
        try:
            args.file = _find_graph(args.file)
        except GraphNotNamed as error:
            args.file, choices = None, [located(name) for name in error.names]
    from stepgraph.stores import ServedStore, ServerStore
    from stepgraph_tui.worker.capture import own_terminal

    with command_store(output, create=True) as store:
        if isinstance(store, ServerStore):
            store.on_outage = lambda outage: False  # a screen does not wait: it looks again in a moment
        if isinstance(store, ServedStore):
            store.answer_within(_STANDS_STILL)
        with own_terminal() as capture:
            app = _app(args, output, store, capture, choices)
            words = app.run() or []
        for word in words:
            output.whole(word)  # there are commands among them
        return Exit.DONE if not app.return_code else Exit.FAILED


def _find_graph(file: Path) -> Path:
    """Find the graph that was named; a missing one is reported here, not on a screen.

    Raises:
        GraphFileError: There is no such file or module, or it cannot be read.
    """
    from stepgraph.files import graph_ref, located, read_bytes, unopened

    path = located(str(file))
    ref = graph_ref(path)
    if ref is not None:
        unopened(ref)
    else:
        read_bytes(path, str(path))
    return path


def _at_a_terminal() -> bool:
    """Check whether there is a screen: a terminal's, or a browser's that textual-serve connects to pipes."""
    return _in_a_browser() or has_terminal()


def _in_a_browser() -> bool:
    return os.environ.get("TEXTUAL_DRIVER") == _IN_A_BROWSER


def _app(
    args: Namespace, output: Output, store: StateStore, capture: Capture, choices: Sequence[Path]
) -> StepgraphApp:
    from stepgraph_tui.app import StepgraphApp
    from stepgraph_tui.connections import Connections
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.documents import GraphDrafts
    from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE
    from stepgraph_tui.remembered import Remembered
    from stepgraph_tui.settings import read_settings
    from stepgraph_tui.terminal import wants_ascii

    settings, remarks = read_settings(settings_file())
    if args.name is not None:
        settings = replace(settings, name=args.name)
    plain = wants_ascii(settings.ascii, os.environ, output.data_stream.encoding)
    context = AppContext(
        store,
        reopening(store),
        settings,
        Remembered.load(),
        address=output.address,
        glyphs=ASCII if plain else UNICODE,
        capture=capture,
        connections=Connections.from_settings(settings),
        edits=GraphDrafts(),
        in_browser=_in_a_browser(),
    )
    app = StepgraphApp(context, args.file, remarks, choices=choices)
    if context.in_browser:
        from stepgraph_tui.browser_driver import BrowserDriver

        app.driver_class = BrowserDriver
    return app
