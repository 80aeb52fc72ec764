"""Runs as OpenTelemetry spans, decoded by OpenTelemetry's own messages."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status, TracesData

from stepgraph import END, Decision, Executor, MemoryStore, Reviews, Run, StateGraph, open_run
from stepgraph.extras.otel import span_id, trace_id
from stepgraph.formats.export import FORMATS, Exportable
from stepgraph.models import ModelReply
from stepgraph.reviews.terms import ReviewTerms
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph.values.errors import ExportError
from tests.examples import examples
from tests.formats.random_graphs import graphs, run_of
from tests.graphs.journeys import JOURNEYS
from tests.graphs.playing import Journey
from tests.nodes.models import ChatScript

OTEL = next(each for each in FORMATS if each.name == "otel")
_HEX = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


def from_hex(value: Any) -> Any:
    """OTLP/JSON as JSON of protobuf, which has bytes in base64; the ids must be hexadecimal."""
    if isinstance(value, list):
        return [from_hex(item) for item in value]
    if not isinstance(value, dict):
        return value
    told = {key: from_hex(item) for key, item in value.items()}
    for key, length in _HEX.items():
        if key in told:
            assert re.fullmatch(f"[0-9a-f]{{{length}}}", told[key])
            told[key] = base64.b64encode(bytes.fromhex(told[key])).decode()
    return told


def decoded(text: str) -> list[Span]:
    """The spans of an export; every line is a message."""
    spans: list[Span] = []
    for line in text.splitlines():
        told = json.loads(line)
        assert all(
            isinstance(span["kind"], int) for span in told["resourceSpans"][0]["scopeSpans"][0]["spans"]
        )
        data = ParseDict(from_hex(told), TracesData())
        (resource,) = data.resource_spans
        assert table(resource.resource.attributes)["service.name"] == "stepgraph"
        (scope,) = resource.scope_spans
        assert scope.scope.name == "stepgraph"
        spans += scope.spans
    return spans


def plain(value: AnyValue) -> Any:
    """A value of the format as JSON."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [plain(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return table(value.kvlist_value.values)
    return getattr(value, kind) if kind is not None else None


def table(attributes: Any) -> dict[str, Any]:
    """Attributes as a table; each name stands once."""
    told = {each.key: plain(each.value) for each in attributes}
    assert len(told) == len(attributes)
    return told


def sound(run: Run) -> dict[str, list[Span]]:
    """The spans of a run by their names, after a look at what holds for any trace."""
    source = Exportable.of_run(run)
    text = OTEL.write(source).text
    assert OTEL.write(source).text == text, "exported twice, it is the same"
    spans = decoded(text)
    ids = [span.span_id for span in spans]
    assert len(set(ids)) == len(ids)
    assert {span.trace_id for span in spans} == {trace_id(run.id)}
    root = spans[-1]
    by_id = {span.span_id: span for span in spans}
    assert (root.parent_span_id, root.span_id) == (b"", span_id(run.id, ""))
    for span in spans:
        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
        assert root.start_time_unix_nano <= span.start_time_unix_nano
        assert span is root or span.parent_span_id in by_id
        for link in span.links:
            assert link.trace_id != span.trace_id or link.span_id in by_id
        _conventions(span)
    named: dict[str, list[Span]] = {}
    for span in spans:
        named.setdefault(span.name, []).append(span)
    return named


_REQUIRED = {
    "chat": ("gen_ai.provider.name", "gen_ai.request.model"),
    "execute_tool": ("gen_ai.tool.name",),
    "invoke_agent": ("gen_ai.agent.name",),
    "invoke_workflow": ("gen_ai.workflow.name",),
}
_NAMED_BY = {
    "chat": "gen_ai.request.model",
    "execute_tool": "gen_ai.tool.name",
    "invoke_agent": "gen_ai.agent.name",
    "invoke_workflow": "gen_ai.workflow.name",
}


