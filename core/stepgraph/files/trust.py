"""Trust: Python code that a graph names runs only after a person has agreed to it.

An agreement covers the content of the graph's definition, the path it came from, and the content of
each handler module beside it. It does not cover what those modules import.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ..graphs.builder import StateGraph
from ..graphs.definition import definition_hash, to_document
from ..graphs.plan import CompiledGraph
from ..values.errors import GraphFileError, StateError, StepgraphError, TrustError
from ..values.folders import data_folder, make_data_folder
from ..values.json_values import dumps
from .atomic import write_atomically
from .examples import examples_dir
from .handlers import handler_refs, module_files

_Graph = StateGraph | CompiledGraph
Agreement = dict[str, object]
_ELSEWHERE = "elsewhere"
"""Stands for the digest of a module that is not beside the graph file, but on the Python path."""


def trust_question(graph: _Graph) -> list[str]:
    """What would be trusted: the graph file first, then each handler module that it names.

    Empty when the graph names no Python code. The question should also say that what those modules
    import is not looked at.
    """
    modules = _modules(graph)
    if not modules:
        return []
    base = _source(graph)
    first = str(base) if base is not None else f"graph {graph.name!r}, from a store"
    shown = [first]
    for name, files in modules.items():
        shown += map(str, files) if files else [_from_elsewhere(graph, name)]
    return list(dict.fromkeys(shown))


def _from_elsewhere(graph: _Graph, module: str) -> str:
    """A module that nobody can look at beside the graph: which of its functions matters all the more."""
    functions = ", ".join(ref for ref in handler_refs(graph) if ref.split(":")[0] == module)
    return f"module {module} (from the Python path, not beside the file), for {functions}"


def is_trusted(graph: _Graph) -> bool:
    """True when the graph names no Python code, is a shipped example, or was agreed to as it is now."""
    if not handler_refs(graph) or _is_shipped(graph):
        return True
    return agreement(graph) in _agreements()


def require_trust(graph: _Graph) -> None:
    """Do nothing when the graph is trusted.

    Raises:
        TrustError: It names Python code, and nobody has agreed to that code as it is now.
    """
    if not is_trusted(graph):
        raise TrustError(
            f"graph {graph.name!r} names Python code that you have not trusted yet",
            trust_question(graph),
            hint="look at the files, then run it with --trust; what they import is not covered",
        )


def grant(graph: _Graph, seen: Agreement | None = None) -> None:
    """Keep that the user trusts the graph; any change of what is covered ends it.

    Args:
        graph: The graph.
        seen: What the user was asked about: what changed while the question was open is not agreed to.
            The graph and its files as they are now when None.

    Raises:
        StepgraphError: It cannot be kept.
    """
    agreed = agreement(graph) if seen is None else seen
    others = [other for other in _agreements() if other != agreed]
    path = trust_file()
    try:
        make_data_folder()
        write_atomically(path, dumps({"version": 1, "trusted": [*others, agreed]}).encode())
    except OSError as error:
        raise StepgraphError(
            f"the trust cannot be kept in {path}: {error.strerror or error}",
            hint="check the folder's permissions, or name another one in STEPGRAPH_HOME",
        ) from error


def trust_file() -> Path:
    """Where agreements are kept."""
    return data_folder() / "trust.json"


def _agreements() -> list[object]:
    """What was agreed to. A file that is damaged, or not ours, means nothing."""
    try:
        kept = json.loads(trust_file().read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    trusted = kept.get("trusted") if isinstance(kept, dict) and kept.get("version") == 1 else None
    return trusted if isinstance(trusted, list) else []


def agreement(graph: _Graph) -> Agreement:
    """All that trust in a graph covers, as it is now: what ``grant`` keeps."""
    source = _source(graph)
    return {
        "definition": definition_hash(to_document(graph)),
        "path": str(source) if source is not None else None,
        "modules": {name: _digest(files) for name, files in _modules(graph).items()},
    }


def _source(graph: _Graph) -> Path | None:
    return graph.source.resolve() if graph.source is not None else None


def _modules(graph: _Graph) -> dict[str, list[Path]]:
    """The modules that the graph's handlers are in, each with its files beside the graph file."""
    names = dict.fromkeys(ref.split(":")[0] for ref in handler_refs(graph))
    base = graph.source.parent if graph.source is not None else None
    return {name: module_files(name, base) if base is not None else [] for name in names}


def _digest(files: list[Path]) -> str:
    if not files:
        return _ELSEWHERE
    digest = hashlib.sha256()
    for file in files:
        try:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        except OSError:
            digest.update(b"unreadable")
    return digest.hexdigest()


def _is_shipped(graph: _Graph) -> bool:
    """True for the examples as they were shipped; a path alone proves nothing for a stored definition."""
    source = _source(graph)
    if graph.source is None or source is None or not source.is_relative_to(examples_dir().resolve()):
        return False
    if graph.source.parent.resolve() != source.parent:
        return False  # a link to an example: the modules beside it are somebody else's
    from .reader import read_graph

    try:
        return definition_hash(to_document(read_graph(source))) == definition_hash(to_document(graph))
    except (GraphFileError, StateError):
        return False
