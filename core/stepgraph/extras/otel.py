"""A run as OpenTelemetry spans, after the semantic conventions for generative AI (1.41), as OTLP/JSON.

The run is an ``invoke_workflow`` span. Below it stands a span for each time that a node worked (an ``agent``
is ``invoke_agent``), with its calls as ``chat`` and ``execute_tool`` spans below that, and a span for each
review, which lasts as long as a person was waited for. Ids are made of the run's id and the numbers of its
rows: exported twice, it is the same trace. A long run takes several lines, each a message of its own, as
OpenTelemetry's file exporter writes them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..formats.export import Exportable, Exported, error_words, seconds_of
from ..formats.jsonl import one_line
from ..reviews.terms import TIMEOUT
from ..runs.spending import spending_of
from ..stores.ledger import calls_of
from ..values.errors import ExportError
from ..values.json_values import dumps

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from ..runs.records import StepRecord
    from ..runs.run import Run
    from ..stores.ledger import Row, RowKind
    from ..values.json_values import Json

SCHEMA = "https://opentelemetry.io/schemas/1.41.0"
_AT_ONCE, _BYTES = 1_000, 4_000_000  # spans of a line at most, and about as many bytes
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_LATEST = 2**63 - 1
_TO_ROOT: tuple[RowKind, ...] = ("edit", "adopt", "extend", "stop", "fork", "mode", "route")
"""The kinds of rows that are events of the run itself."""
_KINDS: tuple[RowKind, ...] = ("step", "attempt", "review", "vote", "escalation", "decision", *_TO_ROOT)
_KEEPS_WAITING: tuple[RowKind, ...] = ("adopt", "extend", "mode")
"""The kinds of rows that leave the review that waits as it is."""
_DEEPEST = 8
"""How deep values may be inside of one another: readers of the format give up soon."""


def write(source: Exportable) -> Exported:
    """Write a run as spans.

    Raises:
        ExportError: There is no run.
        ModuleNotFoundError: The library of the format is not installed.
    """
    if source.run is None:
        raise ExportError("spans need a run, and this is a graph", hint="name a run: `stepgraph runs`")
    import opentelemetry.proto.trace.v1.trace_pb2  # noqa: F401  # fails before anything is written

    return Exported(_lines(_Spans(source, source.run).all()))


def _lines(spans: Iterator[Span]) -> Iterator[str]:
    for some in _batches(spans):
        yield one_line(_otlp_json(some))


def _batches(spans: Iterator[Span]) -> Iterator[list[Span]]:
    batch: list[Span] = []
    room = _BYTES
    for span in spans:
        batch.append(span)
        room -= span.ByteSize()
        if len(batch) == _AT_ONCE or room <= 0:
            yield batch
            batch, room = [], _BYTES
    if batch:
        yield batch


def _otlp_json(spans: list[Span]) -> str:
    """Write spans as a message of OTLP/JSON, which has ids in hexadecimal and kinds as numbers."""
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, TracesData

    scope = ScopeSpans(schema_url=SCHEMA, spans=spans)
    scope.scope.name, scope.scope.version = "stepgraph", __version__
    resource = ResourceSpans(schema_url=SCHEMA, scope_spans=[scope])
    resource.resource.attributes.extend(
        _attributes({"service.name": "stepgraph", "service.version": __version__})
    )
    data = MessageToDict(TracesData(resource_spans=[resource]), use_integers_for_enums=True)
    for written, span in zip(data["resourceSpans"][0]["scopeSpans"][0]["spans"], spans, strict=True):
        _set_ids(written, span, ("trace_id", "span_id", "parent_span_id"))
        for link, linked in zip(written.get("links", ()), span.links, strict=True):
            _set_ids(link, linked, ("trace_id", "span_id"))
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _set_ids(written: dict[str, Any], message: Any, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(message, name):
            head, *rest = name.split("_")
            written[head + "".join(map(str.title, rest))] = getattr(message, name).hex()


def trace_id(run_id: str) -> bytes:
    """Derive the id of a run's trace."""
    return hashlib.sha256(f"stepgraph run {run_id}".encode()).digest()[:16]


