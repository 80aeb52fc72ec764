"""Commands as they can be typed in a shell."""

from __future__ import annotations

import shlex


def command(*words: str, store: str | None = None) -> str:
    """Spell a stepgraph command with all its words quoted.

    Args:
        words: The command and its options.
        store: The address of the store, where the command must name it.
    """
    return shlex.join(["stepgraph", *words, *(("--store", store) if store is not None else ())])
