"""What can be exported: a graph, or a run of it with its secrets masked, and the formats by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..runs.masks import MASK, Mask, mask_of
from ..runs.records import error_from_json
from ..runs.trail import Trail
from ..values.errors import ExportError
from ..values.json_values import Json, dumps, plain

if TYPE_CHECKING:
    from ..graphs.plan import CompiledGraph
    from ..runs.records import StepRecord
    from ..runs.run import Run


_WORDS = ("type", "reducer")
"""The keys whose values are words of the format: a secret that is spelled like one is not told by them."""


def masked_document(document: Mapping[str, Json], mask: Mask) -> dict[str, Json]:
    """Write the tables of a graph's own file, without its secrets.

    A secret default that is not text is left out: nothing readable hides it. The graphs
    that a run keeps of its subgraphs are left out too: their own files have them.
    """

    def hidden(value: Any) -> Any:
        if isinstance(value, list):
            return [hidden(item) for item in value]
        if not isinstance(value, dict):
            return mask.value("", value)
        return {
            mask.text(key): item if key in _WORDS and isinstance(item, str) else hidden(item)
            for key, item in value.items()
        }

    tables: dict[str, Any] = {key: hidden(value) for key, value in document.items()}
    for name, key in _tables(document, "state"):
        if mask.is_secret(name) and "default" in key:
            table = tables["state"][mask.text(name)]
            if isinstance(key["default"], str):
                table["default"] = MASK
            else:
                del table["default"]
    for name, node in _tables(document, "nodes"):
        if node.get("type") == "subgraph" and "graph" in node:
            tables["nodes"][mask.text(name)].pop("definition", None)
    return tables


def _tables(document: Mapping[str, Any], section: str) -> list[tuple[str, Any]]:
    return list(document.get(section, {}).items())


@dataclass(frozen=True, slots=True)
class Exportable:
    """A graph to export, with a run of it where there is one."""

    graph: CompiledGraph
    """The plan as the file has it: a subgraph is one node."""
    mask: Mask
    """Hides the secrets; what is exported goes through it."""
    run: Run | None = None
    document: Mapping[str, Json] = field(default_factory=dict)
    """The tables of the graph's file, its secrets masked."""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    """When it is exported."""

    def trail(self) -> Trail:
        """Read the way that the run went through the graph; without a run it has come nowhere."""
        trail = Trail(self.graph.edges)
        if self.run is not None:
            trail.read(self.run.history)
        return trail

    def output_text(self, record: StepRecord) -> str:
        """Return what a completed step put out; where that is its updates, each is hidden by its key."""
        if record.row.output is not None:
            return self.mask.text(record.row.output)
        return dumps(self.mask.values(record.updates))

    @classmethod
    def of_graph(cls, graph: CompiledGraph) -> Exportable:
        """Export a graph by itself; the defaults of its secret keys are hidden."""
        defaults = {name: plain(key.default, name) for name, key in graph.keys.items() if key.has_default}
        mask = Mask(graph, defaults)
        return cls(graph.as_filed(), mask, None, masked_document(graph.document, mask))

    @classmethod
    def of_run(cls, run: Run) -> Exportable:
        """Export a run with the graph that it follows; all secrets that it ever had are hidden."""
        mask = mask_of(run.plan, run.store, run.id)
        return cls(run.plan.as_filed(), mask, run, masked_document(run.plan.document, mask))


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export has made."""

    content: str | Iterable[str]
    """Its text; where that may be long, the parts of it one by one, to be taken once."""
    beside: Mapping[str, Exported] = field(default_factory=dict)
    """More files that belong to it, by what their names end in, such as ``.trace.json``."""

    @property
    def parts(self) -> Iterable[str]:
        """The text in parts, for whoever writes it somewhere."""
        return (self.content,) if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.parts)


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that graphs or runs can be written in."""

    name: str
    suffix: str
    """What the names of its files end in, such as ``.dag.json``."""
    about: str
    """What it is, for people, in one line."""
    writer: str
    """Where the function is that writes it, as ``module:function``; it is loaded when it is used."""
    needs_run: bool = False
    extra: str = ""
    """The extra that must be installed for it."""

    def file_name(self, source: Exportable) -> str:
        """Name a file for an export to a folder: after the run, else the graph, and the time."""
        name = source.run.id if source.run is not None else source.graph.name
        return f"{file_stem(source.mask.text(name))}-{source.at:%Y%m%d-%H%M%S}{self.suffix}"

    def write(self, source: Exportable) -> Exported:
        """Write a graph or a run in this format.

        Raises:
            ExportError: It cannot be written in it, with the reason; or what writes it is not installed.
        """
        module, name = self.writer.split(":")
        try:
            function: Callable[[Exportable], Exported] = getattr(import_module(module), name)
            return function(source)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            hint = f'install it with: pip install "stepgraph[{self.extra}]"'
            raise ExportError(f"{self.name} needs {error.name}, which is not installed", hint=hint) from error

    def files(self, made: Exported, out: Path) -> dict[Path, Iterable[str]]:
        """Name the files of an export, the one that is wanted first, each with the parts of its text.

        Args:
            made: What ``write`` has made.
            out: The file that is wanted.
        """
        is_ours = out.name.lower().endswith(self.suffix)
        stem = out.name[: -len(self.suffix)] if is_ours else out.name
        return {out: made.parts} | {
            out.with_name(stem + end): more.parts for end, more in made.beside.items()
        }


