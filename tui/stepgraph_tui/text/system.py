"""What depends on the machine: who sits at it, its files, its shell and its terminal."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from stepgraph.values import config_folder


def default_name() -> str:
    """Name the person at the terminal, ``user@host``: a claim, not a proof."""
    import getpass  # only where a name is wanted: most commands need none

    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user need not have a name
        user = f"uid{os.getuid()}" if hasattr(os, "getuid") else "somebody"
    return f"{user}@{_host() or 'localhost'}"


def _host() -> str:
    if hasattr(os, "uname"):  # all but Windows: socket would take longer to load than all of this module
        return os.uname().nodename
    import socket

    return socket.gethostname()


def has_terminal() -> bool:
    """Check whether all that this process reads and writes is at a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def settings_file() -> Path:
    """Find where the settings are read from."""
    return config_folder() / "settings.toml"


def written_path(text: str) -> Path:
    """Read the path that somebody wrote, perhaps with a tilde."""
    return Path(os.path.expanduser(text))  # noqa: PTH111  # Path.expanduser raises for ~nobody


def people_path(path: Path) -> str:
    """Write a path as people do: ``~/graphs``."""
    try:
        return str(Path("~") / path.relative_to(Path.home()))
    except (ValueError, RuntimeError):  # it is not below the home folder, or there is none
        return str(path)


def command(*words: str, store: str | None = None) -> str:
    """Spell a stepgraph command with all its words quoted.

    Args:
        words: The command and its options.
        store: The address of the store, where the command must name it.
    """
    return shlex.join(["stepgraph", *words, *(("--store", store) if store is not None else ())])


def needs_ascii(environment: Mapping[str, str], encoding: str) -> bool:
    """Check whether a terminal cannot be trusted to show lines and arrows: Linux's console, or no UTF-8."""
    return environment.get("TERM") == "linux" or not encoding.lower().replace("-", "").startswith("utf")


def is_missing(file: Path) -> bool:
    """Check whether there is no such file; where the system won't tell, opening it says why."""
    try:
        return not (file.exists() or _module_exists(file))
    except OSError:
        return False


def _module_exists(path: Path) -> bool:
    """Check whether a path names a graph in a module that is there, as ``agent.py:graph`` does."""
    if ":" not in path.name:
        return False
    from stepgraph.files import graph_ref  # only where somebody has such graphs

    ref = graph_ref(path)
    return ref is not None and ref.file.exists()
