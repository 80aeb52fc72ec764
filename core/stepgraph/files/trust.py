"""Trust: Python code and commands that a graph names run only after a person has agreed to them.

An agreement covers the content of the graph's definition, the path it came from, and the content of
each handler module beside it. It does not cover what those modules import, or what programs do. What is
compared with the agreements is read once, and runs as it was read.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..graphs.builder import StateGraph
from ..graphs.parts import definition_hash
from ..graphs.plan import CompiledGraph
from ..nodes.scoped import inmost
from ..nodes.subgraph import SubgraphNode
from ..tools.command_part import read_arguments, read_container
from ..values.errors import StepgraphError, TrustError
from ..values.folders import data_folder, make_data_folder
from ..values.json_values import Json, canonical, dumps
from .graph_refs import GraphRef, graph_ref
from .handlers import addresses_of, handler_refs, open_nodes_of, server_tools_of
from .importing import Sources, read_files, read_sources
from .shipped import is_shipped

if TYPE_CHECKING:
    from ..tools.protocols import ToolEntry
    from .agreed import FileChange

_Graph = StateGraph | CompiledGraph


@dataclass(frozen=True, slots=True)
class Covered:
    """What trust in a graph covers, read once."""

    source: Path | None
    """The graph file, in the folder that it really is in: the modules are those beside it there."""
    document: dict[str, Json]
    refs: tuple[str, ...]
    """The handlers that the graph names."""
    sources: Sources
    """The modules that they are in."""
    commands: tuple[str, ...] = ()
    """The commands that its tools run, for people, each with all that it is given; what it reads stands
    after the first line."""
    addresses: tuple[str, ...] = ()
    """What its nodes do on the network, for people."""
    server_tools: tuple[str, ...] = ()
    """The tools of the user's own servers that its nodes call, for people."""
    module: GraphRef | None = None
    """The graph's place, where a Python module has made it; None for one that is data."""

    @classmethod
    def read(cls, graph: _Graph) -> Covered:
        """Read what trust in a graph covers, as it is now.

        What a graph in a Python module consists of is known only when it was imported: so its trust covers
        the module, whatever it makes, and what it names there is not covered, as what it imports is not. What
        a store says of such a graph is data like any other: anybody may have written it.
        """
        plan = _plan(graph)
        refs = tuple(handler_refs(plan))
        given = graph.source
        source = Path(os.path.realpath(given.parent), given.name) if given is not None else None
        folder = source.parent if source is not None else None
        own = graph_ref(source) if plan.is_of_module else None
        if own is None:
            sources = read_sources(_modules(refs), folder)
            return cls(source, plan.document, refs, sources, *_outside(plan))
        elsewhere = read_sources(_modules(refs), own.folder).elsewhere
        sources = replace(read_files(own.files, own.folder), elsewhere=elsewhere)
        return cls(source, {"python": own.name}, (own.handler,), sources, *_outside(plan), own)

    @property
    def digests(self) -> dict[str, Json]:
        """What would run, wherever it lies."""
        elsewhere = [] if self.module is not None else self.sources.elsewhere
        return {
            "definition": definition_hash(self.document),
            "files": self.sources.digests,
            "elsewhere": list(elsewhere),
        }

    @property
    def agreement(self) -> dict[str, Json]:
        """What a yes agrees to, as it is kept."""
        return {**self.digests, "path": str(self.source) if self.source is not None else None}

    @property
    def folder(self) -> Path | None:
        """The folder that the graph and all its modules are in; none where a link leads out of it."""
        folder = self.sources.folder
        if folder is None:
            return None
        inside = (Path(os.path.realpath(file.path)).is_relative_to(folder) for file in self.sources.files)
        return folder if all(inside) else None

    @property
    def runs_code(self) -> bool:
        """Whether there is anything in it that a person must agree to."""
        return bool(self.refs or self._reached)

    @property
    def from_elsewhere(self) -> set[str]:
        """The handlers that are not beside the graph."""
        return {ref for ref in self.refs if ref.split(":")[0] in self.sources.elsewhere}

    @property
    def is_trusted(self) -> bool:
        """Whether it is what was shipped, was agreed to, or is in a folder that is trusted."""
        folder = self.folder if _folders else None
        if folder in _folders and self._is_of(_folders[folder]):
            return True
        return is_shipped(self.digests) or _is_kept(self.agreement)

    def _is_of(self, agreed: set[str]) -> bool:
        """Check whether trust in its folder covers it, by what of elsewhere was agreed to with the folder.

        What a store says of a graph anybody may have written: commands and servers that its file does not
        name were agreed to only where somebody has seen them.
        """
        return self.from_elsewhere <= agreed and (self._reached <= agreed or self.in_its_file is not None)

    @property
    def _reached(self) -> set[str]:
        """What it reaches beside Python code."""
        return {*self.commands, *self.addresses, *self.server_tools}

    @property
    def in_its_file(self) -> CompiledGraph | None:
        """The plan as its file has it, where that is there and says the same."""
        from .reader import read_graph

        if self.source is None:
            return None
        try:
            plan = read_graph(self.source).plan()
        except StepgraphError:
            return None
        return plan if plan.document == self.document else None


