"""What ships with Stepgraph, known by its digests: that alone runs without anybody's word.

``python -m stepgraph.files.shipped`` writes them; a test keeps them true.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent.parent


def examples_dir() -> Path:
    """Find the folder of the shipped graphs: inside the installed package, else in the source checkout."""
    installed = _PACKAGE / "examples"
    if installed.is_dir():
        return installed
    return _PACKAGE.parent.parent / "graphs"


_FILE = Path(__file__).with_name("shipped.json")


def is_shipped(code: Mapping[str, object]) -> bool:
    """True for what a shipped graph would run, wherever it lies: its definition and its modules alike."""
    return any(code == shipped for shipped in json.loads(_FILE.read_bytes()).values())


def shipped_digests() -> str:
    """Write the digests of the example graphs that name Python code, as they are now."""
    from .reader import read_graph
    from .trust import Covered

    covered = ((path.name, Covered.read(read_graph(path))) for path in sorted(examples_dir().glob("*.toml")))
    digests: dict[str, Any] = {name: one.digests for name, one in covered if one.runs_code}
    return json.dumps(digests, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(shipped_digests(), end="")