_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 80


def file_stem(text: str) -> str:
    """Turn any text into the name of a file, without its extension."""
    return _NOT_IN_NAMES.sub("-", text)[:_LONGEST_NAME].strip("-") or "graph"


_HERE = __package__
FORMATS: tuple[ExportFormat, ...] = (
    ExportFormat("mermaid", ".mmd", "a flowchart for Markdown pages", f"{_HERE}.mermaid:write"),
    ExportFormat("dot", ".dot", "a digraph for Graphviz", f"{_HERE}.dot:write"),
    ExportFormat(
        "json",
        ".json",
        "node-link JSON for networkx, with all of a graph file",
        f"{_HERE}.node_link:write",
    ),
    ExportFormat("graphml", ".graphml", "XML for networkx, Gephi and yEd", f"{_HERE}.graphml:write"),
    ExportFormat(
        "dag",
        ".dag.json",
        "DAG 1.3 for AgentEnsemble's viewer, and its trace",
        f"{_HERE}.dag:write",
    ),
    ExportFormat(
        "python", ".py", "a Python script that builds the same graph, and runs it", f"{_HERE}.python:write"
    ),
    ExportFormat(
        "jsonl",
        ".jsonl",
        "the trace, a line of JSON for each row of the ledger",
        f"{_HERE}.jsonl:write",
        needs_run=True,
    ),
    ExportFormat(
        "otel",
        ".otlp.json",
        "OpenTelemetry spans with the GenAI conventions",
        "stepgraph.extras.otel:write",
        needs_run=True,
        extra="otel",
    ),
)
"""The formats that the engine writes; those that need a drawing are the command line's."""


def instant(seconds: float) -> str:
    """Write a time, given in seconds since 1970, as ISO 8601 in UTC, to the microsecond."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):  # a clock may say anything
        moment = datetime.fromtimestamp(0, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06d}Z"


def iso_duration(seconds: float) -> str:
    """Write a length of time as ISO 8601 has it, in seconds: ``PT1.25S``."""
    return f"PT{max(seconds, 0.0):.6f}".rstrip("0").rstrip(".") + "S"


def seconds_of(calls: Iterable[Mapping[str, Any]]) -> float:
    """Add up how long calls took; what a store has that is no time counts nothing."""
    times: list[Any] = [call.get("seconds") for call in calls]
    return float(sum(time for time in times if type(time) in (int, float) and 0 <= time < 1e9))


def error_words(error: Mapping[str, Json]) -> dict[str, Json]:
    """Describe an error of a masked row: its type, what it says, and the traceback of what was raised."""
    cause = error.get("cause")
    cause = cause if isinstance(cause, dict) else {}
    words: dict[str, Json] = {
        "type": str(cause.get("type") or error.get("type") or "RunError"),
        "message": str(error_from_json(dict(error))),
    }
    if cause.get("traceback"):
        words["traceback"] = str(cause["traceback"])
    return words
