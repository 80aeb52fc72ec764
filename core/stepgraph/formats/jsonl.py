"""The trace of a run as lines of JSON: the run itself first, then a line for each row of its ledger.

Each line is written when it is asked for, so that a long run takes no more memory than a short one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stores.calls import calls_of
from ..stores.ledger import returned_updates
from ..values.errors import ExportError
from ..values.json_values import dumps
from .export import Exportable, Exported
from .json_lines import one_line
from .masking import masked
from .run_texts import error_words, instant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..runs.masks import Mask
    from ..runs.records import EvaluatedEdge, StepRecord
    from ..runs.run import Run
    from ..stores.ledger import Row
    from ..values.json_values import Json

FORMAT = 1
"""The format of the lines: another number where what they say has changed."""
_TOLD = ("calls", "edits", "routed")  # what of a row's data has a place of its own in the line, or none


def write(source: Exportable) -> Exported:
    """Write the trace of a run.

    Raises:
        ExportError: There is no run.
    """
    if source.run is None:
        raise ExportError("a trace needs a run, and this is a graph", hint="name a run: `stepgraph runs`")
    return Exported(one_line(dumps(line)) for line in _lines(source.run, source.mask))


def _lines(run: Run, mask: Mask) -> Iterator[dict[str, Json]]:
    yield {
        "kind": "run",
        "format": FORMAT,
        "run": run.id,
        "graph": mask.text(run.head.graph),
        "definition": run.definition,
        "status": run.status.value,
        "outcome": run.outcome.value if run.outcome is not None else None,
        "steps": run.step,
        "max_steps": run.max_steps,
        "next": mask.text(run.current) if run.current is not None else None,
        "at": instant(run.head.created_at),
        **({"origin": run.head.origin} if run.head.origin is not None else {}),
    }
    output = ""  # of the last step: its edges may be tried again
    for record, values in run.replayed():
        row = record.row
        if row.kind == "step":
            output = dumps(returned_updates(row, values)) if row.output is None else row.output
        edges = record.edges_in(values, output)
        yield _line(record, mask) | ({"edges": [_edge(edge, mask) for edge in edges]} if edges else {})


def _line(record: StepRecord, mask: Mask) -> dict[str, Json]:
    """Tell a row; what it does not have is left out."""
    row = record.row
    line: dict[str, Json] = {"kind": row.kind, "seq": row.seq, "step": row.step, "at": instant(row.at)}
    if row.node is not None:
        line["node"] = mask.text(row.node)
    if row.visit:
        line |= {"visit": row.visit, "duration": round(row.duration, 6)}
    if row.review is not None:
        line["review"] = row.review
    line |= _changes(row, mask)
    if row.output is not None:
        line["output"] = mask.text(row.output)
    if row.kind in ("step", "route"):
        line["next"] = mask.text(row.next) if row.next is not None else None
    if row.error is not None:
        line["error"] = error_words(row.error, mask)
    calls = [_without_digest(masked(call, mask)) for call in calls_of(row)]
    if calls:
        line["calls"] = [*calls]
    data = {key: masked(value, mask) for key, value in (row.data or {}).items() if key not in _TOLD}
    if data:
        line["data"] = data
    return line


def _without_digest(call: dict[str, Json]) -> dict[str, Json]:
    """Leave out what a replay knows the question by: to others it says nothing."""
    return {key: value for key, value in call.items() if key != "digest"}


def _changes(row: Row, mask: Mask) -> dict[str, Json]:
    """Tell what a row changed in the state: null takes a key away."""
    if row.updates is None:
        return {}
    ops = row.ops or {}
    changed = {name: value for name, value in row.updates.items() if ops.get(name) != "same"}
    told: dict[str, Json] = {"updates": mask.values(changed)}
    merged = {mask.text(name): op for name, op in ops.items() if op in ("append", "merge")}
    if merged:
        told["merged"] = {**merged}
    if len(changed) < len(row.updates):
        told["unchanged"] = [mask.text(name) for name in row.updates if name not in changed]
    return told


def _edge(edge: EvaluatedEdge, mask: Mask) -> dict[str, Json]:
    """Tell an edge as the step met it; why it was taken or not, where it was asked something."""
    told: dict[str, Json] = {"target": mask.text(edge.target), "matched": edge.matched}
    if edge.label:
        told["label"] = mask.text(edge.label)
    if not edge.is_asked:
        return told
    told["condition"] = mask.text(edge.condition)
    if edge.error is not None:
        told["error"] = mask.text(edge.error)
    if edge.matched is not None or edge.error is not None:
        told["explanation"] = mask.explanation(edge.explanation).to_json()
    return told
