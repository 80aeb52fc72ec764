"""Files that a command makes: whole or not at all, and never over what is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from stepgraph.files.atomic import unwritable, write_output
from stepgraph.values.errors import StepgraphError


def write_new(files: Mapping[Path, Iterable[str]], *, force: bool) -> None:
    """Write files, with the folders that they lie in.

    Args:
        files: The text of each, in parts.
        force: Whether one that is there is written over.

    Raises:
        StepgraphError: One is there already, and none was written; or one cannot be written.
    """
    for path in files:
        refuse_unfit(path, force=force)
    for path, parts in files.items():
        write_output(path, (part.encode() for part in parts))


def refuse_unfit(path: Path, *, force: bool) -> None:
    """Refuse a path at which no file can be made.

    Raises:
        StepgraphError: Something is there already.
    """
    try:
        if path.is_dir():
            raise StepgraphError(f"{path} is a folder", hint="name a file in it")
        if path.exists() and not path.is_file():
            raise StepgraphError(
                f"{path} is not a regular file", hint="leave -o out to write to standard output"
            )
        if os.path.lexists(path) and not force:
            raise StepgraphError(f"{path} already exists", hint="--force overwrites it")
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error