def _modules(refs: Iterable[str]) -> Iterator[str]:
    return (ref.split(":")[0] for ref in refs)


def _plan(graph: _Graph) -> CompiledGraph:
    """Lay out what runs: the graphs that a graph names run with it."""
    return graph if isinstance(graph, CompiledGraph) else graph.plan()


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """What a person is asked to trust. All of it was read at once: what can be seen is what is agreed to."""

    files: tuple[str, ...]
    """What would be trusted: the graph file first, then each handler module, then what it reaches beside.

    What a command reads comes after the first line of its text. A question should also say that what
    those modules import is not looked at.
    """
    changes: tuple[FileChange, ...]
    """What differs from what was agreed to last for this file; empty where nothing ever was."""
    folder: Path | None
    """The folder that could be trusted instead, as ``trust_folder`` does."""
    covered: Covered
    """What was read, and is agreed to by a yes."""
    any_tool: bool = False
    """Whether a node may call any tool of the user's servers, also of those that are configured later."""

    @property
    def named(self) -> str:
        """What the graph names that would run, in a few words."""
        covered = self.covered
        kinds = [
            ("Python code", covered.refs),
            ("commands", covered.commands),
            ("addresses on the network", covered.addresses),
            ("tools of your servers", covered.server_tools),
        ]
        return " and ".join(name for name, those in kinds if those) or "Python code"

    @property
    def untrusted(self) -> str:
        """What the graph would run, and why it may not: ``Python code you haven't trusted yet``."""
        why = "that has changed since you trusted it" if self.changes else "you haven't trusted yet"
        return f"{self.named} {why}"

    @property
    def told(self) -> tuple[str, ...]:
        """The files, each with how it has changed."""
        changes = {change.name: change.said for change in self.changes}
        gone = [change.name for change in self.changes if change.name not in self.files]
        return tuple(f"{name} {changes[name]}" if name in changes else name for name in (*self.files, *gone))


def trust_question(graph: _Graph) -> TrustQuestion:
    """Read what a graph would run, and compare it with what was agreed to last."""
    return _question(graph, Covered.read(graph))


def _question(graph: _Graph, covered: Covered) -> TrustQuestion:
    from .agreed import changes  # only where somebody is asked

    source, sources = covered.source, covered.sources
    if not covered.runs_code:
        return TrustQuestion((), (), None, covered)
    # The module of a graph in Python is named as such, behind.
    shown = _files(graph, covered) if covered.module is None else []
    for module in dict.fromkeys(_modules(covered.refs)):
        beside = [str(file.path) for file in sources.files_of(module)]
        shown += beside if module not in sources.elsewhere else [_from_elsewhere(covered, module)]
    shown += (*covered.commands, *covered.addresses, *covered.server_tools)
    changed = changes(source, covered.document, sources.files) if source is not None else ()
    any_tool = bool(open_nodes_of(_plan(graph)))
    return TrustQuestion(tuple(dict.fromkeys(shown)), changed, covered.folder, covered, any_tool)