def _conventions(span: Span) -> None:
    """What the conventions ask of a span."""
    told = table(span.attributes)
    operation = told.get("gen_ai.operation.name")
    assert (operation is None) == span.name.startswith(("node ", "review "))
    if operation is not None:
        assert all(told[key] for key in _REQUIRED[operation])
        assert span.name == f"{operation} {told[_NAMED_BY[operation]]}"
        assert span.kind == (Span.SPAN_KIND_CLIENT if operation == "chat" else Span.SPAN_KIND_INTERNAL)
    failed = span.status.code == Status.STATUS_CODE_ERROR
    assert failed == ("error.type" in told)
    assert failed == any(event.name == "exception" for event in span.events)
    for event in span.events:
        if event.name == "exception":
            assert {"exception.type", "exception.message"} <= table(event.attributes).keys()


@pytest.mark.parametrize("journey", JOURNEYS, ids=str)
def test_the_spans_of_a_run_are_its_nodes_calls_and_reviews(journey: Journey) -> None:
    run = journey.run()
    named = sound(run)
    (root,) = named[f"invoke_workflow {run.head.graph}"]
    told = table(root.attributes)
    assert (told["stepgraph.run.status"], told["stepgraph.run.outcome"]) == ("ended", "end")
    steps = sorted(
        (told["stepgraph.step"], told["stepgraph.node"])
        for spans in named.values()
        for span in spans
        if "stepgraph.output" in (told := table(span.attributes))
    )
    assert steps == list(enumerate(journey.path.split(), 1))
    calls = [call for record in run.history for call in record.calls]
    spans = [
        span for name, those in named.items() for span in those if name.startswith(("chat ", "execute_"))
    ]
    assert len(spans) == len(calls)
    decided = [span for name, those in named.items() for span in those if name.startswith("review ")]
    assert len(decided) == len(list(run.rows_after(0, ("review",))))
    assert {table(span.attributes)["stepgraph.review.status"] for span in decided} <= {"decided", "expired"}


@given(graphs(), st.none() | st.integers(0, 5))
@examples(60, deadline=None)
def test_the_spans_of_any_run_are_sound(graph: StateGraph, steps: int | None) -> None:
    run = run_of(graph, steps)
    named = sound(run)
    assert sum(len(spans) for name, spans in named.items() if name.startswith("node ")) == run.step
    assert sound(open_run(run.store, run.id)).keys() == named.keys()


def asking(terms: ReviewTerms) -> tuple[Executor, Reviews, FakeClock]:
    """A graph that asks a person."""
    graph = StateGraph("g", start="ask")
    editable: dict[str, Any] = {} if terms.approvals else {"editable": {"amount": "number"}}
    graph.declare_node("ask", "approval", {"prompt": "Pay {{ amount }}?", **editable}, terms=terms)
    graph.add_edge("ask", END)
    store, clock = MemoryStore(), FakeClock()
    return (
        Executor(graph.compile(), store, clock=clock, ids=sequential_ids()),
        Reviews(store, clock.time),
        clock,
    )


@pytest.mark.parametrize("rule", ["reject", "fail"])
def test_a_review_that_nobody_decided_in_time_says_so(rule: Any) -> None:
    executor, reviews, clock = asking(ReviewTerms(deadline=60, on_timeout=rule))
    run = executor.run(executor.start({"amount": 5}))
    clock.advance(61)
    reviews.expire()
    run = executor.run(executor.load(run.id))
    (review,) = sound(run)["review ask"]
    told = table(review.attributes)
    assert told["stepgraph.review.status"] == "expired"
    assert ("error.type" in told) == (rule == "fail")


def test_a_fork_is_linked_to_the_run_that_it_came_from() -> None:
    run = JOURNEYS[0].run()
    executor = Executor(run.plan, run.store)
    fork = executor.fork(run.id, at=1, new_run_id="r-2")
    (root,) = sound(executor.run(fork))["invoke_workflow threshold-router"]
    assert [(link.trace_id, link.span_id) for link in root.links] == [(trace_id(run.id), span_id(run.id, ""))]


