"""Starting at a terminal: from the shell to the first frame with what was asked for, beside a bare app."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import sys
import termios
import time
from pathlib import Path

from .measure import ROOT, Timed, take_turns, work_folder
from .table import Line

HOME_GOAL = 1.75
"""Times a bare Textual app."""
GRAPH_GOAL = 2.85

_SIZE = (40, 120)  # lines and columns
_ROUNDS = 9
_BARE = """\
from textual.app import App
from textual.widgets import Static


class Bare(App):
    def compose(self):
        yield Static("a-word")


Bare().run()
"""


def first_frame(command: list[str], awaited: str, home: Path) -> Timed:
    """Make what starts a command at a terminal of its own and waits until it has painted something.

    Args:
        command: The program and its arguments.
        awaited: The text that somebody waits for.
        home: The user's folder, and where compiled modules are kept: an installed package has them too.

    Raises:
        SystemExit: It ended, or stood still, without painting that.
    """
    environment = {
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "STEPGRAPH_HOME": str(home / "stepgraph"),
        "PYTHONPYCACHEPREFIX": str(home / "compiled"),
    }

    def timed() -> float:
        began = time.perf_counter()
        process, terminal = pty.fork()
        if process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *_SIZE, 0, 0))
            os.chdir(ROOT)
            os.execve(command[0], command, environment)  # noqa: S606  # no shell, on purpose
        painted = b""
        try:
            while awaited.encode() not in painted:
                painted += os.read(terminal, 65_536)
            return time.perf_counter() - began
        except OSError:  # the terminal of a process that has ended
            raise SystemExit(f"{' '.join(command)} never painted {awaited!r}:\n{painted.decode()}") from None
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(terminal)

    return timed


def lines() -> list[Line]:
    """The home screen and the refund graph, in turns with an app that shows one word."""
    stepgraph = str(Path(sys.executable).with_name("stepgraph"))
    with work_folder() as home:
        rounds = take_turns(
            {
                "home": first_frame([stepgraph], "EXAMPLES", home),
                "graph": first_frame([stepgraph, "graphs/refund_triage.toml"], "classify", home),
                "floor": first_frame([sys.executable, "-c", _BARE], "a-word", home),
            },
            _ROUNDS,
        )
    floor = rounds.median("floor")
    return [
        Line("a bare Textual app, to its first frame", floor, "s"),
        *(
            Line(what, rounds.median(name), "s", goal * floor, rounds.ratio(name, "floor"))
            for name, what, goal in (
                ("home", "stepgraph, to the first frame of home", HOME_GOAL),
                ("graph", "stepgraph FILE, to the first frame of the refund graph", GRAPH_GOAL),
            )
        ),
    ]
