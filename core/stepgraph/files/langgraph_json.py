"""The graphs that a ``langgraph.json`` lists, by their names there. Nothing is imported."""

from __future__ import annotations

import json
from pathlib import Path

from ..values.errors import GraphFileError
from .graph_refs import GraphRef, graph_ref, is_file, looked_up

NAME = "langgraph.json"
_LARGEST = 1_000_000  # bytes


def listed_graphs(folder: Path) -> dict[str, GraphRef]:
    """Read which graphs in Python the ``langgraph.json`` of a folder lists; none where there is no such file.

    An entry is a text like ``./src/agent.py:graph`` or ``package.module:graph``, or a table that has it under
    ``path``. Entries in other languages are left out.

    Raises:
        GraphFileError: The file cannot be read, or is not what LangGraph's tools take.
    """
    file = folder / NAME
    if not is_file(file):
        return {}
    graphs = _read(file)
    found: dict[str, GraphRef] = {}
    for name, entry in graphs.items():
        said = entry.get("path") if isinstance(entry, dict) else entry
        if isinstance(said, str) and (ref := _ref(folder, said)) is not None:
            found[name] = ref
    return found


def _read(file: Path) -> dict[str, object]:
    try:
        with file.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
        table = json.loads(data) if len(data) <= _LARGEST else None
    except OSError as error:
        raise _refused(file, f"it cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _refused(file, f"it is not JSON: {error}") from error
    graphs = table.get("graphs") if isinstance(table, dict) else None
    if not isinstance(graphs, dict):
        raise _refused(file, 'it has no table "graphs"')
    return graphs


def _ref(folder: Path, said: str) -> GraphRef | None:
    place, _, name = said.rpartition(":")
    ref = graph_ref(f"{folder / place}:{name}")
    if ref is not None or not name.isidentifier():
        return ref
    module = looked_up(place, [folder, folder / "src"])
    return GraphRef(module, name) if module is not None else None


def _refused(file: Path, what: str) -> GraphFileError:
    return GraphFileError(f"{file}: {what}", hint='write {"graphs": {"agent": "./my_agent.py:graph"}}')
