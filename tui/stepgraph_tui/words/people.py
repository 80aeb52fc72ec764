"""Who decides."""

from __future__ import annotations

import getpass
import os
import socket


def default_name() -> str:
    """Name the person at the terminal, ``user@host``: a claim, not a proof."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user need not have a name
        user = f"uid{os.getuid()}" if hasattr(os, "getuid") else "somebody"
    return f"{user}@{socket.gethostname() or 'localhost'}"
