"""Trust: Python code that a graph names runs only after a person has agreed to it.

An agreement covers the content of the graph's definition, the path it came from, and the content of
each handler module beside it. It does not cover what those modules import.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from ..graphs.builder import StateGraph
from ..graphs.definition import definition_hash, to_document
from ..graphs.plan import CompiledGraph
from ..values.errors import GraphFileError, StateError, StepgraphError, TrustError
from ..values.folders import data_folder, make_data_folder
from ..values.json_values import Json, dumps
from .agreed import FileChange, changes, keep
from .atomic import write_atomically
from .examples import examples_dir
from .handlers import handler_refs, module_files

_Graph = StateGraph | CompiledGraph
Agreement = dict[str, object]
_ELSEWHERE = "elsewhere"
"""Stands for the digest of a module that is not beside the graph file, but on the Python path."""


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """What a person is asked to trust. All of it was read at once: what can be seen is what is agreed to."""

    files: tuple[str, ...]
    """What would be trusted: the graph file first, then each handler module. Empty without Python code.

    A question should also say that what those modules import is not looked at.
    """
    changes: tuple[FileChange, ...]
    """What differs from what was agreed to last for this file; empty where nothing ever was."""
    folder: Path | None
    """The folder that could be trusted instead, as ``trust_folder`` does."""
    covered: Covered
    """What was read, and is agreed to by a yes."""

    @property
    def told(self) -> tuple[str, ...]:
        """The files, each with how it has changed."""
        said = {change.name: change.said for change in self.changes}
        gone = [change.name for change in self.changes if change.name not in self.files]
        return tuple(f"{name} {said[name]}" if name in said else name for name in (*self.files, *gone))


def trust_question(graph: _Graph) -> TrustQuestion:
    """Read what a graph would run, and compare it with what was agreed to last."""
    covered = _covered(graph)
    source = covered.source
    if not covered.modules:
        return TrustQuestion((), (), None, covered)
    shown = [str(source) if source is not None else f"graph {graph.name!r}, from a store"]
    for name, files in covered.modules.items():
        shown += map(str, files) if files else [_from_elsewhere(graph, name)]
    changed = changes(source, covered.document, covered.files) if source is not None else ()
    return TrustQuestion(tuple(dict.fromkeys(shown)), changed, _folder(graph), covered)


def _from_elsewhere(graph: _Graph, module: str) -> str:
    """Tell of a module that is not beside the graph: which of its functions matters all the more."""
    functions = ", ".join(ref for ref in handler_refs(graph) if ref.split(":")[0] == module)
    return f"module {module} (from the Python path, not beside the file), for {functions}"


def is_trusted(graph: _Graph) -> bool:
    """True when the graph names no Python code, is a shipped example, or was agreed to as it is now."""
    if not handler_refs(graph) or _is_shipped(graph) or _is_in_trusted_folder(graph):
        return True
    return agreement(graph) in _agreements()


def require_trust(graph: _Graph) -> None:
    """Do nothing when the graph is trusted.

    Raises:
        TrustError: It names Python code, and nobody has agreed to that code as it is now.
    """
    if is_trusted(graph):
        return
    question = trust_question(graph)
    why = "has changed since you trusted it" if question.changes else "you have not trusted yet"
    raise TrustError(
        f"graph {graph.name!r} names Python code that {why}",
        question.told,
        hint="look at the files, then run it with --trust; what they import is not covered",
    )


def grant(graph: _Graph, seen: TrustQuestion | None = None) -> None:
    """Keep that the user trusts the graph; any change of what is covered ends it.

    Args:
        graph: The graph.
        seen: What the user was asked about: what changed while the question was open is not agreed to.
            The graph and its files as they are now when None.

    Raises:
        StepgraphError: It cannot be kept.
    """
    covered = (seen or trust_question(graph)).covered
    agreed = covered.agreement
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
    if covered.source is not None and covered.modules:
        keep(covered.source, covered.document, covered.files)


# A folder, as long as the program runs

_folders: dict[Path, set[str]] = {}
"""The folders whose graphs are trusted until the program ends, and what of elsewhere they may call."""


def trust_folder(graph: _Graph) -> None:
    """Trust all graphs in the folder of this one, and the modules beside them, until the program ends.

    Functions from elsewhere on the Python path are covered only where this graph names them. Nothing of it is
    kept. Runs of those graphs are trusted with them, whatever definition they go by.
    """
    folder = _folder(graph)
    if folder is not None:
        _folders.setdefault(folder, set()).update(_foreign(graph))


def _is_in_trusted_folder(graph: _Graph) -> bool:
    folder = _folder(graph) if _folders else None
    return folder in _folders and _foreign(graph) <= _folders[folder]


def _folder(graph: _Graph) -> Path | None:
    """Find the folder that a graph's file and all its modules are in; none where a link leads out of it."""
    source = _source(graph)
    if source is None or _is_link(graph):
        return None
    files = (file for found in _modules(graph).values() for file in found)
    return source.parent if all(file.resolve().is_relative_to(source.parent) for file in files) else None