def span_id(run_id: str, part: str) -> bytes:
    """Derive the id of a span in it: of the run itself where the part is empty, else of a row or a call."""
    return hashlib.sha256(f"stepgraph run {run_id}\0{part}".encode()).digest()[:8]


class _Spans:
    """Makes the spans of a run, one by one.

    Args:
        source: What is exported.
        run: The run.
    """

    def __init__(self, source: Exportable, run: Run) -> None:
        self._run, self._source, self._mask = run, source, source.mask
        self._root = self._span("", f"invoke_workflow {self._mask.text(run.head.graph)}", run.head.created_at)
        self._waiting: Span | None = None  # the review that waits
        self._asked: dict[str, Span] = {}  # reviews by their ids, those of the step that is not completed yet
        self._ended = run.head.created_at

    def all(self) -> Iterator[Span]:
        """Build the spans: what is over first, the run itself last."""
        for record in self._run.records_after(0, _KINDS):
            row = record.row
            self._root.start_time_unix_nano = min(self._root.start_time_unix_nano, _nano(row.at))
            self._ended = max(self._ended, row.at + row.duration)
            if row.kind in ("vote", "escalation"):
                self._vote(row)
            else:
                yield from self._review_over(row)
            if row.kind in ("step", "attempt", "review") and (row.kind != "attempt" or row.review is None):
                yield from self._work(record)
            if row.kind == "review":
                self._ask(row)
            elif row.kind in _TO_ROOT:
                self._note(row)
        if self._waiting is not None:
            self._end(self._waiting, self._ended, {"stepgraph.review.status": "pending"})
            yield self._waiting
        yield self._whole()

    def _span(
        self, part: str, name: str, at: float, kind: int = _INTERNAL, parent: str | None = None
    ) -> Span:
        from opentelemetry.proto.trace.v1.trace_pb2 import Span

        run_id = self._run.id
        return Span(
            trace_id=trace_id(run_id),
            span_id=span_id(run_id, part),
            parent_span_id=span_id(run_id, parent) if parent is not None else b"",
            name=name,
            kind=kind,  # type: ignore[arg-type]  # a number of the enum
            start_time_unix_nano=_nano(at),
        )

    def _end(self, span: Span, at: float, about: Mapping[str, Any]) -> None:
        span.end_time_unix_nano = max(_nano(at), span.start_time_unix_nano)
        span.attributes.extend(_attributes(about))

    def _fail(self, span: Span, error: Mapping[str, Json], at: float) -> dict[str, Any]:
        """Mark a span as failed, and return the attribute that describes the failure."""
        words = error_words(self._mask.table(error))
        span.status.code, span.status.message = _ERROR, str(words["message"])  # type: ignore[assignment]
        attributes = {"exception.type": words["type"], "exception.message": words["message"]}
        if "traceback" in words:
            attributes["exception.stacktrace"] = words["traceback"]
        span.events.add(name="exception", time_unix_nano=_nano(at), attributes=_attributes(attributes))
        return {"error.type": words["type"]}

    def _whole(self) -> Span:
        run, span = self._run, self._root
        about: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.workflow.name": self._mask.text(run.head.graph),
            "stepgraph.run.id": run.id,
            "stepgraph.run.status": run.status.value,
            "stepgraph.run.outcome": run.outcome.value if run.outcome is not None else None,
            "stepgraph.run.steps": run.step,
            "stepgraph.run.cost": run.spending.cost or None,
        }
        if run.error is not None:
            error: dict[str, Json] = {"type": type(run.error).__name__, "message": run.error.message}
            about |= self._fail(span, error, self._ended)
        origin = (run.head.origin or "").rpartition("@")[0]
        if origin:
            span.links.add(trace_id=trace_id(origin), span_id=span_id(origin, ""))
        self._end(span, self._ended, about)
        return span

    # What nodes do

    def _work(self, record: StepRecord) -> Iterator[Span]:
        """Build the span of a visit, or of its part before a pause or a failure, and those of its calls."""
        row, node = record.row, self._mask.text(record.node)
        entry = self._run.plan.nodes.get(record.node)
        is_agent = entry is not None and entry.type == "agent"
        span = self._span(str(row.seq), f"{'invoke_agent' if is_agent else 'node'} {node}", row.at, parent="")
        about: dict[str, Any] = {
            "stepgraph.node": node,
            "stepgraph.node.type": entry.type if entry is not None else None,
            "stepgraph.step": row.step,
            "stepgraph.visit": row.visit,
            "stepgraph.row": row.seq,
        }
        if is_agent:
            about |= {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": node}
        ended = row.at
        for number, call in enumerate(calls_of(row)):
            one = self._call(row, number, self._mask.json(call), ended)
            ended += seconds_of([call])
            yield one
        if row.kind == "step":
            about["stepgraph.output"] = self._source.output_text(record)
            about["stepgraph.next"] = self._mask.text(row.next) if row.next is not None else None
            for review in self._asked.values():
                span.links.add(trace_id=review.trace_id, span_id=review.span_id)
            self._asked.clear()
        if row.kind == "review":
            about["stepgraph.paused"] = True
        if row.error is not None:
            about |= self._fail(span, row.error, row.at + row.duration)
        self._end(span, max(ended, row.at + row.duration), about)
        yield span

    def _call(self, row: Row, number: int, call: Mapping[str, Any], at: float) -> Span:
        is_model = call.get("kind") == "model"
        about = _of_model(call) if is_model else _of_tool(call)
        name = about["gen_ai.request.model" if is_model else "gen_ai.tool.name"]
        kind = _CLIENT if is_model else _INTERNAL
        span = self._span(
            f"{row.seq}/{number}", f"{about['gen_ai.operation.name']} {name}", at, kind, str(row.seq)
        )
        about["stepgraph.call.source"] = call.get("source")
        if "error" in call:
            message = str(call["error"])
            error = {"type": message if message.isidentifier() else "_OTHER", "message": message}
            about |= self._fail(span, error, at + seconds_of([call]))
        self._end(span, at + seconds_of([call]), about)
        return span

    # What people do

    def _ask(self, row: Row) -> None:
        data = row.data or {}
        found = data.get("request")
        request = found if isinstance(found, dict) else {}
        node = self._mask.text(row.node or "")
        review = self._span(f"{row.seq}/review", f"review {node}", row.at + row.duration, parent="")
        about = {
            "stepgraph.node": node,
            "stepgraph.step": row.step,
            "stepgraph.row": row.seq,
            "stepgraph.review.id": row.review,
            "stepgraph.review.prompt": self._mask.text(str(request.get("prompt", ""))),
            "stepgraph.review.action": self._mask.text(str(request.get("action", ""))) or None,
            "stepgraph.review.risk": request.get("risk"),
        }
        review.attributes.extend(_attributes(about))
        self._waiting = review
        self._asked = {**self._asked, row.review or "": review}

    def _vote(self, row: Row) -> None:
        if self._waiting is not None:
            attributes = _attributes(
                self._mask.json({"by": None, "verb": None, "comment": None} | (row.data or {}))
            )
            self._waiting.events.add(
                name=f"stepgraph.{row.kind}", time_unix_nano=_nano(row.at), attributes=attributes
            )

    def _review_over(self, row: Row) -> Iterator[Span]:
        """End the review that waited: it was decided, nobody did in time, or something else came first."""
        review = self._waiting
        if review is None or row.kind in _KEEPS_WAITING:
            return
        self._waiting = None
        data = row.data or {}
        timed_out = data.get("source") == TIMEOUT
        status = "expired" if timed_out else "decided" if row.kind == "decision" else "withdrawn"
        about: dict[str, Any] = {
            "stepgraph.review.status": status,
            "stepgraph.review.wait_seconds": round(row.at - review.start_time_unix_nano / 1e9, 6),
        }
        if row.kind == "decision":
            decision = self._mask.json(
                {key: data.get(key) for key in ("verb", "by", "comment", "text", "source")}
            )
            about |= {f"stepgraph.review.{key}": value or None for key, value in decision.items()}
            edited = data.get("values")
            if isinstance(edited, dict) and edited:
                about["stepgraph.review.edited"] = sorted(map(self._mask.text, edited))
        if row.error is not None:
            about |= self._fail(review, row.error, row.at)
        self._end(review, row.at, about)
        yield review

    def _note(self, row: Row) -> None:
        data = {key: value for key, value in (row.data or {}).items() if key in ("by", "comment", "steps")}
        about = {f"stepgraph.{key}": value for key, value in self._mask.json(data).items()}
        about |= {"stepgraph.node": row.node and self._mask.text(row.node), "stepgraph.row": row.seq}
        if row.kind == "route":
            about["stepgraph.next"] = row.next and self._mask.text(row.next)
        if row.updates:
            about["stepgraph.changed"] = sorted(map(self._mask.text, row.updates))
        self._root.events.add(
            name=f"stepgraph.{row.kind}", time_unix_nano=_nano(row.at), attributes=_attributes(about)
        )


def _of_model(call: Mapping[str, Any]) -> dict[str, Any]:
    spent = spending_of([call])
    thought = {"type": "reasoning", "content": call["thoughts"]} if call.get("thoughts") else None
    answer = {"type": "text", "content": call["text"]} if "text" in call else None
    asked = [
        {"type": "tool_call", "name": each.get("name"), "arguments": each.get("arguments")}
        for each in call.get("tool_calls") or ()
        if isinstance(each, dict)
    ]
    parts = [part for part in (thought, answer, *asked) if part is not None]
    reason = "tool_call" if asked else "stop"
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": call.get("provider") or "_OTHER",
        "gen_ai.request.model": str(call.get("model") or call.get("name", "")),
        "gen_ai.response.model": call.get("model") or None,
        "gen_ai.response.finish_reasons": [reason] if parts else None,
        "gen_ai.usage.input_tokens": spent.input_tokens or None,
        "gen_ai.usage.output_tokens": spent.output_tokens or None,
        "gen_ai.usage.cache_read.input_tokens": call.get("cached_tokens") if spent.tokens else None,
        "gen_ai.output.messages": [{"role": "assistant", "parts": parts, "finish_reason": reason}]
        if parts
        else None,
        "stepgraph.model": call.get("name"),
        "stepgraph.cost": spent.cost or None,
    }