def test_secrets_are_masked_in_every_span() -> None:
    graph = StateGraph("s3cret", start="a")
    graph.add_key("token", default="s3cret", secret=True)
    graph.add_tool("look", lambda token: {"token": token, "echo": f"is {token}"})
    graph.declare_node("a", "tool", {"tool": "look", "arguments": {"token": "{{ token }}"}})
    graph.declare_node("b", "approval", {"prompt": "Use {{ token }}?", "editable": {"token": "text"}})
    graph.add_node("c", lambda state: {"x": 1 / (len(state["token"]) - 7)})
    for one, two in (("a", "b"), ("b", "c"), ("c", END)):
        graph.add_edge(one, two, label="s3cret")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    decision = Decision.edit({"token": "an0ther"}, by="ana", comment="was s3cret")
    executor.resume(run.id, decision, review=run.pending.id, expect_hash=run.pending.hash)
    run = executor.load(run.id)
    assert run.error is not None
    text = OTEL.write(Exportable.of_run(run)).text
    assert "s3cret" not in text
    assert "an0ther" not in text


def test_what_a_model_thought_comes_before_what_it_said() -> None:
    graph = StateGraph("thinking", start="answer")
    graph.declare_node("answer", "llm", {"prompt": "Refund?"})
    graph.add_edge("answer", END)
    model = ChatScript([ModelReply("yes", thoughts="the order is late")])
    executor = Executor(graph.compile(), models={"default": model})
    spans = decoded(OTEL.write(Exportable.of_run(executor.run(executor.start({})))).text)
    (told,) = (table(span.attributes) for span in spans if span.name.startswith("chat"))
    (message,) = told["gen_ai.output.messages"]
    assert message["parts"] == [
        {"type": "reasoning", "content": "the order is late"},
        {"type": "text", "content": "yes"},
    ]


@pytest.mark.parametrize(
    "value", [2**70, -(2**63), 1.5, None, True, [[[[[[[[[[[[["deep"]]]]]]]]]]]]], {"a": {"b": [None]}}]
)
def test_odd_results_of_tools_can_be_decoded(value: Any) -> None:
    graph = StateGraph("g", start="a")
    graph.add_tool("odd", lambda: {"value": value})
    graph.declare_node("a", "tool", {"tool": "odd"})
    graph.add_edge("a", END)
    executor = Executor(graph.compile())
    (span,) = sound(executor.run(executor.start({})))["execute_tool odd"]
    told = table(span.attributes)["gen_ai.tool.call.result"]["value"]
    if isinstance(value, list):
        assert json.dumps(told).count("deep") == 1
    else:
        assert told == (str(value) if isinstance(value, int) and abs(value) > 2**62 and value > 0 else told)


def test_a_line_is_never_much_longer_than_a_few_megabytes() -> None:
    graph = StateGraph("wordy", start="a", max_steps=6)
    graph.add_node("a", lambda state: {"text": f"{state.step}" + 1_500_000 * "x"})
    graph.add_edge("a", "a")
    executor = Executor(graph.compile(), MemoryStore())
    run = executor.run(executor.start({}))
    lines = OTEL.write(Exportable.of_run(run)).text.splitlines()
    assert len(lines) == 3
    assert len(decoded("\n".join(lines))) == 7


def test_it_needs_a_run_and_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    executor, _, _ = asking(ReviewTerms())
    run = executor.start({"amount": 5})
    assert (OTEL.needs_run, OTEL.extra) == (True, "otel")
    with pytest.raises(ExportError, match="spans need a run"):
        OTEL.write(Exportable.of_graph(run.plan))
    for name in _loaded():
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ExportError, match=r'pip install "stepgraph\[otel\]"'):
        OTEL.write(Exportable.of_run(run))


def _loaded() -> Iterator[str]:
    yield "opentelemetry.proto.trace.v1"
    yield "opentelemetry.proto.trace.v1.trace_pb2"
