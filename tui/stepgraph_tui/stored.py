"""The files that stores are."""

from __future__ import annotations

import re
from pathlib import Path

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters or more: C: is a drive


def is_missing(file: Path) -> bool:
    """Say whether there is no such file; where the system won't tell, opening it says why."""
    try:
        return not file.exists()
    except OSError:
        return False


def store_file(address: str) -> Path | None:
    """Find the file of a store's address; None for stores that are no files."""
    if address.lower().startswith("sqlite:///"):
        return Path(address[len("sqlite:///") :]).expanduser()
    return None if _SCHEME.match(address) or not address.strip() else Path(address).expanduser()