def _of_tool(call: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": str(call.get("name", "")),
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": call.get("arguments"),
        "gen_ai.tool.call.result": call.get("result"),
    }


def _nano(seconds: float) -> int:
    """Return a time in nanoseconds since 1970, within what the format can hold; no time is its beginning."""
    return int(min(max(seconds * 1e9, 0), _LATEST - 1024)) if seconds == seconds else 0


def _attributes(table: Mapping[str, Any]) -> Iterable[Any]:
    """Build attributes; None is left out."""
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue

    return [KeyValue(key=key, value=_any(value)) for key, value in table.items() if value is not None]


def _any(value: Any, depth: int = 0) -> Any:
    """Convert JSON to a value of the format; what is too large or too deep for it becomes text."""
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int) and abs(value) <= _LATEST:
        return AnyValue(int_value=value)
    if isinstance(value, float):
        return AnyValue(double_value=value)
    if isinstance(value, list | dict) and depth >= _DEEPEST:
        return AnyValue(string_value=dumps(value))
    if isinstance(value, list):
        return AnyValue(array_value=ArrayValue(values=[_any(item, depth + 1) for item in value]))
    if isinstance(value, dict):
        items = [KeyValue(key=key, value=_any(item, depth + 1)) for key, item in value.items()]
        return AnyValue(kvlist_value=KeyValueList(values=items))
    return AnyValue() if value is None else AnyValue(string_value=str(value))