def _is_link(graph: _Graph) -> bool:
    """True when the modules beside the graph are not those beside the file that it really is."""
    source = graph.source
    return source is not None and source.parent.resolve() != source.resolve().parent


def _foreign(graph: _Graph) -> set[str]:
    """Find the handlers that are not beside the graph."""
    beside = {name for name, files in _modules(graph).items() if files}
    return {ref for ref in handler_refs(graph) if ref.split(":")[0] not in beside}


# What is kept


def trust_file() -> Path:
    """Find the file where agreements are kept."""
    return data_folder() / "trust.json"


def _agreements() -> list[object]:
    """Read what was agreed to. A file that is damaged, or not ours, means nothing."""
    try:
        kept = json.loads(trust_file().read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    trusted = kept.get("trusted") if isinstance(kept, dict) and kept.get("version") == 1 else None
    return trusted if isinstance(trusted, list) else []


def agreement(graph: _Graph) -> Agreement:
    """Describe all that trust in a graph covers, as it is now: what ``grant`` keeps."""
    return _covered(graph).agreement


@dataclass(frozen=True, slots=True)
class Covered:
    """What trust in a graph covers, read once."""

    source: Path | None
    document: dict[str, Json]
    modules: dict[str, list[Path]]
    files: dict[Path, bytes | None]
    """The content of each file of the modules; None for one that cannot be read."""

    @property
    def agreement(self) -> Agreement:
        """What a yes agrees to, as it is kept."""
        return {
            "definition": definition_hash(self.document),
            "path": str(self.source) if self.source is not None else None,
            "modules": {name: self._digest(files) for name, files in self.modules.items()},
        }

    def _digest(self, files: list[Path]) -> str:
        if not files:
            return _ELSEWHERE
        digest = hashlib.sha256()
        for file in files:
            data = self.files[file]
            digest.update(hashlib.sha256(data).digest() if data is not None else b"unreadable")
        return digest.hexdigest()


def _covered(graph: _Graph) -> Covered:
    modules = _modules(graph)
    files = {file: _content(file) for found in modules.values() for file in found}
    return Covered(_source(graph), to_document(graph), modules, files)


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def _source(graph: _Graph) -> Path | None:
    return graph.source.resolve() if graph.source is not None else None


def _modules(graph: _Graph) -> dict[str, list[Path]]:
    """Find the modules that the graph's handlers are in, each with its files beside the graph file."""
    names = dict.fromkeys(ref.split(":")[0] for ref in handler_refs(graph))
    base = graph.source.parent if graph.source is not None else None
    return {name: module_files(name, base) if base is not None else [] for name in names}


def _is_shipped(graph: _Graph) -> bool:
    """True for the examples as they were shipped; a path alone proves nothing for a stored definition."""
    source = _source(graph)
    if source is None or not source.is_relative_to(examples_dir().resolve()):
        return False
    if _is_link(graph):
        return False  # the modules beside it are somebody else's
    from .reader import read_graph

    try:
        return definition_hash(to_document(read_graph(source))) == definition_hash(to_document(graph))
    except (GraphFileError, StateError):
        return False
