"""What servers have told of their tools, kept between two programs: forms know it, and start nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from ...models.messages import ToolSpec
from ...values.folders import data_folder, make_data_folder
from ...values.json_values import canonical, dumps
from .settings import McpSettings

_LARGEST = 5_000_000  # bytes


def keep_specs(server: str, settings: McpSettings, specs: Sequence[ToolSpec]) -> None:
    """Keep what a server tells of its tools; best effort."""
    place = _place(server, settings)
    data = dumps([spec.to_json() for spec in specs]).encode()
    with suppress(OSError):
        make_data_folder()
        place.parent.mkdir(mode=0o700, exist_ok=True)
        passing = place.with_suffix(f".{os.getpid()}")
        passing.write_bytes(data)
        passing.replace(place)


def kept_specs(server: str, settings: McpSettings) -> list[ToolSpec] | None:
    """Read what the server of these settings told last; None where it was never asked."""
    place = _place(server, settings)
    try:
        if place.stat().st_size > _LARGEST:
            return None
        found = json.loads(place.read_bytes())
        return [ToolSpec(each["name"], each["description"], each["parameters"]) for each in found]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _place(server: str, settings: McpSettings) -> Path:
    """Name the file by what is started or reached: other settings are another server."""
    said = canonical({"server": server, "command": settings.command, "url": settings.url})
    return data_folder() / "mcp" / f"{blake2b(said.encode(), digest_size=16).hexdigest()}.json"
