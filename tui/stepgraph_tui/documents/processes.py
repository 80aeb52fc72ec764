"""Whether a process is still there, and still the same one."""

from __future__ import annotations

import os
from pathlib import Path


def began(process: int) -> str | None:
    """When a process began, in the system's own terms; None where the system does not tell."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # its name, in brackets, may have blanks
    return fields[19] if len(fields) > 19 else None


def is_alive(process: int, since: object) -> bool:
    """Whether a process of this user's that was seen before still runs.

    Args:
        process: Its number, which may have passed on to another one.
        since: What ``began`` said of it.
    """
    if os.name != "posix" or process <= 0:  # elsewhere there is no way of asking that does no harm
        return False
    try:
        os.kill(process, 0)
    except (OSError, OverflowError):  # there is none, or it is another user's
        return False
    return since is None or began(process) == since