def _files(graph: _Graph, covered: Covered) -> list[str]:
    """Name the graph's file and those of its subgraphs, where what they have is what would run.

    A store may say anything of a graph.
    """
    source = covered.source
    if source is None:
        return [f"graph {graph.name!r}, from a store"]
    plan = covered.in_its_file
    if plan is None:
        return [f"graph {graph.name!r}, not as it stands in {source}"]
    return [str(source), *(str(source.parent / name) for name in _inside(plan))]


def _inside(plan: CompiledGraph) -> Iterator[str]:
    """Name the files of the graphs that are inside of one; one whose tables are in its own file has none."""
    for entry in plan.nodes.values():
        node = inmost(entry.node)
        if isinstance(node, SubgraphNode) and node.settings.definition is None:
            yield node.settings.graph


def _command(entry: ToolEntry) -> str:
    """Write the command of a tool with all that it is given; what the program does cannot be compared."""
    part = entry.command
    assert part is not None  # noqa: S101  # who asks has looked
    words = [shlex.join(part.command)]
    arguments = read_arguments(part.arguments)
    defaults = {
        name: argument.default for name, argument in arguments.items() if argument.default is not None
    }
    if defaults:
        words.append(f"its arguments unless a call says otherwise: {dumps(defaults)}")
    if part.env:
        words.append(f"with the variables {', '.join(part.env)}")
    if part.folder:
        words.append(f"in the folder {shlex.quote(part.folder)}")
    container = read_container(part.container)
    if container is not None:
        mount = {"none": "sees no folder", "read": "reads its folder", "write": "may change its folder"}
        where = "a sandbox" if container.sandbox else f"a container of {shlex.quote(container.image)}"
        unpinned = "" if container.is_pinned else " (not pinned: another image may take its name)"
        network = ", and reaches the network" if container.network else ""
        words.append(f"in {where}{unpinned} that {mount[container.mount]}{network}")
    if "timeout" in part.overrides():
        words.append(f"for at most {part.timeout}")
    if part.stdin:
        words.append(f"it reads:\n{part.stdin}")
    return f"command of tool {shlex.quote(entry.name)}: {'; '.join(words)}"


def _commands(graph: _Graph) -> tuple[str, ...]:
    return tuple(_command(entry) for entry in graph.tools.values() if entry.command is not None)


def _server_tools(graph: _Graph) -> tuple[str, ...]:
    """Write which tools of servers are called; scripted answers stand in for one until a run is live."""
    aside = " (live; in other runs its scripted answers)"
    named = (
        f"tool of a server: {name}{aside if name in graph.tools else ''}" for name in server_tools_of(graph)
    )
    return (*named, *(f"node {shlex.quote(name)}: any tool of your servers" for name in open_nodes_of(graph)))


def _outside(plan: CompiledGraph) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return _commands(plan), tuple(addresses_of(plan)), _server_tools(plan)


def runs_code(graph: _Graph) -> bool:
    """True when the graph is in a Python module, or names code, commands, addresses or tools of servers."""
    return (
        graph.is_of_module
        or any(entry.command is not None for entry in graph.tools.values())
        or any(named(graph) for named in (handler_refs, addresses_of, server_tools_of, open_nodes_of))
    )


def reaches_outside(graph: _Graph) -> bool:
    """True when its nodes or tools run more than a scripted run can answer: Python, commands, addresses."""
    tools = graph.tools
    scripted = {name for name, entry in tools.items() if entry.returns is not None}
    return (
        graph.is_of_module
        or any(entry.settings is None for entry in graph.nodes.values())
        or any(entry.command is not None or entry.tool is not None for entry in tools.values())
        or any(named(graph) for named in (handler_refs, addresses_of, open_nodes_of))
        or not scripted.issuperset(server_tools_of(graph))
    )


