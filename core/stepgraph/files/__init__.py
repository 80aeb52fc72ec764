"""Graph files: reading, writing, and trusting the Python code that they name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .examples import examples_dir
    from .graph_refs import GraphNotNamed, GraphRef, graph_ref, located
    from .handlers import handler_refs, resolve_handler
    from .opening import load_graph, to_be_trusted, unopened
    from .reader import read_graph
    from .subgraphs import child_of
    from .trust import (
        TrustQuestion,
        agreement,
        grant,
        is_trusted,
        reaches_outside,
        require_trust,
        trust_folder,
        trust_question,
    )
    from .writer import write_graph

_HOMES = {
    "GraphNotNamed": "graph_refs",
    "GraphRef": "graph_refs",
    "graph_ref": "graph_refs",
    "load_graph": "opening",
    "located": "graph_refs",
    "to_be_trusted": "opening",
    "unopened": "opening",
    "TrustQuestion": "trust",
    "agreement": "trust",
    "child_of": "subgraphs",
    "examples_dir": "examples",
    "grant": "trust",
    "handler_refs": "handlers",
    "is_trusted": "trust",
    "reaches_outside": "trust",
    "read_graph": "reader",
    "require_trust": "trust",
    "resolve_handler": "handlers",
    "trust_folder": "trust",
    "trust_question": "trust",
    "write_graph": "writer",
}

__all__ = [
    "GraphNotNamed",
    "GraphRef",
    "TrustQuestion",
    "agreement",
    "child_of",
    "examples_dir",
    "grant",
    "graph_ref",
    "handler_refs",
    "is_trusted",
    "load_graph",
    "located",
    "reaches_outside",
    "read_graph",
    "require_trust",
    "resolve_handler",
    "to_be_trusted",
    "trust_folder",
    "trust_question",
    "unopened",
    "write_graph",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)
