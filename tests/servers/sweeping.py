"""A folder for a server, which does not outlive the process that made it, however that ends."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SWEEPER = """
cat > /dev/null  # until nobody holds the other end any more
signal=QUIT
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    pids=$(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$1*" 2> /dev/null | cut -d / -f 3)
    [ -n "$pids" ] || break
    kill -s $signal $pids 2> /dev/null
    kill -s CONT $pids 2> /dev/null
    [ $try -lt 15 ] || signal=KILL
    sleep 0.2
done
rm -rf "$1"
"""
"""Ends what works in a folder, and removes it: PostgreSQL and Redis both work in their data folders."""
_PROCESS = os.getpid()


@contextmanager
def swept_folder(prefix: str, parent: str = tempfile.gettempdir()) -> Iterator[Path]:
    """Make a folder, and have it swept when the block ends or this process does.

    A process of its own waits for the end of a pipe that this one holds. So it also sweeps after ``kill -9``,
    which leaves this process no time to stop its server.

    Args:
        prefix: What its name begins with.
        parent: Where it is made; not pytest's folder, as the paths of sockets must be short.
    """
    assert os.getpid() == _PROCESS, "a server starts in the parent, before the fork: there, a skip is a skip"
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    words = ["sh", "-c", _SWEEPER, "sh", str(folder)]
    with subprocess.Popen(
        words,
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C is not meant for it
    ):
        yield folder