def _from_elsewhere(covered: Covered, module: str) -> str:
    """Describe a module that is not beside the graph: which of its functions matters all the more."""
    functions = ", ".join(ref for ref in covered.refs if ref.split(":")[0] == module)
    return f"module {module} (from the Python path, not beside the file), for {functions}"


def is_trusted(graph: _Graph) -> bool:
    """True when the graph names nothing that runs, is a shipped example, or was agreed to as it is now."""
    return not runs_code(_plan(graph)) or Covered.read(graph).is_trusted


def require_trust(graph: _Graph) -> Sources:
    """Read the modules of a trusted graph's handlers; what is given back was compared, and may run.

    Raises:
        TrustError: It names what only runs with trust, and nobody has agreed to them as they are now.
    """
    if not runs_code(_plan(graph)):
        return Sources()
    covered = Covered.read(graph)
    if covered.is_trusted:
        return covered.sources
    question = _question(graph, covered)
    verb = "is" if graph.is_of_module else "runs"
    raise TrustError(
        f"graph {graph.name!r} {verb} {question.untrusted}",
        question.told,
        hint="review what is listed, then run it with --trust; "
        "what it imports or starts in turn is not covered",
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
    from .agreed import keep  # and all that writes files: only where something is agreed to
    from .atomic import write_atomically

    covered = seen.covered if seen is not None else Covered.read(graph)
    place, data = _read_kept(covered.agreement)
    try:
        make_data_folder()
        place.parent.mkdir(mode=0o700, exist_ok=True)
        write_atomically(place, data, 0o600)
    except OSError as error:
        raise StepgraphError(
            f"trust cannot be saved in {place.parent}: {error.strerror or error}",
            hint="check the folder's permissions, or name another one in STEPGRAPH_HOME",
        ) from error
    if covered.source is not None and covered.refs:
        keep(covered.source, covered.document, covered.sources.files)


# A folder, as long as the program runs

_folders: dict[Path, set[str]] = {}
"""The folders whose graphs are trusted until the program ends, and what of elsewhere they may call."""


def trust_folder(graph: _Graph, seen: TrustQuestion | None = None) -> None:
    """Trust all graphs in the folder of this one, and the modules beside them, until the program ends.

    Functions from elsewhere on the Python path are covered only where this graph names them. Nothing of it is
    kept. Runs of those graphs are trusted with them; where one goes by another definition than the file has,
    it may run no command and reach no server but those that this graph names.

    Args:
        graph: The graph.
        seen: What the user was asked about: a folder that has taken its place meanwhile is not trusted. The
            graph's folder as it is now when None.
    """
    covered = seen.covered if seen is not None else Covered.read(graph)
    if covered.folder is not None:
        _folders.setdefault(covered.folder, set()).update(covered.from_elsewhere, covered._reached)


# What is kept: a file for each agreement, so that nobody who keeps one can lose another's


def agreements_folder() -> Path:
    """Find the folder where agreements are kept."""
    return data_folder() / "trust"


def _read_kept(agreement: dict[str, Json]) -> tuple[Path, bytes]:
    """Find where an agreement is kept, and the content of its file."""
    data = canonical(agreement).encode(errors="backslashreplace")  # a path may hold any bytes
    return agreements_folder() / f"{hashlib.sha256(data).hexdigest()}.json", data


def _is_kept(agreement: dict[str, Json]) -> bool:
    """True for what was agreed to, to the letter; a file that is damaged, or not ours, means nothing."""
    place, data = _read_kept(agreement)
    try:
        with place.open("rb") as stream:
            return stream.read(len(data) + 1) == data
    except OSError:
        return False


def agreement(graph: _Graph) -> dict[str, Json]:
    """Describe all that trust in a graph covers, as it is now: what ``grant`` keeps."""
    return Covered.read(graph).agreement
